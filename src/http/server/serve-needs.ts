import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Caller, Operator, OwnedKey, Push, RateLimit, Visit } from '../calls/call.ts'
import type { Answer } from '../calls/mount.ts'
import type { Rejected } from '../rejected.ts'
import type { SharedLimits } from './rate-limit.ts'
import type { Access, Route } from '../route.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import type { Warnings } from '../calls/warnings.ts'

/** Functions that the server needs from the features, passed in by app.ts: the platform knows no feature. */
export type ServeNeeds = {
  clock: Clock
  log: Log
  telemetry: Telemetry
  /** Proxies that are trusted to state the origin of a request. */
  trustedProxies?: readonly string[] | undefined
  /** The path below which proxies have the service, such as `/ari`; '' for none. */
  pathPrefix: string
  /** Multiplies the time that a request may take to arrive. */
  patience: number
  /** Absent: no other process shares the callers' limits. */
  sharedLimits?: SharedLimits | undefined
  /** The caller behind an x-api-key, or undefined if the key opens nothing. */
  callerOf: (apiKey: string | undefined) => Promise<Caller | undefined>
  /** The token behind an Authorization header, or undefined. */
  tokenOf: (authorization: string | undefined) => Promise<KnownToken | undefined>
  /** The operator behind the cookies or the token of a console request. */
  operatorOf: (visit: Visit) => Promise<Operator | undefined>
  /** Reports that an operator's role did not suffice for a route. */
  roleRefused: (operator: Operator, route: Route, requestId: string) => Promise<void>
  /** The stored answer, if a push under the same idempotency key was answered before. */
  replayed: (push: Push) => Promise<Answer | undefined>
  /** Told of the requests of keys that were refused with 429, and of those that were let in. Absent: nobody watches. */
  limitWatch?: LimitWatch | undefined
  /** Logs a refused push. */
  keepRefused: (push: Push, rejected: Rejected, answerJson: string) => Promise<void>
}

/** `rate`: undefined for none. */
export type KnownToken = { id: number; role: Access; rate: RateLimit | undefined }

export type LimitWatch = {
  limited: (caller: Caller, requestId: string, retryAfterSeconds: number) => void
  admitted: (caller: Caller, requestId: string) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's known details so far. Absent until the first hook, and if the URL is unreadable. */
    ari: {
      startedMs: number
      pathPrefix: string
      /** Time of admission, by performance.now(). */
      admittedMs: number
      route: Route | undefined
      caller: Caller | undefined
      push: Push | undefined
      token: KnownToken | undefined
      idempotencyKey: OwnedKey | undefined
      operator: Operator | undefined
      warnings: Warnings
    }
  }
}
