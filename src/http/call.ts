import type { IncomingHttpHeaders } from 'node:http'
import type { RateLimit } from './rate-limit.ts'
import type { UnknownFields } from './request-members.ts'
import type { Access, BodyOf, OperatorRole, ParamsOf, QueryOf, Route } from './route.ts'
import type { Warnings } from './warnings.ts'

/** Who calls: the account behind an x-api-key. Its limits are the key's own or the service's defaults. */
export type Caller = {
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
  /** Unless a request says otherwise. */
  unknownFields: UnknownFields
  limits: { rate: RateLimit | undefined; bodyBytesMax: number; ariItemsMax: number; ariCellsMax: number }
}

/** One push on its way: what the push log keeps of it, whatever becomes of it. */
export type Push = {
  kind: string
  requestId: string
  caller: Caller
  rawBody: Buffer | undefined
  receivedAtMs: number
  startedMs: number
  idempotencyKey: string | undefined
  /** Those of its call: they are kept with its answer. */
  warnings: Warnings
}

/** An Idempotency-Key, with whose it is: no two callers share one. */
export type OwnedKey = { owner: { tokenId: number } | { keyId: number }; key: string }

/** A person before the console, or a program with an operator's token. */
export type Operator = {
  /** Of the account; of a token's owner there is none. */
  id: number | undefined
  /** As the audit log names it. */
  name: string
  role: OperatorRole
  /** Hash of the session's secret; undefined for a token. */
  sessionId: string | undefined
  /** Where the request came from; undefined on the command line. */
  address: string | undefined
  /** Whether a second factor is required that was not set up yet. */
  lacksSecondFactor?: true
}

/** What a request for the console is beside its body: signing in and out work with cookies and addresses. */
export type Visit = { method: string; address: string; headers: IncomingHttpHeaders }

/** Who calls, as the access of the route lets one know. */
export type WhoCalls = {
  supplier: { caller: Caller }
  /** By the number of its token. */
  platform: { tokenId: number }
  operator: { operator: Operator; visit: Visit }
  open: { visit: Visit }
}

/** A request as its handler gets it: judged by the route's shapes, and with exactly what such a route knows of its caller. */
export type Call<R extends Route> = {
  body: BodyOf<R>
  query: QueryOf<R>
  params: ParamsOf<R>
  requestId: string
  unknownFields: UnknownFields
  /** What is to be said of the request whatever it is answered. */
  warnings: Warnings
} & WhoCalls[R['access']] &
  (R extends { pushKind: string } ? { push: Push } : unknown) &
  (R extends { takesIdempotencyKey: true } ? { idempotencyKey: OwnedKey | undefined } : unknown)

/** Before it is judged. Who calls is what the access of its route says: admission.ts let nobody else in. */
export type UncheckedCall = {
  body: unknown
  query: unknown
  params: unknown
  requestId: string
  unknownFields: UnknownFields
  warnings: Warnings
} & WhoCalls[Access] & { push?: Push | undefined; idempotencyKey?: OwnedKey | undefined }
