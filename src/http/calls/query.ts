import { dayMs, parseNight } from '../../base/calendar.ts'
import type { Judge } from './mount.ts'
import { rejectIfAny, reportedValue, type Problem } from '../rejected.ts'
import { isRecord } from '../validation/validate.ts'

/**
 * Converts query parameters from text to their values. Each reader adds its problems to the given list, so
 * that one answer names all of them; a parameter that wasn't sent is undefined.
 */

export type Query = Readonly<{ [Name in string]?: string }>

/** Judges a query by reading its values; `read` adds its problems to those of the shape. */
export function judgeQuery<Read>(read: (query: Query, problems: Problem[]) => Read): Judge<Read> {
  return (sent, shapeProblems) => {
    const problems = [...shapeProblems]
    const values = read(readableQuery(sent, shapeProblems), problems)
    rejectIfAny(problems)
    return values
  }
}

/** The parameters whose shape is valid. */
export function readableQuery(sent: unknown, shapeProblems: readonly Problem[]): Query {
  const invalidPaths = new Set(shapeProblems.map(({ path }) => path))
  const readable = Object.entries(isRecord(sent) ? sent : {}).flatMap(([name, value]) =>
    typeof value === 'string' && !invalidPaths.has(`?${name}`) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(readable)
}

const instantText = /^2[01]\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** The beginning of a range: a date means its midnight (UTC). Milliseconds since 1970. */
export function readSince(name: string, text: string | undefined, problems: Problem[]): number | undefined {
  return readTime(name, text, problems, 0)
}

/** The end of a range, exclusive; a date is included as a whole. Milliseconds since 1970. */
export function readUntil(name: string, text: string | undefined, problems: Problem[]): number | undefined {
  return readTime(name, text, problems, 1)
}

function readTime(
  name: string,
  text: string | undefined,
  problems: Problem[],
  daysAfterDate: number,
): number | undefined {
  if (text === undefined) return undefined
  const day = parseNight(text)
  if (day !== undefined) return (day + daysAfterDate) * dayMs
  // Deliveries have `reservation_datetime` in UTC, without a zone.
  const atMs = parseInstant(text) ?? parseInstant(`${text}Z`)
  if (atMs === undefined) {
    problems.push({
      type: 'INVALID_TIME',
      message: `${name} must be a date or an ISO 8601 instant`,
      path: `?${name}`,
      value: reportedValue(text),
      hint: 'For example 2027-04-15, 2027-04-15T10:00:00Z or, in UTC, 2027-04-15T10:00:00; in a URL, + is written %2B',
    })
  }
  return atMs
}

/** Milliseconds since 1970 of an ISO 8601 instant with its offset; undefined for everything else. */
export function parseInstant(text: string): number | undefined {
  if (!instantText.test(text)) return undefined
  try {
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    // For example the 31st of a month with 30 days, or hour 25.
    return undefined
  }
}

/** Selects rows of a list that is read page by page, newest first. */
export type ListRange = {
  sinceMs: number | undefined
  untilMs: number | undefined
  beforeId: number | undefined
  limit: number
}

/** Reads `since`, `until`, `cursor` and `limit`. */
export function readListRange(
  { since, until, cursor, limit }: Readonly<Record<string, string | undefined>>,
  rowsPerPage: { max: number; usual: number },
  problems: Problem[],
): ListRange {
  const range = readRange({ since, until }, problems)
  const beforeId = readCursor(cursor, problems)
  return { ...range, beforeId, limit: readLimit(limit, rowsPerPage, problems) }
}

/** Reads `since` and `until`. */
export function readRange(
  { since, until }: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): { sinceMs: number | undefined; untilMs: number | undefined } {
  const sinceMs = readSince('since', since, problems)
  const untilMs = readUntil('until', until, problems)
  refuseEmptyRange(sinceMs, untilMs, problems)
  return { sinceMs, untilMs }
}

/** The maximum number of rows per page. */
export function readLimit(
  text: string | undefined,
  { max, usual }: { max: number; usual: number },
  problems: Problem[],
): number {
  if (text === undefined) return usual
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= max) return limit
  problems.push({
    type: 'INVALID_LIMIT',
    message: `limit must be an integer from 1 to ${max}`,
    path: '?limit',
    value: reportedValue(text),
  })
  return usual
}

/**
 * A page from rows that were read with a limit one higher, to learn whether there is a next page; `last` is the page's
 * last row if there is one.
 */
export function pageOf<Row>(rows: readonly Row[], limit: number): { page: Row[]; last: Row | undefined } {
  const page = rows.slice(0, limit)
  return { page, last: rows.length > limit ? page.at(-1) : undefined }
}

/** The end of the previous page: the number of its last row. Opaque to callers, so that it may change. */
export function writeCursor(rowNo: number): string {
  return Buffer.from(`row ${rowNo}`).toString('base64url')
}

export function readCursor(text: string | undefined, problems: Problem[]): number | undefined {
  if (text === undefined) return undefined
  const row = /^row (\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (row && writeCursor(Number(row[1])) === text) return Number(row[1])
  problems.push(cursorProblem(text))
  return undefined
}

export function cursorProblem(text: string): Problem {
  return {
    type: 'INVALID_CURSOR',
    message: 'cursor is not valid',
    path: '?cursor',
    value: reportedValue(text),
    hint: 'Send the nextCursor of the previous page unchanged, or omit cursor for the first page',
  }
}

/** A range that ends before it begins is a mistake, not a search. */
export function refuseEmptyRange(
  sinceMs: number | undefined,
  untilMs: number | undefined,
  problems: Problem[],
): void {
  if (sinceMs === undefined || untilMs === undefined || sinceMs < untilMs) return
  problems.push({ type: 'EMPTY_RANGE', message: 'since must be before until', path: '?since' })
}

/** Ids are int4 in the database. */
export const idMax = 2_147_483_647

/** The id in a path or query; undefined if it can't be one. */
export function readId(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
  return id !== undefined && id <= idMax ? id : undefined
}
