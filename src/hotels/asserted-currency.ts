import Type from 'typebox'
import { reportedValue, type Problem } from '../http/rejected.ts'

/** Of a push with amounts. */
export const assertedCurrency = Type.Optional(
  Type.String({ maxLength: 64, description: "Asserts the hotel's currency" }),
)

/** The problem of a push whose amounts are in another currency than the hotel's. */
export function assertedCurrencyProblems(sent: unknown, currency: string): Problem[] {
  if (typeof sent !== 'string' || sent === currency) return []
  return [
    {
      type: 'CURRENCY_MISMATCH',
      message: `currency must be the hotel's currency ${currency}`,
      path: '/currency',
      value: reportedValue(sent),
      hint: 'Change it with POST /push/hotels, or omit currency',
    },
  ]
}
