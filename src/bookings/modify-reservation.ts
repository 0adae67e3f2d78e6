import { isDeepStrictEqual } from 'node:util'
import { parseNight } from '../base/calendar.ts'
import type { OwnedKey } from '../http/call.ts'
import { todayIn } from '../hotels/hotel-clock.ts'
import { answer, type Answered } from '../http/mount.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, type Problem } from '../http/rejected.ts'
import type { Transaction } from '../postgres/transaction.ts'
import {
  bookRooms,
  hotelIdOf,
  prepareRooms,
  queueVersion,
  acceptCard,
  cardKeptUntilMs,
  contentOf,
  shownCard,
  type PreparedRooms,
} from './book.ts'
import { keepCardUntil, saveCard, selectCards } from '../cards/store.ts'
import type { Made, ReservationBody } from './contract.ts'
import { reservationFaults } from './answer-contract.ts'
import {
  reservationOf,
  insertVersion,
  lockReservation,
  selectDeliversCards,
  selectHotelClock,
  type HeldReservation,
} from './store.ts'
import { following, type ReservationContent } from './state.ts'
import { runIdempotentBooking, type BookedHotel, type BookNeeds, type Booked } from './idempotent-booking.ts'
import { withoutCardsInRemarks } from './reservation-rules.ts'
import { shownMade } from './show.ts'
import type { CardVault } from '../cards/card-vault.ts'
import type { Card } from '../cards/vault.ts'

/** Creates another state of a reservation; the same state is answered as unchanged. */
export function modifyReservation(
  needs: BookNeeds,
  {
    id,
    body: sent,
    idempotencyKey,
  }: { id: string; body: ReservationBody; idempotencyKey: OwnedKey | undefined },
): Promise<Answered<Made>> {
  const { body, warnings } = withoutCardsInRemarks(sent)
  const call = { idempotencyKey, route: 'modifyReservation', reservationId: id, body }
  const prepare = async () => {
    const held = await reservationOf(needs.db, id)
    const { hotelId } = held
    if ((await hotelIdOf(needs, body.hotel)) !== hotelId)
      throw new Rejected(400, { ...reservationFaults.hotelChanged, path: '/hotel' })
    refuseUnlessModifiable(held, todayIn(await selectHotelClock(needs.db, hotelId), needs.clock.now()))
    const { card } = body.payment
    if (card) acceptCard(card, await selectDeliversCards(needs.db, hotelId), needs.vault)
    const rooms = await prepareRooms(needs, hotelId, { body, held: held.content })
    return { hotelId, seen: held, rooms }
  }
  return runIdempotentBooking(needs, call, {
    prepare,
    open: (connection, { seen }) => lockReservation(connection, seen.id),
    work: (connection, { hotel, opened: held, prepared: { seen, rooms } }) =>
      modify(needs, connection, { hotel, held, body, seen, rooms, warnings }),
  })
}

function refuseUnlessModifiable({ status, content }: HeldReservation, today: number): void {
  if (following[status].modify === 'refused') throw new Rejected(409, reservationFaults.cancelled)
  if ((parseNight(content.checkin) ?? 0) < today) throw new Rejected(409, reservationFaults.stayBegun)
}

async function modify(
  needs: BookNeeds,
  connection: Transaction,
  asked: {
    hotel: BookedHotel
    held: HeldReservation
    body: ReservationBody
    seen: HeldReservation
    rooms: PreparedRooms
    warnings: readonly Problem[]
  },
): Promise<Booked<Made>> {
  const { hotel, held, body, seen, rooms } = asked
  const { hotelId } = held
  const nowMs = needs.clock.now()
  const atMs = nowMs + hotel.aheadMs
  refuseUnlessModifiable(held, todayIn(hotel, nowMs))
  // The supplier was asked about a different state.
  if (held.version !== seen.version) throw new Rejected(409, reservationFaults.changedMeanwhile)
  const wish = { body, held: held.content }
  const { catalog, agreed, revision } = await bookRooms(needs, connection, hotel, wish, rooms)

  const id = String(held.id)
  const { card, warnings: cardWarnings } = acceptCard(body.payment.card, hotel.deliversCards, needs.vault)
  const warnings = [...asked.warnings, ...cardWarnings]
  const masked = card ? shownCard(card) : held.content.payment.card
  const content = contentOf(catalog, hotel.name, body, { agreed, checks: rooms.checks, card: masked })
  const isNewCard = card !== undefined && !(await isHeldCard(connection, held.id, card, needs.vault, nowMs))
  if (!isNewCard && isSameState(content, held.content)) {
    const said = { code: '200', message: 'Reservation unchanged', warnings }
    const unchanged = { ...held, id }
    return {
      answer: answer(200, shownMade(unchanged, held.deliveryStatus, said)),
      queued: undefined,
      outcome: 'unchanged',
    }
  }

  const status = following.Confirm.modify
  connection.lastly((later) => insertVersion(later, held, { status, content, revision, atMs }))
  const version = { id, hotelId, version: held.version + 1, status, modifiedAtMs: atMs, content }
  const queued = queueVersion(connection, version, hotel)
  // After the delivery: settling a delivery also locks it before its card.
  const keepUntilMs = cardKeptUntilMs(parseNight(content.checkout) ?? 0) - hotel.aheadMs
  const sealed = isNewCard ? needs.vault.seal(id, card) : undefined
  connection.lastly((later) =>
    sealed
      ? saveCard(later, held.id, sealed, { version: version.version, nowMs, keepUntilMs })
      : keepCardUntil(later, held.id, keepUntilMs),
  )
  const said = { code: '200', message: 'Reservation modified', warnings }
  return { answer: answer(200, shownMade(version, queued.status, said)), queued, outcome: 'modified' }
}

/** The comparison ignores how a state was priced. */
function isSameState(content: ReservationContent, held: ReservationContent): boolean {
  const plain: unknown = JSON.parse(JSON.stringify({ ...content, priceChecks: [] }))
  return isDeepStrictEqual(plain, { ...held, priceChecks: [] })
}

async function isHeldCard(
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
