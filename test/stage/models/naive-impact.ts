import {
  addDays,
  daysBetween,
  isTaxUnknown,
  judge,
  type NaiveHotel,
  type NaiveProduct,
  type NaiveStay,
  type RateNight,
  type RoomNight,
} from './naive-offers.ts'
import { limitNames, maximumNames, minimumNames, switchNames } from './naive-restrictions.ts'

/**
 * What a push means for the sale, counted a second time, from the hotel before and after it: night by night and stay
 * by stay, without any code of src/.
 */

type Night = Partial<RateNight> & RoomNight
type States = { before: NaiveHotel; after: NaiveHotel }
type Pair = { key: string; old: Night; now: Night }

/** The stays that can be booked, by product, as far as they were counted; for the next plan of the same hotel. */
export type Bookable = Map<NaiveProduct, ReadonlySet<NaiveStay>>

/**
 * `bookable` has what the last plan of the hotel left. `isWhole`: judge every stay again, and not only those with a changed
 * day.
 */
export function naiveImpact(states: States, bookable: Bookable, isWhole: boolean) {
  const pairs = [...pairsOf(states, 'rooms'), ...pairsOf(states, 'rates')]
  const changed = new Set(pairs.filter(isChanged).map(({ key }) => key))
  const prices = pricesOf(pairs)
  return {
    changed: changed.size,
    up: directionOf(prices.filter(({ old, now }) => now > old)),
    down: directionOf(prices.filter(({ old, now }) => now < old)),
    inventory: inventoryOf(pairs),
    restrictions: restrictionsOf(pairs),
    sellable: sellableOf(states),
    stays: staysOf(states, changed, bookable, isWhole),
  }
}

function pairsOf({ before, after }: States, what: 'rooms' | 'rates'): Pair[] {
  const keys = new Set([...before[what].keys(), ...after[what].keys()])
  return [...keys].map((key) => ({
    key,
    old: before[what].get(key) ?? {},
    now: after[what].get(key) ?? {},
  }))
}

function isChanged({ old, now }: Pair): boolean {
  return textOf(old) !== textOf(now)
}

function textOf({ prices = new Map(), inventory, ...night }: Night): string {
  const rules = limitNames.map((name) => night[name])
  return JSON.stringify([
    [...prices].map(String).toSorted(),
    inventory,
    rules,
    switchNames.map((name) => night[name] === true),
  ])
}

function pricesOf(pairs: readonly Pair[]): { old: number; now: number }[] {
  return pairs.flatMap(({ old, now }) =>
    [...(old.prices ?? [])].flatMap(([bucket, price]) => {
      const after = now.prices?.get(bucket)
      return after === undefined || after === price ? [] : [{ old: price, now: after }]
    }),
  )
}

function directionOf(prices: readonly { old: number; now: number }[]) {
  const pcts = prices
    .filter(({ old }) => old > 0)
    .map(({ old, now }) => Math.abs(Math.round(((now - old) * 10_000) / old) / 100))
    .sort((one, other) => one - other)
  const { length } = pcts
  const middle = (pcts[Math.floor((length - 1) / 2)] ?? 0) + (pcts[Math.ceil((length - 1) / 2)] ?? 0)
  return {
    cells: prices.length,
    medianPct: length === 0 ? null : Math.round(middle * 50) / 100,
    maxPct: pcts.at(-1) ?? null,
  }
}

function inventoryOf(pairs: readonly Pair[]) {
  const total = { before: 0, after: 0, zeroed: 0 }
  for (const { old, now } of pairs) {
    if (old.inventory === now.inventory) continue
    total.before += old.inventory ?? 0
    total.after += now.inventory ?? 0
    if ((old.inventory ?? 0) > 0 && (now.inventory ?? 0) === 0) total.zeroed++
  }
  return total
}

function restrictionsOf(pairs: readonly Pair[]) {
  const moved = { tighter: 0, looser: 0 }
  const note = (old: number, now: number): void => {
    if (now > old) moved.tighter++
    if (now < old) moved.looser++
  }
  for (const { old, now } of pairs) {
    for (const name of switchNames) note(Number(old[name] === true), Number(now[name] === true))
    for (const name of minimumNames) note(old[name] ?? -1, now[name] ?? -1)
    for (const name of maximumNames) note(-(old[name] ?? Infinity), -(now[name] ?? Infinity))
  }
  return moved
}

