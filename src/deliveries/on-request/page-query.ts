import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { unknownHotelError } from '../../push-log/contract.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import type { Judge } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import {
  cursorProblem,
  readableQuery,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
} from '../../http/calls/query.ts'
import { rejectIfAny, type Problem } from '../../http/rejected.ts'

/** The end of a page: the instant that orders the list, and the id of the row. */
export type PageEnd<Id> = { atMs: number; id: Id }

/** The rows that a supplier requests from its hotels. */
export type PageQuery<Id> = {
  hotelId: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  after: PageEnd<Id> | undefined
  limit: number
}

type Listed<Id> = {
  rowsPerPage: { max: number; usual: number }
  readId: (text: string) => Id | undefined
  writeId: (id: Id) => string
}

/**
 * Reads `hotelId`, `since`, `until`, `cursor` and `limit`; reports all their problems at once, or throws 404
 * if only the hotel is unknown.
 */
export const judgePageAfter =
  <Id>({ db }: Needs, listed: Listed<Id>): Judge<PageQuery<Id>, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const { hotelId: code, since, until, limit, cursor } = readableQuery(sent, shapeProblems)
    const problems = [...shapeProblems]
    const sinceMs = readSince('since', since, problems)
    const untilMs = readUntil('until', until, problems)
    refuseEmptyRange(sinceMs, untilMs, problems)
    const most = readLimit(limit, listed.rowsPerPage, problems)
    const after = readPageEnd(cursor, listed, problems)
    const hotel = code === undefined ? undefined : await selectOptionalHotel(db, supplierId, code)
    const unknown = code === undefined || hotel ? [] : [hotelNotFound(code, unknownHotelError, '?hotelId')]
    rejectIfAny([...unknown, ...problems], problems.length > 0 ? 400 : 404)
    return { hotelId: hotel?.id, sinceMs, untilMs, after, limit: most }
  }

export function writePageEnd<Id>(
  { atMs, id }: PageEnd<Id>,
  { writeId }: Pick<Listed<Id>, 'writeId'>,
): string {
  return Buffer.from(`${atMs} ${writeId(id)}`).toString('base64url')
}

export function readPageEnd<Id>(
  text: string | undefined,
  listed: Pick<Listed<Id>, 'readId' | 'writeId'>,
  problems: Problem[],
): PageEnd<Id> | undefined {
  if (text === undefined) return undefined
  const [, at, idText = ''] =
    /^(\d{1,15}) (\S+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const id = listed.readId(idText)
  const end = id === undefined ? undefined : { atMs: Number(at), id }
  if (end && writePageEnd(end, listed) === text) return end
  problems.push(cursorProblem(text))
  return undefined
}
