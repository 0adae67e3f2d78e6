import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import type { CheckQuery, PriceCheck, PriceChecker } from '../../price-check/checker.ts'
import { checkAgainAfterSeconds } from '../../price-check/contract.ts'
import { unitsSaid } from '../../price-check/outcome.ts'
import { termsDifferences, warningsOf } from '../../price-check/terms.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import { roomRateKey } from '../../products/store.ts'
import { totalOf, type TaxedTotal } from '../../taxes/compute/compute.ts'
import { type RefusalDetails, reservationErrors } from '../answer-contract.ts'
import type { CheckedRoomRate, Money, RoomState } from '../state.ts'
import { isExpected, type Expected } from './expected-total.ts'
import { feesOf, renderTotal } from './render-total.ts'
import { basisOf, withBookedTerms } from './kept-price.ts'
import type { Order, Quoted, QuotedRoom } from './order.ts'
import { priceNights } from './room-nights.ts'
import { mostUnitsMore, type Stay } from './units.ts'
import { withTerms } from './with-terms.ts'

/** The price at which rooms may be booked. */
export type Agreed = Money & { rooms: RoomState[]; total: TaxedTotal; basis: 'stored' | 'live' }

/** The conditions that a price must meet. */
export type Terms = {
  catalog: BookingCatalog
  arrival: DayNumber
  departure: DayNumber
  money: Money
  /** Total that the guest agreed to; undefined: any stored price in the reservation's currency will do. */
  expected: Expected | undefined
  /** Whether the reservation is in another currency by now, to which the guest has to agree. */
  isOtherCurrency: boolean
  /** At the stored price, without a question to anybody. */
  isDryRun: boolean
}

/** How many more units of a room-rate the rooms take than the reservation holds; rate 0 is the room itself. */
type UnitsNeeded = (key: number) => number

type Checked = { query: CheckQuery; positions: number[]; checked: PriceCheck }
export type Checks = {
  /** Of each room: of the whole stay, or of what is added before and after it. */
  byPosition: ReadonlyMap<number, readonly Checked[]>
  checkedRoomRates: CheckedRoomRate[]
  /** Terms that differ from those sold. */
  warnings: Problem[]
}

export const noChecks: Checks = { byPosition: new Map(), checkedRoomRates: [], warnings: [] }

/** Asks the supplier for the price of each newly booked room-rate and party, all at once. */
export async function checkPrices(
  priceChecks: Pick<PriceChecker, 'check' | 'heard'>,
  stay: HotelStay,
  { before }: Order,
  { rooms, units }: Quoted,
): Promise<Checks> {
  // The supplier counts the units that the reservation holds as sold, as the stored inventory does.
  const neededOf: UnitsNeeded = (key) => mostUnitsMore(units, before, key)
  const queryByText = new Map<string, { query: CheckQuery; positions: number[] }>()
  const ask = (position: number, { state, roomRate }: QuotedRoom, { arrival, departure }: Stay): void => {
    if (!roomRate) return
    const { adults } = state
    const childAges = state.childAges.toSorted((one, other) => one - other)
    const text = JSON.stringify([roomRate.key, adults, childAges, arrival, departure])
    const needed = neededOf(roomRate.key)
    const known = queryByText.get(text)
    if (known) {
      known.positions.push(position)
      known.query.roomCount++
      known.query.unitsNeeded = Math.min(known.query.roomCount, needed)
      return
    }
    const room = { adults, childAges }
    const query = {
      stay,
      roomRate,
      arrival,
      departure,
      roomCount: 1,
      unitsNeeded: Math.min(1, needed),
      room,
    }
    queryByText.set(text, { query, positions: [position] })
  }
  for (const [position, room] of rooms.entries()) for (const part of room.asked) ask(position, room, part)
  const all = await Promise.all(
    [...queryByText.values()].map(async (one) => ({ ...one, checked: await priceChecks.check(one.query) })),
  )
  rememberTogether(priceChecks, all, neededOf)
  const byPosition = new Map(
    rooms.map((_, position) => [position, all.filter(({ positions }) => positions.includes(position))]),
  )
  const checkedRoomRates = all.map(({ query: { roomRate }, checked: { priceCheckId, outcome } }) => ({
    priceCheckId,
    roomId: roomRate.room.code,
    rateId: roomRate.rate.code,
    outcome,
  }))
  // A room that is kept needs no unit and no answer.
  const isNeeded = ({ positions }: Checked): boolean => positions.some((at) => rooms[at]?.isKept === false)
  const refusal = refusalOf(all.filter(isNeeded), checkedRoomRates, neededOf)
  if (refusal) throw refusal
  return { byPosition, checkedRoomRates, warnings: all.flatMap(termsWarnings) }
}

