import { referenceNotFound } from '../../offers/stay-request.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { dayMs, parseNight } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import { agreeAgain, agreePrice, type Agreed, type Terms } from '../sale/agree-price.ts'
import { checkPrices, checksNow, noChecks, type Checks } from '../sale/check-prices.ts'
import type { RefusalDetails } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { ReservationBody } from '../contract.ts'
import { expectedOf } from '../sale/expected-total.ts'
import { keptRooms, type KeptRoom } from '../sale/kept-rooms.ts'
import { matchRooms, refuseRoomIds, type MatchedRooms } from '../price/matched-rooms.ts'
import { penaltyAt } from '../price/penalty.ts'
import { StayForbidden, type BookNeeds, type BookedHotel } from '../idempotency/idempotent-booking.ts'
import { quoteRooms } from '../sale/quote-rooms.ts'
import type { Order, Quoted } from '../sale/order.ts'
import type { Money, ReservationContent, ReservationVersion, Payment } from '../state.ts'
import type { LockedHotel } from '../store.ts'
import { daysOf, takeUnits, unitsOf, type TakenUnits } from '../sale/take-units.ts'
import { queueDelivery, type QueuedDelivery } from '../outbox/delivery-queue.ts'
import { cardErrors } from '../../cards/contract.ts'
import { maskedNumber } from '../../base/card-number.ts'
import { vaultClosed } from '../../cards/store.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import type { Card } from '../../cards/vault.ts'
import { virtualOf, type SentCard } from './virtual-card.ts'

/** Books rooms, for a new reservation or for a new state of an existing one. */

/** The requested rooms, and the present content of the reservation if it exists already. */
export type BookingRequest = {
  body: Pick<ReservationBody, 'checkin' | 'checkout' | 'rooms' | 'expectedTotal' | 'hotel' | 'dryRun'>
  /** Undefined for a new reservation. */
  present: PresentState | undefined
}
export type PresentState = { id: string; content: ReservationContent }

/** The slow steps, before anything is locked: prices the rooms and asks the supplier. */
export async function prepareRooms(
  needs: BookNeeds,
  hotelId: number,
  request: BookingRequest,
): Promise<PreparedRooms> {
  const { stay, order, quoted, terms } = await quote(needs, hotelId, request)
  const checks = terms.isDryRun ? noChecks : await checkPrices(needs.priceChecks, stay, order, quoted)
  return { checks, agreed: agreePrice(quoted, checks, terms) }
}

export type PreparedRooms = { checks: Checks; agreed: Agreed }
export type BookedRooms = { catalog: BookingCatalog; agreed: Agreed; checks: Checks } & TakenUnits

/**
 * Books the rooms in the transaction that has locked the hotel: prices them again from the data stored now,
 * and takes their units out of the hotel's inventory.
 */
export async function bookRooms(
  needs: BookNeeds,
  connection: Transaction,
  hotel: LockedHotel,
  request: BookingRequest,
  { checks: made, agreed: before }: PreparedRooms,
): Promise<BookedRooms> {
  const now = await quote(needs, hotel.hotelId, request, { connection, hotel })
  const checks = checksNow(made, now.quoted, now.terms)
  const agreed = agreeAgain(before, now.quoted, checks, now.terms)
  const { stay, order, quoted } = now
  const change = { stay, units: quoted.units, before: order.before }
  const taken = takeUnits(connection, hotel, change, needs.clock.now())
  return { catalog: stay.catalog, agreed, checks, ...taken }
}

export function matchedRooms({ body: { rooms }, present }: BookingRequest): MatchedRooms {
  if (present) return matchRooms(present.id, rooms, present.content.rooms)
  refuseRoomIds(rooms)
  return new Map()
}

