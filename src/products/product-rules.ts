import { reportedValue, type Problem } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import { productErrors, productsPerPushMax, type Product } from './contract.ts'
import { cancelPolicyProblems } from './policies/policy-rules.ts'

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
  return ['maxAdult', 'maxChild', 'maxInfant'].flatMap((member) => {
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
