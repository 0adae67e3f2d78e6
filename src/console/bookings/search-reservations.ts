import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import { minorText } from '../../base/money.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readableQuery, readCursor, readLimit, readSince, writeCursor } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { invalid, readDay, readNumber } from './booking-query.ts'
import { readReservationId } from '../../bookings/find-reservation.ts'
import { reservationConsoleRoutes, reservationsPerPage, type ListedReservation } from './contract.ts'
import { selectReservationRows, type ReservationRow, type ReservationSearch } from './store.ts'

/** GET /reservations. */
export const searchReservations = ({ db }: Needs): Mounted =>
  onEveryProblem(reservationConsoleRoutes.searchReservations, judge, async ({ read }) => {
    // One row more than shown, to learn whether there is a next page.
    const found = await selectReservationRows(db, { ...read, limit: read.limit + 1 })
    const page = found.slice(0, read.limit)
    const last = page.at(-1)
    const said: AnswerOf<typeof reservationConsoleRoutes.searchReservations> = {
      reservations: page.map(listed),
      nextCursor: found.length > page.length && last ? writeCursor(last.id) : null,
    }
    return answer(200, said)
  })

const judge: Judge<ReservationSearch> = (sent, shapeProblems) => {
  const query = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const arrivalFrom = readDay('arrivalFrom', query, wrong)
  const arrivalTo = readDay('arrivalTo', query, wrong)
  if (arrivalFrom !== undefined && arrivalTo !== undefined && arrivalTo < arrivalFrom)
    wrong.push(invalid('arrivalTo', arrivalTo, 'must not be before arrivalFrom'))
  const reservationId =
    query['reservation'] === undefined ? undefined : readReservationId(query['reservation'])
  if (query['reservation'] !== undefined && reservationId === undefined)
    wrong.push(invalid('reservation', query['reservation'], 'must be the number of a reservation, as 55191'))
  const search = {
    supplierId: readNumber('supplierId', query, wrong),
    hotelId: readNumber('hotelId', query, wrong),
    reservationId,
    status: query['status'] === 'Confirm' || query['status'] === 'Cancel' ? query['status'] : undefined,
    arrivalFrom,
    arrivalTo,
    guest: query['guest'],
    createdSinceMs: readSince('createdSince', query['createdSince'], wrong),
    isUndelivered: query['undelivered'] === 'true',
    beforeId: readCursor(query['cursor'], wrong),
    limit: readLimit(query['limit'], reservationsPerPage, wrong),
  } as const
  rejectIfAny(wrong)
  return search
}

function listed(row: ReservationRow): ListedReservation {
  const { id, afterTax, minorDigits, createdAtMs, modifiedAtMs, state, attempts, ...shown } = row
  return {
    reservationId: id,
    ...shown,
    afterTax: minorText(afterTax, minorDigits),
    createdAt: new Date(createdAtMs).toISOString(),
    modifiedAt: new Date(modifiedAtMs).toISOString(),
    delivery: state ?? 'queued',
    attempts: attempts ?? 0,
  }
}
