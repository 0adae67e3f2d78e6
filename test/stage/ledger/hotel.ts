import { addDays } from '../models/naive-offers.ts'
import type { Random } from '../fuzz/random.ts'
import { expectOk, product, storyHotel } from '../story.ts'
import { amountText } from '../sale/exact.ts'
import type { Fee } from '../sale/fees.ts'
import { NaiveHotel, roomRates } from './naive-hotel.ts'
import type { Tax } from '../sale/price.ts'
import type { RoomRate } from '../sale/stays.ts'
import { supplierName, type Stage } from './stage.ts'
import { pushedPolicies, type Charge, type NaivePenalty, type Policy } from '../sale/terms.ts'
import { dateIn } from '../sale/zones.ts'

/** A hotel whose pushes the ledger follows. */

/** With summer time from 14 March, from 28 March, and without any. */
const zones = ['America/New_York', 'Europe/Paris', 'Asia/Kolkata']
const currencies = ['USD', 'JPY', 'KWD']
/** From its opening; histories are shorter. */
const nightsSold = 45

/** Nights of a room-rate at one price. */
type Item = { pricingModel: 'unit' | 'guest'; item: object }

export class Hotel {
  readonly naive: NaiveHotel
  readonly #stage: Stage
  readonly #random: Random
  readonly #from: string

  private constructor(stage: Stage, random: Random, hotelId: string) {
    this.#stage = stage
    this.#random = random
    const zone = random.pick(zones)
    this.naive = new NaiveHotel(hotelId, zone, random.pick(['USD', ...currencies]))
    this.#from = dateIn(zone, stage.gateway.clock.now())
  }

  static async open(stage: Stage, random: Random, hotelId: string): Promise<Hotel> {
    const hotel = new Hotel(stage, random, hotelId)
    for (const roomRate of roomRates) hotel.naive.setPolicy(roomRate, randomPolicy(random))
    await hotel.#pushAll()
    return hotel
  }

