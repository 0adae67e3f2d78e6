import { reportedValue, type Problem } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { isNight } from '../../base/calendar.ts'
import { toMinor } from '../../base/money.ts'
import { markOf, markProblems } from '../../hotels/former-marks.ts'
import type { ConstraintError } from '../../http/route.ts'
import { cancelPolicyErrors, type CancelPolicy } from './contract.ts'

/**
 * The problems of a product's cancelPolicies that the schema can't express. The policies may have any shape:
 * parts that the schema refuses are skipped. Without `minorDigits` (the hotel is unknown) decimals are not
 * judged.
 */
export function cancelPolicyProblems(
  policies: unknown,
  path: string,
  minorDigits: number | undefined,
): Problem[] {
  return recordsOf(policies, path).flatMap(({ record, path: policyPath }) => [
    ...datesReversed(record, policyPath),
    ...recordsOf(record['cancelPenalties'], `${policyPath}/cancelPenalties`).flatMap((penalty) =>
      chargeProblems(penalty.record['penaltyCharge'], `${penalty.path}/penaltyCharge`, minorDigits),
    ),
    ...recordsOf(record['fees'], `${policyPath}/fees`).flatMap((fee) =>
      feeProblems(fee.record, fee.path, minorDigits),
    ),
  ])
}

function recordsOf(list: unknown, path: string): { record: Record<string, unknown>; path: string }[] {
  if (!Array.isArray(list)) return []
  const elements: readonly unknown[] = list
  return elements.flatMap((record, index) => (isRecord(record) ? [{ record, path: `${path}/${index}` }] : []))
}

function datesReversed({ startDate, endDate }: Record<string, unknown>, path: string): Problem[] {
  if (!isNight(startDate) || !isNight(endDate) || startDate <= endDate) return []
  return [{ ...cancelPolicyErrors.datesReversed, path: `${path}/startDate`, value: reportedValue(startDate) }]
}

function chargeProblems(charge: unknown, path: string, minorDigits: number | undefined): Problem[] {
  if (!isRecord(charge)) return []
  const { chargeBase, nights, percent, amount, formerCurrency } = charge
  const digits = formerCurrency === undefined ? minorDigits : undefined
  const problems = [
    ...amountProblems(amount, `${path}/amount`, digits),
    ...markProblems(formerCurrency, path),
  ]
  const isCharged = (value: unknown) => Number(value ?? 0) > 0
  const fault = (what: ConstraintError, member: string) =>
    problems.push({ ...what, path: `${path}/${member}`, value: reportedValue(charge[member]) })
  if (chargeBase === 'NightBase') {
    if (nights === undefined || nights === 0) fault(cancelPolicyErrors.nights, 'nights')
    if (isCharged(amount)) fault(cancelPolicyErrors.withNights, 'amount')
    // 100 % of the nights is what NightBase means anyway.
    if (isCharged(percent) && percent !== 100) fault(cancelPolicyErrors.withNights, 'percent')
  } else if (chargeBase === 'FullStay' && isCharged(percent) && isCharged(amount)) {
    fault(cancelPolicyErrors.percentAndAmount, 'amount')
  }
  return problems
}

function feeProblems(fee: Record<string, unknown>, path: string, minorDigits: number | undefined): Problem[] {
  const { valueType, value, formerCurrency } = fee
  const digits = formerCurrency === undefined ? minorDigits : undefined
  const problems = markProblems(formerCurrency, path)
  if (valueType === 'fixed') return [...amountProblems(value, `${path}/value`, digits), ...problems]
  if (valueType !== '%' || !(Number(value) > 100)) return problems
  const tooMuch = { ...cancelPolicyErrors.feePercent, path: `${path}/value`, value: reportedValue(value) }
  return [tooMuch, ...problems]
}

const decimalText = /^\d{1,18}(?:\.\d{1,12})?$/

function amountProblems(amount: unknown, path: string, minorDigits: number | undefined): Problem[] {
  if (minorDigits === undefined) return []
  const isAmount =
    (typeof amount === 'number' && amount >= 0) || (typeof amount === 'string' && decimalText.test(amount))
  if (!isAmount || toMinor(amount, minorDigits) !== undefined) return []
  return [{ ...cancelPolicyErrors.amountDigits, path, value: reportedValue(amount) }]
}

/** The stored form of the policies: the members that the contract knows, as sent. */
export function cancelPoliciesJson(policies: readonly CancelPolicy[]): string {
  return JSON.stringify(
    policies.map(({ code, description, startDate, endDate, cancelPenalties, fees }) => ({
      code,
      description,
      startDate,
      endDate,
      cancelPenalties: cancelPenalties?.map(({ noShow, cancelDeadline, penaltyCharge }) => ({
        noShow,
        cancelDeadline: cancelDeadline && {
          offsetTimeUnit: cancelDeadline.offsetTimeUnit,
          offsetTimeValue: cancelDeadline.offsetTimeValue,
          deadline: cancelDeadline.deadline,
        },
        penaltyCharge: {
          chargeBase: penaltyCharge.chargeBase,
          nights: penaltyCharge.nights,
          percent: penaltyCharge.percent,
          amount: penaltyCharge.amount,
          formerCurrency: markOf(penaltyCharge.amount, penaltyCharge.formerCurrency),
        },
      })),
      fees: fees?.map(({ name, valueType, value, appliedPer, formerCurrency }) => ({
        name,
        valueType,
        value,
        appliedPer,
        formerCurrency: valueType === 'fixed' ? markOf(value, formerCurrency) : undefined,
      })),
    })),
  )
}
