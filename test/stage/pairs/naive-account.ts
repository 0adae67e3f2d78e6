import { addDays, dateIn, type ItemSent } from '../models/naive-ari.ts'
import {
  judge,
  nightsOf,
  type Judged,
  type NaiveHotel,
  type NaiveProduct,
  type NaiveRoom,
  type NaiveTax,
  type NaiveTotal,
} from '../models/naive-offers.ts'
import type { Value } from '../models/read-back-nights.ts'
import { isPrice, roomId } from '../withheld/lines.ts'
import { NaiveGuard } from '../withheld/naive-guard.ts'
import type { Order } from '../withheld/night.ts'
import { hasFlatAmount, penaltiesOf, type NaivePolicy, type Penalty } from './naive-terms.ts'

/** An account with one hotel as the contract describes it: what is stored, sold and owed. */

export type Rate = {
  rateId: string
  isAvailable: boolean
  mealPlan: string
  occupancy: NaiveProduct['occupancy']
  policy: NaivePolicy
  /** Its flat penalty is of a currency that the hotel had before. */
  isFormer: boolean
}
export type Asked = { checkin: string; checkout: string; room: NaiveRoom }
/** What a stay costs and on which terms. */
export type Sold = {
  rateId: string
  asked: Asked
  currency: string
  digits: number
  total: NaiveTotal
  mealPlan: string
  penalties: Penalty[]
  unitsLeft: number
}
type Answer = { broken: ReadonlySet<string>; sold: Sold | undefined }

const digitsOf = (currency: string): number => (currency === 'JPY' ? 0 : 2)
export const text = (minor: number, digits: number): string => (minor / 10 ** digits).toFixed(digits)
const minorOf = (amount: string, digits: number): number => Math.round(Number(amount) * 10 ** digits)

export class NaiveAccount {
  readonly guard = new NaiveGuard(
    { rules: [], learned: false, expiryHours: 168, onExpiry: 'discard' },
    () => 0,
  )
  hotel = {
    currency: 'USD',
    timezone: 'Europe/Paris',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
  }
  rates: Rate[] = []
  taxes: NaiveTax[] = []
  readonly stopped = new Set<string>()
  aheadMs = 0
  readonly #nowMs: () => number
  #pushes = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get nowMs(): number {
    return this.#nowMs() + this.aheadMs
  }

  get today(): string {
    return dateIn(this.hotel.timezone, this.nowMs)
  }

  get digits(): number {
    return digitsOf(this.hotel.currency)
  }

  /** What is read back. */
  read(): Map<string, ReadonlyMap<string, Value>> {
    return this.guard.read(addDays(this.today, -1))
  }

  push(sent: { sequence?: number; pricingModel?: string; ari: ItemSent[] }, order: Order): number {
    const number = this.#pushes++
    const before = copyOf(this.read())
    this.guard.push({ hotelId: 'H1', ...sent }, order, number, this.nowMs)
    this.adopt(copyOf(this.read()), before)
    return number
  }

  adopt(read: ReadonlyMap<string, ReadonlyMap<string, Value>>, before = copyOf(this.read())): void {
    this.guard.adopt(read, before, { from: addDays(this.today, -1), nowMs: this.nowMs })
  }

  changeCurrency(currency: string): void {
    if (currency === this.hotel.currency) return
    this.hotel = { ...this.hotel, currency }
    this.guard.changeCurrency()
    this.adopt(copyOf(this.read()))
    this.rates = this.rates.map((rate) => ({ ...rate, isFormer: hasFlatAmount(rate.policy) }))
    this.taxes = this.taxes.map((tax) => ({ ...tax, isFormer: tax.valueType === 'fixed' }))
  }

  /** Takes a unit of each night. */
  take(rateId: string, nights: readonly string[]): void {
    const read = copyOf(this.read())
    for (const night of nights) {
      const room = read.get(`|${night}`)
      const isRoomCounted = room?.has('inventory') === true
      for (const key of isRoomCounted ? ['', rateId] : this.rates.map((rate) => rate.rateId)) {
        const values = read.get(`${key}|${night}`)
        const units = values?.get('inventory')
        if (values && typeof units === 'number') values.set('inventory', Math.max(0, units - 1))
      }
    }
    this.adopt(read)
  }

  /** As the evaluator of offers takes it. */
  offered(): NaiveHotel {
    const { isAvailable, minChildAge, maxChildAge } = this.hotel
    const rooms: NaiveHotel['rooms'] = new Map()
    const rates: NaiveHotel['rates'] = new Map()
    for (const [key, values] of this.read()) {
      const [rateId = '', date = ''] = key.split('|')
      const plain = Object.fromEntries([...values].filter(([field]) => !isPrice(field)))
      const prices = new Map(
        [...values].flatMap(([field, value]) =>
          isPrice(field) ? [[field.replace('/', ' '), Number(value) * 10 ** this.digits] as const] : [],
        ),
      )
      if (rateId === '') rooms.set(`${roomId}|${date}`, plain)
      else rates.set(`${roomId}|${rateId}|${date}`, { ...plain, prices })
    }
    return {
      hotelId: 'H1',
      digits: this.digits,
      windowFrom: this.today,
      today: this.today,
      isAvailable,
      minChildAge,
      maxChildAge,
      products: this.rates.map(({ rateId, isAvailable: isOpen, occupancy }) => {
        return { roomId, rateId, isAvailable: isOpen, occupancy }
      }),
      taxes: [{ taxes: this.taxes }],
      rooms,
      rates,
      stopped: new Set(this.stopped),
    }
  }

  /** `held`: nights of which the guest has a unit already. */
  answer(rateId: string, asked: Asked, held: readonly string[] = []): Answer {
    const hotel = this.offered()
    const rate = this.rates.find((one) => one.rateId === rateId)
    const product = hotel.products.find((one) => one.rateId === rateId)
    if (!rate || !product) throw new RangeError(`no rate ${rateId}`)
    for (const night of held) {
      hotel.rooms.set(`${roomId}|${night}`, { ...hotel.rooms.get(`${roomId}|${night}`), inventory: 99 })
      delete hotel.rates.get(`${roomId}|${rateId}|${night}`)?.inventory
    }
    const judged = judge(hotel, product, stayOf(asked))
    const broken = new Set(judged.broken)
    if (rate.isFormer) broken.add('cancelPolicy')
    const { total, unitsLeft } = judged
    if (broken.size > 0 || !total) return { broken, sold: undefined }
    return { broken, sold: this.#sold(rate, asked, total, unitsLeft) }
  }

  #sold({ rateId, mealPlan, policy }: Rate, asked: Asked, total: NaiveTotal, unitsLeft: number): Sold {
    const { digits } = this
    const { currency, timezone: timeZone } = this.hotel
    const priced = new Pricing(this, rateId)
    const afterTax = minorOf(total.afterTax, digits)
    const charged = { arrival: asked.checkin, afterTax, firstNight: priced.firstNight(asked) }
    const penalties = penaltiesOf(policy, charged, { timeZone, digits })
    return { rateId, asked, currency, digits, total, mealPlan, penalties, unitsLeft }
  }
}

