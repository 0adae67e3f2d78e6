import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import { Rejected } from '../../http/rejected.ts'
import type { CheckQuery, PriceCheck, PriceChecker } from '../../price-check/checker.ts'
import { roomRateKey } from '../../products/store.ts'
import { totalOf, type TaxedTotal } from '../../taxes/compute.ts'
import { type RefusalDetails, reservationErrors } from '../answer-contract.ts'
import { withPolicy, type Order, type Quoted, type QuotedRoom } from './quote-rooms.ts'
import type { CheckedRoomRate, RoomState } from '../state.ts'
import { mostUnitsMore } from './units.ts'

/** The price at which rooms may be booked. */
export type Agreed = Money & { rooms: RoomState[]; total: TaxedTotal; basis: 'stored' | 'live' }

/** The currency of a reservation's amounts. */
export type Money = { currency: string; minorDigits: number }

/** The conditions that a price must meet. */
export type Terms = {
  catalog: BookingCatalog
  arrival: DayNumber
  money: Money
  /** Total that the guest agreed to, in minor units; undefined: any stored price will do. */
  expected: number | undefined
  /**
   * Whether rooms that would keep their price are in a different currency from the rooms booked with them.
   */
  isRepriced: boolean
}

/** How many more units of a room-rate the rooms take than the reservation holds; rate 0 is the room itself. */
type UnitsNeeded = (key: number) => number

type Checked = { query: CheckQuery; positions: number[]; checked: PriceCheck }
export type Checks = { byPosition: ReadonlyMap<number, Checked>; checkedRoomRates: CheckedRoomRate[] }

/** Asks the supplier for the price of each newly booked room-rate and party, all at once. */
export async function checkPrices(
  priceChecks: Pick<PriceChecker, 'check'>,
  stay: HotelStay,
  { arrival, departure, before }: Order,
  { rooms, units }: Quoted,
): Promise<Checks> {
  // The supplier counts the units that the reservation holds as sold, as the stored inventory does.
  const neededOf: UnitsNeeded = (key) => mostUnitsMore(units, before, key)
  const queryByText = new Map<string, { query: CheckQuery; positions: number[] }>()
  for (const [position, { state, roomRate }] of rooms.entries()) {
    if (!roomRate) continue
    const { adults } = state
    const childAges = state.childAges.toSorted((one, other) => one - other)
    const text = JSON.stringify([roomRate.key, adults, childAges])
    const known = queryByText.get(text)
    if (known) {
      known.positions.push(position)
      known.query.roomCount++
      known.query.unitsNeeded = Math.min(known.query.roomCount, neededOf(roomRate.key))
      continue
    }
    const unitsNeeded = Math.min(1, neededOf(roomRate.key))
    const room = { adults, childAges }
    const query = { stay, roomRate, arrival, departure, roomCount: 1, unitsNeeded, room }
    queryByText.set(text, { query, positions: [position] })
  }
  const all = await Promise.all(
    [...queryByText.values()].map(async (one) => ({ ...one, checked: await priceChecks.check(one.query) })),
  )
  const byPosition = new Map(all.flatMap((one) => one.positions.map((position) => [position, one] as const)))
  const checkedRoomRates = all.map(({ query: { roomRate }, checked: { priceCheckId, outcome } }) => ({
    priceCheckId,
    roomId: roomRate.room.code,
    rateId: roomRate.rate.code,
    outcome,
  }))
  const refusal = refusalOf(all, checkedRoomRates, neededOf)
  if (refusal) throw refusal
  return { byPosition, checkedRoomRates }
}

/** The refusal that the supplier's answers require, whatever total the guest expected. */
function refusalOf(
  all: readonly Checked[],
  checkedRoomRates: CheckedRoomRate[],
  neededOf: UnitsNeeded,
): Rejected | undefined {
  const extra: RefusalDetails = { priceChecks: checkedRoomRates }
  // The supplier is asked about each party separately, but the parties take the same units.
  const isShortOfRate = all.some(
    ({ query, checked }) => (checked.live?.inventory ?? Infinity) < neededOf(query.roomRate.key),
  )
  // A room's rates share its units, so the rate with the most free units says how many are free.
  const isShortOfRoom = [...Map.groupBy(all, ({ query }) => query.roomRate.roomNo)].some(
    ([roomNo, some]) =>
      Math.max(...some.map(({ checked }) => checked.live?.inventory ?? Infinity)) <
      neededOf(roomRateKey(roomNo, 0)),
  )
  if (isShortOfRate || isShortOfRoom || all.some(({ checked }) => checked.outcome === 'sold_out'))
    return new Rejected(409, reservationErrors.soldOut, { extra })
  const isFailed = all.some(({ checked }) => !checked.isBookable && checked.outcome !== 'price_changed')
  return isFailed ? new Rejected(409, reservationErrors.priceCheckFailed, { extra }) : undefined
}

