import { selectOptionalHotel } from '../../hotels/store.ts'
import { on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { BookNeeds } from '../idempotency/idempotent-booking.ts'
import { reportErrors, reportRoutes, type ReportBody } from '../report-contract.ts'
import { readReservationId, selectOptionalReservation, type StoredReservation } from '../store.ts'
import { reportStay, type ReportMembers } from './report-stay.ts'

const members: ReportMembers = {
  roomReservationId: 'room_reservation_id',
  waivePenalty: 'waivePenalty',
  departureDate: 'departure_date',
}

/** POST /push/reservations/report. */
export const onReportStay = (needs: BookNeeds): Mounted =>
  on(reportRoutes.reportStay, ({ body, caller: { supplierId, keyId }, idempotencyKey }) =>
    reportStay(needs, {
      reservationId: body.reservation_id,
      find: () => reservationOfSupplier(needs.db, supplierId, body),
      told: {
        roomReservationId: body.room_reservation_id,
        report: body.report,
        waivePenalty: body.waivePenalty,
        departureDate: body.departure_date,
        note: body.note,
      },
      members,
      by: { keyId },
      idempotencyKey,
    }),
  )

async function reservationOfSupplier(
  db: Queryable,
  supplierId: number,
  { hotelId, reservation_id: sent }: ReportBody,
): Promise<StoredReservation> {
  const hotel = await selectOptionalHotel(db, supplierId, hotelId)
  const id = readReservationId(sent)
  const stored = hotel && id !== undefined ? await selectOptionalReservation(db, id) : undefined
  if (hotel && stored?.hotelId === hotel.id) return stored
  throw new Rejected(404, { ...reportErrors.notFound, path: '/reservation_id', value: reportedValue(sent) })
}
