import {
  addDays,
  digitsByCurrency,
  type Amount,
  type Category,
  type ItemSent,
  type LineSent,
  type PriceSent,
  type ProductSent,
  type PushSent,
} from './naive-ari.ts'
import { limitNames, switchNames } from './naive-restrictions.ts'

/** One sequence of the proof: some small hotels and the operations on them, all generated from one seed. */

export type HotelSpec = { hotelId: string; currency: string; timeZone: string; products: ProductSent[] }
export type Operation =
  | { kind: 'ari'; hotel: number; keyNo: number; body: PushSent }
  | { kind: 'products'; hotel: number; products: ProductSent[] }
  | { kind: 'taxes'; hotel: number; percent: number }
  | { kind: 'read'; hotel: number; startDate: string; endDate: string }
  | { kind: 'hotels'; hotels: { hotel: number; currency: string; timeZone: string }[] }
export type Sequence = { seed: number; hotels: HotelSpec[]; operations: Operation[] }

const usualOperations = 40
const timeZones = [
  'Pacific/Pago_Pago',
  'America/Los_Angeles',
  'UTC',
  'Europe/Paris',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
]
const currencies = Object.keys(digitsByCurrency)
const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
const categories: Category[] = ['adult', 'child', 'infant']

/** mulberry32: the same numbers from the same seed on every machine. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }

  percent(share: number): boolean {
    return this.below(1000) < share * 10
  }

  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new RangeError('nothing to choose from')
    return value
  }

  shuffled<Value>(values: readonly Value[], distance: number): Value[] {
    const placed = values.map((value, index) => ({ value, at: index + this.below(distance) }))
    return placed.sort((left, right) => left.at - right.at).map(({ value }) => value)
  }
}

type Setting = {
  chance: Chance
  hotels: HotelSpec[]
  today: string
  /** The dates that most pushes concern. */
  base: string
  /** Percentage of pushes with a sequence. */
  sequenced: number
  model: string
}

export function makeSequence(seed: number, nowMs: number, count = usualOperations): Sequence {
  const chance = new Chance(seed)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const hotelCount = chance.percent(40) ? 2 : 1
  const hotels = Array.from({ length: hotelCount }, (_, index): HotelSpec => ({
    hotelId: `S${seed}-${index}`,
    currency: chance.of(currencies),
    timeZone: chance.of(timeZones),
    products: makeProducts(chance),
  }))
  const setting: Setting = {
    chance,
    hotels,
    today,
    base: addDays(today, chance.of([0, 3, 20, 27, 330, 700])),
    sequenced: chance.of([0, 60, 90, 100]),
    model: chance.of(['unit', 'guest', 'guest']),
  }
  const operations: Operation[] = []
  for (let step = 0; step < count; step++) {
    const again = operations.length > 0 && chance.percent(8)
    operations.push(again ? chance.of(operations) : makeOperation(setting, step))
  }
  return { seed, hotels, operations: chance.shuffled(operations, 10) }
}

function makeProducts(chance: Chance): ProductSent[] {
  const pairs = [
    ['R1', 'A'],
    ['R1', 'B'],
    ['R2', 'A'],
  ] as const
  return pairs
    .slice(0, 1 + chance.below(3))
    .map(([roomId, rateId]) => ({ roomId, rateId, isAvailable: true, occupancy: makeOccupancy(chance) }))
}

/** Without a draw of its own: an adults' house where both are limited, one infant beside one child, or no limit. */
export function infantsBeside({ maxAdult, maxChild }: { maxAdult?: number; maxChild?: number }) {
  if (maxChild === 0) return maxAdult === undefined ? {} : { maxInfant: 0 }
  return maxChild === 1 ? { maxInfant: 1 } : {}
}

function makeOccupancy(chance: Chance): ProductSent['occupancy'] {
  const maxOccupancy = 2 + chance.below(2)
  const adults = chance.percent(50) ? { maxAdult: 1 + chance.below(maxOccupancy) } : {}
  const children = chance.percent(50) ? { maxChild: chance.below(maxOccupancy) } : {}
  return { maxOccupancy, ...adults, ...children, ...infantsBeside({ ...adults, ...children }) }
}

