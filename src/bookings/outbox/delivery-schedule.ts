import { minuteMs, hourMs } from '../../base/calendar.ts'

/** When a failed delivery is retried: pure functions of the attempt's outcome and the attempts before it. */

/** The delay after each of the first failures; later retries come with each hourly run. */
export const retryDelaysMs = [
  10_000,
  30_000,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  10 * minuteMs,
] as const
/** Past this age a delivery is a dead letter, which needs an operator. */
export const deliverWithinMs = 72 * hourMs
/** A supplier that asks for a longer wait (Retry-After) is retried after this long. */
export const retryAfterMaxMs = 24 * hourMs
/**
 * A random addition of up to this fraction of a delay, so that deliveries that failed together do not return
 * together.
 */
const jitterMax = 0.1

/** `first` attempts do not wait behind any other lane. */
export const lanes = ['first', 'retry', 'hourly'] as const
export type Lane = (typeof lanes)[number]

export const triggers = ['realtime', 'retry', 'hourly', 'manual', 'again'] as const
export type Trigger = (typeof triggers)[number]

/** The outcome of an attempt. */
export type Outcome =
  /** 2xx: delivered. */
  | 'accepted'
  /** 408, 425, 429 and 5xx, or no answer: a retry may succeed in a moment. */
  | 'unavailable'
  /**
   * Any other answer: a retry may succeed once somebody has fixed the cause, so the delivery waits for the
   * hourly run.
   */
  | 'refused'

const transientStatuses: readonly number[] = [408, 425, 429]

/** Refusals of an endpoint that may not have our new secret, or know its new URL, yet. */
const unsettledStatuses: readonly number[] = [401, 403]

/** Whether an answer may come of a secret or a URL that the endpoint doesn't have yet. */
export function maySettle(status: number): boolean {
  return unsettledStatuses.includes(status)
}

/** `isSettling`: the secret or the URL is so new that a refused signature may be accepted in a moment. */
export function outcomeOf(status: number, { isSettling = false }: { isSettling?: boolean } = {}): Outcome {
  if (status >= 200 && status <= 299) return 'accepted'
  if (isSettling && maySettle(status)) return 'unavailable'
  return status >= 500 || transientStatuses.includes(status) ? 'unavailable' : 'refused'
}

/** The state of a delivery after a failed attempt. */
export type Failed = {
  outcome: Exclude<Outcome, 'accepted'>
  lane: Lane
  /** Number of schedule steps used up. */
  retries: number
  giveUpAtMs: number
  nowMs: number
  retryAfterMs: number | undefined
  /** Random, from 0 to 1. */
  chance: number
}

export type Next =
  | { kind: 'retry'; retries: number; dueAtMs: number }
  /** In the next hourly run at or after this time. */
  | { kind: 'hourly'; notBeforeMs: number | undefined }
  | { kind: 'dead' }

export function nextAttempt(failed: Failed): Next {
  const { outcome, lane, retries, giveUpAtMs, nowMs, retryAfterMs, chance } = failed
  const waitMs = Math.min(retryAfterMs ?? 0, retryAfterMaxMs)
  const delayMs = retryDelaysMs[retries]
  if (outcome === 'unavailable' && lane !== 'hourly' && delayMs !== undefined) {
    const dueAtMs = nowMs + Math.max(waitMs, Math.round(delayMs * (1 + jitterMax * chance)))
    return dueAtMs > giveUpAtMs ? { kind: 'dead' } : { kind: 'retry', retries: retries + 1, dueAtMs }
  }
  const notBeforeMs = waitMs > 0 ? nowMs + waitMs : undefined
  return runAfter(Math.max(nowMs, notBeforeMs ?? 0)) > giveUpAtMs
    ? { kind: 'dead' }
    : { kind: 'hourly', notBeforeMs }
}

/** Retry-After in seconds or as a date, converted to milliseconds from now; undefined for anything else. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const atMs = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return atMs > nowMs ? atMs - nowMs : undefined
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * The full UTC hour that contains an instant. Hours since 1970 do not depend on time zones or clock changes.
 */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / hourMs) * hourMs
}

/** The first hourly run after an instant. */
export function runAfter(epochMs: number): number {
  return hourOf(epochMs) + hourMs
}

/** At most this many missed hours are made up: nothing is due for longer. */
export const hoursCaughtUpMax = deliverWithinMs / hourMs

/**
 * The hours to run now, oldest first: all since the last completed run, none twice. `lastRunMs` is the latest
 * completed run that is not in the future (a clock that ran ahead may have left some there).
 */
export function hoursToRun(lastRunMs: number | undefined, nowMs: number): number[] {
  const presentMs = hourOf(nowMs)
  const firstMs = Math.max(
    lastRunMs === undefined ? presentMs : lastRunMs + hourMs,
    presentMs - (hoursCaughtUpMax - 1) * hourMs,
  )
  const count = Math.max(0, (presentMs - firstMs) / hourMs + 1)
  return Array.from({ length: count }, (_, index) => firstMs + index * hourMs)
}
