import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { constants } from 'node:zlib'
import { admission, admitToken, callOf, refuseCardNumberAsId, type Admission } from './admission.ts'
import { answerError, sendJson } from './answer-error.ts'
import { notFound } from './not-found.ts'
import { overloaded } from '../rejected.ts'
import { bodyReader, type BodyReader, ParseTurns } from './body.ts'
import { brokenRequests, hostProblem, type BrokenRequests } from './broken-requests.ts'
import { isCardNumberId } from '../../base/card-number.ts'
import { withoutPrefix } from '../../base/path-prefix.ts'
import { heldOpenRequests, type HeldOpen } from '../calls/held-open.ts'
import { httpServer, pipelining, endUntakenAnswers, inPieces, type AnswersTaken } from './http-server.ts'
import { firstSlotOf, inFlightRequests, type InFlight } from './in-flight.ts'
import { parseJson } from '../validation/json.ts'
import { isRecord } from '../validation/validate.ts'
import { bodyValuesMax, basePathOf, refusesUnknownMembers, usualBodyBytesMax, type Access } from '../route.ts'
import { throttledWarning, loggedPath } from '../../base/log.ts'
import type { Answer, LongAnswer, Mounted, Streamed } from '../calls/mount.ts'
import { traceRequests } from './request-span.ts'
import { performer } from './perform.ts'
import type { ServeNeeds } from './serve-needs.ts'
import { noWarnings } from '../calls/warnings.ts'

export type Server = {
  fastify: FastifyInstance
  /** From now on each answer ends its connection, so that the client's next request may go elsewhere. */
  leave: () => void
  /** From now on new requests get 503; those in progress finish, and waiting ones come to an end. */
  drain: () => void
  requestsInFlight: () => number
  /** Requests that wait for something to happen; not counted as in flight. */
  requestsHeldOpen: () => number
}

/** Fastify's own limit is never reached: body.ts enforces the key's limit. */
const neverReachedBytes = 1024 * 1024 * 1024

/** Body limits where the key has none of its own. Without a key, sign-in is the only use for a body. */
const known = { bytesMax: usualBodyBytesMax, arrivesWithinSeconds: 20, valuesMax: bodyValuesMax }
const bodyLimits: Readonly<Record<Access, typeof known>> = {
  supplier: known,
  platform: known,
  operator: known,
  open: { bytesMax: 16 * 1024, arrivesWithinSeconds: 5, valuesMax: 100 },
}

/** The HTTP server with its routes. If no route matches, answer-error.ts and broken-requests.ts answer. */
export function serve(mounted: readonly Mounted[], needs: ServeNeeds): Server {
  const limited = (limit: string): void => needs.telemetry.limited.inc({ limit })
  const { trustedProxies = [], patience, pathPrefix } = needs
  const bodies = bodyReader(limited, patience)
  const inFlight = inFlightRequests((request) => bodies.release(request.raw))
  const { oneAtATime, hasMore } = pipelining(() => limited('pipelined'))
  const broken = brokenRequests(inFlight, hasMore, requestIdOf, (status) =>
    needs.telemetry.requests.observe({ route: 'none', status }, 0),
  )
  const taken = endUntakenAnswers(() => limited('answer_not_taken'), patience)
  const fastify = Fastify({
    logger: false,
    serverFactory: (handle) => httpServer(oneAtATime(handle), { trustedProxies, patience, limited }),
    clientErrorHandler: broken.onClientError,
    frameworkErrors: broken.onBadUrl,
    bodyLimit: neverReachedBytes,
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    // Longer than any URL, so that an id that is too long is answered as an unknown id.
    routerOptions: { maxParamLength: 65_536 },
    trustProxy: needs.trustedProxies?.length ? [...needs.trustedProxies] : false,
    ...(pathPrefix === ''
      ? {}
      : { rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutPrefix(url, pathPrefix) }),
  })
  traceRequests(fastify)
  readJsonOnly(fastify, { bodies, inFlight })
  countRequests(fastify, { inFlight, broken, taken, limited }, needs)
  const errorNeeds = { ...needs, turnedAway: throttledWarning(needs.log, 'requests were turned away') }
  fastify.setErrorHandler((error, request, reply) => answerError(error, request, reply, errorNeeds))
  fastify.setNotFoundHandler((request) => {
    throw notFound(mounted, request)
  })
  let isDraining = false
  let isLeaving = false
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (isLeaving) reply.header('connection', 'close')
    done()
  })
  const heldOpen = heldOpenRequests(limited)
  const { admit, admitLate } = admission({ inFlight, isDraining: () => isDraining }, needs)
  mountRoutes(fastify, mounted, { admit, admitLate, inFlight, heldOpen }, needs)
  return {
    fastify,
    leave: () => {
      isLeaving = true
    },
    drain: () => {
      isDraining = true
      heldOpen.drain()
    },
    requestsInFlight: inFlight.count,
    requestsHeldOpen: heldOpen.count,
  }
}