function makeOperation(setting: Setting, step: number): Operation {
  const { chance, hotels, base } = setting
  const hotel = chance.percent(75) ? 0 : chance.below(hotels.length)
  const spec = hotels[hotel]
  if (!spec) throw new RangeError('no such hotel')
  const kind = chance.below(100)
  if (kind < 8)
    return {
      kind: 'read',
      hotel,
      startDate: addDays(base, -3),
      endDate: addDays(base, chance.of([10, 40, 400])),
    }
  if (kind < 13) {
    const roomId = chance.of(['R1', 'R1', 'R2', 'R3'])
    const rateId = chance.of(['A', 'B'])
    const changed = { roomId, rateId, isAvailable: chance.percent(60), occupancy: makeOccupancy(chance) }
    return {
      kind: 'products',
      hotel,
      products: [chance.percent(20) ? (spec.products[0] ?? changed) : changed],
    }
  }
  if (kind < 16) return { kind: 'taxes', hotel, percent: 1 + chance.below(3) }
  if (kind < 20) {
    const named = chance.percent(50)
      ? [hotel]
      : chance.shuffled(
          hotels.map((_, index) => index),
          5,
        )
    return {
      kind: 'hotels',
      hotels: named.map((index) => ({
        hotel: index,
        currency: chance.percent(50) ? (hotels[index]?.currency ?? 'USD') : chance.of(currencies),
        timeZone: chance.percent(70) ? (hotels[index]?.timeZone ?? 'UTC') : chance.of(timeZones),
      })),
    }
  }
  return { kind: 'ari', hotel, keyNo: chance.percent(75) ? 0 : 1, body: makePush(setting, spec, step) }
}

function makePush(setting: Setting, spec: HotelSpec, step: number): PushSent {
  const { chance, sequenced } = setting
  const pricingModel = chance.percent(75) ? setting.model : chance.of(['unit', 'guest'])
  const items = chance.of([1, 1, 1, 2, 2, 3, 5])
  const ari = Array.from({ length: items }, () => makeItem(setting, spec, pricingModel))
  return {
    hotelId: spec.hotelId,
    ...(chance.percent(97) ? { pricingModel: chance.percent(99) ? pricingModel : 'Daily' } : {}),
    ...(chance.percent(10) ? { currency: chance.percent(80) ? spec.currency : chance.of(currencies) } : {}),
    ...(chance.percent(25) ? { mode: chance.of(['overlay', 'overlay', 'delta'] as const) } : {}),
    ...(chance.percent(8) ? { atomic: true } : {}),
    ...(chance.percent(6) ? { dryRun: true } : {}),
    ...(chance.percent(sequenced)
      ? { sequence: 1000 + Math.max(0, step - (chance.percent(15) ? 3 : 0)) }
      : {}),
    ari,
  }
}

function makeItem(setting: Setting, spec: HotelSpec, model: string): ItemSent {
  const { chance } = setting
  const product = chance.of(spec.products)
  const item: ItemSent = {
    roomId: chance.percent(96) ? product.roomId : chance.of(['R2', 'R3', 'X']),
    ...makeDates(setting),
    ...(chance.percent(15)
      ? {
          daysOfWeek: weekdays
            .filter(() => chance.percent(40))
            .concat(chance.of(weekdays))
            .slice(0, 7),
        }
      : {}),
    ...(chance.percent(35) ? { inventory: chance.of([0, 1, 1, 5, 5, null]) } : {}),
    ...(chance.percent(10) ? { closed: chance.of([true, false, null]) } : {}),
    ...(chance.percent(1) ? { inventory: chance.of([-1, 1.5, 100_000]) } : {}),
  }
  const rateId = (): string => (chance.percent(92) ? product.rateId : chance.of(['A', 'B', 'X']))
  const form = chance.below(100)
  if (form < 35) return { ...item, ...makeFlatLine(chance, model), rateId: rateId() }
  if (form < 85) {
    const lines = chance.percent(80) ? 1 : 2
    const rates = Array.from({ length: lines }, () => ({ ...makeLine(chance, model), rateId: rateId() }))
    return { ...item, rates, ...(chance.percent(1) ? { rateId: 'A' } : {}) }
  }
  return chance.percent(95) ? item : { ...item, ...makeFlatLine(chance, model) }
}

