import type { RateLimit } from '../calls/call.ts'
import { Rejected } from '../rejected.ts'

export type Taken = {
  allowed: boolean
  remaining: number
  /** Until the next request is allowed; 0: at once. */
  untilNextSeconds: number
}

/** Requests granted to a caller by one process. */
export type Grant = { caller: string; requests: number; perMinute: number }

/** How the processes of one machine share their callers' limits (decisions/004). */
export type SharedLimits = {
  announce: (grants: readonly Grant[]) => void
  /** Calls `apply` with the grants of other processes. */
  onGranted: (apply: (grants: readonly Grant[]) => void) => void
}

/**
 * `used` counts the requests that the passing time has not refilled yet. With grants of several processes it
 * may exceed `burst`; the caller then waits longer, so the rate over time stays exact.
 */
type Bucket = { used: number; perMs: number; atMs: number }

const bucketsMax = 100_000
/** Grants are announced after this time, or, from the half of a burst, with the end of the current turn. */
const announcedAfterMs = 20

export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>()
  readonly #shared: SharedLimits | undefined
  readonly #unannounced = new Map<string, Grant>()
  #isTimed = false
  #isUrgent = false

  constructor(now: () => number, shared?: SharedLimits) {
    this.#shared = shared
    shared?.onGranted((grants) => {
      for (const { caller, requests, perMinute } of grants)
        this.#bucket(caller, perMinute / 60_000, now()).used += requests
    })
  }

  take(caller: string, { perMinute, burst }: RateLimit, nowMs: number): Taken {
    const perMs = perMinute / 60_000
    const bucket = this.#bucket(caller, perMs, nowMs)
    const allowed = burst - bucket.used >= 1
    if (allowed) {
      bucket.used++
      if (this.#shared) this.#grant(caller, perMinute, bucket.used > burst / 2)
    }
    const tokens = burst - bucket.used
    return {
      allowed,
      remaining: Math.max(0, Math.floor(tokens)),
      untilNextSeconds: Math.max(0, Math.ceil((1 - tokens) / perMs / 1000)),
    }
  }

  #bucket(caller: string, perMs: number, nowMs: number): Bucket {
    let bucket = this.#buckets.get(caller)
    if (!bucket) {
      if (this.#buckets.size >= bucketsMax) this.#buckets.clear()
      bucket = { used: 0, perMs, atMs: nowMs }
      this.#buckets.set(caller, bucket)
    }
    bucket.used = Math.max(0, bucket.used - Math.max(0, nowMs - bucket.atMs) * perMs)
    bucket.perMs = perMs
    bucket.atMs = nowMs
    return bucket
  }

  #grant(caller: string, perMinute: number, isUrgent: boolean): void {
    const grant = this.#unannounced.get(caller)
    if (grant) grant.requests++
    else this.#unannounced.set(caller, { caller, requests: 1, perMinute })
    if (isUrgent && !this.#isUrgent) setImmediate(() => this.#announce())
    else if (!isUrgent && !this.#isTimed) setTimeout(() => this.#announce(), announcedAfterMs).unref()
    this.#isUrgent ||= isUrgent
    this.#isTimed ||= !isUrgent
  }

  #announce(): void {
    this.#isTimed = false
    this.#isUrgent = false
    if (this.#unannounced.size === 0) return
    this.#shared?.announce([...this.#unannounced.values()])
    this.#unannounced.clear()
  }
}

/** `rate` in words; `advice`: what else helps, after the time to wait. */
export function tooMany(retryAfterSeconds: number, rate: string, advice = ''): Rejected {
  const problem = {
    type: 'RATE_LIMITED',
    message: `Rate limit of ${rate} exceeded`,
    hint: `Send the same again in ${retryAfterSeconds} s${advice}`,
  }
  return new Rejected(429, problem, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