  /** Some nights of a room-rate at another price. */
  async pushPrices(): Promise<unknown> {
    const roomRate = this.#random.pick(roomRates)
    const first = addDays(this.today, this.#random.below(12))
    const last = addDays(first, this.#random.below(6))
    const item = this.#item(roomRate, first, last)
    await this.#pushAri([item])
    return item
  }

  /** What is eaten of a room-rate's price. */
  async pushMealPlan(): Promise<unknown> {
    const roomRate = this.#random.pick(roomRates)
    const mealPlan = this.#random.pick(['RO', 'BB', 'HB'])
    this.naive.setMealPlan(roomRate, mealPlan)
    await this.#pushProducts()
    return { ...roomRate, mealPlan }
  }

  async pushPolicy(): Promise<unknown> {
    const roomRate = this.#random.pick(roomRates)
    const policy = randomPolicy(this.#random)
    this.naive.setPolicy(roomRate, policy)
    await this.#pushProducts()
    return { ...roomRate, policy }
  }

  async pushTaxes(): Promise<unknown> {
    this.naive.taxes = randomTaxes(this.#random)
    expectOk(await this.#post('/push/taxes', { taxes: this.naive.taxes }))
    return this.naive.taxes
  }

  /** Another currency, with all amounts anew. */
  async pushCurrency(): Promise<unknown> {
    this.naive.currency = this.#random.pick(currencies.filter((one) => one !== this.naive.currency))
    await this.#pushAll()
    return this.naive.currency
  }

  /** As requests name it. */
  get named(): { supplier: string; hotelId: string } {
    return { supplier: supplierName, hotelId: this.naive.hotelId }
  }

  get today(): string {
    return dateIn(this.naive.zone, this.#stage.gateway.clock.now())
  }

  async #pushAll(): Promise<void> {
    const { hotelId, zone, currency } = this.naive
    const hotel = storyHotel({ hotelId, timezone: zone, currency })
    expectOk(await this.#stage.supplier.post('/push/hotels', [hotel]))
    await this.#pushProducts()
    await this.pushTaxes()
    const to = addDays(this.#from, nightsSold)
    const ari: Item[] = []
    for (const roomRate of roomRates)
      for (let first = this.today; first < to; first = addDays(first, 4))
        ari.push(this.#item(roomRate, first, addDays(first, 3)))
    await this.#pushAri(ari)
  }

  async #pushAri(items: readonly Item[]): Promise<void> {
    for (const pricingModel of ['unit', 'guest'] as const) {
      const ari = items.filter((one) => one.pricingModel === pricingModel).map(({ item }) => item)
      if (ari.length > 0) expectOk(await this.#post('/push/ari', { pricingModel, ari }))
    }
  }

  async #pushProducts(): Promise<void> {
    const products = roomRates.map((roomRate) =>
      product(roomRate.roomId, roomRate.rateId, {
        occupancy: { maxOccupancy: 4, maxAdult: 4, maxChild: 2 },
        mealPlan: this.naive.mealPlanOf(roomRate),
        cancelPolicies: pushedPolicies(this.naive.policyOf(roomRate)),
      }),
    )
    expectOk(await this.#post('/push/products', { products }))
  }

  /** Of the twin rooms, mostly for each number of adults. */
  #item({ roomId, rateId }: RoomRate, startDate: string, endDate: string): Item {
    const { digits } = this.naive
    const minor = (40 + this.#random.below(200)) * 10 ** digits + this.#random.below(10 ** digits)
    const isForGuests = roomId === 'TWN' && this.#random.chance(0.8)
    const byAdults = [1, 2, 3].map((adults) => minor + (adults - 1) * this.#random.below(70) * 10 ** digits)
    for (let date = startDate; date <= endDate; date = addDays(date, 1))
      this.naive.setPrice({ roomId, rateId }, date, isForGuests ? byAdults : minor)
    const prices = byAdults.map((amount, index) => {
      return { guests: index + 1, ageCategory: 'adult', amount: amountText(amount, digits) }
    })
    const rate = isForGuests ? { rateId, prices } : { rateId, price: amountText(minor, digits) }
    const item = { roomId, startDate, endDate, inventory: 90, rates: [rate] }
    return { pricingModel: isForGuests ? 'guest' : 'unit', item }
  }

  #post(path: string, body: object) {
    return this.#stage.supplier.post(path, { hotelId: this.naive.hotelId, ...body })
  }
}

function randomTaxes(random: Random): Tax[] {
  const isIncluded = random.chance(0.4)
  const percent = (type: Tax['type'], values: readonly string[], included: boolean, payNow = true): Tax => ({
    type,
    valueType: '%',
    value: random.pick(values),
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included,
    payNow,
  })
  const fixed = (type: Tax['type'], appliedPer: Tax['appliedPer'], payNow: boolean): Tax => ({
    type,
    valueType: 'fixed',
    value: String(1 + random.below(20)),
    appliedOn: 'net',
    appliedPer,
    included: false,
    payNow,
  })
  const all: Tax[] = [
    percent('VAT', ['7', '10', '12.5', '19'], isIncluded),
    { ...percent('GOV_TAX', ['1', '3.3'], isIncluded), appliedOn: 'net+vat' },
    percent('LOCAL_TAX', ['2', '4.75'], isIncluded),
    fixed('CITY_TAX', 'per_person_per_night', random.chance(0.3)),
    fixed('GOV_TAX', 'per_room_per_night', random.chance(0.5)),
    fixed('OTHER_TAX', 'per_room_per_stay', random.chance(0.7)),
  ]
  return all.filter(() => random.chance(0.45))
}

const fees: readonly Fee[] = [
  { name: 'Resort', valueType: 'fixed', value: '7', appliedPer: 'per_person_per_night' },
  { name: 'Service', valueType: '%', value: '2.5', appliedPer: 'per_room_per_stay' },
]

/** By their names alone. */
const listed: readonly Policy[] = [
  { code: 'FREE', penalties: [] },
  { code: 'NRF', penalties: [{ charge: 'stay' }] },
  { code: 'PNR50', penalties: [{ charge: { percent: 50 } }] },
  { code: 'FLEX', penalties: [{ deadline: { unit: 'D', value: 0, time: '18:00' }, charge: { nights: 1 } }] },
  { code: 'FLEX2', penalties: [{ deadline: { unit: 'D', value: 2, time: '18:00' }, charge: { nights: 1 } }] },
  { code: 'FLEX3FS', penalties: [{ deadline: { unit: 'D', value: 3, time: '18:00' }, charge: 'stay' }] },
]

function randomPolicy(random: Random): Policy {
  if (random.chance(0.06)) return { code: 'HOUSE', penalties: undefined }
  if (random.chance(0.35)) return { ...random.pick(listed), isListed: true }
  const deadlines = [
    undefined,
    { unit: 'D', value: 5, time: '23:59' },
    { unit: 'D', value: 2, time: '12:00' },
    { unit: 'H', value: 30, time: '00:00' },
    { unit: 'D', value: 0, time: '16:00' },
  ] as const
  const penalties: NaivePenalty[] = []
  for (const deadline of deadlines)
    if (random.chance(0.4))
      penalties.push({ ...(deadline ? { deadline } : {}), charge: randomCharge(random) })
  if (random.chance(0.4)) penalties.push({ charge: randomCharge(random), isNoShow: true })
  const number = random.below(1_000)
  return { code: `OWN${number}`, penalties, ...(number % 3 === 0 ? { fees } : {}) }
}

function randomCharge(random: Random): Charge {
  return random.pick<Charge>([
    'stay',
    { nights: 1 },
    { nights: 2 },
    { percent: 30 },
    { percent: 75 },
    { flat: 35 },
  ])
}
