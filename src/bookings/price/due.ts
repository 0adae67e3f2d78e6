import { totalToMinor } from '../../base/money.ts'
import type { RoomState } from '../state.ts'

/** `from`: the deadline that had passed; null: from the time of booking. */
export type Due = { from: string | null; amount: number }

/**
 * The penalty of the last deadline that has passed, whatever the earlier penalties were; for a no-show, the
 * no-show penalty if it is higher. Never more than the room was charged.
 */
export function dueByTerms(
  { cancelPolicy, total }: RoomState,
  minorDigits: number,
  atMs: number,
): Due | undefined {
  const penalties = cancelPolicy?.penalties ?? []
  const [noShows, byDeadline] = [true, false].map((isNoShow) => {
    let last: (Due & { fromMs: number }) | undefined
    for (const { from, amount: text, noShow = false } of penalties) {
      const fromMs = from === null ? -Infinity : Date.parse(from)
      const amount = Math.min(knownPenalty(text, minorDigits), total.afterTax)
      if (noShow !== isNoShow || fromMs > atMs) continue
      // At the same deadline the highest penalty applies.
      if (!last || fromMs > last.fromMs || (fromMs === last.fromMs && amount > last.amount))
        last = { from, amount, fromMs }
    }
    return last && { from: last.from, amount: last.amount }
  })
  return noShows && noShows.amount > (byDeadline?.amount ?? 0) ? noShows : byDeadline
}

/** A reservation states the amounts of its penalties in its own currency. */
function knownPenalty(text: string, minorDigits: number): number {
  const amount = totalToMinor(text, minorDigits)
  if (amount === undefined) throw new RangeError(`a stored penalty of ${text} is no amount`)
  return amount
}
