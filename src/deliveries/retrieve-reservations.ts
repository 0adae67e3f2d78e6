import { selectOptionalHotel } from '../hotels/store.ts'
import { rejectUnlessEnabled } from '../keys/account.ts'
import { answer, onEveryProblem, type Judge } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import {
  cursorProblem,
  readableQuery,
  readLimit,
  readSince,
  readUntil,
  refuseEmptyRange,
} from '../http/query.ts'
import { rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import type { Delivery } from '../bookings/callback-contract.ts'
import { deliveryRoutes, reservationsPerPage } from './contract.ts'
import { selectForSupplier, type Retrieved } from './search.ts'
import { readReservationId } from '../bookings/reservation-id.ts'
import { supplierBody } from './reservation-body.ts'

/** GET /push/webhook/pushbook/retrieve. */
export const retrieveReservations = (needs: Needs) =>
  onEveryProblem(
    deliveryRoutes.retrieveReservations,
    judge(needs),
    async ({ query, caller: { supplierId }, read }) => {
      await rejectUnlessEnabled(needs.db, supplierId, 'mayRetrieve')
      const { reservation_id: sentId, status, delivered } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more than asked for tells whether there is another page.
      const found = isNone
        ? []
        : await selectForSupplier(needs.db, supplierId, {
            ...read,
            reservationId,
            status,
            isDelivered: delivered === undefined ? undefined : delivered === 'true',
            limit: read.limit + 1,
          })
      const page = found.slice(0, read.limit)
      const last = found.length > read.limit ? page.at(-1) : undefined
      return answer(200, {
        code: '200',
        message: 'Reservations retrieved successfully',
        data: bodiesOf(page),
        nextCursor: last ? writePlace(last) : null,
      })
    },
  )

/** Neighbours of one hotel in one status share a body, so that the order stays. */
function bodiesOf(page: readonly Retrieved[]): Delivery[] {
  const groups: [Retrieved, ...Retrieved[]][] = []
  for (const one of page) {
    const group = groups.at(-1)
    if (group && group[0].hotelId === one.hotelId && group[0].status === one.status) group.push(one)
    else groups.push([one])
  }
  return groups.map((group) => supplierBody(group))
}

type Place = { modifiedAtMs: number; id: number }

type Search = {
  hotelId: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  after: Place | undefined
  limit: number
}

const judge =
  ({ db }: Needs): Judge<Search, 'supplier'> =>
  async (sent, shapeProblems, { caller: { supplierId } }) => {
    const { hotelId: code, since, until, limit, cursor } = readableQuery(sent, shapeProblems)
    const wrong = [...shapeProblems]
    const sinceMs = readSince('since', since, wrong)
    const untilMs = readUntil('until', until, wrong)
    refuseEmptyRange(sinceMs, untilMs, wrong)
    const most = readLimit(limit, reservationsPerPage, wrong)
    const after = readPlace(cursor, wrong)
    const hotel = code === undefined ? undefined : await selectOptionalHotel(db, supplierId, code)
    const unknown = code === undefined || hotel ? [] : [hotelNotFound('?hotelId', code)]
    rejectIfAny([...unknown, ...wrong], wrong.length > 0 ? 400 : 404)
    return { hotelId: hotel?.id, sinceMs, untilMs, after, limit: most }
  }

export function hotelNotFound(path: string, hotelId: string): Problem {
  return {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel not found',
    path,
    value: shown(hotelId),
    hint: 'Push the hotel with POST /push/hotels first',
  }
}

function writePlace({ modifiedAtMs, id }: { modifiedAtMs: number; id: number | string }): string {
  return Buffer.from(`${modifiedAtMs} ${id}`).toString('base64url')
}

function readPlace(text: string | undefined, wrong: Problem[]): Place | undefined {
  if (text === undefined) return undefined
  const place = /^(\d{1,15}) (\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const read = { modifiedAtMs: Number(place?.[1]), id: Number(place?.[2]) }
  if (place && writePlace(read) === text) return read
  wrong.push(cursorProblem(text))
  return undefined
}
