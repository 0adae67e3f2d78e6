import {
  isClosure,
  pushedRestrictions,
  restrictionNames,
  restrictions,
  type RestrictionName,
} from './restrictions.ts'

type OtherField = 'inventory' | 'unitPrice' | 'anyGuestPrice'

/**
 * The fields of a cell (one night of a room or of a room-rate), with their numbers in blocks and in the view
 * ari_night. Numbers are never reused.
 */
export const fieldNumber: Readonly<Record<OtherField | RestrictionName, number>> = {
  inventory: 0,
  ...restrictionNumbers(),
  unitPrice: 10,
  // Has no value: stores the sequence at which all guest prices of a night were cleared, including prices not
  // set yet.
  anyGuestPrice: 11,
}
refuseSharedNumbers()

/** Two fields of one number would be stored as one. */
function refuseSharedNumbers(): void {
  const nameByNumber = new Map<number, string>()
  const first = Math.max(...Object.values(fieldNumber)) + 1
  for (const [name, number] of Object.entries(fieldNumber)) {
    const other = nameByNumber.get(number)
    if (other !== undefined)
      throw new Error(`${other} and ${name} both have the number ${number}; the first free one is ${first}`)
    nameByNumber.set(number, name)
  }
}

function restrictionNumbers(): Record<RestrictionName, number> {
  const numbers = restrictionNames.map((name) => [name, restrictions[name].number])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets the names.
  return Object.fromEntries(numbers) as Record<RestrictionName, number>
}

export const ageCategories = ['adult', 'child', 'infant'] as const
export type AgeCategory = (typeof ageCategories)[number]

/** The largest number of guests in a price line. */
export const guestsMax = 99
const bucketsFrom: Readonly<Record<AgeCategory, number>> = { adult: 100, child: 200, infant: 300 }

/** The field of a guest price line, e.g. the price for two adults. */
export function guestPriceField(category: AgeCategory, guests: number): number {
  return bucketsFrom[category] + guests
}

export function isGuestPriceField(field: number): boolean {
  return field > 100
}

/** Of children or infants: what a party pays on top of its adults' price. */
export function isSupplementField(field: number): boolean {
  return field > bucketsFrom.child
}

export function isInfantPriceField(field: number): boolean {
  return field > bucketsFrom.infant
}

export function isPriceField(field: number): boolean {
  return field === fieldNumber.unitPrice || isGuestPriceField(field)
}

/** The pricing model that a price field is of. */
export function modelOf(field: number): 'unit' | 'guest' {
  return isGuestPriceField(field) ? 'guest' : 'unit'
}

/** The price line of a guest price field. */
export function guestBucket(field: number): { ageCategory: AgeCategory; guests: number } {
  const ageCategory = ageCategories[Math.floor(field / 100) - 1]
  if (!ageCategory || field % 100 === 0) throw new RangeError(`no guest price field: ${field}`)
  return { ageCategory, guests: field % 100 }
}

/** The fields that close a room with all its rates, or a room-rate. */
export const closureFields: readonly number[] = restrictionNames
  .filter(isClosure)
  .map((name) => fieldNumber[name])

const pushedNumbers: readonly number[] = pushedRestrictions.map((name) => fieldNumber[name])

/** Every field of a room-rate except the guest prices: `overlay` clears these when they aren't sent. */
export const rateFields: readonly number[] = [fieldNumber.inventory, ...pushedNumbers, fieldNumber.unitPrice]

const operatorsNumbers = restrictionNames
  .map((name) => fieldNumber[name])
  .filter((number) => !pushedNumbers.includes(number))

/** Whether suppliers can push the field and read it back. */
export function isPushedField(field: number): boolean {
  return !operatorsNumbers.includes(field)
}

/** A field and its new value; `unset` from block.ts clears it. */
export type FieldValue = { field: number; value: number }