function makeDates({ chance, today, base }: Setting): Pick<ItemSent, 'date' | 'startDate' | 'endDate'> {
  const kind = chance.below(100)
  if (kind < 25) return { date: addDays(base, chance.below(8)) }
  const start = addDays(base, chance.below(8))
  if (kind < 88) return { startDate: start, endDate: addDays(start, chance.below(7)) }
  // Some of these lie a day beyond the dates that the hotel's zone permits.
  if (kind < 91) return { startDate: addDays(today, chance.below(4) - 3), endDate: addDays(today, 2) }
  if (kind < 94) return { startDate: addDays(today, 756), endDate: addDays(today, 758 + chance.below(5)) }
  if (kind < 98) return { startDate: start, endDate: addDays(start, 30 + chance.below(60)) }
  return chance.of([
    { startDate: addDays(start, 1), endDate: start },
    { startDate: start },
    { date: start, endDate: start },
    { date: '2027-02-30' },
    { startDate: today, endDate: addDays(today, 700) },
  ])
}

function makeLine(chance: Chance, model: string): LineSent {
  return {
    ...makeRules(chance),
    ...(chance.percent(10) ? { inventory: chance.of([0, 2, 3, null]) } : {}),
    ...(chance.percent(1) ? { pricingModel: chance.of(['unit', 'guest', 'LOS']) } : {}),
    ...makePrices(chance, model),
  }
}

function makeRules(chance: Chance): LineSent {
  const line: LineSent = {}
  for (const name of switchNames) if (chance.percent(8)) line[name] = chance.of([true, true, false, null])
  for (const name of limitNames) if (chance.percent(8)) line[name] = chance.of([1, 2, 2, 14, 999, 0, null])
  if (chance.percent(1)) line.minLengthStay = chance.of([1000, -1, '5'])
  return line
}

function makePrices(chance: Chance, model: string): LineSent {
  const kind = chance.below(100)
  if (kind < 25) return {}
  if (kind < 31) return { prices: null }
  if (kind < 33) return { prices: [] }
  if (model === 'unit')
    return kind < 60 ? { price: makeAmount(chance) } : { prices: [{ amount: makeAmount(chance) }] }
  const lines = Array.from({ length: 1 + chance.below(3) }, () => makePriceLine(chance))
  const once = new Map(lines.map((line) => [`${line.ageCategory} ${line.guests}`, line]))
  const prices = [...once.values()]
  return {
    prices: chance.percent(2) ? [...prices, ...prices] : prices,
    ...(chance.percent(1) ? { price: 5 } : {}),
  }
}

function makePriceLine(chance: Chance): PriceSent {
  const line: PriceSent = {
    guests: chance.percent(97) ? 1 + chance.below(2) : chance.of([3, 4, 0, 100]),
    ageCategory: chance.of(['adult', 'adult', ...categories]),
    amount: makeAmount(chance),
  }
  if (chance.percent(1)) delete line.guests
  if (chance.percent(1)) delete line.ageCategory
  return line
}

function makeFlatLine(chance: Chance, model: string): LineSent {
  const rules = makeRules(chance)
  if (chance.percent(25)) return rules
  const amount = makeAmount(chance)
  const name = chance.of(['price', 'amount'] as const)
  if (model === 'unit') return { ...rules, [name]: amount }
  if (amount === null && chance.percent(50)) return { ...rules, [name]: null }
  const { guests, ageCategory } = makePriceLine(chance)
  return {
    ...rules,
    [name]: amount,
    ...(guests === undefined ? {} : { guests }),
    ...(ageCategory === undefined ? {} : { ageCategory }),
  }
}

/** Few different ones, so that a push often repeats a stored value; some fit only some currencies. */
function makeAmount(chance: Chance): Amount {
  const kind = chance.below(100)
  if (kind < 60) return chance.of([50, 50, 110, 110, '110', '110.00', '50.0'])
  if (kind < 75) return chance.of([0.29, 1.1, '110.50', 110.5, '19.99'])
  if (kind < 82) return chance.of([1.005, '0.001', 110.123])
  if (kind < 92) return null
  if (kind < 97) return chance.of([999_999_999, 0, '0'])
  return chance.of([-5, 'abc', '1e3', '00', 999_999_999_999, 1_000_000_000_000])
}
