import { isOnce, type SoldNight, type Tax } from '../sale/price.ts'
import type { AskedRoom, Counts, Party, Seller } from '../sale/state.ts'
import { datesOf, type RoomRate, type Stay } from '../sale/stays.ts'
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
  readonly mealPlans = new Map<string, string>()
  /** By room, rate and date, in minor units: of the unit, or for one adult, two, and so on. */
  readonly prices = new Map<string, number | readonly number[]>()

  constructor(hotelId: string, zone: string, currency: string) {
    this.hotelId = hotelId
    this.zone = zone
    this.currency = currency
  }

  get digits(): number {
    return digitsOf[this.currency] ?? 2
  }

  setPrice({ roomId, rateId }: RoomRate, date: string, minor: number | readonly number[]): void {
    this.prices.set(`${roomId} ${rateId} ${date}`, minor)
  }

  policyOf({ roomId, rateId }: RoomRate): Policy {
    return this.policies.get(`${roomId} ${rateId}`) ?? { code: 'NONE', penalties: undefined }
  }

  setPolicy({ roomId, rateId }: RoomRate, policy: Policy): void {
    this.policies.set(`${roomId} ${rateId}`, policy)
  }

  mealPlanOf({ roomId, rateId }: RoomRate): string {
    return this.mealPlans.get(`${roomId} ${rateId}`) ?? 'RO'
  }

  setMealPlan({ roomId, rateId }: RoomRate, mealPlan: string): void {
    this.mealPlans.set(`${roomId} ${rateId}`, mealPlan)
  }

  countsOf({ adults }: Party): Counts {
    return { adults, children: 0, infants: 0 }
  }

  /** The nights as they are sold now. */
  nightsOf({ roomId, rateId, adults }: AskedRoom, stay: Stay): SoldNight[] {
    const taxes = this.taxes.filter((tax) => !isOnce(tax))
    return datesOf(stay).map((date) => {
      const pushed = this.prices.get(`${roomId} ${rateId} ${date}`)
      const isPerUnit = typeof pushed === 'number'
      const price = isPerUnit ? pushed : pushed?.[adults - 1]
      if (price === undefined) throw new RangeError(`${roomId} ${rateId} has no price on ${date}`)
      return { date, price, isPerUnit, taxes }
    })
  }

  get once(): Tax[] {
    return this.taxes.filter(isOnce)
  }
}
