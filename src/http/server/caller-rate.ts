import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operator, RateLimit } from '../calls/call.ts'
import type { Rejected } from '../rejected.ts'
import { tooMany, type RateLimiter, type Taken } from './rate-limit.ts'
import type { ServeNeeds } from './serve-needs.ts'

/** The rates of callers, and how answers state them. */

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
  { clock, telemetry }: Pick<ServeNeeds, 'clock' | 'telemetry'>,
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
  needs: ServeNeeds,
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
