import type { DayNumber } from '../base/calendar.ts'
import type { Tax } from './contract.ts'
import type { RoomRateTaxes } from './room-rate-taxes.ts'
import { planStay, type StayPlan } from './stay-plan.ts'

/** Amounts are minor units of the hotel's currency. */
export type PricedNight = { day: DayNumber; price: number }
/** A room of a stay: at least one night, all nights consecutive. */
export type PricedRoom = {
  taxes: RoomRateTaxes
  nights: readonly PricedNight[]
  /** Adults and children; infants don't count. */
  persons: number
}

export type TaxedNight = PricedNight & { beforeTax: number; afterTax: number }
/** One tax entry. */
export type TaxLine = { tax: Tax; amount: number }
export type TaxedTotal = {
  /** The amount charged, without any tax. */
  beforeTax: number
  /** Taxes charged. */
  tax: number
  /** The amount charged, including taxes. */
  afterTax: number
  /** Paid at the property, on top. */
  dueAtProperty: number
}
/** The nights add up to the room's total, without taxes due at the property. */
export type TaxedRoom = { nights: TaxedNight[]; lines: TaxLine[]; total: TaxedTotal }
export type TaxedStay = { fault: undefined; rooms: TaxedRoom[]; lines: TaxLine[]; total: TaxedTotal }
/**
 * The nights on which the included taxes exceed the price. Also returned if only rounding causes it, or if
 * amounts are too large to compute; then it lists all nights of the room.
 */
export type TaxesExceedPrice = { fault: 'TAXES_EXCEED_PRICE'; nights: DayNumber[] }

/**
 * The taxes of a stay. A line is one tax entry that applies to at least one night, summed over the rooms.
 * Each room's amounts stay exact until they are rounded once, half up.
 */
export function computeTaxes(rooms: readonly PricedRoom[]): TaxedStay | TaxesExceedPrice {
  const [only] = rooms
  if (only && rooms.length === 1) {
    const outcome = taxRoom(only)
    if (Array.isArray(outcome)) return { fault: 'TAXES_EXCEED_PRICE', nights: outcome }
    return { fault: undefined, rooms: [outcome], lines: outcome.lines, total: outcome.total }
  }
  const taxed: TaxedRoom[] = []
  const faults: DayNumber[] = []
  for (const room of rooms) {
    const outcome = taxRoom(room)
    if (Array.isArray(outcome)) faults.push(...outcome)
    else taxed.push(outcome)
  }
  const total = totalOf(taxed)
  if (faults.length === 0 && !isCountable(total)) {
    for (const { nights } of rooms) for (const { day } of nights) faults.push(day)
  }
  if (faults.length > 0)
    return { fault: 'TAXES_EXCEED_PRICE', nights: [...new Set(faults)].sort((a, b) => a - b) }
  return { fault: undefined, rooms: taxed, lines: linesOf(taxed), total }
}

export function totalOf(rooms: readonly { total: TaxedTotal }[]): TaxedTotal {
  const sum = { beforeTax: 0, tax: 0, afterTax: 0, dueAtProperty: 0 }
  for (const { total } of rooms) {
    sum.beforeTax += total.beforeTax
    sum.tax += total.tax
    sum.afterTax += total.afterTax
    sum.dueAtProperty += total.dueAtProperty
  }
  return sum
}

function linesOf(rooms: readonly TaxedRoom[]): TaxLine[] {
  const amountByTax = new Map<Tax, number>()
  for (const { lines } of rooms)
    for (const { tax, amount } of lines) amountByTax.set(tax, (amountByTax.get(tax) ?? 0) + amount)
  return Array.from(amountByTax, ([tax, amount]) => ({ tax, amount }))
}

function isCountable({ afterTax, dueAtProperty }: TaxedTotal): boolean {
  return afterTax <= Number.MAX_SAFE_INTEGER && dueAtProperty <= Number.MAX_SAFE_INTEGER
}

