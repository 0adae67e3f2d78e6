import type { FastifyReply, FastifyRequest } from 'fastify'
import { isCardNumberId } from '../base/card-number.ts'
import type { Caller, Operator, OwnedKey, Push, Visit, UncheckedCall, CallerByAccess } from './call.ts'
import type { RateLimit, RateLimiter } from './rate-limit.ts'
import { Rejected, reportedValue } from './rejected.ts'
import { operatorRoles, type Route, type Access } from './route.ts'
import type { ServeNeeds } from './serve-needs.ts'
import { unknownFieldsChoices, type UnknownFields } from './request-members.ts'

/** Admission: first the key or token, then the key's rate limit. Nothing of the body is read before that. */

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
        : 'Send a valid key of this environment in the x-api-key header',
  })

export async function admitSupplier(
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
    const taken = limiter.take(String(caller.keyId), rate, needs.clock.now())
    reply.header('ratelimit', `"key";r=${taken.remaining};t=${taken.untilNextSeconds}`)
    reply.header('ratelimit-policy', `"key";q=${rate.perMinute};w=60;burst=${rate.burst}`)
    if (!taken.allowed) {
      needs.telemetry.limited.inc({ limit: 'rate' })
      throw tooMany(taken.untilNextSeconds, rate)
    }
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
export async function admitKeyAgain(request: FastifyRequest, needs: ServeNeeds): Promise<void> {
  const header = request.headers['x-api-key']
  if (await needs.callerOf(typeof header === 'string' ? header : undefined)) return
  // No push is logged for a key that opens nothing.
  request.ari.push = undefined
  throw unauthorized(request)
}

export async function admitToken(
  { access, takesIdempotencyKey }: Route,
  request: FastifyRequest,
  needs: ServeNeeds,
): Promise<number> {
  const token = await needs.tokenOf(request.headers.authorization)
  if (token?.role !== access) {
    throw new Rejected(401, {
      type: 'UNAUTHORIZED',
      message: 'Unauthorized token',
      path: 'authorization',
      hint: tokenHint(access, request),
    })
  }
  request.ari.tokenId = token.id
  if (takesIdempotencyKey) keepIdempotencyKey(request, { tokenId: token.id })
  return token.id
}

function tokenHint(access: Route['access'], { headers }: FastifyRequest): string {
  if (headers.authorization === undefined && headers['x-api-key'] !== undefined)
    return `This needs a ${access} token, sent as "Authorization: Bearer …"; x-api-key is for keys of suppliers`
  if (headers.authorization !== undefined && !/^bearer\b/i.test(headers.authorization))
    return `Send the token as "Authorization: Bearer …", with the word Bearer before it`
  return `Send a valid ${access} token as "Authorization: Bearer …"`
}

export async function admitOperator(
  route: Route,
  request: FastifyRequest,
  needs: ServeNeeds,
): Promise<Operator> {
  const operator = await needs.operatorOf(visitOf(request))
  if (!operator) throw notSignedIn()
  const { role: least = 'viewer' } = route
  if (operatorRoles.indexOf(operator.role) < operatorRoles.indexOf(least)) {
    await needs.roleRefused(operator, route, request.id)
    throw new Rejected(403, {
      type: 'ROLE_TOO_LOW',
      message: `This needs the role ${least}; ${operator.name} has the role ${operator.role}`,
      hint: 'Ask an admin of the console',
    })
  }
  if (operator.lacksSecondFactor && !route.isBeforeSecondFactor) {
    throw new Rejected(403, {
      type: 'SECOND_FACTOR_REQUIRED',
      message: 'A second factor is required here, and you have none yet',
      hint: 'Set one up: the console asks for it after the sign-in; or POST /console/api/me/second-factor',
    })
  }
  request.ari.operator = operator
  return operator
}

export function notSignedIn(): Rejected {
  return new Rejected(401, {
    type: 'NOT_SIGNED_IN',
    message: 'Not signed in',
    hint: 'Sign in at /console, or send an operator token as "Authorization: Bearer …"',
  })
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
    message: 'Idempotency-Key must be 1 to 64 printable ASCII characters without blanks',
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
    hint: 'Send a random one, a UUID for example',
  })
}

function tooMany(retryAfterSeconds: number, rate: RateLimit): Rejected {
  const problem = {
    type: 'RATE_LIMITED',
    message: `Rate limit of ${rate.perMinute} requests a minute exceeded`,
    hint: `Send the same again in ${retryAfterSeconds} s; put several rooms and dates into one push`,
  }
  return new Rejected(429, problem, { headers: { 'retry-after': String(retryAfterSeconds) } })
}

/** The argument that a handler is called with. */
export function callOf(route: Route, request: FastifyRequest): UncheckedCall {
  const { caller, push, idempotencyKey, warnings } = request.ari
  return {
    ...callerOf(route.access, request),
    body: request.body,
    query: request.query,
    params: request.params,
    requestId: request.id,
    unknownFields: unknownFieldsIn(request) ?? caller?.unknownFields ?? 'warn',
    warnings,
    push,
    idempotencyKey,
  }
}

function callerOf(access: Access, request: FastifyRequest): CallerByAccess[Access] {
  const { caller, tokenId, operator } = request.ari
  if (access === 'supplier' && caller) return { caller }
  if (access === 'platform' && tokenId !== undefined) return { tokenId }
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