/** Quotes the rooms as available now, or as the transaction sees them. */
async function quote(
  needs: BookNeeds,
  hotelId: number,
  request: BookingRequest,
  within?: { connection: Queryable; hotel: LockedHotel },
): Promise<{ stay: HotelStay; order: Order; quoted: Quoted; terms: Terms }> {
  const arrival = parseNight(request.body.checkin) ?? 0
  const departure = parseNight(request.body.checkout) ?? 0
  const range = daysOf({ arrival, departure }, request.present?.content)
  const stay = within
    ? await needs.stays.readWithin(within.connection, within.hotel, range)
    : (await needs.stays.read([hotelId], range)).get(hotelId)
  if (!stay) throw referenceNotFound(request.body.hotel)
  const { body } = request
  const present = request.present?.content
  const { catalog } = stay
  const nowMs = needs.clock.now()
  const matched = matchedRooms(request)
  const { kept, money } = request.present
    ? settleCurrency(
        keptRooms(body, request.present.content, matched, catalog),
        body.rooms.length,
        request.present,
        catalog,
        nowMs,
      )
    : { kept: new Map<number, KeptRoom>(), money: catalog }
  const order: Order = {
    arrival,
    departure,
    rooms: body.rooms,
    today: todayIn(catalog, nowMs),
    kept,
    money,
    before: present && unitsOf(stay, present),
  }
  const quoted = quoteRooms(stay, order)
  if ('forbidden' in quoted) throw new StayForbidden(catalog, quoted.forbidden)
  const expected = expectedOf(body, present ?? catalog)
  const isDryRun = body.dryRun === true
  const terms = { catalog, arrival, departure, money, expected, booked: present, isDryRun }
  return { stay, order, quoted, terms }
}

/**
 * A reservation has one currency. When the hotel's currency has changed since, rooms that are kept stay in
 * the old one as long as all of them are; otherwise each is priced anew, while a cancellation costs nothing.
 */
function settleCurrency(
  kept: Map<number, KeptRoom>,
  roomCount: number,
  { id, content: present }: PresentState,
  catalog: BookingCatalog,
  nowMs: number,
): { kept: Map<number, KeptRoom>; money: Money } {
  if (present.currency === catalog.currency) return { kept, money: catalog }
  const isGivingUp = [...kept.values()].every((room) => room.isGivingUp)
  if (isGivingUp && kept.size === roomCount) return { kept, money: present }
  const owed = penaltyAt(id, present, nowMs + catalog.aheadMs)?.amount ?? 0
  if (owed === 0) return { kept: new Map(), money: catalog }
  const { currency, minorDigits } = present
  const extra: RefusalDetails = { penalty: { amount: minorText(owed, minorDigits), currency } }
  throw new Rejected(409, reservationErrors.penaltyDue, { extra })
}

export async function hotelIdOf(needs: BookNeeds, reference: ReservationBody['hotel']): Promise<number> {
  const [hotelId] = await needs.hotelsNamed([reference])
  if (hotelId === undefined) throw referenceNotFound(reference)
  return hotelId
}

/** Queues the delivery of a version, together with the commit of the transaction that creates it. */
export function queueVersion(
  connection: Transaction,
  {
    id,
    hotelId,
    version,
    status,
    modifiedAtMs,
    content,
  }: Omit<ReservationVersion, 'createdAtMs' | 'reports'>,
  { supplierId, timeZone, aheadMs, endpoint }: BookedHotel,
): QueuedDelivery {
  return queueDelivery(connection, {
    reservationId: Number(id),
    version,
    status,
    supplierId,
    hotelId,
    timeZone,
    endpoint,
    arrival: parseNight(content.checkin) ?? 0,
    nowMs: modifiedAtMs - aheadMs,
    aheadMs,
  })
}

/** The card of a body, as far as it is kept. */
export type AcceptedCard = {
  /** Undefined: no card is kept. */
  card: Card | undefined
  warnings: Problem[]
}

/** A card is kept only for suppliers whose contract says that they receive cards. */
export function acceptCard(
  card: SentCard | undefined,
  deliversCards: boolean,
  vault: CardVault,
): AcceptedCard {
  if (!card) return { card: undefined, warnings: [] }
  const path = '/payment/card'
  if (!deliversCards) return { card: undefined, warnings: [{ ...cardErrors.notDelivered, path }] }
  if (vault.status().state === 'unused') throw new Rejected(400, { ...cardErrors.notAccepted, path })
  if (!vault.acceptsCards()) throw vaultClosed()
  const { holderName, type, number, expiry, cvv } = card
  const virtual = virtualOf(card)
  return {
    card: {
      holderName,
      type,
      number,
      expiry,
      ...(cvv === undefined ? {} : { cvv }),
      ...(virtual ? { virtual } : {}),
    },
    warnings: [],
  }
}

export function maskedCard({ type, number, virtual }: Card): NonNullable<Payment['card']> {
  return { type, number: maskedNumber(number), ...(virtual ? { virtual } : {}) }
}

const retainedAfterDepartureDays = 7

/** When the card is destroyed: after the seventh day from departure (UTC). */
export function cardExpiresAtMs(departure: number): number {
  return (departure + retainedAfterDepartureDays + 1) * dayMs
}