function sellableOf({ before, after }: States) {
  const found = { newlyUnsellable: 0, newlySellable: 0 }
  for (const product of after.products) {
    if (!product.isAvailable) continue
    for (const date of datesOf(after)) {
      const [was, is] = [isOnSale(before, product, date), isOnSale(after, product, date)]
      if (was && !is) found.newlyUnsellable++
      if (is && !was) found.newlySellable++
    }
  }
  return found
}

/** No night beyond these has a price in the random hotels. */
const filledDays = 40

function datesOf({ today }: NaiveHotel): string[] {
  return calendarOf(today).dates.slice(0, filledDays)
}

function isOnSale(hotel: NaiveHotel, { roomId, rateId, occupancy }: NaiveProduct, date: string): boolean {
  const room = hotel.rooms.get(`${roomId}|${date}`)
  const rate = hotel.rates.get(`${roomId}|${rateId}|${date}`)
  const units = Math.min(room?.inventory ?? Infinity, rate?.inventory ?? Infinity)
  if (units === Infinity || units === 0 || room?.closed === true || rate?.closed === true) return false
  if (hotel.stopped.has(`${roomId}|${date}`) || hotel.stopped.has(`${roomId}|${rateId}|${date}`)) return false
  if (isTaxUnknown(hotel, { roomId, rateId }, date)) return false
  const { maxOccupancy, maxAdult = maxOccupancy } = occupancy
  const adults = Array.from({ length: Math.min(maxAdult, maxOccupancy) }, (_, index) => `adult ${index + 1}`)
  return ['unit', ...adults].some((bucket) => rate?.prices.has(bucket) === true)
}

const arrivals = 90
const lengths = 7

function staysOf(
  { before, after }: States,
  changed: ReadonlySet<string>,
  bookable: Bookable,
  isWhole: boolean,
) {
  const counts = { tested: 0, lost: 0, gained: 0 }
  const { stays } = calendarOf(before.today)
  for (const product of after.products) {
    const { roomId, rateId } = product
    const dates = new Set(
      [...changed].flatMap((key) => {
        const [room, ...rest] = key.split('|')
        return room === roomId && (rest.length === 1 || rest[0] === rateId) ? [rest.at(-1)] : []
      }),
    )
    if (dates.size === 0) continue
    counts.tested += arrivals * lengths * 2
    const was = bookable.get(product) ?? bookableIn(before, product, stays)
    const touched = isWhole ? stays : stays.filter(({ days }) => days.some((day) => dates.has(day)))
    const is = new Set(was)
    for (const { stay } of touched) {
      if (judge(after, product, stay).broken.size === 0) is.add(stay)
      else is.delete(stay)
    }
    counts.lost += was.size - was.intersection(is).size
    counts.gained += is.size - was.intersection(is).size
    bookable.set(product, is)
  }
  return counts
}

function bookableIn(hotel: NaiveHotel, product: NaiveProduct, stays: readonly DatedStay[]): Set<NaiveStay> {
  return new Set(stays.flatMap(({ stay }) => (judge(hotel, product, stay).broken.size === 0 ? [stay] : [])))
}

/** `days`: from the arrival to the departure. */
type DatedStay = { stay: NaiveStay; days: string[] }

type Calendar = { dates: string[]; stays: DatedStay[] }
const calendars = new Map<string, Calendar>()

function calendarOf(today: string): Calendar {
  const known = calendars.get(today)
  if (known) return known
  const dates = Array.from({ length: filledDays + lengths }, (_, day) => addDays(today, day))
  const stays = dates.slice(0, filledDays).flatMap((checkin, arrival) =>
    Array.from({ length: lengths }, (_, index) => dates.slice(arrival, arrival + index + 2)).flatMap((days) =>
      [1, 2].map((adults) => ({
        stay: { checkin, checkout: days.at(-1) ?? checkin, rooms: [{ adults, childAges: [] }] },
        days,
      })),
    ),
  )
  calendars.set(today, { dates, stays })
  return { dates, stays }
}

/** The nights of rooms and room-rates that a push names. */
export function naiveTouched(ari: readonly object[]): number {
  const touched = new Set<string>()
  for (const item of ari) {
    const { roomId, startDate, endDate, inventory, closed, rates = [] } = Object(item)
    for (let day = 0; day <= daysBetween(startDate, endDate); day++) {
      const date = addDays(startDate, day)
      if (inventory !== undefined || closed !== undefined) touched.add(`${roomId}|${date}`)
      for (const { rateId } of rates) touched.add(`${roomId}|${rateId}|${date}`)
    }
  }
  return touched.size
}
