import { totalToMinor } from '../../base/money.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { minorDigits } from '../../reference/currencies.ts'
import type { TaxedTotal } from '../../taxes/compute/compute.ts'
import type { ReservationBody } from '../contract.ts'
import type { KnownTotal } from '../price/price-changed.ts'
import type { Money } from '../state.ts'

/**
 * The total that the guest agreed to. Without a currency, the total is in the one that the caller could have seen last: the reservation's, or
 * that of the offers.
 */
export function expectedOf(
  { expectedTotal }: Pick<ReservationBody, 'expectedTotal'>,
  seen: Money,
): KnownTotal | undefined {
  if (!expectedTotal) return undefined
  const { currency = seen.currency } = expectedTotal
  const digits = currency === seen.currency ? seen.minorDigits : (minorDigits(currency) ?? seen.minorDigits)
  const minor = (member: 'afterTax' | 'dueAtProperty', amount: string | number): number => {
    const read = totalToMinor(amount, digits)
    if (read !== undefined) return read
    throw new Rejected(400, {
      type: 'INVALID_AMOUNT',
      message: `expectedTotal has more decimals than ${currency}, or is too large`,
      path: `/expectedTotal/${member}`,
      value: reportedValue(amount),
      hint: `Send total.${member} and currency of the offer unchanged`,
    })
  }
  const { afterTax, dueAtProperty } = expectedTotal
  return {
    afterTax: minor('afterTax', afterTax),
    dueAtProperty: dueAtProperty === undefined ? undefined : minor('dueAtProperty', dueAtProperty),
    currency,
    minorDigits: digits,
  }
}

export function isExpected(
  expected: KnownTotal,
  agreed: Pick<Money, 'currency'> & { total: TaxedTotal },
): boolean {
  const { afterTax, dueAtProperty = agreed.total.dueAtProperty, currency } = expected
  return (
    currency === agreed.currency &&
    afterTax === agreed.total.afterTax &&
    dueAtProperty === agreed.total.dueAtProperty
  )
}
