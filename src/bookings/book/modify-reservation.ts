import { isDeepStrictEqual } from 'node:util'
import { parseNight } from '../../base/calendar.ts'
import type { OwnedKey } from '../../http/calls/call.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { answer, type Answered } from '../../http/calls/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import {
  bookRooms,
  hotelIdOf,
  prepareRooms,
  queueVersion,
  acceptCard,
  cardExpiresAtMs,
  maskedCard,
  type PreparedRooms,
} from './book.ts'
import { keepCardUntil, saveCard, selectCards, selectDeliversCards } from '../../cards/store.ts'
import type { BookingAnswer, ChangeBody } from '../contract.ts'
import { reservationErrors } from '../errors-contract.ts'
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
import { hasStayBegun } from '../stay-standing.ts'
import { asksOf, refuseWithoutConsent } from '../owed/consent.ts'
import { changeOf } from './content.ts'
import { withoutCardsInRemarks } from './reservation-rules.ts'
import { refuseOtherCurrency } from './virtual-card.ts'
import { bookingAnswerOf } from './render-reservation.ts'
import type { QueuedDelivery } from '../outbox/delivery-queue.ts'
import { queuedAnew } from '../outbox/show-delivery.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import type { Card } from '../../cards/vault.ts'

/** Creates another state of a reservation; the same state is answered as unchanged. */
export function modifyReservation(
  needs: BookNeeds,
  { id, body: sent, idempotencyKey }: { id: string; body: ChangeBody; idempotencyKey: OwnedKey | undefined },
): Promise<Answered<BookingAnswer>> {
  const { body, warnings } = withoutCardsInRemarks(sent)
  const call = { idempotencyKey, route: 'modifyReservation', reservationId: id, body }
  const prepare = async (stored: StoredReservation) => {
    const { hotelId } = stored
    if ((await hotelIdOf(needs, body.hotel)) !== hotelId)
      throw new Rejected(400, { ...reservationErrors.hotelChanged, path: '/hotel' })
    refuseUnlessModifiable(stored, todayIn(await selectHotelClock(needs.db, hotelId), needs.clock.now()))
    const { card } = body.payment
    if (card) acceptCard(card, await selectDeliversCards(needs.db, hotelId), needs.vault)
    const present = { id: String(stored.id), content: stored.content }
    const rooms = await prepareRooms(needs, hotelId, { body, present })
    refuseOtherCurrency(card, stored.content.payment.card, rooms.agreed.currency)
    return rooms
  }
  return runIdempotentBooking(needs, call, {
    find: () => reservationOf(needs.db, id),
    prepare,
    open: (connection, before) => lockReservation(connection, before.id),
    work: (connection, { hotel, opened: stored, found: before, prepared: rooms }) =>
      modify(needs, connection, { hotel, stored, body, before, rooms, warnings }),
  })
}

function refuseUnlessModifiable(stored: StoredReservation, today: number): void {
  if (following[stored.status].modify === 'refused') throw new Rejected(409, reservationErrors.cancelled)
  if (hasStayBegun(stored, today)) throw new Rejected(409, reservationErrors.stayBegun)
}

