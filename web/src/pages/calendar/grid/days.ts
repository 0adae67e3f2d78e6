/** Nights as day numbers (days since 1970-01-01), as the service counts them. */

const dayMs = 86_400_000

export function dayOf(date: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms / dayMs
}

export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** 0 for Monday … 6 for Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

export function isWeekend(day: number): boolean {
  return weekdayOf(day) >= 5
}

export function dayOfMonth(day: number): number {
  return new Date(day * dayMs).getUTCDate()
}

export type MonthSpan = { first: number; nights: number; key: string }

/** The months of a window: the offset of each from the first night, and its number of nights in the window. */
export function monthsOf(from: number, nights: number): MonthSpan[] {
  const spans: MonthSpan[] = []
  for (let index = 0; index < nights; index++) {
    const key = dateOf(from + index).slice(0, 7)
    const last = spans.at(-1)
    if (last?.key === key) last.nights++
    else spans.push({ first: index, nights: 1, key })
  }
  return spans
}
