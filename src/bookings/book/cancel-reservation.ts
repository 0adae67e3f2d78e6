import type { OwnedKey } from '../../http/calls/call.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { minorText, totalToMinor } from '../../base/money.ts'
import { answer, type Answered } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import { forgetCardOfCancelled } from '../../cards/store.ts'
import { queueVersion } from './book.ts'
import type { reservationRoutes } from '../contract.ts'
import type { CancelBody } from '../owed/contract.ts'
import type { PenaltyRefusal } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import {
  chargedFor,
  nextPenalty,
  penaltyFor,
  roomsNamed,
  withoutRooms,
  type CancelledRooms,
} from '../owed/cancellation.ts'
import {
  reservationOf,
  insertVersion,
  lockReservation,
  selectHotelClock,
  type Lowered,
  type StoredReservation,
} from '../store.ts'
import { following, type ReservationContent } from '../state.ts'
import {
  runIdempotentBooking,
  type BookedHotel,
  type BookNeeds,
  type Booked,
} from '../idempotency/idempotent-booking.ts'
import { daysOf, stayOf, takeUnits, unitsOf } from '../sale/take-units.ts'
import { unitsTaken } from '../sale/units.ts'
import { hasStayBegun } from '../stay-standing.ts'
import { queuedAnew } from '../outbox/show-delivery.ts'
import { renderPenalty, type Penalty } from '../price/penalty.ts'
import { penaltyNow } from '../price/penalty-now.ts'
import { renderReservation } from './render-reservation.ts'

type Cancelled = AnswerOf<typeof reservationRoutes.cancelReservation>
export type CancellationQuote = AnswerOf<typeof reservationRoutes.getCancellation>

/** Cancels a reservation or some of its rooms; what is cancelled already stays as it is. */
export function cancelReservation(
  needs: BookNeeds,
  {
    id: reservationId,
    body = {},
    idempotencyKey,
  }: { id: string; body?: CancelBody; idempotencyKey: OwnedKey | undefined },
): Promise<Answered<Cancelled>> {
  const call = { idempotencyKey, route: 'cancelReservation', reservationId, body }
  return runIdempotentBooking(needs, call, {
    find: () => reservationOf(needs.db, reservationId),
    prepare: () => Promise.resolve(),
    open: (connection, { id }) => lockReservation(connection, id),
    work: (connection, { hotel, opened: stored }) => cancel(needs, connection, { hotel, stored, body }),
  })
}

/** The inventory is not raised here: the supplier's next push does that. */
async function cancel(
  needs: BookNeeds,
  connection: Transaction,
  { hotel, stored, body }: { hotel: BookedHotel; stored: StoredReservation; body: CancelBody },
): Promise<Booked<Cancelled>> {
  const nowMs = needs.clock.now()
  const atMs = nowMs + hotel.aheadMs
  const rooms = roomsNamed(stored, body.rooms, (index) => `/rooms/${index}`)
  const isDone = following[stored.status].cancel === 'unchanged'
  if (isDone || rooms?.length === 0) {
    const penalty = isDone ? penaltyNow(stored) : null
    const unchanged = renderCancelled(stored, penalty, nowMs)
    return { answer: answer(200, unchanged), queued: undefined, outcome: 'unchanged' }
  }
  refuseOnceBegun(stored, todayIn(hotel, nowMs))
  const penalty = penaltyFor(stored, rooms, atMs)
  refuseOtherPenalty(body, penalty, stored)
  const status = rooms ? following.Confirm.modify : following.Confirm.cancel
  const { content, lowered } = rooms
    ? await leaveRooms(needs, connection, hotel, withoutRooms(stored.content, rooms, atMs), stored.content)
    : { content: stored.content, lowered: undefined }
  connection.lastly((later) => insertVersion(later, stored, { status, content, lowered, atMs }))
  const next = { version: stored.version + 1, status, modifiedAtMs: atMs, content }
  const queued = queueVersion(connection, { ...next, id: String(stored.id), hotelId: stored.hotelId }, hotel)
  // After the delivery: settling a delivery also locks it before its card.
  if (!rooms) connection.lastly((later) => forgetCardOfCancelled(later, stored.id, nowMs))
  const { aheadMs, endpoint } = hotel
  const delivery = queuedAnew(stored.delivery, { nowMs, aheadMs, endpoint })
  const cancelled = { ...stored, ...next, delivery }
  return {
    answer: answer(200, renderCancelled(cancelled, penalty, nowMs)),
    queued,
    outcome: rooms ? 'modified' : 'cancelled',
  }
}

