import type { DayNumber } from '../../base/calendar.ts'
import type { RoomRateTaxes, TaxEntry } from '../room-rate-taxes.ts'

/**
 * The taxes of a room's stay, as far as they don't depend on its prices.
 *
 * Every tax of a night is `net · rate + constant`; a fixed tax has rate 0. With R the sum of the included
 * rates and H the sum of the included constants, `net = (price − H) / (1 + R)`. So each tax, and each sum of
 * taxes, is `price · perPrice + perNight` over one denominator. This is exact in integers, and linear, so
 * nights with the same taxes can be added up before anything is divided.
 */
export type StayPlan = {
  /** The entries that apply to at least one night. */
  entries: readonly TaxEntry[]
  /** The kind of each night, if there are several kinds. */
  kindByNight: readonly number[] | undefined
  kinds: readonly NightKind[]
  denominator: Scalar
  /** What any of a night's taxes together can be: they bound the prices for which plain numbers stay exact. */
  perPriceMax: number
  perNightMax: number
}

/** The shared properties of nights to which the same taxes apply. */
export type NightKind = {
  /** Below this price the net is negative. */
  priceMin: number
  /** One share per entry of the plan. */
  shares: readonly Share[]
  /** The terms from which the shares were computed, one per entry of the plan, for the trace. */
  terms: readonly Term[]
  included: Term
  rateScale: bigint
  constantScale: bigint
}

/** `number` is valid only if it is small enough to equal `exact`. */
export type Scalar = { exact: bigint; number: number }
export type Share = { perPrice: Scalar; perNight: Scalar }
/** `rate` over the kind's rateScale, `constant` in minor units over its constantScale. */
export type Term = { rate: bigint; constant: bigint }

/** Plans by everything they depend on: a search needs one stay for many room-rates and a few parties. */
const plansByTaxes = new WeakMap<RoomRateTaxes, Map<string, StayPlan>>()
const plansKeptMax = 8

/** The last plan: consecutive requests are for one hotel's room-rates, and most have the same taxes. */
let last:
  | {
      taxes: RoomRateTaxes
      firstNight: DayNumber
      nightCount: number
      persons: number
      plan: StayPlan
    }
  | undefined

/** The plan of `nightCount` consecutive nights from `firstNight`. */
export function planStay(
  taxes: RoomRateTaxes,
  firstNight: DayNumber,
  nightCount: number,
  persons: number,
): StayPlan {
  if (
    last?.taxes === taxes &&
    last.firstNight === firstNight &&
    last.nightCount === nightCount &&
    last.persons === persons
  )
    return last.plan
  const plan = keptPlan(taxes, firstNight, nightCount, persons)
  last = { taxes, firstNight, nightCount, persons, plan }
  return plan
}

function keptPlan(
  taxes: RoomRateTaxes,
  firstNight: DayNumber,
  nightCount: number,
  persons: number,
): StayPlan {
  const key = planKey(taxes, firstNight, nightCount, persons)
  const plans = plansByTaxes.get(taxes) ?? new Map<string, StayPlan>()
  const known = plans.get(key)
  if (known) return known
  const plan = makePlan(taxes, firstNight, nightCount, persons)
  if (plans.size >= plansKeptMax) plans.clear()
  plans.set(key, plan)
  plansByTaxes.set(taxes, plans)
  return plan
}

/** The key leaves out the dates themselves: most stays lie entirely inside or outside a tax's dates. */
function planKey(
  { entries, hasDates, hasPerPerson, hasPerStay }: RoomRateTaxes,
  firstNight: DayNumber,
  nightCount: number,
  persons: number,
): string {
  const counted = hasDates || hasPerStay ? nightCount : Math.min(nightCount, 1)
  let key = `${counted} ${hasPerPerson ? persons : 0}`
  if (!hasDates) return key
  for (const entry of entries) {
    const from = Math.max(entry.firstNight - firstNight, 0)
    const to = Math.min(entry.lastNight - firstNight, nightCount - 1)
    key += from <= to ? ` ${from}-${to}` : ' none'
  }
  return key
}

function makePlan(
  taxes: RoomRateTaxes,
  firstNight: DayNumber,
  nightCount: number,
  persons: number,
): StayPlan {
  const lastNight = firstNight + nightCount - 1
  const entries = taxes.entries.filter((entry) => nightsWith(entry, firstNight, lastNight) > 0)
  const { kindByNight, appliesByKind } = kindsOfNights(entries, firstNight, nightCount)
  const { spread, fixedAmounts } = fixedAmountsOf(entries, firstNight, lastNight, persons)
  const scales = scalesOf(taxes, entries, spread)
  const taxed = appliesByKind.map((applies) => {
    const terms = termsOf(entries, fixedAmounts, applies, scales)
    const included = sumOf(entries, terms, isIncluded)
    return { terms, included, growth: scales.rate + included.rate }
  })
  const growth = leastCommonMultiple(taxed.map((one) => one.growth))
  const kinds = taxed.map((one) => kindOf(one, scales, growth / one.growth))
  return {
    entries,
    kindByNight: kinds.length > 1 ? kindByNight : undefined,
    kinds,
    denominator: scalar(scales.constant * growth),
    perPriceMax: Math.max(...kinds.map(({ shares }) => sizeOf(shares, 'perPrice'))),
    perNightMax: Math.max(...kinds.map(({ shares }) => sizeOf(shares, 'perNight'))),
  }
}