/**
 * Decides the price at which the rooms are booked:
 *
 * | the supplier          | the guest expects                         | booked at                          |
 * | --------------------- | ----------------------------------------- | ---------------------------------- |
 * | has no other price    | nothing, and no room gets another price   | the stored price                   |
 * | has no other price    | the stored price                          | the stored price                   |
 * | answered with a price | that price                                | the supplier's                     |
 * | otherwise             |                                           | nothing: 409 names the price to ask |
 */
export function agreePrice(quoted: Quoted, checks: Checks, terms: Terms): Agreed {
  const { expected, isRepriced, money } = terms
  const stored = storedPrice(quoted, money)
  const live = livePrice(quoted, checks, terms)
  const isChanged = [...checks.byPosition.values()].some(({ checked }) => checked.outcome === 'price_changed')
  const isStoredAgreed = expected === undefined ? !isRepriced : expected === stored.total.afterTax
  if (!isChanged && isStoredAgreed) return stored
  if (live && expected === live.total.afterTax) return live
  throw priceChanged(isChanged && live ? live : stored)
}

/**
 * Agrees on the price again from the data stored when the rooms are booked. If a stored price has changed
 * since the supplier was asked, the supplier hasn't confirmed it; an amount in another currency is never
 * confirmed.
 */
export function agreeAgain(before: Agreed, quoted: Quoted, checks: Checks, terms: Terms): Agreed {
  if (terms.money.currency !== before.currency) throw priceChanged(storedPrice(quoted, terms.money))
  const agreed = agreePrice(quoted, checks, terms)
  // The total that the guest expects is booked, whatever was confirmed before.
  if (agreed.basis === 'live' || terms.expected !== undefined) return agreed
  const wasChecked = checks.checkedRoomRates.some(({ outcome }) => outcome !== 'not_registered')
  if (wasChecked && agreed.total.afterTax !== before.total.afterTax) throw priceChanged(agreed)
  return agreed
}

function storedPrice({ rooms }: Quoted, { currency, minorDigits }: Money): Agreed {
  const states = rooms.map(({ state }) => state)
  return { rooms: states, total: totalOf(states), basis: 'stored', currency, minorDigits }
}

/**
 * The rooms at the prices from the supplier; rooms it was not asked about keep the stored price. Undefined:
 * the supplier gave no price.
 */
function livePrice({ rooms }: Quoted, { byPosition }: Checks, terms: Terms): Agreed | undefined {
  if (![...byPosition.values()].some(({ checked }) => checked.live)) return undefined
  const { catalog, arrival, money } = terms
  const states = rooms.map((room, position) =>
    withLivePrice(room, byPosition.get(position)?.checked, catalog, arrival),
  )
  const { currency, minorDigits } = money
  return { rooms: states, total: totalOf(states), basis: 'live', currency, minorDigits }
}

function priceChanged({ total, currency, minorDigits }: Agreed): Rejected {
  const extra: RefusalDetails = { total: renderTotal(total, minorDigits), currency }
  return new Rejected(409, { ...reservationErrors.priceChanged, path: '/expectedTotal/afterTax' }, { extra })
}

export function renderTotal(
  { beforeTax, tax, afterTax, dueAtProperty }: TaxedTotal,
  minorDigits: number,
): Record<keyof TaxedTotal, string> {
  return {
    beforeTax: minorText(beforeTax, minorDigits),
    tax: minorText(tax, minorDigits),
    afterTax: minorText(afterTax, minorDigits),
    dueAtProperty: minorText(dueAtProperty, minorDigits),
  }
}

/**
 * A room at the supplier's own price. The answer gives the amount of tax included but doesn't itemize it, so
 * the tax becomes one line; taxes due at the property stay as pushed.
 */
function withLivePrice(
  { state, roomRate }: QuotedRoom,
  checked: PriceCheck | undefined,
  catalog: BookingCatalog,
  arrival: DayNumber,
): RoomState {
  if (!roomRate || !checked?.live) return state
  const nights = state.nights.map(({ date }, index) => ({
    date,
    beforeTax: checked.live?.nights[index]?.beforeTax ?? 0,
    afterTax: checked.live?.nights[index]?.afterTax ?? 0,
  }))
  const beforeTax = nights.reduce((sum, night) => sum + night.beforeTax, 0)
  const afterTax = nights.reduce((sum, night) => sum + night.afterTax, 0)
  const tax = afterTax - beforeTax
  const whole = { type: 'OTHER_TAX', included: false, payNow: true, amount: tax } as const
  const live: RoomState = {
    ...state,
    nights,
    taxes: [...(tax > 0 ? [whole] : []), ...state.taxes.filter(({ payNow }) => !payNow)],
    total: { ...state.total, beforeTax, tax, afterTax },
  }
  return withPolicy(live, catalog, roomRate, arrival)
}
