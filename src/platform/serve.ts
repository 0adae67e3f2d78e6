import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { constants } from 'node:zlib'
import { bodyReader, overloaded } from './body.ts'
import { brokenRequests, hostMissing } from './broken-requests.ts'
import type { Clock } from './clock.ts'
import { inFlightRequests } from './in-flight.ts'
import { parseJson } from './json.ts'
import type { Log } from './log.ts'
import { isUnavailable } from './postgres.ts'
import { RateLimiter, type RateLimit } from './rate-limit.ts'
import { Rejected, rejectedBody, rejectIfAny, type Problem } from './rejected.ts'
import type { Access, BodyOf, ParamsOf, QueryOf, Route } from './route.ts'
import type { Telemetry } from './telemetry.ts'
import { isRecord, validator, type Judgement, type Validator } from './validate.ts'
import Type, { type TSchema } from 'typebox'

/** Who calls: the account behind an x-api-key. Its limits are the key's own or the service's defaults. */
export type Caller = {
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
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
}

/** An answer, already in the words in which it is sent (and, for pushes, kept). */
export type Answer = { status: number; json: string; headers?: Readonly<Record<string, string>> }

export function answer(status: number, body: object): Answer {
  return { status, json: JSON.stringify(body) }
}

export type Call<R extends Route> = {
  body: BodyOf<R>
  query: QueryOf<R>
  params: ParamsOf<R>
  caller: Caller
  requestId: string
  push: Push
}

export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer>

/** A route with its handler, made where both types are known. */
export type Mounted = { route: Route; handle: (call: UncheckedCall) => Promise<Answer> }
type UncheckedCall = Omit<Call<Route>, 'body' | 'query' | 'params'> & {
  body: unknown
  query: unknown
  params: unknown
}

export function on<R extends Route>(route: R, handler: Handler<R>): Mounted {
  const body = route.body && validator(route.body)
  const query = route.query && validator(route.query)
  const params = route.params && validator(route.params)
  return {
    route,
    handle: (call) => {
      if (params && !params.matches(call.params)) rejectIfAny(renamed(params.judge(call.params).problems, ''))
      if (query && !query.matches(call.query)) rejectIfAny(renamed(query.judge(call.query).problems, '?'))
      if (body && !body.matches(call.body)) rejectIfAny(body.judge(call.body).problems)
      // The boundary: the three lines above just proved these shapes.
      return handler(call as unknown as Call<R>)
    },
  }
}

export type ItemsCall<R extends Route> = Omit<Call<R>, 'body'> & {
  /** Has the route's shape wherever nothing below says otherwise. */
  body: unknown
  /** What is wrong outside the items. */
  problems: Problem[]
  /** What is wrong with single items, by their index. */
  judgementByItem: ReadonlyMap<number, Judgement>
}

/** Like `on`, for a push whose items (the list under `member`) are judged and answered one by one. */
export function onItems<R extends Route>(
  route: R,
  member: string,
  handler: (call: ItemsCall<R>) => Promise<Answer>,
): Mounted {
  const shape: TSchema & { properties?: Record<string, TSchema & { items?: TSchema; maxItems?: number }> } =
    route.body ?? Type.Object({})
  const list = shape.properties?.[member]
  if (!list?.items) throw new TypeError(`${route.path} has no list ${member}`)
  const item = validator(list.items)
  const rest = validator({
    ...shape,
    properties: { ...shape.properties, [member]: { ...list, items: Type.Unknown() } },
  })
  return {
    route,
    handle: (call) => {
      const { problems, isCoarse } = rest.judge(call.body)
      const items = isRecord(call.body) ? call.body[member] : undefined
      const judgementByItem = new Map<number, Judgement>()
      if (Array.isArray(items) && !isCoarse && items.length <= (list.maxItems ?? Infinity))
        judgeItems(items, item, `/${member}`, judgementByItem)
      // The boundary: such routes have neither query nor parameters.
      return handler({ ...call, problems, judgementByItem } as ItemsCall<R>)
    },
  }
}

function judgeItems(
  items: readonly unknown[],
  item: Validator<TSchema>,
  path: string,
  judgementByItem: Map<number, Judgement>,
): void {
  for (const [index, value] of items.entries()) {
    if (item.matches(value)) continue
    judgementByItem.set(index, item.judge(value, `${path}/${index}`))
  }
}

