import { toMinor } from '../../base/money.ts'
import type { Problem } from '../../http/rejected.ts'
import { formerAmountWarning } from '../../hotels/former-currency.ts'
import type { CancelPolicy } from './contract.ts'

/** An amount of a former currency in a policy: `text` names it for people, `path` is within the policy. */
type FormerAmount = { text: string; path: string }

/**
 * The flat penalties and fees that are unknown in the hotel's currency: marked as of a former one, or with
 * decimals that the present one doesn't have.
 */
export function formerAmountsOf(
  { code, cancelPenalties = [], fees = [] }: CancelPolicy,
  minorDigits: number,
): FormerAmount[] {
  const of = code === undefined ? '' : ` of ${code}`
  const penalties = cancelPenalties.flatMap(({ penaltyCharge: { amount, formerCurrency } }, index) =>
    amount !== undefined && isUnknown(amount, formerCurrency, minorDigits)
      ? [
          {
            text: `the flat penalty${of}, ${amountText(amount, formerCurrency)}`,
            path: `/cancelPenalties/${index}/penaltyCharge/amount`,
          },
        ]
      : [],
  )
  const flat = fees.flatMap(({ name, valueType, value, formerCurrency }, index) =>
    valueType === 'fixed' && isUnknown(value, formerCurrency, minorDigits)
      ? [
          {
            text: `the fee ${name}${of}, ${amountText(value, formerCurrency)}`,
            path: `/fees/${index}/value`,
          },
        ]
      : [],
  )
  return [...penalties, ...flat]
}

function isUnknown(
  amount: number | string,
  formerCurrency: string | undefined,
  minorDigits: number,
): boolean {
  if (Number(amount) === 0) return false
  return formerCurrency !== undefined || toMinor(amount, minorDigits) === undefined
}

function amountText(amount: number | string, formerCurrency = 'of a former currency'): string {
  return `${amount} ${formerCurrency}`
}

/** What pushes and read-backs of products say of such amounts. */
export function formerAmountWarnings(
  products: readonly { cancelPolicies?: readonly CancelPolicy[] }[],
  minorDigits: number,
): Problem[] {
  return products.flatMap(({ cancelPolicies = [] }, index) =>
    cancelPolicies.flatMap((policy, place) =>
      formerAmountsOf(policy, minorDigits).map(({ text, path }) =>
        formerAmountWarning(
          text.charAt(0).toUpperCase() + text.slice(1),
          `/products/${index}/cancelPolicies/${place}${path}`,
        ),
      ),
    ),
  )
}
