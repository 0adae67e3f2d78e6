import { audit } from '../../operators/accounts/audit.ts'
import { reportStay, type ReportMembers } from '../../bookings/from-hotel/report-stay.ts'
import type { BookNeeds } from '../../bookings/idempotency/idempotent-booking.ts'
import { reservationOf } from '../../bookings/store.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { reservationConsoleRoutes } from './contract.ts'

const members: ReportMembers = {
  roomReservationId: 'roomReservationId',
  waivePenalty: 'waivePenalty',
  departureDate: 'departureDate',
}

/** POST /reservations/{reservationId}/report. */
export const reportStayForHotel = (needs: BookNeeds): Mounted =>
  on(reservationConsoleRoutes.reportStayForHotel, async ({ params, body, operator, requestId }) => {
    const { reservationId } = params
    const { roomReservationId, report, waivePenalty, departureDate, note } = body
    const reported = await reportStay(needs, {
      reservationId,
      find: () => reservationOf(needs.db, reservationId),
      told: { roomReservationId, report, waivePenalty, departureDate, note },
      members,
      by: {
        operatorName: operator.name,
        audit: (connection) =>
          audit(connection, {
            operator,
            requestId,
            action: 'reservation.report',
            subject: `reservation ${reservationId}`,
            after: body,
          }),
      },
      idempotencyKey: undefined,
    })
    const { report: kind, at } = reported.body
    return answer(200, { report: kind, at })
  })
