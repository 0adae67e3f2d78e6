import { ada } from '../scenes/booking.ts'
import { addDays, dateIn, digitsByCurrency, type ItemSent } from '../models/naive-ari.ts'
import {
  countsOf,
  isTaxUnknown,
  judge,
  priceOf,
  type NaiveHotel,
  type NaiveProduct,
  type RateNight,
} from '../models/naive-offers.ts'
import type { Value } from '../models/read-back-nights.ts'
import { isOnce, type SoldNight, type Tax } from '../sale/price.ts'
import { booked, changed, onlyGivesUp, type Asks } from '../sale/sale.ts'
import type { Asked, AskedRoom, Counts, Party, Seller, State } from '../sale/state.ts'
import { datesOf, type RoomRate, type Stay } from '../sale/stays.ts'
import type { Policy } from '../sale/terms.ts'
import { isPrice, roomId } from '../withheld/lines.ts'
import { NaiveGuard } from '../withheld/naive-guard.ts'
import type { Order } from '../withheld/night.ts'

/** An account with one hotel as the contract describes it: what is stored and sold. */

export type Rate = {
  rateId: string
  isAvailable: boolean
  mealPlan: string
  occupancy: NaiveProduct['occupancy']
  policy: Policy
  /** A flat penalty or a fee of it is of a currency that the hotel had before. */
  isFormer: boolean
}
type Answer = { broken: ReadonlySet<string>; unitsLeft: number; sold: State | undefined }
/** Nights of a reservation that is changed: it has a unit of them, and maybe keeps what they were sold at. */
type Own = { nights: readonly string[]; isKept: boolean }
type Change =
  /** The types of refusal, of which it gets one. */
  { isRefused: true; as: readonly string[] } | { isRefused: false; after: State; asks: Asks }

export class NaiveAccount implements Seller {
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
  taxes: (Tax & { isFormer?: boolean })[] = []
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
    return digitsByCurrency[this.hotel.currency] ?? 2
  }

  get currency(): string {
    return this.hotel.currency
  }

  get zone(): string {
    return this.hotel.timezone
  }

  get once(): Tax[] {
    return this.#taxes().filter(isOnce)
  }

  #taxes(): Tax[] {
    return this.taxes.map(({ isFormer: _, ...tax }) => tax)
  }

  #rate(rateId: string): Rate {
    const rate = this.rates.find((one) => one.rateId === rateId)
    if (!rate) throw new RangeError(`no rate ${rateId}`)
    return rate
  }

  policyOf({ rateId }: RoomRate): Policy {
    return this.#rate(rateId).policy
  }

  mealPlanOf({ rateId }: RoomRate): string {
    return this.#rate(rateId).mealPlan
  }

  countsOf(party: Party): Counts {
    return countsOf(party, this.hotel)
  }

  nightsOf(room: AskedRoom, stay: Stay): SoldNight[] {
    const { rates } = this.offered()
    const taxes = this.#taxes().filter((tax) => !isOnce(tax))
    return datesOf(stay).map((date) => {
      const night = rates.get(`${roomId}|${room.rateId}|${date}`)
      const price = priceOf(night, this.countsOf(room))
      if (price === undefined) throw new RangeError(`no price of ${room.rateId} on ${date}`)
      return { date, price, isPerUnit: night?.prices.has('unit') === true, taxes }
    })
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

  answer(asked: Asked): Answer {
    const { broken, unitsLeft } = this.#judged(asked, { nights: [], isKept: false })
    const sold = broken.size > 0 ? undefined : booked(asked, { hotel: this, nowMs: this.nowMs })
    return { broken, unitsLeft, sold }
  }

  change(before: State, asked: Asked): Change {
    if (this.today > before.checkin) return { isRefused: true, as: ['STAY_BEGUN'] }
    const isOtherCurrency = this.currency !== before.currency
    const nights = datesOf(asked).filter((date) => datesOf(before).includes(date))
    const own = { nights, isKept: !isOtherCurrency && nights.length > 0 }
    if (!onlyGivesUp(before, asked) && this.#judged(asked, own).broken.size > 0)
      return {
        isRefused: true,
        as: ['NOT_BOOKABLE', 'SOLD_OUT', ...(isOtherCurrency ? ['PENALTY_DUE'] : [])],
      }
    const change = changed(before, asked, { hotel: this, nowMs: this.nowMs })
    return change.isRefused ? { isRefused: true, as: ['PENALTY_DUE'] } : change
  }

  /** The rules that forbid a stay: units, prices and closures count on the nights that are not the reservation's own. */
  #judged(asked: Asked, own: Own): Pick<Answer, 'broken' | 'unitsLeft'> {
    const hotel = this.offered()
    const { rateId } = asked.rooms[0] ?? { rateId: '' }
    const rate = this.#rate(rateId)
    const product = hotel.products.find((one) => one.rateId === rateId)
    if (!product) throw new RangeError(`no product ${rateId}`)
    for (const date of own.nights) {
      const [ofRoom, ofRate] = [`${roomId}|${date}`, `${roomId}|${rateId}|${date}`]
      const night: RateNight = { ...(hotel.rates.get(ofRate) ?? { prices: new Map() }) }
      delete night.inventory
      hotel.rates.set(ofRate, night)
      hotel.rooms.set(ofRoom, { ...(own.isKept ? {} : hotel.rooms.get(ofRoom)), inventory: 99 })
      if (!own.isKept) continue
      delete night.closed
      night.prices = new Map([['unit', 1]])
      hotel.stopped.delete(ofRoom)
      hotel.stopped.delete(ofRate)
    }
    const { broken, unitsLeft } = judge(hotel, product, asked)
    broken.delete('taxes')
    const sold = datesOf(asked).filter((night) => !own.isKept || !own.nights.includes(night))
    if (sold.some((night) => isTaxUnknown(hotel, product, night))) broken.add('taxes')
    if (rate.isFormer && !own.isKept) broken.add('cancelPolicy')
    return { broken, unitsLeft }
  }
}

function hasFlatAmount({ penalties = [], fees = [] }: Policy): boolean {
  const isFlat = penalties.some(({ charge }) => charge !== 'stay' && 'flat' in charge)
  return isFlat || fees.some(({ valueType }) => valueType === 'fixed')
}

/** A stay of one room, whose guest is nobody in particular. */
export function stayOf(rateId: string, { checkin, checkout }: Stay, party: Party): Asked {
  return { checkin, checkout, rooms: [{ roomId, rateId, ...party, guest: ada }] }
}

export function copyOf(
  read: ReadonlyMap<string, ReadonlyMap<string, Value>>,
): Map<string, Map<string, Value>> {
  return new Map([...read].map(([key, values]) => [key, new Map(values)]))
}
