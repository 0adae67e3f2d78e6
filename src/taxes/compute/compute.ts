import type { DayNumber } from '../../base/calendar.ts'
import type { Tax } from '../contract.ts'
import { formerNights, type RoomRateTaxes } from '../room-rate-taxes.ts'
import type { PricedNight, TaxedNight, TaxLine } from './amounts.ts'
import { taxNights } from './nights.ts'
import { RoomPenaltyBase, type PenaltyBase } from './penalty-base.ts'
import { planStay, type StayPlan } from './stay-plan.ts'

/** A room of a stay: at least one night, all nights consecutive. */
export type PricedRoom = {
  taxes: RoomRateTaxes
  nights: readonly PricedNight[]
  /** Adults and children; infants don't count. */
  persons: number
}

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
export type TaxedRoom = {
  nights: TaxedNight[]
  lines: TaxLine[]
  total: TaxedTotal
  /** What penalties are taken of. */
  penaltyBase: PenaltyBase
}
export type TaxedStay = { fault: undefined; rooms: TaxedRoom[]; lines: TaxLine[]; total: TaxedTotal }
/**
 * Why a stay has no price, with the nights that have none:
 *
 * - `FORMER_CURRENCY`: a fixed tax is an amount of a former currency, which is never converted and never free.
 * - `TAXES_EXCEED_PRICE`: the included taxes exceed the price of a night. If only rounding causes it, all
 *   nights of the room.
 * - `TOTAL_TOO_LARGE`: a total can't be computed exactly; all nights.
 */
const taxFaults = ['FORMER_CURRENCY', 'TAXES_EXCEED_PRICE', 'TOTAL_TOO_LARGE'] as const
export type TaxFault = { fault: (typeof taxFaults)[number]; nights: DayNumber[] }

/**
 * The taxes of a stay. A line is one tax entry that applies to at least one night, summed over the rooms.
 * Each room's amounts stay exact until they are rounded once, half up.
 */
export function computeTaxes(rooms: readonly PricedRoom[]): TaxedStay | TaxFault {
  const [only] = rooms
  if (only && rooms.length === 1) {
    const outcome = taxRoom(only)
    if ('fault' in outcome) return outcome
    return { fault: undefined, rooms: [outcome], lines: outcome.lines, total: outcome.total }
  }
  const taxed: TaxedRoom[] = []
  const faults: TaxFault[] = []
  for (const room of rooms) {
    const outcome = taxRoom(room)
    if ('fault' in outcome) faults.push(outcome)
    else taxed.push(outcome)
  }
  const total = totalOf(taxed)
  if (!isCountable(total)) faults.push({ fault: 'TOTAL_TOO_LARGE', nights: rooms.flatMap(daysOf) })
  for (const fault of taxFaults) {
    const nights = faults.flatMap((one) => (one.fault === fault ? one.nights : []))
    if (nights.length > 0) return { fault, nights: [...new Set(nights)].sort((a, b) => a - b) }
  }
  return { fault: undefined, rooms: taxed, lines: linesOf(taxed), total }
}

function daysOf({ nights }: PricedRoom): DayNumber[] {
  return nights.map(({ day }) => day)
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

/** Whether the amounts, and what the guest pays in all, are exact. */
function isCountable({ afterTax, dueAtProperty }: TaxedTotal): boolean {
  return afterTax + dueAtProperty <= Number.MAX_SAFE_INTEGER
}

function taxRoom(room: PricedRoom): TaxedRoom | TaxFault {
  const { taxes, nights, persons } = room
  const firstNight = nights[0]?.day ?? 0
  if (taxes.hasFormer) {
    const unknown = formerNights(taxes, firstNight, firstNight + nights.length)
    if (unknown.length > 0) return { fault: 'FORMER_CURRENCY', nights: unknown }
  }
  const plan = planStay(taxes, firstNight, nights.length, persons)
  const below = nightsBelow(plan, nights)
  if (below.length > 0) return { fault: 'TAXES_EXCEED_PRICE', nights: below }
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
  if (!isCountable(total)) return { fault: 'TOTAL_TOO_LARGE', nights: daysOf(room) }
  if (included > price) return { fault: 'TAXES_EXCEED_PRICE', nights: daysOf(room) }
  return new RoomTaxed(plan, nights, isSmall, lines, total)
}

/** Computes nights on demand: a search needs the totals of thousands of rooms, but hardly any nights. */
class RoomTaxed implements TaxedRoom {
  readonly lines: TaxLine[]
  readonly total: TaxedTotal
  readonly #plan: StayPlan
  readonly #priced: readonly PricedNight[]
  readonly #isSmall: boolean
  #nights: TaxedNight[] | undefined
  #penaltyBase: PenaltyBase | undefined

  constructor(
    plan: StayPlan,
    priced: readonly PricedNight[],
    isSmall: boolean,
    lines: TaxLine[],
    total: TaxedTotal,
  ) {
    this.lines = lines
    this.total = total
    this.#plan = plan
    this.#priced = priced
    this.#isSmall = isSmall
  }

  get nights(): TaxedNight[] {
    this.#nights ??= taxNights(this.#plan, this.#priced, this.lines, this.#isSmall)
    return this.#nights
  }

  get penaltyBase(): PenaltyBase {
    this.#penaltyBase ??= new RoomPenaltyBase(this.#plan, this.#priced, this.lines, this.#isSmall)
    return this.#penaltyBase
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
