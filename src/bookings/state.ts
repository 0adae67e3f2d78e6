import type { ShownPolicy } from '../offers/cancel-policy.ts'
import type { FeeLine } from '../offers/fees.ts'
import type { Tax } from '../taxes/contract.ts'
import type { TaxedTotal } from '../taxes/compute.ts'
import type { paymentTypes } from './callback-contract.ts'
import type { PriceCheckOutcome } from '../price-check/contract.ts'
import type { ReservationStatus } from './lifecycle.ts'

/** What is kept of a version: all that its answer and its delivery are made of, but for the card. Amounts in minor units. */
export type ReservationContent = {
  supplier: string
  hotelCode: string
  hotelName: string
  checkin: string
  checkout: string
  currency: string
  minorDigits: number
  /** As asked, in the same order. */
  rooms: RoomState[]
  customer: Customer
  payment: Payment
  total: TaxedTotal
  priceChecks: CheckedRoomRate[]
}

export type RoomState = {
  roomNo: number
  rateNo: number
  roomId: string
  rateId: string
  roomName: string
  rateName: string
  mealPlan: string | null
  adults: number
  childAges: number[]
  /** The same by the hotel's age categories: what the room was sold for. */
  party: { adults: number; childAges: number[]; infantAges: number[] }
  guest: Person
  nights: { date: string; beforeTax: number; afterTax: number }[]
  taxes: TaxState[]
  total: TaxedTotal
  cancelPolicy: ShownPolicy | null
  /** Of the cancellation policy; absent in what was booked before fees were kept. */
  fees?: FeeLine[]
}

export type TaxState = Pick<Tax, 'type' | 'included' | 'payNow'> & { amount: number }

export type Person = { firstName: string; lastName: string }
export type Customer = Person & { email?: string; phone?: string; countryCode?: string; remarks?: string }

export type PaymentType = (typeof paymentTypes)[number]
/** The number is masked; the card itself is in the vault, or nowhere. */
export type Payment = { type: PaymentType; card?: { type: string; number: string } }

/** A price check on the way to a version. */
export type CheckedRoomRate = {
  priceCheckId: string
  roomId: string
  rateId: string
  outcome: PriceCheckOutcome
}

/** A version of a reservation with what is the same in all of them. */
export type ReservationVersion = {
  id: string
  hotelId: number
  version: number
  status: ReservationStatus
  createdAtMs: number
  modifiedAtMs: number
  content: ReservationContent
}
