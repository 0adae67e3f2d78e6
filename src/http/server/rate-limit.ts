import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import type { Operator, RateLimit } from '../calls/call.ts'
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

type Counted = { clock: Clock; telemetry: Telemetry }

type Rated = {
  /** What has the rate, in the headers. */
  name: 'key' | 'token'
  caller: string
  rate: RateLimit
}

/** Counts a request; the headers of its answer say what is left, whatever the answer. */
export function countRequest(
  limiter: RateLimiter,
  reply: FastifyReply,
  { name, caller, rate }: Rated,
  { clock, telemetry }: Counted,
): Taken {
  const taken = limiter.take(caller, rate, clock.now())
  reply.header('ratelimit', `"${name}";r=${taken.remaining};t=${taken.untilNextSeconds}`)
  reply.header('ratelimit-policy', `"${name}";q=${rate.perMinute};w=60;burst=${rate.burst}`)
  if (!taken.allowed) telemetry.limited.inc({ limit: 'rate' })
  return taken
}

/** `advice`: what else helps, after the time to wait. */
export function beyondRate({ untilNextSeconds }: Taken, { perMinute }: RateLimit, advice: string): Rejected {
  return tooMany(untilNextSeconds, `${perMinute} requests a minute`, advice)
}

/** All people of a supplier together: a platform lets anybody in who signs up, and each change is a transaction or a call. */
const changesOfPeople = { perMinute: 120, burst: 120 }

export const peopleOf = ({ supplierId }: { supplierId: number }): string => `people of ${supplierId}`

export function limitChanges(
  { supplier }: Operator,
  { method }: FastifyRequest,
  limiter: RateLimiter,
  needs: Counted,
): void {
  if (!supplier || method === 'GET') return
  const taken = limiter.take(peopleOf(supplier), changesOfPeople, needs.clock.now())
  if (taken.allowed) return
  needs.telemetry.limited.inc({ limit: 'rate' })
  throw tooMany(
    taken.untilNextSeconds,
    `${changesOfPeople.perMinute} changes a minute by people of a supplier`,
  )
}
