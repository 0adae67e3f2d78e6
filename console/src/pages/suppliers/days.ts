const dayMs = 86_400_000

/** A last day stands for the midnight (UTC) that ends it. */
export function endOfDay(lastDay: string): string | null {
  const atMs = Date.parse(`${lastDay}T00:00:00Z`)
  return Number.isNaN(atMs) ? null : new Date(atMs + dayMs).toISOString()
}

/** The day (UTC) in which an end lies; '' for none. */
export function lastDayOf(end: string | null): string {
  return end === null ? '' : new Date(Date.parse(end) - 1).toISOString().slice(0, 10)
}
