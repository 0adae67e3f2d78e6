import type { AriItem, AriItemResult, PushAriAnswer, PushAriBody } from './api.ts'

/** What an ARI push did not apply, and what it said of it. A push of which some items failed is answered with 207. */
export type FailedItem = { index: number; item: AriItem; result: AriItemResult }

/** The items of which something was refused, wholly (`rejected`) or in part (`partial`). */
export function failedItems({ ari }: Pick<PushAriBody, 'ari'>, { results }: PushAriAnswer): FailedItem[] {
  return results.flatMap((result) => {
    const item = ari[result.index]
    const isFailed = result.status === 'rejected' || result.status === 'partial'
    return isFailed && item !== undefined ? [{ index: result.index, item, result }] : []
  })
}

/** Whether everything of the push holds now; `superseded` items are not applied because newer values are held. */
export function isWhollyApplied({ summary }: PushAriAnswer): boolean {
  return summary.rejected === 0 && summary.partial === 0
}