/** If any nights are at fault, returns those nights instead. */
function taxRoom({ taxes, nights, persons }: PricedRoom): TaxedRoom | DayNumber[] {
  const plan = planStay(taxes, nights[0]?.day ?? 0, nights.length, persons)
  const faults = nightsBelow(plan, nights)
  if (faults.length > 0) return faults
  const sums = sumsByKind(plan, nights)
  let price = 0
  for (const sum of sums) price += sum.price
  const isSmall = isExactInNumbers(plan, price, nights.length)
  let [included, added, dueAtProperty] = [0, 0, 0]
  const lines = plan.entries.map((entry, index) => {
    const amount = lineAmount(plan, index, sums, isSmall)
    if (entry.included) included += amount
    else if (entry.isAdded) added += amount
    else dueAtProperty += amount
    return { tax: entry.tax, amount }
  })
  const total = { beforeTax: price - included, tax: included + added, afterTax: price + added, dueAtProperty }
  if (included > price || !isCountable(total)) return nights.map(({ day }) => day)
  return new RoomTaxed(lines, total, () => taxNights(plan, nights, included, added, isSmall))
}

/** Computes nights on demand: a search needs the totals of thousands of rooms, but hardly any nights. */
class RoomTaxed implements TaxedRoom {
  readonly lines: TaxLine[]
  readonly total: TaxedTotal
  readonly #taxNights: () => TaxedNight[]
  #nights: TaxedNight[] | undefined

  constructor(lines: TaxLine[], total: TaxedTotal, nightsTaxed: () => TaxedNight[]) {
    this.lines = lines
    this.total = total
    this.#taxNights = nightsTaxed
  }

  get nights(): TaxedNight[] {
    this.#nights ??= this.#taxNights()
    return this.#nights
  }
}

/** Nights whose net is below zero. */
export function nightsBelow({ kinds, kindByNight }: StayPlan, nights: readonly PricedNight[]): DayNumber[] {
  const below: DayNumber[] = []
  for (let index = 0; index < nights.length; index++) {
    const night = nights[index]
    if (night && night.price < (kinds[kindByNight?.[index] ?? 0]?.priceMin ?? 0)) below.push(night.day)
  }
  return below
}

/** Subtracts included taxes from the nights they come from, and adds the added ones. */
function taxNights(
  plan: StayPlan,
  nights: readonly PricedNight[],
  included: number,
  added: number,
  isSmall: boolean,
): TaxedNight[] {
  const prices = nights.map(({ price }) => price)
  const off =
    included === 0 ? undefined : spreadOver(plan, prices, 'includedShare', included, isSmall, prices)
  const on = added === 0 ? undefined : spreadOver(plan, prices, 'addedShare', added, isSmall)
  return nights.map(({ day, price }, index) => ({
    day,
    price,
    beforeTax: price - (off?.[index] ?? 0),
    afterTax: price + (on?.[index] ?? 0),
  }))
}

function spreadOver(
  { kinds, kindByNight, denominator }: StayPlan,
  prices: readonly number[],
  which: 'includedShare' | 'addedShare',
  sum: number,
  isSmall: boolean,
  limits?: readonly number[],
): number[] {
  const wholes: number[] = []
  const fractions: (number | bigint)[] = []
  for (const [index, price] of prices.entries()) {
    const share = kinds[kindByNight?.[index] ?? 0]?.[which]
    if (!share) continue
    if (isSmall) {
      const numerator = price * share.perPrice.number + share.perNight.number
      const fraction = numerator % denominator.number
      wholes.push((numerator - fraction) / denominator.number)
      fractions.push(fraction)
    } else {
      const numerator = BigInt(price) * share.perPrice.exact + share.perNight.exact
      wholes.push(Number(numerator / denominator.exact))
      fractions.push(numerator % denominator.exact)
    }
  }
  return spread(sum, wholes, fractions, limits)
}

export type KindSum = { price: number; nightCount: number }

