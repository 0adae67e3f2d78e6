import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomUUIDv7 } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { constants } from 'node:zlib'
import { admitOperator, admitSupplier, admitToken, refuseCardNumberAsId } from './admit.ts'
import { answerError, notFound, sendJson } from './answer-error.ts'
import { bodyReader, overloaded, type BodyReader } from './body.ts'
import { brokenRequests, hostMissing, type BrokenRequests } from './broken-requests.ts'
import { callOf } from './call-of.ts'
import { isCardNumberId } from './card-number.ts'
import { heldOpenRequests, type HeldOpen } from './held-open.ts'
import { inFlightRequests, type InFlight } from './in-flight.ts'
import { parseJson } from './json.ts'
import { sparing, toldPath } from './log.ts'
import type { Answer, LongAnswer, Mounted, Streamed } from './mount.ts'
import { RateLimiter } from './rate-limit.ts'
import { shuttingDown } from './shutting-down.ts'
import { basePathOf, type Route } from './route.ts'
import type { ServeNeeds } from './serve-needs.ts'
import { noWarnings } from './warnings.ts'

export type Server = {
  fastify: FastifyInstance
  /** From now on new requests get 503; those under way finish, and those that wait come to an end. */
  drain: () => void
  requestsInFlight: () => number
  /** Those that wait for something to happen; not in flight. */
  requestsHeldOpen: () => number
}

const requestsInFlightMax = 2_000
/** So that nobody takes all the places, least of all by bodies that never end. */
const requestsInFlightPerKeyMax = 1_000
const requestTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000
/** Fastify's own limit is never reached: body.ts counts by the key's limit. */
const neverReachedBytes = 1024 * 1024 * 1024
/** For routes that need no supplier's key. */
const openBodyBytesMax = 1024 * 1024

/** The HTTP server with its routes. Requests that reach none are answered by answer-error.ts and broken-requests.ts. */
export function serve(mounted: readonly Mounted[], needs: ServeNeeds): Server {
  const bodies = bodyReader((limit) => needs.telemetry.limited.inc({ limit }), needs.patience)
  const inFlight = inFlightRequests((request) => bodies.release(request.raw))
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
    requestTimeout: requestTimeoutMs * needs.patience,
    keepAliveTimeout: keepAliveTimeoutMs,
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Longer than any URL: what is too long for an id is an unknown id.
    routerOptions: { maxParamLength: 65_536 },
    trustProxy: needs.trustedProxies?.length ? [...needs.trustedProxies] : false,
  })
  readJsonOnly(fastify, bodies)
  countRequests(fastify, { inFlight, broken }, needs)
  const errorNeeds = { ...needs, turnedAway: sparing(needs.log, 'requests were turned away') }
  fastify.setErrorHandler((error, request, reply) => answerError(error, request, reply, errorNeeds))
  fastify.setNotFoundHandler((request) => {
    throw notFound(mounted, request)
  })
  let isDraining = false
  const heldOpen = heldOpenRequests((limit) => needs.telemetry.limited.inc({ limit }))
  const admit = admission({ inFlight, isDraining: () => isDraining }, needs)
  mountRoutes(fastify, mounted, { admit, inFlight, heldOpen }, needs)
  return {
    fastify,
    drain: () => {
      isDraining = true
      heldOpen.drain()
    },
    requestsInFlight: inFlight.count,
    requestsHeldOpen: heldOpen.count,
  }
}

