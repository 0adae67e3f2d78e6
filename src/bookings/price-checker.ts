import type { BookableRoomRate } from '../offers/booking-catalog.ts'
import type { HotelStay } from '../offers/stays.ts'
import type { PriceCheckOutcome } from '../price-check/contract.ts'
import type { AskedStay } from '../price-check/held-price.ts'

/** What bookings need of price checks. */

/** Rooms of one room-rate with the same party, and what is held of the hotel. */
export type AskedPrice = AskedStay & { stay: HotelStay; roomRate: BookableRoomRate }

/** Amounts in minor units. */
export type CheckedPrice = {
  priceCheckId: string
  outcome: PriceCheckOutcome
  /** Whether the account's rules let a booking at the stored price go on after this outcome. */
  isBookable: boolean
  /** What the supplier answered for one room; undefined where there is no answer that could be used. */
  live: { inventory: number; nights: readonly { beforeTax: number; afterTax: number }[] } | undefined
}

/** Never throws for the supplier's faults. No transaction is open meanwhile. */
export type PriceChecker = (asked: AskedPrice) => Promise<CheckedPrice>
