import type { OwnedKey } from '../../http/calls/call.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { parseNight } from '../../base/calendar.ts'
import { answer, type Answered } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import { forgetCardOfCancelled } from '../../cards/store.ts'
import { queueVersion } from './book.ts'
import type { reservationRoutes } from '../contract.ts'
import { reservationErrors } from '../answer-contract.ts'
import { reservationOf, insertVersion, lockReservation, type StoredReservation } from '../store.ts'
import { following, type ReservationVersion } from '../state.ts'
import {
  runIdempotentBooking,
  type BookedHotel,
  type BookNeeds,
  type Booked,
} from '../idempotency/idempotent-booking.ts'
import { renderPenalty } from '../price/penalty.ts'

type Cancelled = AnswerOf<typeof reservationRoutes.cancelReservation>

/** Creates the last version of a reservation; cancelling again changes nothing. */
export function cancelReservation(
  needs: BookNeeds,
  { id: reservationId, idempotencyKey }: { id: string; idempotencyKey: OwnedKey | undefined },
): Promise<Answered<Cancelled>> {
  const call = { idempotencyKey, route: 'cancelReservation', reservationId }
  return runIdempotentBooking(needs, call, {
    find: () => reservationOf(needs.db, reservationId),
    prepare: () => Promise.resolve(),
    open: (connection, { id }) => lockReservation(connection, id),
    work: (connection, { hotel, opened: stored }) => cancel(needs, connection, hotel, stored),
  })
}

/** The inventory is not raised here: the supplier's next push does that. */
async function cancel(
  needs: BookNeeds,
  connection: Transaction,
  hotel: BookedHotel,
  stored: StoredReservation,
): Promise<Booked<Cancelled>> {
  const nowMs = needs.clock.now()
  const atMs = nowMs + hotel.aheadMs
  const status = following[stored.status].cancel
  if (status === 'unchanged') {
    const body = renderCancelled(stored, stored.deliveryStatus)
    return { answer: answer(200, body), queued: undefined, outcome: 'unchanged' }
  }
  const { content, hotelId, version } = stored
  if ((parseNight(content.checkout) ?? 0) < todayIn(hotel, nowMs))
    throw new Rejected(409, reservationErrors.stayOver)
  const next = { status, content, lowered: undefined, atMs }
  connection.lastly((later) => insertVersion(later, stored, next))
  const id = String(stored.id)
  const cancelled = { id, hotelId, version: version + 1, status, modifiedAtMs: atMs, content }
  const queued = queueVersion(connection, cancelled, hotel)
  // After the delivery: settling a delivery also locks it before its card.
  connection.lastly((later) => forgetCardOfCancelled(later, stored.id, nowMs))
  return {
    answer: answer(200, renderCancelled(cancelled, queued.status)),
    queued,
    outcome: 'cancelled',
  }
}

function renderCancelled(
  cancelled: Omit<ReservationVersion, 'id' | 'hotelId' | 'createdAtMs'> & { id: number | string },
  deliveryStatus: string,
): Cancelled {
  return {
    code: '200',
    message: 'Reservation cancelled',
    reservationId: String(cancelled.id),
    version: cancelled.version,
    status: 'Cancel',
    penalty: renderPenalty(cancelled),
    delivery: { status: deliveryStatus },
  }
}