function readJsonOnly(fastify: FastifyInstance, bodies: BodyReader): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const { caller, push, route } = request.ari
    // There is no such endpoint, or it takes no body, whatever the header says: Node drops what comes.
    if (!route?.body) return undefined
    const bytesMax = caller?.limits.bodyBytesMax ?? openBodyBytesMax
    const raw = await bodies.read(request.raw, { keyId: caller?.keyId, bytesMax })
    if (push) push.rawBody = raw
    // Those that the push log keeps anyway: others may hold card data, and those of the console passwords.
    return parseJson(raw, { isQuoted: route.pushKind !== undefined })
  })
  fastify.register(compress, {
    // Answers say themselves when they are long enough: a hook on each would cost the short ones.
    globalCompression: false,
    globalDecompression: false,
    encodings: ['zstd', 'br', 'gzip'],
    // The default quality of 11 takes seconds for a year of ARI.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
}

/** Callbacks rather than promises: these run for every request. */
function countRequests(
  fastify: FastifyInstance,
  { inFlight, broken }: { inFlight: InFlight; broken: BrokenRequests },
  needs: ServeNeeds,
): void {
  fastify.decorateRequest('ari')
  fastify.addHook('onRequest', (request, reply, done) => {
    request.ari = {
      startedMs: performance.now(),
      route: undefined,
      caller: undefined,
      push: undefined,
      token: undefined,
      operator: undefined,
      warnings: noWarnings(),
    }
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    inFlight.began(request)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') done(hostMissing)
    else done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    inFlight.answered(request)
    broken.answered(request.raw.socket)
    observe(request, reply, needs)
    done()
  })
  fastify.server.on('checkExpectation', broken.onExpectation)
}

type Admit = (route: Route, request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Who is let in: nobody while the service ends or is full, then whom the key or token opens the route for. */
function admission(
  { inFlight, isDraining }: { inFlight: InFlight; isDraining: () => boolean },
  needs: ServeNeeds,
): Admit {
  const limiter = new RateLimiter()
  return async (route, request, reply) => {
    request.ari.route = route
    inFlight.workBegan(request)
    if (isDraining()) throw shuttingDown()
    if (inFlight.count() > requestsInFlightMax) {
      needs.telemetry.limited.inc({ limit: 'in_flight' })
      throw overloaded()
    }
    if (route.access === 'open') return
    if (route.access === 'operator') return admitOperator(route, request, needs)
    if (route.access === 'platform') return admitToken(route, request, needs)
    const { keyId } = await admitSupplier(route, request, reply, limiter, needs)
    if (inFlight.claimed(request, keyId) <= requestsInFlightPerKeyMax) return
    needs.telemetry.limited.inc({ limit: 'in_flight_of_key' })
    throw overloaded()
  }
}

function mountRoutes(
  fastify: FastifyInstance,
  mounted: readonly Mounted[],
  { admit, inFlight, heldOpen }: { admit: Admit; inFlight: InFlight; heldOpen: HeldOpen },
  needs: ServeNeeds,
): void {
  const hold = async (
    { route, hold: work }: Extract<Mounted, { handle?: undefined }>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer | Streamed> => {
    const held = heldOpen.began(request, reply, () => admitToken(route, request, needs))
    inFlight.heldOpen(request)
    return work(callOf(request), held)
  }
  fastify.register(async (api) => {
    // Runs for errors too, and when the caller is gone.
    api.addHook('onSend', (request, _reply, _payload, done) => {
      inFlight.workEnded(request)
      done()
    })
    for (const one of mounted) {
      const { route } = one
      api.route({
        method: route.method,
        // Pages and probes have one: monitors ask so. What the contract does not name, the API has not.
        exposeHeadRoute: false,
        url: `${basePathOf(route)}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        onRequest: async (request, reply) => {
          await admit(route, request, reply)
          refuseCardNumberAsId(request)
        },
        handler: async (request, reply) => {
          const answered = one.handle
            ? await perform(one.handle, request, needs)
            : await hold(one, request, reply)
          return send(reply, answered)
        },
      })
    }
  })
}

function send(reply: FastifyReply, answered: Answer | LongAnswer | Streamed): FastifyReply {
  if ('stream' in answered) {
    // A proxy that collects the answer would keep it from the caller.
    reply.type(answered.contentType).header('cache-control', 'no-store').header('x-accel-buffering', 'no')
    return reply.send(answered.stream)
  }
  if (answered.headers) reply.headers(answered.headers)
  return sendJson(reply, answered)
}

async function perform(
  handle: NonNullable<Mounted['handle']>,
  request: FastifyRequest,
  needs: ServeNeeds,
): Promise<Answer | LongAnswer> {
  const { push } = request.ari
  if (push?.idempotencyKey !== undefined) {
    const stored = await needs.replayed(push)
    if (stored) return stored
  }
  return handle(callOf(request))
}

function requestIdOf(header: string | string[] | undefined): string {
  const isId = typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header)
  if (isId && !isCardNumberId(header)) return header
  // Version 7 begins with the time: in the index of the push log new ids lie side by side.
  return randomUUIDv7()
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
    route: route?.path ?? toldPath(request.url),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
  }
  needs.log[level]({ ...fields, supplier: caller?.supplier, keyId: caller?.keyId }, 'request')
}
