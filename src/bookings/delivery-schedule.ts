/** When what was not delivered is tried again: pure, from the outcome of an attempt and what was tried before. */

const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** After each of the first failures; then with each hourly run. */
export const retryDelaysMs = [
  10_000,
  30_000,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  10 * minuteMs,
] as const
/** Later it is a dead letter, for people. */
export const deliverWithinMs = 72 * hourMs
/** A supplier that asks for more (Retry-After) is tried after so long. */
export const retryAfterMaxMs = 24 * hourMs
/** Up to this part of a delay is added at random, so that what failed together does not come back together. */
const jitterMax = 0.1

/** `first` attempts wait behind no other lane. */
export const lanes = ['first', 'retry', 'hourly'] as const
export type Lane = (typeof lanes)[number]

export const triggers = ['realtime', 'retry', 'hourly', 'manual', 'again'] as const
export type Trigger = (typeof triggers)[number]

/** What became of an attempt. */
export type Outcome =
  /** 2xx: delivered. */
  | 'accepted'
  /** 408, 425, 429 and 5xx, or no answer: it may work in a moment. */
  | 'unavailable'
  /** Any other answer: it may work when somebody has mended it, so it waits for the hourly run. */
  | 'refused'

const transientStatuses: readonly number[] = [408, 425, 429]

export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status <= 299) return 'accepted'
  return status >= 500 || transientStatuses.includes(status) ? 'unavailable' : 'refused'
}

/** Where a delivery stands when an attempt of it has failed. */
export type Failed = {
  outcome: Exclude<Outcome, 'accepted'>
  lane: Lane
  /** Steps of the schedule used up. */
  retries: number
  giveUpAtMs: number
  nowMs: number
  retryAfterMs: number | undefined
  /** From 0 to 1, at random. */
  chance: number
}

export type Next =
  | { kind: 'retry'; retries: number; dueAtMs: number }
  /** With the next hourly run that is not before. */
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

/** Retry-After as seconds or as a date, in milliseconds from now; undefined for anything else. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const atMs = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return atMs > nowMs ? atMs - nowMs : undefined
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** The full hour of UTC that an instant lies in. Hours since 1970 know nothing of zones and their clocks. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / hourMs) * hourMs
}

/** The first hourly run after an instant. */
export function runAfter(epochMs: number): number {
  return hourOf(epochMs) + hourMs
}

/** More are not made up for: nothing is due for longer. */
export const hoursMadeUpMax = deliverWithinMs / hourMs

/**
 * The hours whose run is to be made now, oldest first: all since the last that was made, and none twice. `madeMs` is
 * the latest made that is not in the future (a clock that ran ahead may have left some there).
 */
export function hoursToRun(madeMs: number | undefined, nowMs: number): number[] {
  const presentMs = hourOf(nowMs)
  const firstMs = Math.max(
    madeMs === undefined ? presentMs : madeMs + hourMs,
    presentMs - (hoursMadeUpMax - 1) * hourMs,
  )
  const count = Math.max(0, (presentMs - firstMs) / hourMs + 1)
  return Array.from({ length: count }, (_, index) => firstMs + index * hourMs)
}