function readJsonOnly(
  fastify: FastifyInstance,
  { bodies, inFlight }: { bodies: BodyReader; inFlight: InFlight },
): void {
  const turns = new ParseTurns()
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const { caller, push, route } = request.ari
    // There is no such endpoint: Node drops the body.
    if (!route) return undefined
    const limits = bodyLimits[route.access]
    const owner = inFlight.ownerOf(request)
    const bytesMax = caller?.limits.bodyBytesMax ?? limits.bytesMax
    const raw = await bodies.read(request.raw, { ...limits, owner, bytesMax })
    const { 'content-type': contentType } = request.headers
    const parsed = (isQuoted: boolean) =>
      turns.parse(owner, raw, () => parseJson(raw, { isQuoted, valuesMax: limits.valuesMax, contentType }))
    // The route takes no body: it isn't stored, its members cause warnings, and invalid JSON is no error.
    if (!route.body) {
      if (raw.length === 0) return undefined
      return refusesUnknownMembers(route) ? parsed(false) : parsed(false).catch(() => undefined)
    }
    if (route.isBodyOptional && raw.length === 0) return {}
    if (push) push.rawBody = raw
    // Quote only bodies that the push log stores anyway: others may contain card data or passwords.
    return parsed(route.pushKind !== undefined)
  })
  fastify.register(compress, {
    // sendJson compresses answers that are long enough: a hook on each answer would slow the short ones.
    globalCompression: false,
    globalDecompression: false,
    encodings: ['zstd', 'br', 'gzip'],
    // The default quality of 11 takes seconds for a year of ARI.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
}

type Counting = {
  inFlight: InFlight
  broken: BrokenRequests
  taken: AnswersTaken
  limited: (limit: string) => void
}

/** Callbacks rather than promises: these run for every request. */
function countRequests(
  fastify: FastifyInstance,
  { inFlight, broken, taken, limited }: Counting,
  needs: ServeNeeds,
): void {
  fastify.decorateRequest('ari')
  fastify.addHook('onRequest', (request, reply, done) => {
    request.ari = {
      startedMs: performance.now(),
      admittedMs: 0,
      pathPrefix: needs.pathPrefix,
      route: undefined,
      caller: undefined,
      push: undefined,
      token: undefined,
      idempotencyKey: undefined,
      operator: undefined,
      warnings: noWarnings(),
    }
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    const beyond = inFlight.began(request, firstSlotOf(request))
    if (beyond === undefined) return done(hostProblem(request.raw))
    limited(beyond)
    done(overloaded())
  })
  fastify.addHook('onSend', (request, reply, payload, done) => {
    taken.sending(request.raw.socket)
    const long = inPieces(payload)
    if (!long) return done(null, payload)
    reply.header('content-length', long.length)
    done(null, long.stream)
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    taken.sent(request.raw.socket)
    inFlight.answered(request)
    broken.answered(request.raw.socket)
    observe(request, reply, needs)
    done()
  })
  fastify.server.on('checkExpectation', broken.onExpectation)
}

/** The router takes nothing between two slashes for a parameter; nothing is named so. */
function lacksParameter({ params }: FastifyRequest): boolean {
  return isRecord(params) && Object.values(params).includes('')
}

function mountRoutes(
  fastify: FastifyInstance,
  mounted: readonly Mounted[],
  { admit, admitLate, inFlight, heldOpen }: Admission & { inFlight: InFlight; heldOpen: HeldOpen },
  needs: ServeNeeds,
): void {
  const hold = async (
    { route, hold: work }: Extract<Mounted, { handle?: undefined }>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer | Streamed> => {
    const held = heldOpen.began(request, reply, async () => void (await admitToken(route, request, needs)))
    inFlight.heldOpen(request)
    return work(callOf(route, request), held)
  }
  const perform = performer(needs)
  const mount = (api: FastifyInstance, some: readonly Mounted[]): void => {
    // Also runs for errors, and when the caller is gone.
    api.addHook('onSend', (request, _reply, _payload, done) => {
      inFlight.workEnded(request)
      done()
    })
    for (const one of some) {
      const { route } = one
      api.route({
        method: route.method,
        // Pages and probes have HEAD, because monitors use it. The API doesn't: it isn't in the contract.
        exposeHeadRoute: false,
        config: { slot: route.access === 'open' ? 'open' : 'arriving' },
        url: `${basePathOf(route)}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        onRequest: async (request, reply) => {
          if (lacksParameter(request)) throw notFound(mounted, request)
          await admit(route, request, reply)
          refuseCardNumberAsId(request)
        },
        handler: async (request, reply) => {
          await admitLate(route, request)
          const answered = one.handle ? await perform(one, request) : await hold(one, request, reply)
          return send(reply, answered)
        },
      })
    }
  }
  const takesBytes = ({ route }: Mounted): boolean => route.transfers === 'upload'
  fastify.register(async (api) =>
    mount(
      api,
      mounted.filter((one) => !takesBytes(one)),
    ),
  )
  fastify.register(async (api) => {
    api.removeAllContentTypeParsers()
    // The handler reads the body itself.
    api.addContentTypeParser('*', (_request, _payload, done) => done(null))
    mount(api, mounted.filter(takesBytes))
  })
}

function send(reply: FastifyReply, answered: Answer | LongAnswer | Streamed): FastifyReply {
  if ('stream' in answered) {
    // A proxy that buffers the answer would keep it from the caller.
    reply.type(answered.contentType).header('cache-control', 'no-store').header('x-accel-buffering', 'no')
    if (answered.contentEncoding) reply.header('vary', 'accept-encoding')
    if (answered.contentEncoding === 'gzip') reply.header('content-encoding', 'gzip')
    return reply.send(answered.stream)
  }
  if (answered.headers) reply.headers(answered.headers)
  return sendJson(reply, answered)
}

function requestIdOf(header: string | string[] | undefined): string {
  const isId = typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header)
  if (isId && !isCardNumberId(header)) return header
  // Version 7 begins with the time, so new ids are adjacent in the index of the push log.
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
    route: route?.path ?? loggedPath(request.url),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
  }
  needs.log[level]({ ...fields, supplier: caller?.supplier, keyId: caller?.keyId }, 'request')
}
