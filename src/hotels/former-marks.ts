import { reportedValue, type Problem } from '../http/rejected.ts'
import { minorDigits } from '../reference/currencies.ts'

/** The marks of amounts of a former currency (`formerCurrency`). */

/** Currencies that hotels may have had: of some that no longer exist, amounts are marked too. */
const onceCurrencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The problem of a mark that names no currency; its form is the schema's. `path` is the amount's holder. */
export function markProblems(mark: unknown, path: string): Problem[] {
  if (typeof mark !== 'string' || !/^[A-Z]{3}$/.test(mark)) return []
  if (minorDigits(mark) !== undefined || onceCurrencies.has(mark)) return []
  return [
    {
      type: 'CURRENCY_INVALID',
      message: 'formerCurrency must be an ISO 4217 code',
      path: `${path}/formerCurrency`,
      value: reportedValue(mark),
      hint: 'Send it as a read-back answered it, or leave it out: an amount is in the hotel’s currency',
    },
  ]
}

/** The mark of an amount; none beside 0, which is the same in every currency. */
export function markOf(amount: number | string | undefined, mark: string | undefined): string | undefined {
  return amount === undefined || Number(amount) === 0 ? undefined : mark
}
