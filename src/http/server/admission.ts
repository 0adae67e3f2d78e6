import type { FastifyReply, FastifyRequest } from 'fastify'
import { performance } from 'node:perf_hooks'
import { isCardNumberId } from '../../base/card-number.ts'
import type { Caller, Operator, OwnedKey, Push, Visit, UncheckedCall, CallerByAccess } from '../calls/call.ts'
import { openSlotOf, type InFlight, type RequestSlot } from './in-flight.ts'
import { notSignedIn, refusalByRole, secondFactorRequired } from './operator-refusals.ts'
import { beyondRate, countRequest, limitChanges, peopleOf, RateLimiter } from './rate-limit.ts'
import { overloaded, Rejected, reportedValue } from '../rejected.ts'
import { unknownFieldsChoices, type UnknownFields } from '../calls/request-members.ts'
import type { Route, Access } from '../route.ts'
import type { KnownToken, ServeNeeds } from './serve-needs.ts'

export type Admission = {
  admit: (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Checks again if the body took long to arrive: the credential may have been revoked meanwhile. */
  admitLate: (route: Route, request: FastifyRequest) => Promise<void>
}

/** Lookups are cached for at most half a second. With this, every revocation takes effect within a second. */
const admittedForMs = 500

/**
 * Admits requests: none during shutdown; otherwise those with the route's credential, up to its owner's share. The key or
 * token comes first, then the key's rate limit; nothing of the body is read before that.
 */
export function admission(
  { inFlight, isDraining }: { inFlight: InFlight; isDraining: () => boolean },
  needs: ServeNeeds,
): Admission {
  const limiter = new RateLimiter(() => needs.clock.now(), needs.sharedLimits)
  const slotOf = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<RequestSlot> => {
    switch (route.access) {
      case 'operator': {
        const operator = await admitOperator(route, request, needs)
        limitChanges(operator, request, limiter, needs)
        return operator.supplier
          ? { kind: 'people', owner: peopleOf(operator.supplier) }
          : { kind: 'known', owner: `operator ${operator.name}` }
      }
      case 'platform':
        return { kind: 'known', owner: await admitTokenInRate(route, request, reply, limiter, needs) }
      case 'supplier':
        return { kind: 'known', owner: keyOwner(await admitSupplier(route, request, reply, limiter, needs)) }
      case 'open':
        return openSlotOf(request)
    }
  }
  const admit: Admission['admit'] = async (route, request, reply) => {
    request.ari.route = route
    inFlight.workBegan(request)
    if (isDraining()) throw shuttingDown()
    if (route.access === 'open') return
    const slot = await slotOf(route, request, reply).catch((error: unknown) => {
      const { caller } = request.ari
      inFlight.claimed(request, caller ? { kind: 'known', owner: keyOwner(caller) } : openSlotOf(request))
      throw error
    })
    const beyond = inFlight.claimed(request, slot)
    if (beyond === undefined) return
    needs.telemetry.limited.inc({ limit: beyond })
    throw overloaded()
  }
  return {
    admit: async (route, request, reply) => {
      await admit(route, request, reply)
      request.ari.admittedMs = performance.now()
    },
    admitLate: async (route, request) => {
      if (route.access === 'open' || performance.now() - request.ari.admittedMs < admittedForMs) return
      if (route.access === 'operator') await admitOperator(route, request, needs)
      else if (route.access === 'platform') await admitToken(route, request, needs)
      else await admitKeyAgain(request, needs)
    },
  }
}

function keyOwner({ keyId }: Caller): string {
  return `key ${keyId}`
}

const nothingApplied = 'Nothing was applied; send the same again after Retry-After'

/** For requests that arrive, or are unfinished, during shutdown. */
export function shuttingDown(hint = nothingApplied): Rejected {
  return new Rejected(
    503,
    { type: 'SHUTTING_DOWN', message: 'The service is shutting down', hint },
    { headers: { 'retry-after': '2', connection: 'close' } },
  )
}

/**
 * The hint about a credential in the wrong header depends on the headers alone, so it never reveals whether
 * that credential is valid.
 */
const unauthorized = ({ headers }: FastifyRequest): Rejected =>
  new Rejected(401, {
    type: 'UNAUTHORIZED',
    message: 'Unauthorized API KEY',
    path: 'x-api-key',
    hint:
      headers['x-api-key'] === undefined && headers.authorization !== undefined
        ? 'Send the key as x-api-key, not as Authorization'
        : 'Send a valid key of this environment in the x-api-key header: ari_sbx_… in the sandbox, ari_live_… in production',
  })

async function admitSupplier(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: RateLimiter,
  needs: ServeNeeds,
): Promise<Caller> {
  const header = request.headers['x-api-key']
  const caller = await needs.callerOf(typeof header === 'string' ? header : undefined)
  if (!caller) throw unauthorized(request)
  request.ari.caller = caller
  const { rate } = caller.limits
  if (rate) {
    const taken = countRequest(limiter, reply, { name: 'key', caller: String(caller.keyId), rate }, needs)
    if (!taken.allowed) {
      needs.limitWatch?.limited(caller, request.id, taken.untilNextSeconds)
      throw beyondRate(taken, rate, '; put several rooms and dates into one push')
    }
    needs.limitWatch?.admitted(caller, request.id)
  }
  if (route.takesIdempotencyKey) keepIdempotencyKey(request, { keyId: caller.keyId })
  if (route.pushKind === undefined) return caller
  const push: Push = {
    kind: route.pushKind,
    requestId: request.id,
    caller,
    rawBody: undefined,
    receivedAtMs: needs.clock.now(),
    startedMs: request.ari.startedMs,
    idempotencyKey: undefined,
    warnings: request.ari.warnings,
  }
  // Set before anything can refuse the push, because the push log also keeps refused pushes.
  request.ari.push = push
  push.idempotencyKey = idempotencyKeyIn(request)
  return caller
}

/** Does not count against the key's rate again. */
async function admitKeyAgain(request: FastifyRequest, needs: ServeNeeds): Promise<void> {
  const header = request.headers['x-api-key']
  if (await needs.callerOf(typeof header === 'string' ? header : undefined)) return
  // No push is logged for a key that opens nothing.
  request.ari.push = undefined
  throw unauthorized(request)
}

/** Returns the owner of the request's place. */
async function admitTokenInRate(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: RateLimiter,
  needs: ServeNeeds,
): Promise<string> {
  const { id, rate } = await admitToken(route, request, needs)
  const owner = `token ${id}`
  if (rate) {
    const taken = countRequest(limiter, reply, { name: 'token', caller: owner, rate }, needs)
    if (!taken.allowed) throw beyondRate(taken, rate, '; ask for many hotels in one search')
  }
  return owner
}

/** Does not count against the token's rate. */
export async function admitToken(
  { access, takesIdempotencyKey }: Route,
  request: FastifyRequest,
  needs: ServeNeeds,
): Promise<KnownToken> {
  const token = await needs.tokenOf(request.headers.authorization)
  if (token?.role !== access) {
    throw new Rejected(401, {
      type: 'UNAUTHORIZED',
      message: 'Unauthorized token',
      path: 'authorization',
      hint: tokenHint(access, request),
    })
  }
  request.ari.token = token
  if (takesIdempotencyKey) keepIdempotencyKey(request, { tokenId: token.id })
  return token
}

function tokenHint(access: Route['access'], { headers }: FastifyRequest): string {
  if (headers.authorization === undefined && headers['x-api-key'] !== undefined)
    return `This needs a ${access} token, sent as "Authorization: Bearer …"; x-api-key is for keys of suppliers`
  if (headers.authorization !== undefined && !/^bearer\b/i.test(headers.authorization))
    return `Send the token as "Authorization: Bearer …", with the word Bearer before it`
  return `Send a valid ${access} token as "Authorization: Bearer …"`
}

async function admitOperator(route: Route, request: FastifyRequest, needs: ServeNeeds): Promise<Operator> {
  const operator = await needs.operatorOf(visitOf(request))
  if (!operator) throw notSignedIn()
  const refusal = refusalByRole(operator, route)
  if (refusal) {
    await needs.roleRefused(operator, route, request.id)
    throw refusal
  }
  if (operator.lacksSecondFactor && !route.isBeforeSecondFactor) throw secondFactorRequired()
  request.ari.operator = operator
  return operator
}

function visitOf({ method, ip, headers }: FastifyRequest): Visit {
  return { method, address: ip, headers }
}

function keepIdempotencyKey(request: FastifyRequest, owner: OwnedKey['owner']): void {
  const key = idempotencyKeyIn(request)
  if (key !== undefined) request.ari.idempotencyKey = { owner, key }
}

const idempotencyKeyMax = 64

function idempotencyKeyIn({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const key = Array.isArray(header) ? header.join() : header
  if (isCardNumberId(key)) throw cardNumberIn('Idempotency-Key')
  if (key.length >= 1 && key.length <= idempotencyKeyMax && /^[\x21-\x7e]+$/.test(key)) return key
  throw new Rejected(400, {
    type: 'INVALID_IDEMPOTENCY_KEY',
    message: 'Idempotency-Key must be 1 to 64 printable ASCII characters without spaces',
    path: 'idempotency-key',
  })
}

/** Request ids are stored, searched for and written to logs. */
export function refuseCardNumberAsId({ headers }: FastifyRequest): void {
  const id = headers['x-request-id']
  if (typeof id === 'string' && isCardNumberId(id)) throw cardNumberIn('x-request-id')
}

function cardNumberIn(header: string): Rejected {
  return new Rejected(400, {
    type: 'CARD_NUMBER_IN_ID',
    message: `${header} must not be the number of a card`,
    path: header.toLowerCase(),
    hint: 'Send a random one, for example a UUID',
  })
}

/** The argument that a handler is called with. */
export function callOf(route: Route, request: FastifyRequest): UncheckedCall {
  const { caller, push, idempotencyKey, warnings } = request.ari
  return {
    ...callerOf(route.access, request),
    body: route.isBodyOptional ? (request.body ?? {}) : request.body,
    query: request.query,
    params: request.params,
    requestId: request.id,
    unknownFields: unknownFieldsIn(request) ?? caller?.unknownFields ?? 'warn',
    warnings,
    push,
    idempotencyKey,
    ...(route.transfers ? { transfer: { stream: request.raw, headers: request.headers } } : {}),
  }
}

function callerOf(access: Access, request: FastifyRequest): CallerByAccess[Access] {
  const { caller, token, operator } = request.ari
  if (access === 'supplier' && caller) return { caller }
  if (access === 'platform' && token) return { tokenId: token.id, tokenRate: token.rate }
  if (access === 'operator' && operator) return { operator, visit: visitOf(request) }
  if (access === 'open') return { visit: visitOf(request) }
  throw new Error(`a request reached a route of ${access} access without being let in`)
}

function unknownFieldsIn({ headers }: FastifyRequest): UnknownFields | undefined {
  const header = headers['x-unknown-fields']
  if (header === undefined) return undefined
  const requested = unknownFieldsChoices.find((choice) => choice === header)
  if (requested !== undefined) return requested
  throw new Rejected(400, {
    type: 'NOT_ALLOWED',
    message: `X-Unknown-Fields must be one of ${unknownFieldsChoices.join(', ')}`,
    path: 'x-unknown-fields',
    value: reportedValue(header),
    hint: 'reject refuses a request with unknown members; warn only reports them',
  })
}
