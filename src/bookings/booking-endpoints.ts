import { on, onEveryProblem, type Mounted, answer } from '../http/mount.ts'
import { cancelReservation } from './cancel-reservation.ts'
import { reservationRoutes } from './contract.ts'
import { createReservation } from './create-reservation.ts'
import { modifyReservation } from './modify-reservation.ts'
import type { BookNeeds } from './idempotent-booking.ts'
import { judgeReservation } from './reservation-rules.ts'
import type { Needs } from '../postgres/needs.ts'
import type { AnswerOf } from '../http/route.ts'
import { shownTotal } from './agree-price.ts'
import { reservationOf } from './find-reservation.ts'
import { shownReservation } from './show.ts'
import { selectHistory } from './store.ts'

/**
 * The platform's endpoints that create, modify and cancel reservations; the sandbox has its own for the same
 * functions.
 */

/** POST /booking/reservations. */
export const onCreateReservation = (needs: BookNeeds): Mounted =>
  onEveryProblem(
    reservationRoutes.createReservation,
    judgeReservation(needs.clock.now),
    ({ body, idempotencyKey }) => createReservation(needs, { body, idempotencyKey }),
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
  on(reservationRoutes.cancelReservation, ({ params, idempotencyKey }) =>
    cancelReservation(needs, { id: params.id, idempotencyKey }),
  )

/** GET /booking/reservations/{id}. */
export const getReservation = ({ db }: Needs): Mounted =>
  on(reservationRoutes.getReservation, async ({ params }) => {
    const held = await reservationOf(db, params.id)
    const history = await selectHistory(db, held.id)
    const said: AnswerOf<typeof reservationRoutes.getReservation> = {
      code: '200',
      message: 'Reservation retrieved successfully',
      reservation: shownReservation(held),
      versions: history.map(({ version, status, modifiedAtMs, content }) => ({
        version,
        status,
        at: new Date(modifiedAtMs).toISOString(),
        total: shownTotal(content.total, content.minorDigits),
      })),
    }
    return answer(200, said)
  })
