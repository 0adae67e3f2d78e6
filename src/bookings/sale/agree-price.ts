import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import { totalOf } from '../../taxes/compute/compute.ts'
import type { Money, RoomState } from '../state.ts'
import type { Checked, Checks } from './check-prices.ts'
import { isExpected } from './expected-total.ts'
import { knownTotal, priceChanged, type KnownTotal, type Priced } from '../price/price-changed.ts'
import { basisOf, withBookedTerms } from './kept-price.ts'
import type { Quoted, QuotedRoom } from './order.ts'
import { priceNights } from './room-nights.ts'
import { withTerms } from '../price/with-terms.ts'

/** The price at which rooms may be booked. */
export type Agreed = Priced & { rooms: RoomState[]; basis: 'stored' | 'live' }

/** The conditions that a price must meet. */
export type Terms = {
  catalog: BookingCatalog
  arrival: DayNumber
  departure: DayNumber
  money: Money
  /** Total that the guest agreed to; undefined: any stored price in the reservation's currency will do. */
  expected: KnownTotal | undefined
  /** The reservation as it is; undefined for a new one. To another currency the guest has to agree. */
  booked: Priced | undefined
  /** At the stored price, without a question to anybody. */
  isDryRun: boolean
}

/**
 * Decides the price at which the rooms are booked:
 *
 * | the supplier          | the guest expects                         | booked at                          |
 * | --------------------- | ----------------------------------------- | ---------------------------------- |
 * | has no other price    | nothing, and the currency is the same     | the stored price                   |
 * | has no other price    | the stored price                          | the stored price                   |
 * | answered with a price | that price                                | the supplier's                     |
 * | otherwise             |                                           | nothing: 409 names the price to ask |
 *
 * A room that is kept has its booked price, whatever the supplier answers; with fewer guests a lower one of
 * now, if the supplier confirms it.
 */
export function agreePrice(quoted: Quoted, checks: Checks, terms: Terms): Agreed {
  const { expected, booked, isDryRun } = terms
  const stored = storedPrice(quoted, checks, terms)
  if (isDryRun) return stored
  const live = livePrice(quoted, checks, terms)
  const isChanged = quoted.rooms.some(
    ({ isKept }, position) =>
      !isKept && checks.byPosition.get(position)?.some(({ checked }) => checked.outcome === 'price_changed'),
  )
  const isOtherCurrency = booked !== undefined && booked.currency !== stored.currency
  const isStoredAgreed = expected === undefined ? !isOtherCurrency : isExpected(expected, stored)
  if (!isChanged && isStoredAgreed) return stored
  if (live && expected && isExpected(expected, live)) return live
  throw priceChanged(expected ?? knownTotal(booked ?? stored), isChanged && live ? live : stored)
}

/**
 * Agrees on the price again from the data stored when the rooms are booked. If a stored price has changed
 * since the supplier was asked, the supplier hasn't confirmed it; an amount in another currency is never
 * confirmed.
 */
export function agreeAgain(before: Agreed, quoted: Quoted, checks: Checks, terms: Terms): Agreed {
  if (terms.isDryRun) return agreePrice(quoted, checks, terms)
  const { expected = knownTotal(terms.booked ?? before) } = terms
  if (terms.money.currency !== before.currency)
    throw priceChanged(expected, storedPrice(quoted, checks, terms))
  const agreed = agreePrice(quoted, checks, terms)
  // The total that the guest expects is booked, whatever was confirmed before.
  if (agreed.basis === 'live' || terms.expected !== undefined) return agreed
  const wasChecked = checks.checkedRoomRates.some(({ outcome }) => outcome !== 'not_registered')
  if (!wasChecked || agreed.total.afterTax === before.total.afterTax) return agreed
  // What only gives up is never refused: the price that was confirmed a moment ago is good enough.
  if (quoted.rooms.every(({ isKept }) => isKept)) return before
  throw priceChanged(expected, agreed)
}

function storedPrice({ rooms }: Quoted, { byPosition }: Checks, terms: Terms): Agreed {
  const { currency, minorDigits } = terms.money
  const states = rooms.map((room, position) => stateOf(room, byPosition.get(position), terms))
  return { rooms: states, total: totalOf(states), basis: 'stored', currency, minorDigits }
}

/**
 * The rooms at the prices from the supplier; rooms it was not asked about keep the stored price. Undefined:
 * the supplier gave no price.
 */
function livePrice({ rooms }: Quoted, { byPosition }: Checks, terms: Terms): Agreed | undefined {
  if (![...byPosition.values()].flat().some(({ checked }) => checked.live)) return undefined
  const states = rooms.map((room, position) => {
    const checks = byPosition.get(position) ?? []
    if (room.isKept || !checks.some(({ checked }) => checked.live)) return stateOf(room, checks, terms)
    return withLivePrice(room, checks, terms)
  })
  const { currency, minorDigits } = terms.money
  return { rooms: states, total: totalOf(states), basis: 'live', currency, minorDigits }
}

/** The room as it is booked unless the supplier's own price is agreed. */
function stateOf(room: QuotedRoom, checks: readonly Checked[] = [], terms: Terms): RoomState {
  const { state, today, isKept } = room
  if (!isKept) return state
  const isConfirmed = checks.every(({ checked }) => checked.isBookable)
  const now = isConfirmed ? today : changedPrice(room, checks, terms)
  return now && isLower(now, state) ? now : state
}

/** The price that the supplier has instead of the stored one. An amount of 0 is none. */
function changedPrice(room: QuotedRoom, checks: readonly Checked[], terms: Terms): RoomState | undefined {
  const hasPrice = checks.every(
    ({ checked: { isBookable, outcome, live } }) =>
      isBookable || (outcome === 'price_changed' && live?.nights.every(({ afterTax }) => afterTax > 0)),
  )
  return hasPrice ? withLivePrice(room, checks, terms) : undefined
}

/** Whether a price takes less of the guest, and nowhere more. */
function isLower({ total: one }: RoomState, { total: other }: RoomState): boolean {
  return (
    one.afterTax <= other.afterTax &&
    one.dueAtProperty <= other.dueAtProperty &&
    one.afterTax + one.dueAtProperty < other.afterTax + other.dueAtProperty
  )
}

/** A room at the supplier's own price for the nights that were asked about, with the pushed taxes and terms. */
function withLivePrice(
  { state, today = state, roomRate, booked, nights = [] }: QuotedRoom,
  checks: readonly Checked[],
  { catalog, arrival, departure, money }: Terms,
): RoomState {
  if (!roomRate) return state
  const { minorDigits } = money
  const answered = new Map(
    checks.flatMap(({ query, checked }) =>
      (checked.live?.nights ?? []).map((night, index) => [query.arrival + index, night] as const),
    ),
  )
  const live = nights.map((night) => ({ ...night, live: answered.get(night.day) ?? night.live }))
  const persons = today.party.adults + today.party.childAges.length
  const priced = priceNights(live, persons, minorDigits)
  if (!priced) return state
  const atLive: RoomState = { ...today, ...priced, basis: basisOf(today.basis, priced) }
  const units = { timeZone: catalog.timeZone, minorDigits, arrival, departure }
  return booked
    ? withBookedTerms(booked, atLive, units)
    : withTerms(atLive, units, termsOn(roomRate.policies, arrival) ?? null)
}
