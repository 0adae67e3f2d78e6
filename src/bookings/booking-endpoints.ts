import { on, onEveryProblem, type Mounted } from '../http/mount.ts'
import { cancelReservation } from './cancel-reservation.ts'
import { reservationRoutes } from './contract.ts'
import { createReservation } from './create-reservation.ts'
import { modifyReservation } from './modify-reservation.ts'
import type { BookNeeds } from './once.ts'
import { judgeReservation } from './reservation-rules.ts'

/** The platform's doors to what makes, modifies and cancels reservations; the sandbox has others to the same. */

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
