import { totalToMinor } from '../../base/money.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { minorDigits } from '../../reference/currencies.ts'
import type { TaxedTotal } from '../../taxes/compute/compute.ts'
import type { ReservationBody } from '../contract.ts'
import type { Money } from '../state.ts'

/** The total that the guest agreed to, in minor units of its currency. */
export type Expected = { afterTax: number; currency: string }

/**
 * Without a currency, the total is in the one that the caller could have seen last: the reservation's, or
 * that of the offers.
 */
export function expectedOf(
  { expectedTotal }: Pick<ReservationBody, 'expectedTotal'>,
  seen: Money,
): Expected | undefined {
  if (!expectedTotal) return undefined
  const { currency = seen.currency } = expectedTotal
  const digits = currency === seen.currency ? seen.minorDigits : (minorDigits(currency) ?? seen.minorDigits)
  const afterTax = totalToMinor(expectedTotal.afterTax, digits)
  if (afterTax !== undefined) return { afterTax, currency }
  throw new Rejected(400, {
    type: 'INVALID_AMOUNT',
    message: `expectedTotal has more decimals than ${currency}, or is too large`,
    path: '/expectedTotal/afterTax',
    value: reportedValue(expectedTotal.afterTax),
    hint: 'Send total.afterTax and currency of the offer unchanged',
  })
}

export function isExpected(
  expected: Expected,
  agreed: Pick<Money, 'currency'> & { total: TaxedTotal },
): boolean {
  return expected.currency === agreed.currency && expected.afterTax === agreed.total.afterTax
}
