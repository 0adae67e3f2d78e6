import { dayMs } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { selectDays } from './housekeeping.ts'

/**
 * Searches of the log that name no days. PostgreSQL plans a statement for each day that it may read, and locks the day's
 * table with all of its indexes: over years of days there are more than its table of locks has room for. So a search goes
 * back in ranges of days, and each statement names one range.
 */

/** `fromMs` included, `toMs` excluded; -Infinity and Infinity mean no bound. */
export type DayRange = { fromMs: number; toMs: number }

const daysAtOnce = 30
/** Rows get their ids a moment before or after their timestamps. */
const edgeMs = 60_000

/** Newest first. Together they include every row. */
export async function selectDayRanges(db: Queryable): Promise<DayRange[]> {
  const days = await selectDays(db)
  const ranges: DayRange[] = []
  let toMs = Infinity
  for (let end = days.length; end > daysAtOnce; end -= daysAtOnce) {
    const fromMs = (days[end - daysAtOnce] ?? 0) * dayMs
    ranges.push({ fromMs, toMs })
    toMs = fromMs
  }
  return [...ranges, { fromMs: -Infinity, toMs }]
}

/** Ranges that include all of the instants, oldest first. */
export function rangesOf(instantsMs: readonly number[]): DayRange[] {
  const days = [...new Set(instantsMs.map((ms) => Math.floor(ms / dayMs)))].sort((one, other) => one - other)
  const ranges: DayRange[] = []
  for (const day of days) {
    const last = ranges.at(-1)
    const toMs = (day + 1) * dayMs
    if (last && toMs - last.fromMs <= daysAtOnce * dayMs) last.toMs = toMs
    else ranges.push({ fromMs: day * dayMs, toMs })
  }
  return ranges
}

/** For a row whose instant is known to the millisecond. */
export function rangeAround(instantMs: number): DayRange {
  return { fromMs: instantMs - 1, toMs: instantMs + 2 }
}

/**
 * The condition for rows of a range, and the values of its two parameters. Both ends are constants: the planner computes no
 * difference of an instant and an interval, and would keep every day.
 */
export function isInRange(from: string, to: string): string {
  return `at >= ${from}::timestamptz and at < ${to}::timestamptz`
}
export function rangeValues({ fromMs, toMs }: DayRange): [from: string, to: string] {
  return [
    fromMs === -Infinity ? '-infinity' : new Date(fromMs).toISOString(),
    toMs === Infinity ? 'infinity' : new Date(toMs).toISOString(),
  ]
}

/** Goes back in the log until there is enough, or all is read. */
export async function readBack<Row>(
  db: Queryable,
  read: (range: DayRange) => Promise<Row[]>,
  isEnough: (rows: readonly Row[], range: DayRange) => boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const range of await selectDayRanges(db)) {
    for (const row of await read(range)) rows.push(row)
    if (isEnough(rows, range)) break
  }
  return rows
}

/**
 * The newest rows by their ids. `read` returns the newest of a range, `limit` at most. `beforeMs`: about when the row came
 * before which the page begins.
 */
export async function readNewest<Row extends { atMs: number }>(
  db: Queryable,
  {
    limit,
    idOf,
    beforeMs = Infinity,
  }: { limit: number; idOf: (row: Row) => number; beforeMs?: number | undefined },
  read: (range: DayRange) => Promise<Row[]>,
): Promise<Row[]> {
  const inOrder = (rows: readonly Row[]): Row[] => rows.toSorted((one, other) => idOf(other) - idOf(one))
  const rows = await readBack(
    db,
    async (range) => (range.fromMs > beforeMs + edgeMs ? [] : read(range)),
    (found, { fromMs }) => (inOrder(found)[limit - 1]?.atMs ?? -Infinity) >= fromMs + edgeMs,
  )
  return inOrder(rows).slice(0, limit)
}
