/**
 * The fields that a cell (one night of a room, or of a room-rate) can hold, and the numbers under which blocks and
 * the view ari_night know them. Numbers are never reused; adding a restriction is one line here and one in the shape.
 */
export const restrictionFields = [
  'minLengthStay',
  'maxLengthStay',
  'minStayArrival',
  'maxStayArrival',
  'minAdvanceDays',
  'maxAdvanceDays',
] as const
export type RestrictionField = (typeof restrictionFields)[number]

export const switchFields = ['closed', 'closedToArrival', 'closedToDeparture'] as const
export type SwitchField = (typeof switchFields)[number]

export type PlainField = 'inventory' | SwitchField | RestrictionField

/** What the platform holds of a cell beside what suppliers push: no push sets, clears or reads it back. */
export type PlatformField = 'stopSell'

export const fieldNumber: Readonly<
  Record<PlainField | PlatformField | 'unitPrice' | 'anyGuestPrice', number>
> = {
  inventory: 0,
  closed: 1,
  closedToArrival: 2,
  closedToDeparture: 3,
  minLengthStay: 4,
  maxLengthStay: 5,
  minStayArrival: 6,
  maxStayArrival: 7,
  minAdvanceDays: 8,
  maxAdvanceDays: 9,
  unitPrice: 10,
  // Holds no value: the sequence at which all guest prices of a night were cleared, those not yet set included.
  anyGuestPrice: 11,
  // An operator's: holds until an operator lifts it, whatever is pushed.
  stopSell: 12,
}

export const ageCategories = ['adult', 'child', 'infant'] as const
export type AgeCategory = (typeof ageCategories)[number]

/** Largest number of guests a price line may name. */
export const guestsMax = 99
const bucketsFrom: Readonly<Record<AgeCategory, number>> = { adult: 100, child: 200, infant: 300 }

/** The field of a guest price line, e.g. the price for two adults. */
export function guestPriceField(category: AgeCategory, guests: number): number {
  return bucketsFrom[category] + guests
}

export function isGuestPriceField(field: number): boolean {
  return field > 100
}

export function isPriceField(field: number): boolean {
  return field === fieldNumber.unitPrice || isGuestPriceField(field)
}

/** The line a guest price field stands for. */
export function guestBucket(field: number): { ageCategory: AgeCategory; guests: number } {
  const ageCategory = ageCategories[Math.floor(field / 100) - 1]
  if (!ageCategory || field % 100 === 0) throw new RangeError(`no guest price field: ${field}`)
  return { ageCategory, guests: field % 100 }
}

/** Every field of a room-rate but the guest prices: what `overlay` clears when it isn't sent. */
export const rateFields: readonly number[] = Object.entries(fieldNumber)
  .filter(([name]) => name !== 'anyGuestPrice' && name !== 'stopSell')
  .map(([, number]) => number)

/** Whether suppliers push the field, and may read it back. */
export function isPushedField(field: number): boolean {
  return field !== fieldNumber.stopSell
}

/** One field and what it is set to; `unset` of block.ts clears it. */
export type FieldValue = { field: number; value: number }
