import { on, onEveryProblem, answer, type Mounted } from '../../http/calls/mount.ts'
import { cancelReservation, quoteCancellation } from './cancel-reservation.ts'
import { reservationRoutes } from '../contract.ts'
import { createReservation } from './create-reservation.ts'
import { modifyReservation } from './modify-reservation.ts'
import type { BookNeeds } from '../idempotency/idempotent-booking.ts'
import { judgeReservation } from './reservation-rules.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import { feesOf, renderTotal } from '../price/render-total.ts'
import { forfeitedOf } from '../owed/claims.ts'
import { minorText } from '../../base/money.ts'
import { reservationOf, selectHistory } from '../store.ts'
import { renderReservation } from './render-reservation.ts'
import { instantOf } from '../../base/calendar.ts'

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