async function modify(
  needs: BookNeeds,
  connection: Transaction,
  change: {
    hotel: BookedHotel
    stored: StoredReservation
    body: ChangeBody
    before: StoredReservation
    rooms: PreparedRooms
    warnings: readonly Problem[]
  },
): Promise<Booked<BookingAnswer>> {
  const { hotel, stored, body, before, rooms } = change
  const nowMs = needs.clock.now()
  const atMs = nowMs + hotel.aheadMs
  refuseUnlessModifiable(stored, todayIn(hotel, nowMs))
  // The supplier was asked about a different state.
  if (stored.version !== before.version) throw new Rejected(409, reservationErrors.changedMeanwhile)
  const id = String(stored.id)
  const present = { id, content: stored.content }
  const { catalog, agreed, checks, lowered, unitsGivenUp } = await bookRooms(
    needs,
    connection,
    hotel,
    { body, present },
    rooms,
  )

  const { card, warnings: cardWarnings } = acceptCard(body.payment.card, hotel.deliversCards, needs.vault)
  const warnings = [...change.warnings, ...cardWarnings, ...checks.warnings]
  const masked = card ? maskedCard(card) : stored.content.payment.card
  const made = changeOf(body, {
    catalog,
    hotel,
    agreed,
    checks,
    card: masked,
    present,
    unitsGivenUp,
    atMs,
  })
  const content = made.after
  const isNewCard =
    card !== undefined && !(await isStoredCard(connection, stored.id, card, needs.vault, nowMs))
  const matched = { requested: body.rooms, before: stored.content.rooms }
  if (!isNewCard && isSameState(content, stored.content)) {
    const confirmation = { code: '200', message: 'Reservation unchanged', warnings, ...matched }
    return {
      answer: answer(200, bookingAnswerOf(stored, nowMs, confirmation)),
      queued: undefined,
      outcome: 'unchanged',
    }
  }

  const asks = body.dryRun === true ? asksOf(made) : undefined
  if (!asks) refuseWithoutConsent(body, made)
  const changed = { stored, hotel, content, lowered, card: isNewCard ? card : undefined, atMs, nowMs }
  const { modified, queued } = writeChange(needs, connection, changed)
  const confirmation = asks
    ? { code: '200', message: 'The reservation would be modified', warnings, ...matched, asks }
    : { code: '200', message: 'Reservation modified', warnings, ...matched }
  return {
    answer: answer(200, bookingAnswerOf(modified, nowMs, confirmation)),
    queued,
    outcome: 'modified',
  }
}

/** Writes the next version, its delivery, and the card if it is a new one. */
function writeChange(
  needs: BookNeeds,
  connection: Transaction,
  change: {
    stored: StoredReservation
    hotel: BookedHotel
    content: ReservationContent
    lowered: Lowered | undefined
    card: Card | undefined
    atMs: number
    nowMs: number
  },
): { modified: StoredReservation; queued: QueuedDelivery } {
  const { stored, hotel, content, lowered, card, atMs, nowMs } = change
  const id = String(stored.id)
  const status = following.Confirm.modify
  connection.lastly((later) => insertVersion(later, stored, { status, content, lowered, atMs }))
  const version = stored.version + 1
  const next = { version, status, modifiedAtMs: atMs, content }
  const queued = queueVersion(connection, { ...next, id, hotelId: stored.hotelId }, hotel)
  // After the delivery: settling a delivery also locks it before its card.
  const keepUntilMs = cardExpiresAtMs(parseNight(content.checkout) ?? 0) - hotel.aheadMs
  const sealed = card ? needs.vault.seal(id, card) : undefined
  connection.lastly((later) =>
    sealed
      ? saveCard(later, stored.id, sealed, { version, nowMs, keepUntilMs })
      : keepCardUntil(later, stored.id, keepUntilMs),
  )
  const { aheadMs, endpoint } = hotel
  const delivery = queuedAnew(stored.delivery, { nowMs, aheadMs, endpoint })
  return { modified: { ...stored, ...next, delivery }, queued }
}

/** The comparison ignores how a state was priced, and the name that the hotel has by now. */
function isSameState(content: ReservationContent, stored: ReservationContent): boolean {
  const { hotelName } = stored
  const ignored = { hotelName, priceChecks: [], unitsGivenUp: [] }
  const plain: unknown = JSON.parse(JSON.stringify({ ...content, ...ignored }))
  return isDeepStrictEqual(plain, { ...stored, ...ignored })
}

async function isStoredCard(
  connection: Queryable,
  reservationId: number,
  card: Card,
  vault: CardVault,
  nowMs: number,
): Promise<boolean> {
  const sealed = (await selectCards(connection, [reservationId], nowMs)).get(reservationId)
  if (!sealed) return false
  try {
    return isDeepStrictEqual(vault.open(String(reservationId), sealed), card)
  } catch {
    // Sealed under another vault key: nobody can read it, so the card from the request replaces it.
    return false
  }
}
