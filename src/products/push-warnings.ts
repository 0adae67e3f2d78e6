import type { Problem } from '../http/rejected.ts'
import { productWarnings, type Product } from './contract.ts'

/** What became of a product of a push. */
export type SavedProduct = {
  roomNo: number
  rateNo: number
  /** `updated` also if only attributes of the room or the rate changed. */
  outcome: 'created' | 'updated' | 'unchanged'
  /** Whether the push took it off sale, or put it back on sale. */
  sale: 'archived' | 'back' | 'asBefore'
  /** Whether guest prices may exist that a party could buy before but no longer can. */
  isOccupancyLowered: boolean
  /** Whether the product had cancellation policies and no longer has any. */
  arePoliciesCleared: boolean
  /** The other optional members that had a value and no longer have one. */
  cleared: readonly string[]
}

export function loweredWarnings(saved: readonly SavedProduct[]): Problem[] {
  return saved.flatMap(({ isOccupancyLowered }, index) =>
    isOccupancyLowered ? [{ ...productWarnings.occupancyLowered, path: `/products/${index}/occupancy` }] : [],
  )
}

export function clearedWarnings(saved: readonly SavedProduct[]): Problem[] {
  return saved.flatMap(({ arePoliciesCleared, cleared }, index) => [
    ...(arePoliciesCleared
      ? [{ ...productWarnings.policiesCleared, path: `/products/${index}/cancelPolicies` }]
      : []),
    ...(cleared.length > 0 ? [{ ...productWarnings.cleared(cleared), path: `/products/${index}` }] : []),
  ])
}

/** Infants are no children, and many mean a house for adults alone. */
export function infantWarnings(products: readonly Product[]): Problem[] {
  return products.flatMap(({ occupancy: { maxChild, maxInfant } }, index) =>
    maxChild === 0 && maxInfant === undefined
      ? [{ ...productWarnings.infantsStillSold, path: `/products/${index}/occupancy/maxChild`, value: 0 }]
      : [],
  )
}
