import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import type { DayNumber } from '../../base/calendar.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import type { CheckQuery, PriceCheck, PriceChecker } from '../../price-check/checker.ts'
import { checkAgainAfterSeconds } from '../../price-check/contract.ts'
import { unitsSaid } from '../../price-check/outcome.ts'
import { termsDifferences, warningsOf } from '../../price-check/terms.ts'
import { roomRateKey } from '../../products/store.ts'
import type { RefusalDetails } from '../answer-contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { CheckedRoomRate, Money } from '../state.ts'
import type { Order, Quoted, QuotedRoom } from './order.ts'
import { mostUnitsMore, type Stay } from './units.ts'

/** What suppliers answer about the rooms of a booking. */

/** How many more units of a room-rate the rooms take than the reservation holds; rate 0 is the room itself. */
type UnitsNeeded = (key: number) => number

export type Checked = { query: CheckQuery; positions: number[]; checked: PriceCheck }
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
  {
    catalog,
    arrival,
    money: { minorDigits },
  }: { catalog: BookingCatalog; arrival: DayNumber; money: Pick<Money, 'minorDigits'> },
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
