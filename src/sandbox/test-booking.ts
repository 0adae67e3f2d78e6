import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { OwnedKey } from '../http/calls/call.ts'
import type { Answered } from '../http/calls/mount.ts'
import type { Needs } from '../postgres/postgres.ts'
import { Rejected, reportedValue } from '../http/rejected.ts'
import { readReservationId, selectOptionalReservation } from '../bookings/store.ts'
import {
  cancelReservation,
  quoteCancellation,
  type CancellationQuote,
} from '../bookings/book/cancel-reservation.ts'
import { createReservation } from '../bookings/book/create-reservation.ts'
import { modifyReservation } from '../bookings/book/modify-reservation.ts'
import type { CancelBody } from '../bookings/owed/contract.ts'
import type { BookNeeds } from '../bookings/idempotency/idempotent-booking.ts'
import { readReservation } from '../bookings/book/reservation-rules.ts'
import { sandboxErrors } from './contract.ts'
import type { TestBooked, TestBooking } from './test-booking-contract.ts'

const testGuest = { firstName: 'Test', lastName: 'Guest' }

/** The supplier that owns the hotel. */
type TestedSupplier = { supplierId: number; supplier: string }

/**
 * A test booking takes the same path as any other; `status` and `reservation_id` say which operation is
 * requested.
 */
export async function bookTest(
  needs: BookNeeds,
  { supplierId, supplier }: TestedSupplier,
  { body, idempotencyKey }: { body: TestBooking; idempotencyKey: OwnedKey | undefined },
): Promise<Answered<TestBooked>> {
  const hotel = await selectOptionalHotel(needs.db, supplierId, body.hotelId)
  if (!hotel) throw new Rejected(404, hotelNotFound(body.hotelId, sandboxErrors.hotelNotFound))
  const id = body.reservation_id
  if (id !== undefined) await rejectForeign(needs, hotel.id, id)
  if (body.status === 'Cancel') {
    if (id === undefined) throw new Rejected(400, { ...sandboxErrors.idRequired, path: '/reservation_id' })
    return cancelReservation(needs, { id, body: cancelBodyOf(body), idempotencyKey })
  }
  const wanted = readReservation(platformBody(body, supplier), needs.clock.now())
  const forSupplier: BookNeeds = { ...needs, reader: 'supplier' }
  return id === undefined
    ? createReservation(forSupplier, { body: wanted, idempotencyKey })
    : modifyReservation(forSupplier, { id, body: wanted, idempotencyKey })
}

async function rejectForeign({ db }: Needs, hotelId: number, reservationId: string): Promise<void> {
  const id = readReservationId(reservationId)
  const stored = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (stored?.hotelId === hotelId) return
  throw new Rejected(404, {
    ...sandboxErrors.reservationNotFound,
    path: '/reservation_id',
    value: reportedValue(reservationId),
  })
}

function cancelBodyOf({ expectedPenalty, cancelRooms }: TestBooking): CancelBody {
  return {
    ...(expectedPenalty === undefined ? {} : { expectedPenalty }),
    ...(cancelRooms ? { rooms: cancelRooms } : {}),
  }
}

/** What cancelling a supplier's test booking costs now. */
export async function quoteTest(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  supplierId: number,
  reservationId: string,
): Promise<CancellationQuote> {
  const id = readReservationId(reservationId)
  const stored = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (stored?.supplierId === supplierId) return quoteCancellation({ db, clock }, reservationId, undefined)
  throw new Rejected(404, { ...sandboxErrors.reservationNotFound, value: reportedValue(reservationId) })
}

/** The body that the platform would send. Its contract reports missing members, under the same names. */
function platformBody(body: TestBooking, supplier: string): object {
  const { hotelId, rooms, customer, payment, remarks, checkin, checkout } = body
  const { expectedTotal, expectedTerms, acceptForfeit, dryRun } = body
  const { clientReference, channel } = body
  return {
    hotel: { supplier, hotelId },
    ...(checkin === undefined ? {} : { checkin }),
    ...(checkout === undefined ? {} : { checkout }),
    ...(rooms ? { rooms: rooms.map(({ guest = testGuest, ...room }) => ({ ...room, guest })) } : {}),
    customer: customer ?? { ...testGuest, ...(remarks === undefined ? {} : { remarks }) },
    payment: payment ?? { type: 'Channel Collect' },
    ...(expectedTotal ? { expectedTotal } : {}),
    ...(expectedTerms ? { expectedTerms } : {}),
    ...(acceptForfeit === undefined ? {} : { acceptForfeit }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(clientReference === undefined ? {} : { clientReference }),
    ...(channel === undefined ? {} : { channel }),
  }
}
