import { exactDecimal } from '../taxes/tax-rules.ts'

/** A percentage as an exact fraction. */
export function percentParts(percent: number | string): { numerator: bigint; denominator: bigint } {
  const [whole = '', decimals = ''] = exactDecimal(percent).split('.')
  return { numerator: BigInt(whole + decimals), denominator: 100n * 10n ** BigInt(decimals.length) }
}

/** A percentage of an amount in minor units, rounded half up. */
export function percentOf(minor: number, percent: number | string): number {
  if (percent === 100) return minor
  const { numerator, denominator } = percentParts(percent)
  return Number((2n * BigInt(minor) * numerator + denominator) / (2n * denominator))
}