/** Parties that ask for one room-rate and stay together: the supplier was asked about each by itself. */
function rememberTogether(
  priceChecks: Pick<PriceChecker, 'heard'>,
  all: readonly Checked[],
  neededOf: UnitsNeeded,
): void {
  const together = Map.groupBy(all, ({ query: { roomRate, arrival, departure } }) =>
    [roomRate.key, arrival, departure].join(' '),
  )
  for (const [first, ...rest] of together.values()) {
    if (!first || rest.length === 0) continue
    const needed = neededOf(first.query.roomRate.key)
    const isShort = [first, ...rest].some(({ checked }) => unitsSaid(checked) < needed)
    priceChecks.heard([first, ...rest], { isShort })
  }
}

function termsWarnings({ checked, positions }: Pick<Checked, 'checked' | 'positions'>): Problem[] {
  return warningsOf(checked.termsDiffer, `/rooms/${positions[0] ?? 0}/rateId`)
}

/** The supplier's answers beside the terms that are sold by now: those may have changed while it was asked. */
export function checksNow(
  checks: Checks,
  { rooms }: Quoted,
  { catalog, arrival, money: { minorDigits } }: Terms,
): Checks {
  const again = (one: Checked, position: number): Checked => {
    const { live, outcome } = one.checked
    const { roomRate, state, isKept = true } = rooms[position] ?? {}
    if (!live || !roomRate || !state || outcome === 'sold_out') return one
    const persons = state.party.adults + state.party.childAges.length
    const sold = { roomRate, timeZone: catalog.timeZone, minorDigits, arrival, persons }
    const termsDiffer = termsDifferences(live.terms, live.nights, sold)
    if (one.checked.isStrict && termsDiffer.length > 0 && !isKept && one.query.unitsNeeded > 0)
      throw new Rejected(409, reservationErrors.termsDiffer, {
        extra: { priceChecks: checks.checkedRoomRates },
      })
    return { ...one, checked: { ...one.checked, termsDiffer } }
  }
  const byPosition = new Map(
    [...checks.byPosition].map(([position, some]) => [position, some.map((one) => again(one, position))]),
  )
  const warnings = [...byPosition].flatMap(([position, some]) =>
    some.flatMap((one) => (one.positions[0] === position ? termsWarnings(one) : [])),
  )
  return { ...checks, byPosition, warnings }
}

/** The refusal that the supplier's answers require, whatever total the guest expected. */
function refusalOf(
  all: readonly Checked[],
  checkedRoomRates: CheckedRoomRate[],
  neededOf: UnitsNeeded,
): Rejected | undefined {
  const extra: RefusalDetails = { priceChecks: checkedRoomRates }
  // The supplier is asked about each party separately, but the parties take the same units.
  const isShortOfRate = all.some(({ query, checked }) => unitsSaid(checked) < neededOf(query.roomRate.key))
  // A room's rates share its units, so the rate with the most free units says how many are free.
  const isShortOfRoom = [...Map.groupBy(all, ({ query }) => query.roomRate.roomNo)].some(
    ([roomNo, some]) =>
      Math.max(...some.map(({ checked }) => unitsSaid(checked))) < neededOf(roomRateKey(roomNo, 0)),
  )
  if (isShortOfRate || isShortOfRoom || all.some(({ checked }) => checked.outcome === 'sold_out'))
    return new Rejected(409, reservationErrors.soldOut, { extra })
  const isFailed = all.some(({ checked: { isBookable, isRejectedForTerms, outcome } }) => {
    return !isBookable && !isRejectedForTerms && outcome !== 'price_changed'
  })
  if (isFailed) {
    const headers = { 'retry-after': String(checkAgainAfter(all)) }
    return new Rejected(409, reservationErrors.priceCheckFailed, { extra, headers })
  }
  const isRejectedForTerms = all.some(({ checked }) => checked.isRejectedForTerms)
  return isRejectedForTerms ? new Rejected(409, reservationErrors.termsDiffer, { extra }) : undefined
}

