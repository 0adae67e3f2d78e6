import { instantOf, optionalInstant } from '../../base/calendar.ts'
import type { DeliveryStatus } from '../delivery-contract.ts'
import type { DeliveryStanding } from '../delivery-standing.ts'
import { noEndpoint } from './delivery-queue.ts'
import { runAfter } from './delivery-schedule.ts'

/** How far the delivery of a version has come, as the platform reads it. */

export type ShownDelivery = {
  status: DeliveryStatus
  since: string
  attempts: number
  nextAttemptAt: string | null
  error: string | null
}

type AccountTime = { nowMs: number; /** How far the account's clock is ahead. */ aheadMs: number }

export function showDelivery(standing: DeliveryStanding, { nowMs, aheadMs }: AccountTime): ShownDelivery {
  const { status, behindSinceMs, endedAtMs, attempts, dueAtMs, isHourly, notBeforeMs, error } = standing
  const nextMs = isHourly
    ? hourlyRunMs(notBeforeMs, { nowMs, aheadMs })
    : dueAtMs === null
      ? null
      : dueAtMs + aheadMs
  const since = instantOf(endedAtMs ?? behindSinceMs)
  return { status, since, attempts, nextAttemptAt: optionalInstant(nextMs), error }
}

/**
 * The next hourly run at or after an instant, by the account's clock: a test clock that passes a full hour of its own makes
 * one too.
 */
export function hourlyRunMs(notBeforeMs: number | null, { nowMs, aheadMs }: AccountTime): number {
  const earliestMs = Math.max(nowMs, notBeforeMs ?? 0)
  return Math.min(runAfter(earliestMs) + aheadMs, runAfter(earliestMs + aheadMs))
}

/**
 * The standing of a version that is being queued. `before`: of the version whose place it takes; if that one didn't reach
 * the supplier, and isn't being sent right now, the supplier is behind since then.
 */
export function queuedAnew(
  before: DeliveryStanding | null | undefined,
  { nowMs, aheadMs, endpoint }: AccountTime & { endpoint: number },
): DeliveryStanding {
  const hasUrl = endpoint !== noEndpoint
  const isBehind = before?.status === 'queued' || before?.status === 'dead'
  return {
    status: 'queued',
    behindSinceMs: isBehind ? before.behindSinceMs : nowMs + aheadMs,
    endedAtMs: null,
    attempts: 0,
    dueAtMs: hasUrl ? nowMs : null,
    isHourly: false,
    notBeforeMs: null,
    error: hasUrl ? null : 'no_url',
  }
}
