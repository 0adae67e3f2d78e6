import { cursorProblem, readLimit, readRange } from './query.ts'
import type { Problem } from '../rejected.ts'

/** Pages of a list in the order of an instant and an id, newest first. */

/** The end of a page: the instant that orders the list, and the id of the row. */
type PageEnd<Id> = { atMs: number; id: Id }

/** Selects rows of such a list. */
export type RangeAfter<Id> = {
  sinceMs: number | undefined
  untilMs: number | undefined
  after: PageEnd<Id> | undefined
  limit: number
}

type Ids<Id> = { readId: (text: string) => Id | undefined; writeId: (id: Id) => string }

/** Reads `since`, `until`, `cursor` and `limit`. */
export function readRangeAfter<Id>(
  { since, until, cursor, limit }: Readonly<Record<string, string | undefined>>,
  listed: Ids<Id> & { rowsPerPage: { max: number; usual: number } },
  problems: Problem[],
): RangeAfter<Id> {
  const range = readRange({ since, until }, problems)
  const most = readLimit(limit, listed.rowsPerPage, problems)
  return { ...range, after: readPageEnd(cursor, listed, problems), limit: most }
}

/** Opaque to callers, so that it may change. */
export function writePageEnd<Id>({ atMs, id }: PageEnd<Id>, { writeId }: Pick<Ids<Id>, 'writeId'>): string {
  return Buffer.from(`${atMs} ${writeId(id)}`).toString('base64url')
}

export function readPageEnd<Id>(
  text: string | undefined,
  ids: Ids<Id>,
  problems: Problem[],
): PageEnd<Id> | undefined {
  if (text === undefined) return undefined
  const [, at, idText = ''] =
    /^(\d{1,15}) (\S+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const id = ids.readId(idText)
  const end = id === undefined ? undefined : { atMs: Number(at), id }
  if (end && writePageEnd(end, ids) === text) return end
  problems.push(cursorProblem(text))
  return undefined
}
