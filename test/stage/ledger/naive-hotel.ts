import { addDays } from '../models/naive-offers.ts'
import { isOnce, type SoldNight, type Tax } from '../sale/price.ts'
import type { Counts, Party, Seller } from '../sale/state.ts'
import type { RoomRate } from '../sale/stays.ts'
import type { Policy } from '../sale/terms.ts'

/** What a hotel has pushed, as the ledger knows it. */

export const roomRates = [
  { roomId: 'DBL', rateId: 'BAR' },
  { roomId: 'DBL', rateId: 'FIX' },
  { roomId: 'TWN', rateId: 'BAR' },
] as const

export const digitsOf: Readonly<Record<string, number>> = { USD: 2, EUR: 2, JPY: 0, KWD: 3 }

export class NaiveHotel implements Seller {
  readonly hotelId: string
  readonly zone: string
  currency: string
  taxes: readonly Tax[] = []
  readonly policies = new Map<string, Policy>()
  /** By room, rate and date, in minor units. */
  readonly prices = new Map<string, number>()

  constructor(hotelId: string, zone: string, currency: string) {
    this.hotelId = hotelId
    this.zone = zone
    this.currency = currency
  }

  get digits(): number {
    return digitsOf[this.currency] ?? 2
  }

  priceOn({ roomId, rateId }: RoomRate, date: string): number {
    const price = this.prices.get(`${roomId} ${rateId} ${date}`)
    if (price === undefined) throw new RangeError(`${roomId} ${rateId} has no price on ${date}`)
    return price
  }

  setPrice({ roomId, rateId }: RoomRate, date: string, minor: number): void {
    this.prices.set(`${roomId} ${rateId} ${date}`, minor)
  }

  policyOf({ roomId, rateId }: RoomRate): Policy {
    return this.policies.get(`${roomId} ${rateId}`) ?? { code: 'NONE', penalties: undefined }
  }

  setPolicy({ roomId, rateId }: RoomRate, policy: Policy): void {
    this.policies.set(`${roomId} ${rateId}`, policy)
  }

  /** Of all. */
  readonly mealPlan = 'RO'

  mealPlanOf(): string {
    return this.mealPlan
  }

  countsOf({ adults }: Party): Counts {
    return { adults, children: 0, infants: 0 }
  }

  /** The nights as they are sold now. */
  nightsOf(roomRate: RoomRate, { checkin, checkout }: { checkin: string; checkout: string }): SoldNight[] {
    const taxes = this.taxes.filter((tax) => !isOnce(tax))
    const nights: SoldNight[] = []
    for (let date = checkin; date < checkout; date = addDays(date, 1))
      nights.push({ date, price: this.priceOn(roomRate, date), taxes })
    return nights
  }

  get once(): Tax[] {
    return this.taxes.filter(isOnce)
  }
}