/** The state after some rooms went: until that push their units stay the reservation's own, as after a change. */
async function leaveRooms(
  { stays, clock }: BookNeeds,
  connection: Transaction,
  hotel: BookedHotel,
  after: ReservationContent,
  before: ReservationContent,
): Promise<{ content: ReservationContent; lowered: Lowered | undefined }> {
  const dates = stayOf(after)
  const stay = await stays.readWithin(connection, hotel, daysOf(dates, before))
  if (!stay) throw new Error('a locked hotel can be read')
  const change = { stay, units: unitsTaken(after.rooms, dates), before: unitsOf(stay, before) }
  const { lowered, unitsGivenUp } = takeUnits(connection, hotel, change, clock.now())
  return { content: { ...after, unitsGivenUp }, lowered }
}

function refuseOnceBegun(stored: StoredReservation, today: number): void {
  if (hasStayBegun(stored, today)) throw new Rejected(409, reservationErrors.stayBegun)
}

function refuseOtherPenalty(
  { expectedPenalty }: CancelBody,
  penalty: Penalty | null,
  { content }: StoredReservation,
): void {
  if (expectedPenalty === undefined) return
  const expected = expectedPenalty === null ? null : totalToMinor(expectedPenalty, content.minorDigits)
  if (expected === (penalty?.amount ?? null)) return
  const extra: PenaltyRefusal = { penalty: renderPenalty(penalty, content) }
  throw new Rejected(409, { ...reservationErrors.penaltyChanged, path: '/expectedPenalty' }, { extra })
}

function renderCancelled(stored: StoredReservation, penalty: Penalty | null, nowMs: number): Cancelled {
  const reservation = renderReservation(stored, nowMs)
  return {
    code: '200',
    message: stored.status === 'Cancel' ? 'Reservation cancelled' : 'Rooms cancelled',
    reservationId: String(stored.id),
    version: stored.version,
    status: stored.status,
    penalty: renderPenalty(penalty, stored.content),
    delivery: reservation.delivery,
    reservation,
  }
}

/** The dry run of a cancellation. */
export async function quoteCancellation(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  id: string,
  named: readonly string[] | undefined,
): Promise<CancellationQuote> {
  const stored = await reservationOf(db, id)
  const nowMs = clock.now()
  const rooms: CancelledRooms = roomsNamed(stored, named, () => '?rooms')
  if (following[stored.status].cancel === 'unchanged') throw new Rejected(409, reservationErrors.cancelled)
  refuseOnceBegun(stored, todayIn(await selectHotelClock(db, stored.hotelId), nowMs))
  const atMs = nowMs + stored.aheadMs
  const { content } = stored
  const penalty = penaltyFor(stored, rooms, atMs)
  const next = nextPenalty(stored, rooms, atMs)
  const isKnown = penalty !== null && penalty.unknown.length === 0
  return {
    code: '200',
    message: 'Cancellation quoted',
    reservationId: String(stored.id),
    penalty: renderPenalty(penalty, content),
    until: next?.from ?? null,
    // oxlint-disable-next-line unicorn/no-thenable -- No promise: a text as "until … then".
    then: next ? renderPenalty(next.penalty, content) : null,
    refund: isKnown ? minorText(chargedFor(content, rooms) - penalty.amount, content.minorDigits) : null,
    currency: content.currency,
  }
}
