import { reportedValue, type Problem } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import { productErrors, productsPerPushMax, type Product } from './contract.ts'
import { isNight } from '../base/calendar.ts'
import { toMinor } from '../base/money.ts'
import type { ConstraintError } from '../http/route.ts'
import { cancelPolicyErrors, type CancelPolicy } from './cancel-policy-contract.ts'

export type KnownNames = {
  roomTypes: ReadonlySet<string>
  mealPlans: ReadonlySet<string>
  /** Retired names that are still valid because they are already in use. */
  isRoomTypeInUse: (roomId: unknown, roomType: string) => boolean
  isMealPlanInUse: (roomId: unknown, rateId: unknown, mealPlan: string) => boolean
}

/** The products that can be judged in a body of any shape. */
export function productsOf(body: unknown): { product: Record<string, unknown>; path: string }[] {
  const products: unknown = isRecord(body) ? body['products'] : undefined
  if (!Array.isArray(products) || products.length > productsPerPushMax) return []
  const elements: readonly unknown[] = products
  return elements.flatMap((product, index) =>
    isRecord(product) ? [{ product, path: `/products/${index}` }] : [],
  )
}

/**
 * The problems of a push of products that its schema can't express. The body may have any shape: parts that
 * the schema refuses are skipped.
 */
export function productProblems(
  body: unknown,
  names: KnownNames,
  minorDigits: number | undefined,
): Problem[] {
  const firstByPair = new Map<string, string>()
  return productsOf(body).flatMap(({ product, path }) => [
    ...nameProblems(product, path, names),
    ...occupancyProblems(product['occupancy'], `${path}/occupancy`),
    ...cancelPolicyProblems(product['cancelPolicies'], `${path}/cancelPolicies`, minorDigits),
    ...repeated(product, path, firstByPair),
  ])
}

function nameProblems(product: Record<string, unknown>, path: string, names: KnownNames): Problem[] {
  const { roomId, rateId, roomType, mealPlan } = product
  const problems: Problem[] = []
  if (
    typeof roomType === 'string' &&
    !names.roomTypes.has(roomType) &&
    !names.isRoomTypeInUse(roomId, roomType)
  ) {
    const hint = hintFor(roomType, names.roomTypes) ?? productErrors.roomType.hint
    problems.push({
      ...productErrors.roomType,
      path: `${path}/roomType`,
      value: reportedValue(roomType),
      hint,
    })
  }
  if (
    typeof mealPlan === 'string' &&
    !names.mealPlans.has(mealPlan) &&
    !names.isMealPlanInUse(roomId, rateId, mealPlan)
  ) {
    const hint = hintFor(mealPlan, names.mealPlans) ?? productErrors.mealPlan.hint
    problems.push({
      ...productErrors.mealPlan,
      path: `${path}/mealPlan`,
      value: reportedValue(mealPlan),
      hint,
    })
  }
  return problems
}

const hintCharactersMax = 100

/** A hint that names the entry that differs only in case or surrounding blanks. */
function hintFor(name: string, known: ReadonlySet<string>): string | undefined {
  if (name.length > hintCharactersMax) return undefined
  const plain = name.trim().toLowerCase()
  for (const one of known) if (one.toLowerCase() === plain) return `Values are case-sensitive: send ${one}`
  return undefined
}

function occupancyProblems(occupancy: unknown, path: string): Problem[] {
  if (!isRecord(occupancy)) return []
  const { maxOccupancy } = occupancy
  if (!isCount(maxOccupancy)) return []
  return ['maxAdult', 'maxChild'].flatMap((member) => {
    const value = occupancy[member]
    if (!isCount(value) || value <= maxOccupancy) return []
    return [
      {
        type: 'OCCUPANCY_INVALID',
        message: `${member} must be less than or equal to maxOccupancy`,
        path: `${path}/${member}`,
        value,
        hint: `maxOccupancy is ${maxOccupancy}`,
      },
    ]
  })
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}

function repeated(
  { roomId, rateId }: Record<string, unknown>,
  path: string,
  firstByPair: Map<string, string>,
): Problem[] {
  if (typeof roomId !== 'string' || typeof rateId !== 'string') return []
  const pair = pairOf(roomId, rateId)
  const first = firstByPair.get(pair)
  if (first === undefined) {
    firstByPair.set(pair, path)
    return []
  }
  const value = reportedValue(`${roomId} ${rateId}`)
  return [{ ...productErrors.repeated, path, value, hint: `First at ${first}; send each room-rate once` }]
}

/** One string for two codes; JSON keeps them apart whatever they contain. */
export function pairOf(roomId: string, rateId: string): string {
  return JSON.stringify([roomId, rateId])
}

type Attribute = 'roomName' | 'roomType' | 'rateName'

/** Warns about products whose room or rate attributes a later product of the same push overrides. */
export function overruledWarnings(products: readonly Product[]): Problem[] {
  const lastByRoom = new Map(products.map((product) => [product.roomId, product]))
  const lastByRate = new Map(products.map((product) => [product.rateId, product]))
  const overruled = (index: number, member: Attribute, value: string, last: string): Problem[] =>
    value === last
      ? []
      : [
          {
            type: 'ATTRIBUTE_OVERRULED',
            message: `${member} is overridden by a later product of the same push`,
            path: `/products/${index}/${member}`,
            value: reportedValue(value),
            hint: `Kept: ${String(reportedValue(last))}; it belongs to the whole ${member === 'rateName' ? 'rate' : 'room'}`,
          },
        ]
  return products.flatMap(({ roomId, rateId, roomName, roomType, rateName }, index) => [
    ...overruled(index, 'roomName', roomName, lastByRoom.get(roomId)?.roomName ?? roomName),
    ...overruled(index, 'roomType', roomType, lastByRoom.get(roomId)?.roomType ?? roomType),
    ...overruled(index, 'rateName', rateName, lastByRate.get(rateId)?.rateName ?? rateName),
  ])
}

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
  const { chargeBase, nights, percent, amount } = charge
  const problems = amountProblems(amount, `${path}/amount`, minorDigits)
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
  const { valueType, value } = fee
  if (valueType === 'fixed') return amountProblems(value, `${path}/value`, minorDigits)
  if (valueType !== '%' || !(Number(value) > 100)) return []
  return [{ ...cancelPolicyErrors.feePercent, path: `${path}/value`, value: reportedValue(value) }]
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
        },
      })),
      fees: fees?.map(({ name, valueType, value, appliedPer }) => ({ name, valueType, value, appliedPer })),
    })),
  )
}
