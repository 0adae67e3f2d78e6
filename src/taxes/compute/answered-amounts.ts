import type { AnsweredLine } from './answered-price.ts'
import { spreadByAmounts } from './spread.ts'

/**
 * The price of each night of a supplier's own price as it would be pushed: its amount before tax with the included taxes.
 * An answer's taxes are lines of the whole stay, so each night has the included share of what it adds.
 */
export function amountsAsPushed(
  nights: readonly { beforeTax: number; afterTax: number }[],
  lines: readonly AnsweredLine[],
): number[] {
  let included = 0
  let charged = 0
  for (const line of lines) {
    if (line.included) included += line.amount
    if (line.included || line.payNow) charged += line.amount
  }
  if (charged === 0) return nights.map(({ beforeTax }) => beforeTax)
  const shares = spreadByAmounts(
    included,
    nights.map(({ beforeTax, afterTax }) => afterTax - beforeTax),
    charged,
  )
  return nights.map(({ beforeTax }, index) => beforeTax + (shares[index] ?? 0))
}
