import {
  addDays,
  daysBetween,
  judge,
  type NaiveHotel,
  type NaiveProduct,
  type NaiveStay,
  type RateNight,
  type RoomNight,
} from './naive-offers.ts'

/**
 * What a push means for the sale, counted a second time, from the hotel before and after it: night by night and stay
 * by stay, without any code of src/.
 */

type Night = Partial<RateNight> & RoomNight
type States = { before: NaiveHotel; after: NaiveHotel }
type Pair = { key: string; old: Night; now: Night }

const atLeast = ['minStayArrival', 'minLengthStay', 'minAdvanceDays'] as const
const atMost = ['maxStayArrival', 'maxLengthStay', 'maxAdvanceDays'] as const
const switches = ['closed', 'closedToArrival', 'closedToDeparture'] as const

export function naiveImpact(states: States) {
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
    stays: staysOf(states, changed),
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
  const rules = [...atLeast, ...atMost].map((name) => night[name])
  return JSON.stringify([
    [...prices].map(String).toSorted(),
    inventory,
    rules,
    switches.map((name) => night[name] === true),
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
    for (const name of switches) note(Number(old[name] === true), Number(now[name] === true))
    for (const name of atLeast) note(old[name] ?? -1, now[name] ?? -1)
    for (const name of atMost) note(-(old[name] ?? Infinity), -(now[name] ?? Infinity))
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
  return Array.from({ length: filledDays }, (_, day) => addDays(today, day))
}

function isOnSale(hotel: NaiveHotel, { roomId, rateId, occupancy }: NaiveProduct, date: string): boolean {
  const room = hotel.rooms.get(`${roomId}|${date}`)
  const rate = hotel.rates.get(`${roomId}|${rateId}|${date}`)
  const units = Math.min(room?.inventory ?? Infinity, rate?.inventory ?? Infinity)
  if (units === Infinity || units === 0 || room?.closed === true || rate?.closed === true) return false
  if (hotel.stopped.has(`${roomId}|${date}`) || hotel.stopped.has(`${roomId}|${rateId}|${date}`)) return false
  const { maxOccupancy, maxAdult = maxOccupancy } = occupancy
  const adults = Array.from({ length: Math.min(maxAdult, maxOccupancy) }, (_, index) => `adult ${index + 1}`)
  return ['unit', ...adults].some((bucket) => rate?.prices.has(bucket) === true)
}

const arrivals = 90
const lengths = 7

function staysOf({ before, after }: States, changed: ReadonlySet<string>) {
  const counts = { tested: 0, lost: 0, gained: 0 }
  for (const product of after.products) {
    const { roomId, rateId } = product
    const isConcerned = [...changed].some((key) => {
      const [room, ...rest] = key.split('|')
      return room === roomId && (rest.length === 1 || rest[0] === rateId)
    })
    if (!isConcerned) continue
    counts.tested += arrivals * lengths * 2
    for (const stay of datesOf(after).flatMap(staysFrom)) {
      const was = judge(before, product, stay).broken.size === 0
      const is = judge(after, product, stay).broken.size === 0
      if (was && !is) counts.lost++
      if (is && !was) counts.gained++
    }
  }
  return counts
}

function staysFrom(checkin: string): NaiveStay[] {
  return Array.from({ length: lengths }, (_, index) => addDays(checkin, index + 1)).flatMap((checkout) =>
    [1, 2].map((adults) => ({ checkin, checkout, rooms: [{ adults, childAges: [] }] })),
  )
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
