/**
 * One token bucket per caller: at most `burst` tokens, refilled evenly. It lives in the process: several
 * processes behind a load balancer each grant the whole limit (decisions/004).
 */
export type RateLimit = { perMinute: number; burst: number }

export type Taken = {
  allowed: boolean
  remaining: number
  /** Until the next request is allowed; 0: at once. */
  untilNextSeconds: number
}

type Bucket = { tokens: number; atMs: number }

const bucketsMax = 100_000

export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>()

  take(caller: string, limit: RateLimit, nowMs: number): Taken {
    const perMs = limit.perMinute / 60_000
    const bucket = this.#buckets.get(caller) ?? this.#start(caller, limit, nowMs)
    bucket.tokens = Math.min(limit.burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) * perMs)
    bucket.atMs = nowMs
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens--
    const untilNextSeconds = Math.max(0, Math.ceil((1 - bucket.tokens) / perMs / 1000))
    return { allowed, remaining: Math.floor(bucket.tokens), untilNextSeconds }
  }

  #start(caller: string, limit: RateLimit, nowMs: number): Bucket {
    if (this.#buckets.size >= bucketsMax) this.#buckets.clear()
    const bucket = { tokens: limit.burst, atMs: nowMs }
    this.#buckets.set(caller, bucket)
    return bucket
  }
}
