import type { Problem } from '../http/rejected.ts'
import { formerAmountWarning } from '../hotels/former-currency.ts'
import { markOf } from '../hotels/former-marks.ts'
import type { Tax } from './contract.ts'
import { decimalsOf, exactDecimal } from './decimals.ts'

/** The currency of a fixed amount from before the hotel changed its own; a percentage and 0 have none. */
export function formerCurrencyOf({ valueType, value, formerCurrency }: Tax): string | undefined {
  return valueType === 'fixed' ? markOf(value, formerCurrency) : undefined
}

/**
 * Whether the amount is unknown in the hotel's currency: marked as of a former one, or with decimals that the
 * present one doesn't have.
 */
export function isFormerAmount(tax: Tax, minorDigits: number): boolean {
  if (tax.valueType !== 'fixed' || Number(tax.value) === 0) return false
  return formerCurrencyOf(tax) !== undefined || decimalsOf(tax.value) > minorDigits
}

type ScopeCodes = { roomId?: string | undefined; rateId?: string | undefined }

/** A tax of a former currency, for people. */
export function formerTaxText(tax: Tax, scope: ScopeCodes): string {
  const { type, value, formerCurrency = 'of a former currency' } = tax
  const of = [
    ...(scope.roomId === undefined ? [] : [`room ${scope.roomId}`]),
    ...(scope.rateId === undefined ? [] : [`rate ${scope.rateId}`]),
  ]
  return `${type} of ${of.length === 0 ? 'the property' : of.join(' with ')}, ${exactDecimal(value)} ${formerCurrency}`
}

/** What pushes and read-backs say of the amounts of a former currency. */
export function formerTaxWarnings(
  taxes: readonly Tax[] | undefined,
  products: readonly (ScopeCodes & { taxes: readonly Tax[] })[] | undefined,
  minorDigits: number,
): Problem[] {
  const lists = [
    { taxes: taxes ?? [], scope: {}, path: '/taxes' },
    ...(products ?? []).map((scope, index) => ({
      taxes: scope.taxes,
      scope,
      path: `/products/${index}/taxes`,
    })),
  ]
  return lists.flatMap(({ taxes: listed, scope, path }) =>
    listed.flatMap((tax, index) =>
      isFormerAmount(tax, minorDigits)
        ? [formerAmountWarning(formerTaxText(tax, scope), `${path}/${index}/value`)]
        : [],
    ),
  )
}