const stayOf = ({ checkin, checkout, room }: Asked) => ({ checkin, checkout, rooms: [room] })

/** The prices, taxes and terms of a moment, without anything that forbids a stay: those of a booking of then. */
export class Pricing {
  readonly #hotel: NaiveHotel
  readonly #product: NaiveProduct
  readonly #timeZone: string
  readonly policy: NaivePolicy

  constructor(account: NaiveAccount, rateId: string) {
    const hotel = account.offered()
    const rate = account.rates.find((one) => one.rateId === rateId)
    if (!rate) throw new RangeError(`no rate ${rateId}`)
    this.policy = rate.policy
    this.#timeZone = account.hotel.timezone
    this.#product = { roomId, rateId, isAvailable: true, occupancy: { maxOccupancy: 99 } }
    const rates = [...hotel.rates].map(([key, { prices }]) => [key, { prices, inventory: 99 }] as const)
    this.#hotel = { ...hotel, isAvailable: true, rooms: new Map(), rates: new Map(rates), stopped: new Set() }
  }

  total(asked: Asked): NaiveTotal {
    const { total, broken }: Judged = judge(this.#hotel, this.#product, stayOf(asked))
    if (!total) throw new RangeError(`no price of ${JSON.stringify(asked)}: ${[...broken].join()}`)
    return total
  }

  firstNight(asked: Asked): number {
    const checkout = addDays(asked.checkin, 1)
    return minorOf(this.total({ ...asked, checkout }).afterTax, this.#hotel.digits)
  }

  /** The nights that remain of a booked stay, at their booked prices, by the booked policy in the zone of the booking. */
  shortened(sold: Sold, asked: Asked): Sold {
    const { digits } = sold
    const total = this.total(asked)
    const afterTax = minorOf(total.afterTax, digits)
    const charged = { arrival: asked.checkin, afterTax, firstNight: this.firstNight(asked) }
    const penalties = penaltiesOf(this.policy, charged, { timeZone: this.#timeZone, digits })
    return { ...sold, asked, total, penalties }
  }
}

export const nightsIn = (asked: Asked): string[] => nightsOf(asked)

export function copyOf(
  read: ReadonlyMap<string, ReadonlyMap<string, Value>>,
): Map<string, Map<string, Value>> {
  return new Map([...read].map(([key, values]) => [key, new Map(values)]))
}