export function sumsByKind({ kinds, kindByNight }: StayPlan, nights: readonly PricedNight[]): KindSum[] {
  const sums = kinds.map(() => ({ price: 0, nightCount: 0 }))
  for (let index = 0; index < nights.length; index++) {
    const sum = sums[kindByNight?.[index] ?? 0]
    if (!sum) continue
    sum.price += nights[index]?.price ?? 0
    sum.nightCount++
  }
  return sums
}

/** Half of the range of exact integers: leaves room for rounding errors in this estimate. */
const numberExactMax = 2 ** 52

function isExactInNumbers(plan: StayPlan, price: number, nightCount: number): boolean {
  const { perPriceMax, perNightMax, denominator } = plan
  return (
    price * perPriceMax + nightCount * perNightMax <= numberExactMax && denominator.number <= numberExactMax
  )
}

/** The amount rounded half up. */
export function lineAmount(
  plan: StayPlan,
  index: number,
  sums: readonly KindSum[],
  isSmall: boolean,
): number {
  const { kinds, denominator } = plan
  if (isSmall) {
    let numerator = 0
    for (let kind = 0; kind < sums.length; kind++) {
      const sum = sums[kind]
      const share = kinds[kind]?.shares[index]
      if (sum && share)
        numerator += sum.price * share.perPrice.number + sum.nightCount * share.perNight.number
    }
    const rest = numerator % denominator.number
    const whole = (numerator - rest) / denominator.number
    return 2 * rest >= denominator.number ? whole + 1 : whole
  }
  const numerator = exactLine(plan, index, sums)
  return Number((2n * numerator + denominator.exact) / (2n * denominator.exact))
}

/** A line's amount before rounding, over the plan's denominator. */
export function exactLine({ kinds }: StayPlan, index: number, sums: readonly KindSum[]): bigint {
  let numerator = 0n
  for (const [kind, { price, nightCount }] of sums.entries()) {
    const share = kinds[kind]?.shares[index]
    if (share) numerator += BigInt(price) * share.perPrice.exact + BigInt(nightCount) * share.perNight.exact
  }
  return numerator
}

/**
 * Divides a rounded sum over its nights by largest remainder, using integers only: each night gets the whole
 * units of its exact part, and the remaining units go, one per night, to the largest fractions, and to
 * earlier nights among equals. A sum of several rounded amounts may be off by more than one unit per night;
 * then the nights take further turns. A night without a part gets nothing while another can take it. No night
 * gets less than zero or more than its limit.
 */
export function spread(
  sum: number,
  wholes: readonly number[],
  /** Numerators over one denominator. */
  fractions: readonly (number | bigint)[],
  limits?: readonly number[],
): number[] {
  const amounts = [...wholes]
  let left = sum
  for (const whole of wholes) left -= whole
  if (left === 0) return amounts
  const limitOf = (night: number): number => limits?.[night] ?? Number.POSITIVE_INFINITY
  const isPart = (night: number): boolean => (wholes[night] ?? 0) > 0 || (fractions[night] ?? 0) > 0
  const byFraction = [...wholes.keys()].sort((one, other) => compare(fractions[other], fractions[one]))
  if (left > 0) {
    left = goRound(amounts, byFraction.filter(isPart), left, 1, limitOf)
    left = goRound(amounts, byFraction, left, 1, limitOf)
  } else {
    left = goRound(amounts, byFraction.reverse(), -left, -1, () => 0)
  }
  if (left !== 0) throw new RangeError(`${left} of ${sum} has no place in ${wholes.length} nights`)
  return amounts
}

/**
 * Adds (or subtracts) one unit per night, in turn, until nothing is left or all nights are at their limit.
 */
function goRound(
  amounts: number[],
  order: readonly number[],
  units: number,
  step: 1 | -1,
  limitOf: (night: number) => number,
): number {
  let left = units
  let leftBefore = Number.POSITIVE_INFINITY
  while (left > 0 && left < leftBefore) {
    leftBefore = left
    for (const night of order) {
      const amount = amounts[night] ?? 0
      if (left === 0 || amount === limitOf(night)) continue
      amounts[night] = amount + step
      left--
    }
  }
  return left
}

function compare(one: number | bigint = 0, other: number | bigint = 0): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
