import { parseNight } from '../base/calendar.ts'
import { toMinor } from '../base/money.ts'
import { shown, type Problem } from '../http/rejected.ts'
import type { ConstraintError } from '../http/route.ts'
import { isRecord } from '../http/validate.ts'
import { cancelPolicyFaults, type CancelPolicy } from './cancel-policy-contract.ts'

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
  return [{ ...cancelPolicyFaults.datesReversed, path: `${path}/startDate`, value: shown(startDate) }]
}

function isNight(value: unknown): value is string {
  return typeof value === 'string' && parseNight(value) !== undefined
}

function chargeProblems(charge: unknown, path: string, minorDigits: number | undefined): Problem[] {
  if (!isRecord(charge)) return []
  const { chargeBase, nights, percent, amount } = charge
  const found = amountProblems(amount, `${path}/amount`, minorDigits)
  const isCharged = (value: unknown) => Number(value ?? 0) > 0
  const fault = (what: ConstraintError, member: string) =>
    found.push({ ...what, path: `${path}/${member}`, value: shown(charge[member]) })
  if (chargeBase === 'NightBase') {
    if (nights === undefined || nights === 0) fault(cancelPolicyFaults.nights, 'nights')
    if (isCharged(amount)) fault(cancelPolicyFaults.withNights, 'amount')
    // 100 % of the nights is what NightBase means anyway.
    if (isCharged(percent) && percent !== 100) fault(cancelPolicyFaults.withNights, 'percent')
  } else if (chargeBase === 'FullStay' && isCharged(percent) && isCharged(amount)) {
    fault(cancelPolicyFaults.percentAndAmount, 'amount')
  }
  return found
}

function feeProblems(fee: Record<string, unknown>, path: string, minorDigits: number | undefined): Problem[] {
  const { valueType, value } = fee
  if (valueType === 'fixed') return amountProblems(value, `${path}/value`, minorDigits)
  if (valueType !== '%' || !(Number(value) > 100)) return []
  return [{ ...cancelPolicyFaults.feePercent, path: `${path}/value`, value: shown(value) }]
}

const decimalText = /^\d{1,18}(?:\.\d{1,12})?$/

function amountProblems(amount: unknown, path: string, minorDigits: number | undefined): Problem[] {
  if (minorDigits === undefined) return []
  const isAmount =
    (typeof amount === 'number' && amount >= 0) || (typeof amount === 'string' && decimalText.test(amount))
  if (!isAmount || toMinor(amount, minorDigits) !== undefined) return []
  return [{ ...cancelPolicyFaults.amountDigits, path, value: shown(amount) }]
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
        },
      })),
      fees: fees?.map(({ name, valueType, value, appliedPer }) => ({ name, valueType, value, appliedPer })),
    })),
  )
}
