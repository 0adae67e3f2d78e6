import type { AgeCategory } from '../../ari/fields.ts'
import { pushedRestrictions } from '../../ari/restrictions.ts'

/** The columns of CSV with ARI that are not prices. `inventory` is the room's; `rateInventory` the room-rate's own. */
export const ariColumns = [
  'hotelId',
  'roomId',
  'rateId',
  'startDate',
  'endDate',
  'daysOfWeek',
  'inventory',
  'rateInventory',
  ...pushedRestrictions,
  'price',
] as const

/** Asserts the currency of the hotel. */
export const currencyColumn = 'currency'

/** A column of prices is a letter and a number of guests: `a2` has the price of two adults. */
export const ageByLetter: Readonly<Record<string, AgeCategory>> = { a: 'adult', c: 'child', i: 'infant' }
