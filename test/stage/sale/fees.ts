import { decimal, exact, rounded, times } from './exact.ts'
import type { Tax } from './price.ts'

/** What guests who stay pay at the property by a policy, by the contract alone. Amounts are minor units. */

export type Fee = Pick<Tax, 'valueType' | 'value' | 'appliedPer'> & { name: string }
export type FeeLine = { name: string; appliedPer: Fee['appliedPer']; amount: number }

export function feesOf(
  fees: readonly Fee[],
  {
    nights,
    persons,
    afterTax,
    digits,
  }: { nights: number; persons: number; afterTax: number; digits: number },
): FeeLine[] {
  return fees.map(({ name, valueType, value, appliedPer }) => {
    const count =
      (appliedPer.endsWith('night') ? nights : 1) * (appliedPer.startsWith('per_person') ? persons : 1)
    const each = valueType === '%' ? exact(afterTax, 100) : exact(count * 10 ** digits)
    return { name, appliedPer, amount: rounded(times(decimal(value), each)) }
  })
}
