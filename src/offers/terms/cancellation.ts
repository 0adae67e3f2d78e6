import { cancellations, type Cancellation } from '../stay-contract.ts'
import type { PenaltyStep } from './penalties.ts'

/** How a stay can be cancelled, in a word. */

/** `freeUntil` is an instant in the hotel's zone, with `until` alone. */
export type CancellationNow = { cancellation: Cancellation; freeUntil: string | null }

type Penalty = { from: string | null; fromMs: number; isNoShow: boolean; amount: number }

/**
 * Over the deadline penalties above zero: one that has passed means `never`. Undefined penalties are unknown.
 */
export function cancellationAt(penalties: readonly Penalty[] | undefined, nowMs: number): CancellationNow {
  if (!penalties) return { cancellation: 'unknown', freeUntil: null }
  let first: Penalty | undefined
  for (const penalty of penalties) {
    if (penalty.isNoShow || penalty.amount === 0) continue
    if (penalty.fromMs <= nowMs) return { cancellation: 'never', freeUntil: null }
    if (!first || penalty.fromMs < first.fromMs) first = penalty
  }
  return first
    ? { cancellation: 'until', freeUntil: first.from }
    : { cancellation: 'always', freeUntil: null }
}

export function cancellationOfSteps(
  steps: readonly PenaltyStep[] | undefined,
  nowMs: number,
): CancellationNow {
  return cancellationAt(
    steps?.map(({ penalty, amount }) => ({ ...penalty, amount })),
    nowMs,
  )
}

/** Of several rooms the strictest, unknown before all, with the earliest `freeUntil`. */
export function strictest(rooms: readonly CancellationNow[]): CancellationNow {
  const strict = [...cancellations].reverse()
  const rank = ({ cancellation }: CancellationNow): number => strict.indexOf(cancellation)
  const [first] = rooms.toSorted(
    (one, other) => rank(one) - rank(other) || momentOf(one) - momentOf(other) || 0,
  )
  return { cancellation: first?.cancellation ?? 'unknown', freeUntil: first?.freeUntil ?? null }
}

function momentOf({ freeUntil }: CancellationNow): number {
  return freeUntil === null ? Number.POSITIVE_INFINITY : Date.parse(freeUntil)
}
