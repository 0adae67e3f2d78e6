import type { DayNumber } from '../../base/calendar.ts'
import type { Tax } from '../contract.ts'

/** Amounts of a room's stay, in minor units of the hotel's currency. */

export type PricedNight = { day: DayNumber; price: number }
export type TaxedNight = PricedNight & { beforeTax: number; afterTax: number }
/** One tax entry. */
export type TaxLine = { tax: Tax; amount: number }
