import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { unknownHotelFault } from '../push-log/contract.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Judge } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import {
  cursorProblem,
  readableQuery,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
} from '../http/query.ts'
import { rejectIfAny, type Problem } from '../http/rejected.ts'

/** The end of a page: the instant that orders the list, and the id of the row. */
export type Place<Id> = { atMs: number; id: Id }

/** The rows that a supplier requests from its hotels. */
export type PageAsked<Id> = {
  hotelId: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  after: Place<Id> | undefined
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
  <Id>({ db }: Needs, listed: Listed<Id>): Judge<PageAsked<Id>, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const { hotelId: code, since, until, limit, cursor } = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const sinceMs = readSince('since', since, wrong)
    const untilMs = readUntil('until', until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const most = readLimit(limit, listed.rowsPerPage, wrong)
    const after = readPlace(cursor, listed, wrong)
    const hotel = code === undefined ? undefined : await selectOptionalHotel(db, supplierId, code)
    const unknown = code === undefined || hotel ? [] : [hotelNotFound(code, unknownHotelFault, '?hotelId')]
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotelId: hotel?.id, sinceMs, untilMs, after, limit: most }
  }

export function writePlace<Id>({ atMs, id }: Place<Id>, { writeId }: Pick<Listed<Id>, 'writeId'>): string {
  return Buffer.from(`${atMs} ${writeId(id)}`).toString('base64url')
}

function readPlace<Id>(
  text: string | undefined,
  listed: Listed<Id>,
  wrong: Problem[],
): Place<Id> | undefined {
  if (text === undefined) return undefined
  const [, at, idText = ''] =
    /^(\d{1,15}) (\S+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const id = listed.readId(idText)
  const place = id === undefined ? undefined : { atMs: Number(at), id }
  if (place && writePlace(place, listed) === text) return place
  wrong.push(cursorProblem(text))
  return undefined
}
