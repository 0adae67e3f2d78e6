import type { Needs } from '../platform/needs.ts'
import { Rejected, shown } from '../platform/rejected.ts'
import { on } from '../platform/mount.ts'
import { webhookRoutes } from './contract.ts'

/** POST /push/webhook/booking: no supplier has reservations yet, so none is found, whatever the hotel. */
export const pushBooking = (_needs: Needs) =>
  on(webhookRoutes.pushBooking, async ({ body }) => {
    throw new Rejected(404, {
      type: 'RESERVATION_NOT_FOUND',
      message: 'Reservation not found',
      path: '/reservation_id',
      value: shown(body.reservation_id),
      hint: 'Check hotelId and reservation_id',
    })
  })
