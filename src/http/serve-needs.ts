import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Caller, Operator, OwnedKey, Push, Visit } from './call.ts'
import type { Answer } from './mount.ts'
import type { Rejected } from './rejected.ts'
import type { Access, Route } from './route.ts'
import type { Telemetry } from '../base/telemetry.ts'
import type { Warnings } from './warnings.ts'

/** What the server asks of the features, handed in by app.ts because the platform knows none of them. */
export type ServeNeeds = {
  clock: Clock
  log: Log
  telemetry: Telemetry
  /** Proxies whose word is taken for where a request came from. */
  trustedProxies?: readonly string[] | undefined
  /** How many times longer than usual a request may take to arrive. */
  patience: number
  /** The caller behind an x-api-key, or undefined when it opens nothing. */
  callerOf: (apiKey: string | undefined) => Promise<Caller | undefined>
  /** The token behind an Authorization header, or undefined. */
  tokenOf: (authorization: string | undefined) => Promise<{ id: number; role: Access } | undefined>
  /** Who stands behind the cookies or the token of a request for the console. */
  operatorOf: (visit: Visit) => Promise<Operator | undefined>
  /** Tells that an operator's role did not suffice for a route. */
  roleRefused: (operator: Operator, route: Route, requestId: string) => Promise<void>
  /** The stored answer for a push that was answered before under the same idempotency key. */
  replayed: (push: Push) => Promise<Answer | undefined>
  /** Keeps a push that was refused. */
  keepRefused: (push: Push, rejected: Rejected, answerJson: string) => Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What is known of the request so far. Absent until the first hook: a URL that can't be read has none. */
    ari: {
      startedMs: number
      /** When the caller was let in, by performance.now(). */
      admittedMs: number
      route: Route | undefined
      caller: Caller | undefined
      push: Push | undefined
      tokenId: number | undefined
      idempotencyKey: OwnedKey | undefined
      operator: Operator | undefined
      warnings: Warnings
    }
  }
}
