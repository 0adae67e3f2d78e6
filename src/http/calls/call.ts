import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { UnknownFields } from './request-members.ts'
import type { Access, BodyOf, OperatorRole, ParamsOf, QueryOf, Route } from '../route.ts'
import type { Warnings } from './warnings.ts'

/** One token bucket for each caller: at most `burst` requests at once, refilled evenly. */
export type RateLimit = { perMinute: number; burst: number }

/** The caller: the account behind an x-api-key. Its limits are the key's own or the service's defaults. */
export type Caller = {
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
  /** By default; a request can override it. */
  unknownFields: UnknownFields
  /** By default; a push of ARI can override it. */
  echo: boolean
  limits: { rate: RateLimit | undefined; bodyBytesMax: number; ariItemsMax: number; ariCellsMax: number }
}

/** A push in progress: the data that the push log keeps, whatever the outcome. */
export type Push = {
  kind: string
  requestId: string
  caller: Caller
  rawBody: Buffer | undefined
  receivedAtMs: number
  startedMs: number
  idempotencyKey: string | undefined
  /** The warnings of its call, which are stored with its answer. */
  warnings: Warnings
  /** Nothing is applied; the answer is the same. */
  isRehearsed?: boolean
}

/** An Idempotency-Key with its owner: two callers never share one. */
export type OwnedKey = { owner: { tokenId: number } | { keyId: number }; key: string }

/** The body of a request as it comes, for a route that takes bytes; and what asks for the form of an answer. */
export type Transfer = { stream: Readable; headers: IncomingHttpHeaders }

/** A person at the console, or a program with an operator's token. */
export type Operator = {
  /** The account's id; undefined for the owner of a token. */
  id: number | undefined
  /** The name in the audit log. */
  name: string
  role: OperatorRole
  /** Hash of the session's secret; undefined for a token. */
  sessionId: string | undefined
  /** The address that the request came from; undefined on the command line. */
  address: string | undefined
  /** Set for people of a supplier, who see its data alone. Their role `operator` is called manager. */
  supplier?: { supplierId: number; name: string }
  /** Set if a required second factor hasn't been set up yet. */
  lacksSecondFactor?: true
}

/** A console request without its body: signing in and out work with cookies and addresses. */
export type Visit = { method: string; address: string; headers: IncomingHttpHeaders }

/** The caller, as far as the access of the route identifies it. */
export type CallerByAccess = {
  supplier: { caller: Caller }
  /** Identified by the number of its token. */
  platform: { tokenId: number; tokenRate: RateLimit | undefined }
  operator: { operator: Operator; visit: Visit }
  open: { visit: Visit }
}

/**
 * A request as its handler gets it: validated against the route's shapes, with exactly the caller details
 * that the route's access provides.
 */
export type Call<R extends Route> = {
  body: BodyOf<R>
  query: QueryOf<R>
  params: ParamsOf<R>
  requestId: string
  unknownFields: UnknownFields
  /** Warnings about the request that go into its answer, whatever that is. */
  warnings: Warnings
} & CallerByAccess[R['access']] &
  (R extends { transfers: string } ? { transfer: Transfer } : unknown) &
  (R extends { pushKind: string } ? { push: Push } : unknown) &
  (R extends { takesIdempotencyKey: true } ? { idempotencyKey: OwnedKey | undefined } : unknown)

/**
 * A call before validation. Its caller matches the access of its route: admission.ts admitted nobody else.
 */
export type UncheckedCall = {
  body: unknown
  query: unknown
  params: unknown
  requestId: string
  unknownFields: UnknownFields
  warnings: Warnings
} & CallerByAccess[Access] & {
    push?: Push | undefined
    idempotencyKey?: OwnedKey | undefined
    transfer?: Transfer | undefined
  }
