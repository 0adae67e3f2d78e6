import { nightsMax, unset } from './block-codec.ts'
import type { Block } from './block.ts'
import { isPriceField } from '../fields.ts'

/** Whether every night has the same values. A price in a former currency is not the same when pushed again. */
export function haveSameValues(before: Block, now: Block, currencyRevision: number): boolean {
  for (const field of new Set([...before.fields(), ...now.fields()])) {
    const mine = before.values(field)
    const theirs = now.values(field)
    for (let night = 0; night < nightsMax; night++) {
      if ((mine?.[night] ?? unset) !== (theirs?.[night] ?? unset)) return false
    }
    if (currencyRevision > 0 && isPriceField(field) && isRenewed(field, before, now, currencyRevision))
      return false
  }
  return true
}

/** Whether a price in both blocks was in a former currency before and is in the current one now. */
function isRenewed(field: number, before: Block, now: Block, currencyRevision: number): boolean {
  const revisions = now.revisions(field)
  const revisionsBefore = before.revisions(field)
  return (before.values(field) ?? []).some(
    (value, night) =>
      value !== unset &&
      (revisionsBefore?.[night] ?? unset) <= currencyRevision &&
      (revisions?.[night] ?? unset) > currencyRevision,
  )
}