/** Seconds after which asking again may help: not while a URL is paused. */
function checkAgainAfter(all: readonly Checked[]): number {
  const pausesMs = all.map(({ checked: { failure } }) => failure?.openForMs ?? 0)
  const pausedSeconds = Math.ceil(Math.max(...pausesMs) / 1_000)
  return pausedSeconds > 0 ? pausedSeconds : checkAgainAfterSeconds
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
  const { expected, isOtherCurrency, isDryRun } = terms
  const stored = storedPrice(quoted, checks, terms)
  if (isDryRun) return stored
  const live = livePrice(quoted, checks, terms)
  const isChanged = quoted.rooms.some(
    ({ isKept }, position) =>
      !isKept && checks.byPosition.get(position)?.some(({ checked }) => checked.outcome === 'price_changed'),
  )
  const isStoredAgreed = expected === undefined ? !isOtherCurrency : isExpected(expected, stored)
  if (!isChanged && isStoredAgreed) return stored
  if (live && expected && isExpected(expected, live)) return live
  throw priceChanged(isChanged && live ? live : stored)
}

/**
 * Agrees on the price again from the data stored when the rooms are booked. If a stored price has changed
 * since the supplier was asked, the supplier hasn't confirmed it; an amount in another currency is never
 * confirmed.
 */
export function agreeAgain(before: Agreed, quoted: Quoted, checks: Checks, terms: Terms): Agreed {
  if (terms.isDryRun) return agreePrice(quoted, checks, terms)
  if (terms.money.currency !== before.currency) throw priceChanged(storedPrice(quoted, checks, terms))
  const agreed = agreePrice(quoted, checks, terms)
  // The total that the guest expects is booked, whatever was confirmed before.
  if (agreed.basis === 'live' || terms.expected !== undefined) return agreed
  const wasChecked = checks.checkedRoomRates.some(({ outcome }) => outcome !== 'not_registered')
  if (!wasChecked || agreed.total.afterTax === before.total.afterTax) return agreed
  // What only gives up is never refused: the price that was confirmed a moment ago is good enough.
  if (quoted.rooms.every(({ isKept }) => isKept)) return before
  throw priceChanged(agreed)
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

function priceChanged({ total, rooms, currency, minorDigits }: Agreed): Rejected {
  const extra: RefusalDetails = { total: renderTotal(total, feesOf(rooms), minorDigits), currency }
  return new Rejected(409, { ...reservationErrors.priceChanged, path: '/expectedTotal/afterTax' }, { extra })
}

/** The room as it is booked unless the supplier's own price is agreed. */
function stateOf(room: QuotedRoom, checks: readonly Checked[] = [], terms: Terms): RoomState {
  const { state, today } = room
  const [whole] = checks
  if (!room.isKept || !whole) return state
  const now = whole.checked.isBookable ? today : changedPrice(room, whole, terms)
  return now && isLower(now, state) ? now : state
}

/** The price that the supplier has instead of the stored one. An amount of 0 is none. */
function changedPrice(room: QuotedRoom, whole: Checked, terms: Terms): RoomState | undefined {
  const { live, outcome } = whole.checked
  if (outcome !== 'price_changed' || !live?.nights.every(({ afterTax }) => afterTax > 0)) return undefined
  return withLivePrice(room, [whole], terms)
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