/** Fixed taxes per night, over `spread`; a tax per stay is spread over the nights to which it applies. */
function fixedAmountsOf(
  entries: readonly TaxEntry[],
  firstNight: DayNumber,
  lastNight: DayNumber,
  persons: number,
): { spread: bigint; fixedAmounts: bigint[] } {
  const spreads = entries.map((entry) =>
    !entry.isPercent && entry.isPerStay ? BigInt(nightsWith(entry, firstNight, lastNight)) : 1n,
  )
  const spread = leastCommonMultiple(spreads)
  const fixedAmounts = entries.map(({ isPercent, isPerPerson, value }, index) =>
    isPercent ? 0n : value * BigInt(isPerPerson ? persons : 1) * (spread / (spreads[index] ?? 1n)),
  )
  return { spread, fixedAmounts }
}

function nightsWith(entry: TaxEntry, firstNight: DayNumber, lastNight: DayNumber): number {
  return Math.min(entry.lastNight, lastNight) - Math.max(entry.firstNight, firstNight) + 1
}

/** Groups nights by the taxes that apply to them. */
function kindsOfNights(
  entries: readonly TaxEntry[],
  firstNight: DayNumber,
  nightCount: number,
): { kindByNight: number[]; appliesByKind: boolean[][] } {
  const kindByApplies = new Map<string, number>()
  const appliesByKind: boolean[][] = []
  const kindByNight = Array.from({ length: nightCount }, (_, index) => {
    const night = firstNight + index
    const applies = entries.map((entry) => entry.firstNight <= night && night <= entry.lastNight)
    const key = applies.join()
    const kind = kindByApplies.get(key) ?? appliesByKind.push(applies) - 1
    kindByApplies.set(key, kind)
    return kind
  })
  return { kindByNight, appliesByKind }
}

type Scales = {
  percent: bigint
  /** Scale of rates: that of percentages, squared if a percentage is taken of a percentage. */
  rate: bigint
  /** Scale of fixed amounts per night. */
  fixed: bigint
  /**
   * Scale of constants: that of fixed amounts, times that of percentages for percentages of fixed amounts.
   */
  constant: bigint
}

function scalesOf({ rateScale }: RoomRateTaxes, entries: readonly TaxEntry[], spread: bigint): Scales {
  const hasOnVat = entries.some(({ isOnVat }) => isOnVat)
  const hasFixedVat = entries.some(({ isVat, isPercent }) => isVat && !isPercent)
  const fixed = spread
  return {
    percent: rateScale,
    rate: hasOnVat ? rateScale * rateScale : rateScale,
    fixed,
    constant: hasOnVat && hasFixedVat ? fixed * rateScale : fixed,
  }
}

function termsOf(
  entries: readonly TaxEntry[],
  fixedAmounts: readonly bigint[],
  applies: readonly boolean[],
  scales: Scales,
): Term[] {
  let vatRate = 0n
  let vatFixed = 0n
  for (const [index, { isVat, isPercent, value }] of entries.entries()) {
    if (!isVat || applies[index] !== true) continue
    if (isPercent) vatRate += value
    else vatFixed += fixedAmounts[index] ?? 0n
  }
  return entries.map(({ isPercent, isOnVat, value }, index) => {
    if (applies[index] !== true) return { rate: 0n, constant: 0n }
    if (!isPercent)
      return { rate: 0n, constant: ((fixedAmounts[index] ?? 0n) * scales.constant) / scales.fixed }
    if (!isOnVat) return { rate: (value * scales.rate) / scales.percent, constant: 0n }
    return { rate: value * (scales.percent + vatRate), constant: value * vatFixed }
  })
}

/** The taxes of a kind of night. `growth`: net 1 plus the included taxes, 1 + R, over the scale of rates. */
type Taxed = { terms: readonly Term[]; included: Term; growth: bigint }

function kindOf(
  { terms, included, growth }: Taxed,
  { rate: rateScale, constant: constantScale }: Scales,
  /** Converts amounts divided by this kind's growth to the denominator of the whole plan. */
  factor: bigint,
): NightKind {
  // (price · constantScale − H) · rate / (growth · constantScale) + constant / constantScale
  const shareOf = ({ rate, constant }: Term): Share => ({
    perPrice: scalar(constantScale * rate * factor),
    perNight: scalar((constant * growth - included.constant * rate) * factor),
  })
  return {
    priceMin: Number((included.constant + constantScale - 1n) / constantScale),
    shares: terms.map(shareOf),
    terms,
    included,
    rateScale,
    constantScale,
  }
}

function isIncluded({ included }: TaxEntry): boolean {
  return included
}

function sumOf(
  entries: readonly TaxEntry[],
  terms: readonly Term[],
  counts: (entry: TaxEntry) => boolean,
): Term {
  const sum = { rate: 0n, constant: 0n }
  for (const [index, entry] of entries.entries()) {
    if (!counts(entry)) continue
    sum.rate += terms[index]?.rate ?? 0n
    sum.constant += terms[index]?.constant ?? 0n
  }
  return sum
}

function sizeOf(shares: readonly Share[], member: keyof Share): number {
  return shares.reduce((sum, share) => sum + Math.abs(share[member].number), 0)
}

/** Some of a night's taxes, as one. */
export function sumOfShares(shares: readonly Share[], indexes: readonly number[]): Share {
  let [perPrice, perNight] = [0n, 0n]
  for (const index of indexes) {
    perPrice += shares[index]?.perPrice.exact ?? 0n
    perNight += shares[index]?.perNight.exact ?? 0n
  }
  return { perPrice: scalar(perPrice), perNight: scalar(perNight) }
}

function scalar(exact: bigint): Scalar {
  return { exact, number: Number(exact) }
}

function leastCommonMultiple(numbers: readonly bigint[]): bigint {
  let multiple = 1n
  for (const number of numbers) {
    if (multiple % number !== 0n) multiple *= number / greatestCommonDivisor(multiple, number)
  }
  return multiple
}

export function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [larger, smaller] = [one, other]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
