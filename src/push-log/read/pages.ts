import { dayMs } from '../../base/calendar.ts'
import { cursorProblem, readableQuery } from '../../http/calls/query.ts'
import { type Problem, rejectIfAny, reportedValue } from '../../http/rejected.ts'
import type { Queryable, Needs } from '../../postgres/postgres.ts'
import type { PushFilters } from '../conditions.ts'
import { selectHotelIds } from '../hotel-ids.ts'
import { searchPushes, type Days, type PushRow } from './store.ts'
import { selectOldestDay } from '../bodies/housekeeping.ts'
import type { Judge } from '../../http/calls/mount.ts'
import { unknownHotelError } from '../contract.ts'

/**
 * Pages of a supplier's pushes, newest first: a few days at a time, by number within them, then the days
 * before. Each statement is thus planned for few days of the log; planning for all takes longer than reading
 * a page. A search that finds little ends after a limited number of rows, and its cursor continues it.
 */

/** The start of a page: a range of days, and optionally the push in it before which the page begins. */
export type PagePosition = { days: Days; beforeId: number | undefined }
export type PageOfPushes = { pushes: PushRow[]; next: PagePosition | undefined }

const daysAtOnce = 7
/** Rows scanned per search: its target may be in none of millions. */
const rowsMax = 2_500
/** Half a year: if pushes are kept for years, planning for all their days would take seconds. */
const statementsMax = 26
/** Rows get their numbers a moment before or after their timestamps. */
const edgeMs = 60_000

/**
 * No push committed before the first page was read is missed or repeated, whatever arrives meanwhile: a push
 * stays in its range of days, where numbers only rise.
 */
export async function readPushPage(
  db: Queryable,
  supplierId: number,
  filters: PushFilters,
  {
    position,
    limit,
    nowMs,
    ...most
  }: {
    position: PagePosition | undefined
    limit: number
    nowMs: number
    /** Absent: the usual number. */
    rowsMax?: number
  },
): Promise<PageOfPushes> {
  const { sinceMs = -Infinity } = filters
  const matches: { push: PushRow; days: Days }[] = []
  const upTo = (next: PagePosition | undefined): PageOfPushes => ({
    pushes: matches.slice(0, limit).map(({ push }) => push),
    next,
  })
  let { days, beforeId } = position ?? { days: newestDays(filters, nowMs), beforeId: undefined }
  let oldestDay: number | undefined
  let { rowsMax: rowsLeft = rowsMax } = most
  for (let statement = 0; statement < statementsMax; statement++) {
    // One more than requested shows whether there is another page.
    const wanted = { rowsMax: rowsLeft, limit: limit + 1 - matches.length }
    const { pushes, last } = await searchPushes(db, supplierId, { ...filters, beforeId }, days, wanted)
    for (const push of pushes) matches.push({ push, days })
    const lastOfPage = matches[limit - 1]
    if (matches.length > limit && lastOfPage)
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

/** The last week and all future days, because clocks differ. */
function newestDays({ sinceMs = -Infinity, untilMs = Infinity }: PushFilters, nowMs: number): Days {
  const tomorrow = Math.floor(nowMs / dayMs) + 1
  const to = Math.ceil(untilMs / dayMs)
  return { from: Math.max(Math.min(to, tomorrow) - daysAtOnce, firstDay(sinceMs)), to }
}

/** Undefined if no earlier days are wanted. Days before the oldest partition count as one range. */
function daysBefore({ from }: Days, first: number, oldestDay: number): Days | undefined {
  if (from <= first) return undefined
  const next = from - daysAtOnce
  return { from: next <= oldestDay ? first : Math.max(next, first), to: from }
}

function firstDay(sinceMs: number): number {
  return Math.floor(sinceMs / dayMs)
}

/** Opaque to callers, so that the format can change. */
export function writePushCursor({ days: { from, to }, beforeId }: PagePosition): string {
  const day = (number: number): string => (Number.isFinite(number) ? String(number) : '')
  return Buffer.from(`days ${day(from)} ${day(to)} row ${beforeId ?? ''}`).toString('base64url')
}

export function readPushCursor(text: string | undefined, problems: Problem[]): PagePosition | undefined {
  if (text === undefined) return undefined
  const position = /^days (\d{0,6}) (\d{0,6}) row (\d{0,15})$/.exec(
    Buffer.from(text, 'base64url').toString('latin1'),
  )
  if (!position) {
    problems.push(cursorProblem(text))
    return undefined
  }
  const [, from, to, row] = position
  return {
    days: { from: from ? Number(from) : -Infinity, to: to ? Number(to) : Infinity },
    beforeId: row ? Number(row) : undefined,
  }
}

/**
 * Parses `hotelId` and the `since`, `until`, `cursor` and `limit` of a list about a supplier's hotels.
 * Reports all problems at once, or 404 if only the hotel is unknown.
 */
export const judgePage =
  <Place>(
    { db }: Needs,
    readPage: (query: ReturnType<typeof readableQuery>, problems: Problem[]) => Place,
  ): Judge<Place & { hotel: number | undefined }, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const query = readableQuery(sent, shapeProblems)
    const problems = [...shapeProblems]
    const page = readPage(query, problems)
    const { hotelId } = query
    const hotel =
      hotelId === undefined ? undefined : (await selectHotelIds(db, supplierId, [hotelId])).get(hotelId)
    const isUnknown = hotelId !== undefined && hotel === undefined
    const unknown = isUnknown
      ? [{ ...unknownHotelError, path: '?hotelId', value: reportedValue(hotelId) }]
      : []
    rejectIfAny([...unknown, ...problems], problems.length > 0 ? 400 : 404)
    return { hotel, ...page }
  }
