import { minorText } from '../../base/money.ts'
import type { TaxedTotal } from '../../taxes/compute/compute.ts'

/** All that guests pay, as answers show it. */
export type RenderedTotal = Record<keyof TaxedTotal | 'feesAtProperty' | 'allIn', string>

export function renderStayTotal(
  { beforeTax, tax, afterTax, dueAtProperty }: TaxedTotal,
  fees: number,
  minorDigits: number,
): RenderedTotal {
  return {
    beforeTax: minorText(beforeTax, minorDigits),
    tax: minorText(tax, minorDigits),
    afterTax: minorText(afterTax, minorDigits),
    dueAtProperty: minorText(dueAtProperty, minorDigits),
    feesAtProperty: minorText(fees, minorDigits),
    allIn: minorText(afterTax + dueAtProperty + fees, minorDigits),
  }
}
