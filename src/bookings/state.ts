import type { StayPolicy } from '../offers/terms/penalties.ts'
import type { FeeLine } from '../offers/terms/fees.ts'
import type { ArrivalTerms } from '../products/policies/arrival-terms.ts'
import type { CancelPolicy } from '../products/policies/contract.ts'
import type { Tax } from '../taxes/contract.ts'
import type { TaxedTotal } from '../taxes/compute/compute.ts'
import type { PenaltyBase } from '../taxes/compute/penalty-base.ts'
import type { paymentTypes } from './callback-contract.ts'
import type { PriceCheckOutcome } from '../price-check/contract.ts'
import type { VirtualCard } from '../cards/contract.ts'
import type { PriceContract } from '../keys/price-contract.ts'
import type { reportKinds } from './report-contract.ts'
import type { reservationStatuses } from '../webhooks/contract.ts'

/**
 * The stored content of a version: everything its answer and its delivery are made from, except the card.
 * Amounts in minor units.
 */
export type ReservationContent = {
  supplier: string
  hotelCode: string
  hotelName: string
  checkin: string
  checkout: string
  currency: string
  minorDigits: number
  /** As requested, in the same order. */
  rooms: RoomState[]
  /** The highest number that a room of the reservation ever had; absent in bookings made before rooms had numbers. */
  roomNumbersUsed?: number
  /** Units that earlier states took and gave up; absent: none. */
  unitsGivenUp?: GivenUp[]
  /** Rooms that an earlier state had, by their number; absent: none went. */
  roomsGone?: RoomGone[]
  customer: Customer
  payment: Payment
  /** The account's, as it was when the reservation was made; absent in bookings made before it was stored. */
  contract?: PriceContract
  /** The platform's own name for the reservation. */
  clientReference?: string
  /** Where the platform sold it. */
  channel?: string
  total: TaxedTotal
  priceChecks: CheckedRoomRate[]
}

/** Units of a room (rate 0) or of one of its rates, which stay the reservation's until a push sets that night's units. */
export type GivenUp = { roomNo: number; rateNo: number; date: string; count: number; revision: number }

/** The currency of a reservation's amounts. */
export type Money = { currency: string; minorDigits: number }

export type RoomState = {
  /** Stable over versions; absent in bookings made before rooms had numbers, which count by their order. */
  number?: number
  roomNo: number
  rateNo: number
  roomId: string
  rateId: string
  roomName: string
  rateName: string
  mealPlan: string | null
  adults: number
  childAges: number[]
  /** The party by the hotel's age categories, as used for pricing. */
  party: { adults: number; childAges: number[]; infantAges: number[] }
  guest: PersonName
  nights: { date: string; beforeTax: number; afterTax: number }[]
  taxes: TaxState[]
  total: TaxedTotal
  /** Absent in bookings made before it was stored: penalties are taken of all that is charged. */
  penaltyBase?: PenaltyBase
  cancelPolicy: StayPolicy | null
  /** The cancellation policy's fees; absent in bookings made before fees were stored. */
  fees?: FeeLine[]
  /** Absent in bookings made before it was stored. */
  basis?: RoomBasis
  /** What the room owes whatever becomes of it, for dates of which it keeps some; absent: nothing. */
  owedAtLeast?: Claim
  /** The same for dates of which it keeps none; absent: none. */
  formerClaims?: Claim[]
}

/** An amount above zero, owed for a stay from the first night to before the last date. */
export type Claim = { from: string; to: string; amount: number }

export type RoomGone = Pick<
  RoomState,
  'roomId' | 'rateId' | 'cancelPolicy' | 'nights' | 'total' | 'penaltyBase'
> & {
  number: number
  /** What it owes, in minor units. */
  amount: number
}

/** What a room was priced by, so that a smaller booking of it can be computed. */
export type RoomBasis = {
  /** The pushed price of each night, in minor units. */
  prices: number[]
  /** The taxes that apply to any of the nights, as pushed. */
  taxes: Tax[]
  /** The terms of the arrival; null: no policy held it. Absent in bookings made before terms were stored so. */
  terms?: ArrivalTerms | null
  /** In bookings made before: the cancellation policy of the arrival, as pushed, without its dates. */
  policy?: CancelPolicy | null
  /** The zone in which its deadlines are; absent in bookings made before it was stored. */
  timeZone?: string
  /** The dates of nights that are at the supplier's own price, not at the pushed one; absent: none. */
  liveNights?: string[]
  /** The dates of nights whose price is the unit's, whatever the party; absent: none, or not known. */
  unitNights?: string[]
}

type TaxState = Pick<Tax, 'type' | 'included' | 'payNow'> & { amount: number }

export type PersonName = { firstName: string; lastName: string }
type Customer = PersonName & { email?: string; phone?: string; countryCode?: string; remarks?: string }

type PaymentType = (typeof paymentTypes)[number]
/** The card number is masked; the card itself is in the vault or not kept at all. */
export type Payment = { type: PaymentType; card?: { type: string; number: string; virtual?: VirtualCard } }

/** A price check made for a version. */
export type CheckedRoomRate = {
  priceCheckId: string
  roomId: string
  rateId: string
  outcome: PriceCheckOutcome
}

/** The hotel's own number of a reservation, or of one of its rooms. */
export type HotelConfirmation = {
  /** 0: of the whole reservation. */
  roomNumber: number
  confirmationNumber: string
  atMs: number
}

/** What a hotel reported about a stay. */
export type StayReport = {
  /** 0: about all rooms. */
  roomNumber: number
  report: (typeof reportKinds)[number]
  waivesPenalty: boolean
  departureDate: string | null
  note: string | null
  /** Of the reservation, when it was reported. */
  version: number
  atMs: number
  /** The key of the supplier that reported it; null: an operator did, for the hotel. */
  keyId: number | null
}

/** A version of a reservation, with the members that all its versions share. */
export type ReservationVersion = {
  id: string
  hotelId: number
  version: number
  status: ReservationStatus
  createdAtMs: number
  modifiedAtMs: number
  content: ReservationContent
  /** What the hotel said of the stay, oldest first. */
  reports: readonly StayReport[]
}

/**
 * The states of a reservation and their permitted successors. `Confirm` is followed by `Confirm` (a
 * modification, as a new version) or by `Cancel`; nothing follows `Cancel`. Cancelling again changes nothing
 * and is answered like the first time. The database refuses transitions outside this table: at most one
 * version is a `Cancel`.
 */

export type ReservationStatus = (typeof reservationStatuses)[number]

const reservationActions = ['modify', 'cancel'] as const
type ReservationAction = (typeof reservationActions)[number]

/**
 * The status of the version that follows; `unchanged`: no new version; `refused`: the caller gets a refusal.
 */
export type Following = ReservationStatus | 'unchanged' | 'refused'

export const following = {
  Confirm: { modify: 'Confirm', cancel: 'Cancel' },
  Cancel: { modify: 'refused', cancel: 'unchanged' },
} as const satisfies Readonly<Record<ReservationStatus, Readonly<Record<ReservationAction, Following>>>>