function renamed(problems: Problem[], prefix: string): Problem[] {
  return problems.map((problem) => ({ ...problem, path: `${prefix}${(problem.path ?? '').slice(1)}` }))
}

/** What the server asks of the features, handed in by app.ts because the platform knows none of them. */
export type ServeNeeds = {
  clock: Clock
  log: Log
  telemetry: Telemetry
  /** The caller behind an x-api-key, or undefined when it opens nothing. */
  callerOf: (apiKey: string | undefined) => Promise<Caller | undefined>
  /** The role behind a bearer token, or undefined. */
  roleOf: (authorization: string | undefined) => Promise<Access | undefined>
  /** The stored answer for a push that was answered before under the same idempotency key. */
  replayed: (push: Push) => Promise<Answer | undefined>
  /** Keeps a push that was refused. */
  keepRefused: (push: Push, status: number, answerJson: string) => Promise<void>
}

export type Server = {
  fastify: FastifyInstance
  /** From now on new requests get 503; those under way finish. */
  drain: () => void
  requestsInFlight: () => number
}

declare module 'fastify' {
  interface FastifyRequest {
    ari: { startedMs: number; route: Route | undefined; caller: Caller | undefined; push: Push | undefined }
  }
}

const requestsInFlightMax = 2_000
/** So that nobody takes all the places, least of all by bodies that never end. */
const requestsInFlightPerKeyMax = 1_000
const requestTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000
/** Fastify's own limit is never reached: body.ts counts by the key's limit. */
const neverReachedBytes = 1024 * 1024 * 1024
const compressFromBytes = 2_048

