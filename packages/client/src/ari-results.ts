import type { AriItem, AriItemResult, PushAriAnswer, PushAriBody } from './api.ts'

/**
 * The items that an ARI push did not apply, with their results. A push of which some items failed is answered
 * with 207.
 */
export type FailedItem = { index: number; item: AriItem; result: AriItemResult }

/** The items that were refused, wholly (`rejected`) or in part (`partial`). */
export function failedItems({ ari }: Pick<PushAriBody, 'ari'>, { results }: PushAriAnswer): FailedItem[] {
  return results.flatMap((result) => {
    const item = ari[result.index]
    const isFailed = result.status === 'rejected' || result.status === 'partial'
    return isFailed && item !== undefined ? [{ index: result.index, item, result }] : []
  })
}

/**
 * Whether the gateway now has everything in the push; `superseded` items are not applied because it has newer
 * values. What the guard holds waits to be released.
 */
export function isWhollyApplied({ summary }: PushAriAnswer): boolean {
  return summary.rejected === 0 && summary.partial === 0 && (summary.held ?? 0) === 0
}
