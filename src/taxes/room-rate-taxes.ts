import { parseNight, type DayNumber } from '../base/calendar.ts'
import type { Tax } from './contract.ts'
import { anyNo, type ScopedTaxes } from './store.ts'
import { decimalsOf, exactDecimal } from './decimals.ts'
import { isFormerAmount } from './former-taxes.ts'

/** A tax prepared for computation: its words as flags, its value as an integer. */
export type TaxEntry = {
  /** The entry as pushed; this object identifies the entry wherever it applies. */
  tax: Tax
  isPercent: boolean
  isVat: boolean
  /** A percentage of net plus VAT. */
  isOnVat: boolean
  isPerPerson: boolean
  isPerStay: boolean
  included: boolean
  /** Charged on top of the price. A tax that is neither included nor added is due at the property. */
  isAdded: boolean
  /** Owed for nights slept, so that no penalty contains it: a town's tax, or an amount per person. */
  isForNightsSlept: boolean
  firstNight: DayNumber
  lastNight: DayNumber
  /** A fraction over `rateScale`, or minor units; meaningless for an amount of a former currency. */
  value: bigint
  /** An amount of a former currency: unknown, so that no night to which the tax applies has a price. */
  isFormer: boolean
  /** Which of the four lists it is from. */
  scope: TaxEntryScope
}

/** All taxes of one room-rate: the property's, the room's, the rate's and the pair's, in this order. */
export type RoomRateTaxes = {
  entries: readonly TaxEntry[]
  rateScale: bigint
  minorDigits: number
  /** The flags that plans of stays depend on. */
  hasDates: boolean
  hasPerPerson: boolean
  hasPerStay: boolean
  hasFormer: boolean
}

const taxEntryScopes = ['property', 'room', 'rate', 'pair'] as const
type TaxEntryScope = (typeof taxEntryScopes)[number]

/** The taxes of one hotel, prepared once for a version of its catalog. */
export type PreparedTaxes = {
  minorDigits: number
  taxesByScope: ReadonlyMap<number, readonly Tax[]>
  preparedByScope: Map<number, RoomRateTaxes>
}

export function prepareTaxes(scopes: readonly ScopedTaxes[], minorDigits: number): PreparedTaxes {
  const filled = scopes.filter(({ taxes }) => taxes.length > 0)
  return {
    minorDigits,
    taxesByScope: new Map(
      // Copies, because entries are identified by their object, even if a list has the same entry twice.
      filled.map(({ roomNo, rateNo, taxes }) => [scopeKey(roomNo, rateNo), taxes.map((tax) => ({ ...tax }))]),
    ),
    preparedByScope: new Map(),
  }
}

/** The taxes of a room-rate; room-rates with the same entries share one object. */
export function taxesFor(
  { minorDigits, taxesByScope, preparedByScope }: PreparedTaxes,
  roomNo: number,
  rateNo: number,
): RoomRateTaxes {
  const ofPair = taxesByScope.get(scopeKey(roomNo, rateNo))
  const ofRoom = taxesByScope.get(scopeKey(roomNo, anyNo))
  const ofRate = taxesByScope.get(scopeKey(anyNo, rateNo))
  const key = ofPair ? scopeKey(roomNo, rateNo) : scopeKey(ofRoom ? roomNo : anyNo, ofRate ? rateNo : anyNo)
  const known = preparedByScope.get(key)
  if (known) return known
  const ofProperty = taxesByScope.get(scopeKey(anyNo, anyNo))
  const listByScope = { property: ofProperty, room: ofRoom, rate: ofRate, pair: ofPair } as const
  const prepared = prepareList(
    taxEntryScopes.flatMap((scope) => (listByScope[scope] ?? []).map((tax) => ({ tax, scope }))),
    minorDigits,
  )
  preparedByScope.set(key, prepared)
  return prepared
}

/** Room and rate numbers are smallints. */
function scopeKey(roomNo: number, rateNo: number): number {
  return roomNo * 65_536 + rateNo
}

function prepareList(
  scoped: readonly { tax: Tax; scope: TaxEntryScope }[],
  minorDigits: number,
): RoomRateTaxes {
  const percentDecimals = percentDecimalsOf(scoped.map(({ tax }) => tax))
  const entries = scoped.map(({ tax, scope }) => entryOf(tax, scope, { percentDecimals, minorDigits }))
  return {
    entries,
    // 1 without percentages, so that numbers stay small.
    rateScale: entries.some(({ isPercent }) => isPercent) ? 10n ** BigInt(percentDecimals + 2) : 1n,
    minorDigits,
    hasDates: scoped.some(({ tax }) => tax.startDate !== undefined),
    hasPerPerson: entries.some(({ isPercent, isPerPerson }) => !isPercent && isPerPerson),
    hasPerStay: entries.some(({ isPercent, isPerStay }) => !isPercent && isPerStay),
    hasFormer: entries.some(({ isFormer }) => isFormer),
  }
}

const townTaxes: ReadonlySet<Tax['type']> = new Set(['CITY_TAX', 'LOCAL_TAX'])

function entryOf(
  tax: Tax,
  scope: TaxEntryScope,
  { percentDecimals, minorDigits }: { percentDecimals: number; minorDigits: number },
): TaxEntry {
  const { type, valueType, value, appliedOn, appliedPer, included, payNow, startDate, endDate } = tax
  const isPercent = valueType === '%'
  const isVat = type === 'VAT'
  const isPerPerson = appliedPer === 'per_person_per_night' || appliedPer === 'per_person_per_stay'
  const decimals = isPercent ? percentDecimals : minorDigits
  const [whole = '', fraction = ''] = exactDecimal(value).split('.')
  return {
    tax,
    isPercent,
    isVat,
    isOnVat: isPercent && !isVat && appliedOn === 'net+vat',
    isPerPerson,
    isPerStay: appliedPer === 'per_room_per_stay' || appliedPer === 'per_person_per_stay',
    included,
    isAdded: !included && payNow,
    isForNightsSlept: townTaxes.has(type) || (!isPercent && isPerPerson),
    firstNight: parseNight(startDate ?? '') ?? Number.NEGATIVE_INFINITY,
    lastNight: parseNight(endDate ?? '') ?? Number.POSITIVE_INFINITY,
    value: BigInt(whole + fraction.padEnd(decimals, '0')),
    isFormer: isFormerAmount(tax, minorDigits),
    scope,
  }
}

function percentDecimalsOf(taxes: readonly Tax[]): number {
  const decimals = taxes.map(({ valueType, value }) => (valueType === '%' ? decimalsOf(value) : 0))
  return Math.max(0, ...decimals)
}

/** The nights of a stay on which a tax of a former currency would be due. */
export function formerNights(
  { entries }: RoomRateTaxes,
  arrival: DayNumber,
  departure: DayNumber,
): DayNumber[] {
  const former = entries.filter(({ isFormer }) => isFormer)
  const nights: DayNumber[] = []
  for (let night = arrival; night < departure; night++) {
    if (former.some(({ firstNight, lastNight }) => firstNight <= night && night <= lastNight))
      nights.push(night)
  }
  return nights
}
