import type { OfferRule } from '../../offers/contract.ts'

/** What sets values, and stays explained by the rules of offers. */

/** The origin of a value: a push, a reservation, or an operator. */
export type CellSetter =
  | {
      by: 'push'
      pushId: number
      requestId: string
      at: string
      item: number | null
      keyId: number | null
      key: string | null
    }
  | { by: 'reservation'; reservationId: string; at: string }
  | {
      by: 'operator'
      /** Null for people of a supplier. */
      operator: string | null
      requestId: string
      at: string
      /** Null if none was given, or if it is no longer in the push log. */
      reason: string | null
    }

export type ExplainedRule = {
  rule: OfferRule
  pass: boolean
  of?: 'room' | 'rate'
  dates: string[]
  held: unknown
  asked: unknown
  missing?: { ageCategory: string; guests: number }
  reason?: string
  /** What the supplier must push again, because it is of a former currency. */
  pushAgain?: string[]
  setBy: CellSetter | null
}

export type ExplainedOffer = {
  unitsLeft: number
  rooms: { nights: { date: string; amount: string }[] }[]
  taxes: { type: string; included: boolean; payNow: boolean; amount: string }[]
  total: { beforeTax: string; tax: string; afterTax: string; dueAtProperty: string }
  cancelPolicy: {
    code: string | null
    description: string | null
    penalties: { from: string | null; amount: string; noShow?: boolean }[] | null
  } | null
  fees: { name: string; amount: string; appliedPer: string; payNow: false }[]
  trace: {
    persons: number
    nights: {
      date: string
      price: string
      includedAmounts: string
      divisor: string
      net: string
      taxes: { type: string; rate: string; constant: string; amount: string }[]
    }[]
    taxes: { type: string; exact: string; amount: string }[]
  }[]
}

export type ExplainedStay = {
  isBookable: boolean
  currency: string
  revision: number
  rules: ExplainedRule[]
  /** Present if it can be booked. */
  offer: ExplainedOffer | null
  /** The smallest change that makes it bookable, if any. */
  nearest: {
    checkin: string
    checkout: string
    rooms: { adults: number; childAges: number[] }[]
    change: string
  } | null
}

/** Room-rates explained at once; the answer says how many there are. */
export const explainedRoomRatesMax = 500

/** Whether a stay can be booked at a room-rate: its total after tax, or what forbids it. */
export type ExplainedRoomRate = {
  roomId: string
  roomName: string
  rateId: string
  rateName: string
  /** Null if it can't be booked. */
  total: string | null
  unitsLeft: number | null
  /** The failed rules only. */
  rules: ExplainedRule[]
  nearest: ExplainedStay['nearest']
}

export type ExplainedHotel = {
  currency: string
  revision: number
  roomRates: ExplainedRoomRate[]
  /** Of the hotel, also beyond those explained. */
  roomRateCount: number
}