export function serve(mounted: readonly Mounted[], needs: ServeNeeds): Server {
  const inFlight = inFlightRequests()
  const broken = brokenRequests(inFlight, requestIdOf, (status) =>
    needs.telemetry.requests.observe({ route: 'none', status }, 0),
  )
  const fastify = Fastify({
    logger: false,
    // Node would answer these itself, without a body and a request id.
    http: { requireHostHeader: false },
    clientErrorHandler: broken.onClientError,
    frameworkErrors: broken.onBadUrl,
    bodyLimit: neverReachedBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Longer than any URL: what is too long for an id is an unknown id.
    routerOptions: { maxParamLength: 65_536 },
    exposeHeadRoutes: false,
  })
  const limiter = new RateLimiter()
  const bodies = bodyReader()
  let draining = false

  fastify.register(compress, {
    globalDecompression: false,
    threshold: compressFromBytes,
    encodings: ['zstd', 'br', 'gzip'],
    // The default quality of 11 takes seconds for a year of ARI.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    'application/json',
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const { caller, push } = request.ari
      const raw = await bodies.read(payload, request.headers, caller?.limits.bodyBytesMax ?? 1024 * 1024)
      if (push) push.rawBody = raw
      return parseJson(raw)
    },
  )
  fastify.decorateRequest('ari')
  fastify.addHook('onRequest', async (request, reply) => {
    request.ari = { startedMs: performance.now(), route: undefined, caller: undefined, push: undefined }
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    inFlight.began(request)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw hostMissing
  })
  fastify.addHook('onResponse', async (request, reply) => {
    inFlight.answered(request)
    broken.answered(request.raw.socket)
    observe(request, reply, needs)
  })
  fastify.server.on('checkExpectation', broken.onExpectation)
  fastify.setErrorHandler((error, request, reply) => answerError(error, request, reply, needs))
  fastify.setNotFoundHandler((request) => {
    throw notFound(mounted, request)
  })

  const admit = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.ari.route = route
    inFlight.workBegan(request)
    if (draining) throw shuttingDown()
    if (inFlight.count() > requestsInFlightMax) {
      needs.telemetry.limited.inc({ limit: 'in_flight' })
      throw overloaded()
    }
    if (route.access === 'supplier') {
      const { keyId } = await admitSupplier(route, request, reply, limiter, needs)
      if (inFlight.claimed(request, keyId) > requestsInFlightPerKeyMax) {
        needs.telemetry.limited.inc({ limit: 'in_flight_of_key' })
        throw overloaded()
      }
    } else if (route.access !== 'open') await admitToken(route.access, request, needs)
  }

  fastify.register(async (api) => {
    // Runs for errors too, and when the caller is gone.
    api.addHook('onSend', (request, _reply, _payload, done) => {
      inFlight.workEnded(request)
      done()
    })
    for (const { route, handle } of mounted) {
      api.route({
        method: route.method,
        url: `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        onRequest: (request, reply) => admit(route, request, reply),
        handler: async (request, reply) => {
          const answered = await perform(handle, request, needs)
          reply.code(answered.status).headers({ ...answered.headers })
          return reply
            .type('application/json; charset=utf-8')
            .header('cache-control', 'no-store')
            .send(answered.json)
        },
      })
    }
  })
  return { fastify, drain: () => void (draining = true), requestsInFlight: inFlight.count }
}

async function perform(
  handle: Mounted['handle'],
  request: FastifyRequest,
  needs: ServeNeeds,
): Promise<Answer> {
  const { caller, push } = request.ari
  if (push?.idempotencyKey !== undefined) {
    const stored = await needs.replayed(push)
    if (stored) return stored
  }
  return handle({
    body: request.body,
    query: request.query,
    params: request.params,
    // Open and token routes never read these two; the types of their handlers don't offer them.
    caller: caller ?? nobody,
    push: push ?? {
      kind: '',
      requestId: request.id,
      caller: nobody,
      rawBody: undefined,
      receivedAtMs: 0,
      startedMs: 0,
      idempotencyKey: undefined,
    },
    requestId: request.id,
  })
}

const nobody: Caller = {
  keyId: 0,
  supplierId: 0,
  supplier: '',
  channelManager: '',
  limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
}

const unauthorized = (): Rejected =>
  new Rejected(401, {
    type: 'UNAUTHORIZED',
    message: 'Unauthorized API KEY',
    path: 'x-api-key',
    hint: 'Send a valid key of this environment in the x-api-key header',
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
  if (!caller) throw unauthorized()
  request.ari.caller = caller
  const { rate } = caller.limits
  if (rate) {
    const taken = limiter.take(String(caller.keyId), rate, needs.clock.now())
    reply.header('ratelimit', `"key";r=${taken.remaining};t=${taken.allowed ? 0 : taken.retryAfterSeconds}`)
    reply.header('ratelimit-policy', `"key";q=${rate.perMinute};w=60;burst=${rate.burst}`)
    if (!taken.allowed) {
      needs.telemetry.limited.inc({ limit: 'rate' })
      throw tooMany(taken.retryAfterSeconds, rate)
    }
  }
  if (route.pushKind === undefined) return caller
  request.ari.push = {
    kind: route.pushKind,
    requestId: request.id,
    caller,
    rawBody: undefined,
    receivedAtMs: needs.clock.now(),
    startedMs: request.ari.startedMs,
    idempotencyKey: idempotencyKeyOf(request.headers['idempotency-key']),
  }
  return caller
}

async function admitToken(access: Access, request: FastifyRequest, needs: ServeNeeds): Promise<void> {
  const role = await needs.roleOf(request.headers.authorization)
  if (role === access) return
  throw new Rejected(401, {
    type: 'UNAUTHORIZED',
    message: 'Unauthorized token',
    path: 'authorization',
    hint: `Send a valid ${access} token as "Authorization: Bearer …"`,
  })
}

const idempotencyKeyMax = 64

function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = Array.isArray(header) ? header.join() : header
  if (key.length >= 1 && key.length <= idempotencyKeyMax && /^[\x21-\x7e]+$/.test(key)) return key
  throw new Rejected(400, {
    type: 'INVALID_IDEMPOTENCY_KEY',
    message: 'Idempotency-Key must be 1 to 64 printable ASCII characters without blanks',
    path: 'idempotency-key',
  })
}

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : randomUUID()
}

function tooMany(retryAfterSeconds: number, rate: RateLimit): Rejected {
  const problem = {
    type: 'RATE_LIMITED',
    message: `Rate limit of ${rate.perMinute} requests a minute exceeded`,
    hint: `Send the same again in ${retryAfterSeconds} s; put several rooms and dates into one push`,
  }
  return new Rejected(429, problem, { headers: { 'retry-after': String(retryAfterSeconds) } })
}

function shuttingDown(): Rejected {
  return new Rejected(
    503,
    {
      type: 'SHUTTING_DOWN',
      message: 'The service is shutting down',
      hint: 'Nothing was applied; send the same again after Retry-After',
    },
    { headers: { 'retry-after': '2', connection: 'close' } },
  )
}

function notFound(mounted: readonly Mounted[], request: FastifyRequest): Rejected {
  const path = request.url.split('?')[0] ?? ''
  const shown = path.slice(0, 200)
  const here = mounted.filter(({ route }) => pathPattern(route).test(path)).map(({ route }) => route.method)
  const [first] = here
  if (first === undefined) {
    return new Rejected(404, {
      type: 'NO_SUCH_ENDPOINT',
      message: `There is no endpoint ${shown}`,
      hint: 'See /docs for the endpoints',
    })
  }
  const allow = [...new Set(here)].join(', ')
  return new Rejected(
    405,
    {
      type: 'METHOD_NOT_ALLOWED',
      message: `${request.method} is not allowed on ${shown}`,
      hint: `Use ${allow}`,
    },
    { headers: { allow } },
  )
}

function pathPattern(route: Route): RegExp {
  return new RegExp(`^/v1${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  needs: ServeNeeds,
): Promise<FastifyReply> {
  const rejected = asRejected(error)
  if (!rejected)
    needs.log.error(
      { err: error, requestId: request.id, route: request.ari?.route?.path },
      'a request failed',
    )
  else if (rejected.status === 503)
    needs.log.warn({ err: error, requestId: request.id }, 'a request was turned away')
  const status = rejected?.status ?? 500
  const json = JSON.stringify(rejected ? rejectedBody(rejected, request.id) : ourFault(request.id))
  const push = request.ari?.push
  if (push && rejected && status < 500) await keepRefused(push, status, json, needs)
  return reply
    .code(status)
    .headers({ ...rejected?.headers, 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(json)
}

/** A refusal is answered even when the log cannot be written: the push changed nothing. */
async function keepRefused(push: Push, status: number, json: string, needs: ServeNeeds): Promise<void> {
  try {
    await needs.keepRefused(push, status, json)
  } catch (error) {
    needs.log.error(
      { err: error, requestId: push.requestId },
      'a refused push could not be kept in the push log',
    )
  }
}

function ourFault(requestId: string) {
  const problem = {
    type: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side',
    hint: 'Send the same again; name the request id when you ask us',
  }
  return { code: '500', message: problem.message, requestId, errors: [problem] }
}

function asRejected(error: unknown): Rejected | undefined {
  if (error instanceof Rejected) return error
  if (isUnavailable(error)) {
    const problem = {
      type: 'UNAVAILABLE',
      message: 'The store is not available',
      hint: 'Not acknowledged; send the same again after Retry-After',
    }
    return new Rejected(503, problem, { headers: { 'retry-after': '1' } })
  }
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return undefined
  if (error.statusCode === 415) {
    return new Rejected(415, {
      type: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Content-Type must be application/json',
      path: 'content-type',
      hint: 'Send Content-Type: application/json',
    })
  }
  if (error.statusCode >= 400 && error.statusCode < 500) {
    return new Rejected(400, {
      type: 'MALFORMED_REQUEST',
      message: error.message.slice(0, 200).toWellFormed(),
    })
  }
  return undefined
}

function observe(request: FastifyRequest, reply: FastifyReply, needs: ServeNeeds): void {
  const { startedMs, route, caller } = request.ari
  const durationMs = performance.now() - startedMs
  const status = reply.statusCode
  needs.telemetry.requests.observe({ route: route?.path ?? 'none', status }, durationMs / 1000)
  const level = status >= 400 ? 'info' : 'debug'
  if (!needs.log.isLevelEnabled(level)) return
  const fields = {
    requestId: request.id,
    method: request.method,
    route: route?.path ?? request.url.slice(0, 200),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
  }
  needs.log[level]({ ...fields, supplier: caller?.supplier, keyId: caller?.keyId }, 'request')
}
