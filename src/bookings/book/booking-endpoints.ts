import { on, onEveryProblem, answer, type Mounted, type Judge } from '../../http/calls/mount.ts'
import { cancelReservation, quoteCancellation } from './cancel-reservation.ts'
import { reservationRoutes, reservationsPerPage } from '../contract.ts'
import { reservationErrors } from '../answer-contract.ts'
import { createReservation } from './create-reservation.ts'
import { modifyReservation } from './modify-reservation.ts'
import type { BookNeeds } from '../idempotency/idempotent-booking.ts'
import { judgeReservation } from './reservation-rules.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import { feesOf, renderTotal } from '../price/render-total.ts'
import { forfeitedOf } from '../owed/claims.ts'
import { minorText } from '../../base/money.ts'
import { reservationOf, selectHistory, selectReservations, type ReservationSearch } from '../store.ts'
import { renderReservation } from './render-reservation.ts'
import { referenceNotFound, type HotelFinder } from '../../offers/stay-request.ts'
import { selectOptionalSupplierId } from '../../keys/suppliers.ts'
import { instantOf, parseNight } from '../../base/calendar.ts'
import { readableQuery, readCursor, readLimit, writeCursor } from '../../http/calls/query.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'

/**
 * The platform's endpoints that create, modify and cancel reservations; the sandbox has its own for the same
 * functions.
 */

/** POST /booking/reservations. */
export const onCreateReservation = (needs: BookNeeds): Mounted =>
  onEveryProblem(
    reservationRoutes.createReservation,
    judgeReservation(needs.clock.now),
    ({ body, idempotencyKey, tokenId }) => createReservation(needs, { body, idempotencyKey, tokenId }),
  )

/** PUT /booking/reservations/{id}. */
export const onModifyReservation = (needs: BookNeeds): Mounted =>
  onEveryProblem(
    reservationRoutes.modifyReservation,
    judgeReservation(needs.clock.now),
    ({ body, params, idempotencyKey }) => modifyReservation(needs, { id: params.id, body, idempotencyKey }),
  )

/** POST /booking/reservations/{id}/cancel. */
export const onCancelReservation = (needs: BookNeeds): Mounted =>
  on(reservationRoutes.cancelReservation, ({ params, body, idempotencyKey }) =>
    cancelReservation(needs, { id: params.id, body, idempotencyKey }),
  )

/** GET /booking/reservations/{id}/cancellation. */
export const getCancellation = (needs: Needs): Mounted =>
  on(reservationRoutes.getCancellation, async ({ params, query: { rooms } }) =>
    answer(200, await quoteCancellation(needs, params.id, rooms?.split(','))),
  )

/** GET /booking/reservations/{id}. */
export const getReservation = ({ db, clock }: Needs): Mounted =>
  on(reservationRoutes.getReservation, async ({ params }) => {
    const stored = await reservationOf(db, params.id)
    const history = await selectHistory(db, stored.id)
    const body: AnswerOf<typeof reservationRoutes.getReservation> = {
      code: '200',
      message: 'Reservation retrieved successfully',
      reservation: renderReservation(stored, clock.now()),
      versions: history.map(({ version, status, modifiedAtMs, content }) => ({
        version,
        status,
        at: instantOf(modifiedAtMs),
        total: renderTotal(content.total, feesOf(content.rooms), content.minorDigits),
        forfeited: minorText(forfeitedOf(content), content.minorDigits),
      })),
    }
    return answer(200, body)
  })

export type ListReservationsNeeds = Needs & { hotelsNamed: HotelFinder }

/** GET /booking/reservations. */
export const listReservations = (needs: ListReservationsNeeds): Mounted =>
  onEveryProblem(reservationRoutes.listReservations, judge(needs), async ({ read }) => {
    // One more row than the page shows tells whether there is a next page.
    const rows = await selectReservations(needs.db, { ...read, limit: read.limit + 1 })
    const page = rows.slice(0, read.limit)
    const last = page.at(-1)
    const body: AnswerOf<typeof reservationRoutes.listReservations> = {
      code: '200',
      message: 'Reservations retrieved successfully',
      reservations: page.map((stored) => renderReservation(stored, needs.clock.now())),
      nextCursor: rows.length > page.length && last ? writeCursor(last.id) : null,
    }
    return answer(200, body)
  })

const judge =
  (needs: ListReservationsNeeds): Judge<ReservationSearch> =>
  async (sent, shapeProblems) => {
    const query = readableQuery(sent, shapeProblems)
    const problems = [...shapeProblems]
    const arrivalFrom = readDate('arrivalFrom', query['arrivalFrom'], problems)
    const arrivalTo = readDate('arrivalTo', query['arrivalTo'], problems)
    if (arrivalFrom !== undefined && arrivalTo !== undefined && arrivalTo < arrivalFrom) {
      const message = 'arrivalFrom must not be after arrivalTo'
      problems.push({ type: 'EMPTY_RANGE', message, path: '?arrivalFrom' })
    }
    const beforeId = readCursor(query['cursor'], problems)
    const limit = readLimit(query['limit'], reservationsPerPage, problems)
    const hotel = hotelIn(query, problems)
    rejectIfAny(problems)
    const [hotelId] = hotel ? await needs.hotelsNamed([hotel]) : []
    if (hotel && (hotelId === undefined || !(await isHotel(needs, hotelId))))
      throw referenceNotFound(hotel, '?hotel')
    const status = query['status'] === 'Confirm' || query['status'] === 'Cancel' ? query['status'] : undefined
    const supplierId = hotel ? undefined : await supplierIn(needs, query['supplier'])
    const { clientReference, channel } = query
    const names = { clientReference, channel }
    return { supplierId, hotelId, status, arrivalFrom, arrivalTo, ...names, beforeId, limit }
  }

type Query = ReturnType<typeof readableQuery>

function hotelIn({ hotel, supplier, hotelId }: Query, problems: Problem[]) {
  if (hotel === undefined && hotelId === undefined) return undefined
  if (hotel !== undefined && supplier === undefined && hotelId === undefined)
    return { platformHotelId: hotel }
  if (hotel === undefined && supplier !== undefined && hotelId !== undefined) return { supplier, hotelId }
  problems.push({
    type: 'HOTEL_REFERENCE_REQUIRED',
    message: 'Identify a hotel by hotel, or by supplier and hotelId',
    path: '?hotel',
    hint: 'Send hotel (platformHotelId) alone, or supplier together with hotelId; supplier alone lists all of its hotels',
  })
  return undefined
}

/** The supplier named in the query, when no hotel is given. */
async function supplierIn({ db }: Needs, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined
  const supplierId = await selectOptionalSupplierId(db, name)
  if (supplierId === undefined)
    throw new Rejected(404, {
      ...reservationErrors.supplierNotFound,
      path: '?supplier',
      value: reportedValue(name),
    })
  return supplierId
}

/** A platformHotelId is recognized by its form alone. */
async function isHotel({ db }: Needs, hotelId: number): Promise<boolean> {
  const { rowCount } = await db.query('select from hotel where id = $1', [hotelId])
  return rowCount === 1
}

function readDate(name: string, text: string | undefined, problems: Problem[]): string | undefined {
  if (text === undefined || parseNight(text) !== undefined) return text
  problems.push({
    type: 'INVALID_DATE',
    message: `${name} must be a date in the form YYYY-MM-DD`,
    path: `?${name}`,
    value: reportedValue(text),
    hint: 'For example 2027-04-15',
  })
  return undefined
}
