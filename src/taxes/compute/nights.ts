import type { TaxEntry } from '../room-rate-taxes.ts'
import type { PricedNight, TaxedNight, TaxLine } from './amounts.ts'
import { spread } from './spread.ts'
import { sumOfShares, type StayPlan } from './stay-plan.ts'

/** A room's rounded taxes, divided over its nights. */

/** Subtracts included taxes from the nights they come from, and adds the added ones. */
export function taxNights(
  plan: StayPlan,
  nights: readonly PricedNight[],
  lines: readonly TaxLine[],
  isSmall: boolean,
): TaxedNight[] {
  const off = taxesByNight(plan, nights, lines, isSmall, ({ included }) => included)
  const on = taxesByNight(plan, nights, lines, isSmall, ({ isAdded }) => isAdded)
  return nights.map(({ day, price }, index) => ({
    day,
    price,
    beforeTax: price - (off?.[index] ?? 0),
    afterTax: price + (on?.[index] ?? 0),
  }))
}

/**
 * The amounts of some of a room's taxes, all included or none, by its nights: they add up to the rounded
 * amounts. Undefined: nothing is to be divided.
 */
export function taxesByNight(
  { entries, kinds, kindByNight, denominator }: StayPlan,
  nights: readonly PricedNight[],
  lines: readonly TaxLine[],
  isSmall: boolean,
  counts: (entry: TaxEntry) => boolean,
): number[] | undefined {
  const counted: number[] = []
  let sum = 0
  let areIncluded = false
  for (const [index, entry] of entries.entries()) {
    if (!counts(entry)) continue
    counted.push(index)
    sum += lines[index]?.amount ?? 0
    areIncluded = entry.included
  }
  if (sum === 0) return undefined
  const shareByKind = kinds.map(({ shares }) => sumOfShares(shares, counted))
  const wholes: number[] = []
  const fractions: (number | bigint)[] = []
  for (const [index, { price }] of nights.entries()) {
    const share = shareByKind[kindByNight?.[index] ?? 0]
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
  return spread(sum, wholes, fractions, areIncluded ? nights.map(({ price }) => price) : undefined)
}
