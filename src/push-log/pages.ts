import { cursorProblem } from '../http/query.ts'
import type { Problem } from '../http/rejected.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { PushFilters } from './filters.ts'
import { selectOldestDay } from './housekeeping.ts'
import { dayMs, lookForPushes, type Days, type PushRow } from './store.ts'

/**
 * Pages of a supplier's pushes, newest first: some days, in them by number, then the days before. So a statement is
 * planned for few of the log's days, which for all of them takes longer than to read a page. A search that finds little
 * ends after so many rows, and its cursor leads on.
 */

/** Where a page begins: among the pushes of some days before one, or at all of them. */
export type PushPlace = { days: Days; beforeId: number | undefined }
export type PushPage = { pushes: PushRow[]; next: PushPlace | undefined }

const daysAtOnce = 7
/** Rows that one search looks at: what it looks for may be in none of millions. */
const rowsMax = 2_500
/** Half a year: where pushes are kept for years, planning for all their days would take seconds. */
const statementsMax = 26
/** Rows get their numbers a moment before or after their instants. */
const edgeMs = 60_000

/**
 * Of the pushes committed before the first page was read, none is missed and none comes twice, whatever comes in
 * meanwhile: a push stays among its days, and there numbers only rise.
 */
export async function readPushPage(
  db: Queryable,
  supplierId: number,
  filters: PushFilters,
  { place, limit, nowMs }: { place: PushPlace | undefined; limit: number; nowMs: number },
): Promise<PushPage> {
  const { sinceMs = -Infinity } = filters
  const found: { push: PushRow; days: Days }[] = []
  const upTo = (next: PushPlace | undefined): PushPage => ({
    pushes: found.slice(0, limit).map(({ push }) => push),
    next,
  })
  let { days, beforeId } = place ?? { days: newestDays(filters, nowMs), beforeId: undefined }
  let oldestDay: number | undefined
  let rowsLeft = rowsMax
  for (let statement = 0; statement < statementsMax; statement++) {
    // One more than asked for tells whether there is another page.
    const most = { rowsMax: rowsLeft, limit: limit + 1 - found.length }
    const { pushes, last } = await lookForPushes(db, supplierId, { ...filters, beforeId }, days, most)
    for (const push of pushes) found.push({ push, days })
    const lastOfPage = found[limit - 1]
    if (found.length > limit && lastOfPage)
      return upTo({ days: lastOfPage.days, beforeId: lastOfPage.push.id })
    if (last && last.atMs < sinceMs - edgeMs) return upTo(undefined)
    rowsLeft -= last?.count ?? 0
    if (last && rowsLeft <= 0) return upTo({ days, beforeId: last.id })
    oldestDay ??= await selectOldestDay(db)
    const before = daysBefore(days, firstDay(sinceMs), oldestDay)
    if (!before) return upTo(undefined)
    days = before
    beforeId = undefined
  }
  return upTo({ days, beforeId })
}

/** Those of the last week, and those to come: clocks differ. */
function newestDays({ sinceMs = -Infinity, untilMs = Infinity }: PushFilters, nowMs: number): Days {
  const tomorrow = Math.floor(nowMs / dayMs) + 1
  const to = Math.ceil(untilMs / dayMs)
  return { from: Math.max(Math.min(to, tomorrow) - daysAtOnce, firstDay(sinceMs)), to }
}

/** Undefined where no more are asked for. Before the oldest day that has a partition of its own, all days are one. */
function daysBefore({ from }: Days, first: number, oldestDay: number): Days | undefined {
  if (from <= first) return undefined
  const next = from - daysAtOnce
  return { from: next <= oldestDay ? first : Math.max(next, first), to: from }
}

function firstDay(sinceMs: number): number {
  return Math.floor(sinceMs / dayMs)
}

/** Opaque outside, so that it may change. */
export function writePushPlace({ days: { from, to }, beforeId }: PushPlace): string {
  const day = (number: number): string => (Number.isFinite(number) ? String(number) : '')
  return Buffer.from(`days ${day(from)} ${day(to)} row ${beforeId ?? ''}`).toString('base64url')
}

export function readPushPlace(text: string | undefined, wrong: Problem[]): PushPlace | undefined {
  if (text === undefined) return undefined
  const place = /^days (\d{0,6}) (\d{0,6}) row (\d{0,15})$/.exec(
    Buffer.from(text, 'base64url').toString('latin1'),
  )
  if (!place) {
    wrong.push(cursorProblem(text))
    return undefined
  }
  const [, from, to, row] = place
  return {
    days: { from: from ? Number(from) : -Infinity, to: to ? Number(to) : Infinity },
    beforeId: row ? Number(row) : undefined,
  }
}
