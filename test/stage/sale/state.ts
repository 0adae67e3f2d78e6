import type { FeeLine } from './fees.ts'
import type { Price, SoldNight, Tax } from './price.ts'
import type { RoomRate, Stay } from './stays.ts'
import type { Policy, Step } from './terms.ts'

/** What guests ask for, hotels sell, and a reservation is. Amounts are minor units. */

export type Guest = { firstName: string; lastName: string }
export type Party = { adults: number; childAges: readonly number[] }
/** A party by the hotel's ages. */
export type Counts = { adults: number; children: number; infants: number }
/** A room as it is asked for; with a number, one that is booked. */
export type AskedRoom = RoomRate & Party & { number?: number; guest: Guest }
export type Asked = Stay & { rooms: readonly AskedRoom[] }

/** A hotel as it sells now. */
export type Seller = {
  readonly zone: string
  readonly currency: string
  readonly digits: number
  /** What is charged once a stay. */
  readonly once: readonly Tax[]
  nightsOf: (room: AskedRoom, stay: Stay) => SoldNight[]
  policyOf: (roomRate: RoomRate) => Policy
  mealPlanOf: (roomRate: RoomRate) => string
  countsOf: (party: Party) => Counts
}

export type Claim = Stay & { amount: number }
/** A room as it was bought. */
export type Bought = RoomRate &
  Party & {
    number: number
    guest: Guest
    counts: Counts
    nights: readonly SoldNight[]
    once: readonly Tax[]
    mealPlan: string
    policy: Policy
    /** In which its deadlines are. */
    zone: string
  }
export type Room = Bought & {
  price: Price
  fees: readonly FeeLine[]
  steps: readonly Step[] | undefined
  /** For dates of which the room keeps some. */
  owed: Claim | undefined
  /** For dates of which it keeps none. */
  former: readonly Claim[]
}
export type Total = Omit<Price, 'base'> & { feesAtProperty: number }
export type Gone = { number: number; amount: number; isKnown: boolean; code: string }
export type State = Stay & {
  currency: string
  digits: number
  rooms: readonly Room[]
  gone: readonly Gone[]
  numbersUsed: number
}
