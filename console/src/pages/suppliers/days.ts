const dayMs = 86_400_000

/** A last day means the midnight (UTC) at its end. */
export function endOfDay(lastDay: string): string | null {
  const atMs = Date.parse(`${lastDay}T00:00:00Z`)
  return Number.isNaN(atMs) ? null : new Date(atMs + dayMs).toISOString()
}

/** The last day (UTC) before an expiry; '' for none. */
export function lastDayOf(end: string | null): string {
  return end === null ? '' : new Date(Date.parse(end) - 1).toISOString().slice(0, 10)
}
