import {
  Agent as PlainAgent,
  request as requestPlain,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import type { Socket } from 'node:net'
import { BoundedMap } from '../base/bounded-map.ts'
import { Gate } from '../base/gate.ts'
import { withSpans } from './call-span.ts'
import { collect, refuseOddities } from './read-answer.ts'
import { agentOf, CallFault, connector, faultOf, type CallFailure } from './connect.ts'
import { parseUrl, type OutboundRules } from './vet-url.ts'
import type { Telemetry } from '../base/telemetry.ts'

/**
 * Makes every call to a URL from outside: a supplier's, or the operator's archive. The host is vetted again for each connection, and the connection goes
 * to a vetted address. It follows no redirects and uses no proxy; the time, and the size of the answer's head
 * and body, are limited.
 */

/** Separate connections for one purpose, so that endpoints that hang for one don't delay another. */
export type OutboundPool = {
  /** Its name in the metrics. */
  purpose: string
  /** What its calls are for, in the names of their spans: `callback.…`. Absent: they have none. */
  calls?: 'priceCheck' | 'pushBooking' | 'ping' | 'alert' | 'operators'
  /** Maximum number of concurrent calls to one host and port, each on its own connection; others wait. */
  connectionsPerHost: number
}

export type OutboundCall = {
  url: string
  body: Buffer
  headers: Readonly<Record<string, string>>
  /** For the host's address lookup, the connection and its TLS handshake together. */
  connectWithinMs: number
  /** For everything, from waiting for a connection to the last byte of the answer. */
  withinMs: number
  answerBytesMax: number
  /** The head alone counts as an answer, even if the body is too large, never ends, or breaks. */
  headSuffices?: boolean
  /** Cancels the call. */
  signal?: AbortSignal
}

export type Called =
  | { kind: 'answered'; status: number; body: Buffer; headers: IncomingHttpHeaders; durationMs: number }
  | {
      kind: 'failed'
      reason: CallFailure
      /** Whether the other side may have received any part of the request. */
      bytesSent: boolean
      durationMs: number
      /** Human-readable. */
      message: string
      /** What had come of an answer until then; absent: nothing. */
      came?: Came
    }

/** The head of an answer, and the beginning of its body. */
export type Came = { status: number; headers: IncomingHttpHeaders; body: Buffer }

type Method = 'GET' | 'POST' | 'PUT'

export type OutboundCaller = {
  /** Never throws because of the other side's behaviour. */
  post: (call: OutboundCall) => Promise<Called>
  /** The same with another method. */
  send: (call: OutboundCall & { method: Method }) => Promise<Called>
  /** Ends all connections; calls in progress fail. */
  close: () => void
}

const waitingPerHostMax = 1_000
/** The URLs that a caller has read already; their hosts are vetted for each connection. */
const readUrlsBytesMax = 1_000_000
const headBytesMax = 16_384
const finalStatusMin = 200
const userAgent = 'ari-gateway'

export function outboundCaller(
  rules: OutboundRules,
  telemetry: Telemetry,
  pool: OutboundPool,
): OutboundCaller {
  const connect = connector(rules)
  const { connectionsPerHost } = pool
  const agents = {
    http: agentOf(PlainAgent, connect, connectionsPerHost),
    https: agentOf(SecureAgent, connect, connectionsPerHost),
  }
  // An agent counts only open connections: those that are still opening must be limited as well.
  const gate = new Gate<string>({ passing: connectionsPerHost, waiting: waitingPerHostMax })
  const urls: Means['urls'] = new BoundedMap(readUrlsBytesMax, ({ href }) => href.length)
  const closing = new AbortController()
  const send: OutboundCaller['send'] = async (call) => {
    const startedMs = performance.now()
    const progress: Progress = { bytesSent: () => false, came: () => undefined }
    const { ending, over } = endingOf(call, closing.signal)
    const outcome = await attempt(call, { rules, urls, agents, gate, ending, progress })
      .catch((error: unknown) => failureOf(error, progress))
      .finally(over)
    const durationMs = performance.now() - startedMs
    const label = outcome.kind === 'failed' ? outcome.reason : outcome.kind
    telemetry.outbound.observe({ purpose: pool.purpose, outcome: label }, durationMs / 1_000)
    return { ...outcome, durationMs: Math.round(durationMs) }
  }
  const traced = withSpans(send, pool.calls, rules)
  return {
    post: (call) => traced({ ...call, method: 'POST' }),
    send: traced,
    close: () => {
      closing.abort()
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** The known state of a request in progress. */
type Progress = { bytesSent: () => boolean; came: () => Came | undefined }

type Means = {
  rules: OutboundRules
  urls: BoundedMap<string, URL>
  agents: { http: PlainAgent; https: SecureAgent }
  gate: Gate<string>
  ending: AbortController
  progress: Progress
}

type Untimed<Timed> = Timed extends unknown ? Omit<Timed, 'durationMs'> : never
type Outcome = Untimed<Called>

/** Ends a call before its answer is complete, and records the reason. */
function endingOf(call: OutboundCall, closing: AbortSignal): { ending: AbortController; over: () => void } {
  const ending = new AbortController()
  const giveUp = (): void => ending.abort(new CallFault('cancelled', 'we gave up on the call'))
  const late = setTimeout(
    () => ending.abort(new CallFault('timeout', `no whole answer within ${call.withinMs} ms`)),
    call.withinMs,
  )
  const signals = call.signal ? [call.signal, closing] : [closing]
  for (const signal of signals) {
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
  }
  const over = (): void => {
    clearTimeout(late)
    for (const signal of signals) signal.removeEventListener('abort', giveUp)
  }
  return { ending, over }
}

async function attempt(call: OutboundCall & { method: Method }, means: Means): Promise<Outcome> {
  const url = urlOf(call.url, means)
  const { gate, ending } = means
  await turn(gate, url.origin, ending.signal)
  try {
    return await exchange(url, call, means)
  } finally {
    gate.leave(url.origin)
  }
}

function urlOf(text: string, { rules, urls }: Pick<Means, 'rules' | 'urls'>): URL {
  const known = urls.get(text)
  if (known) return known
  const parsed = parseUrl(text, rules.privateNetworks)
  if ('fault' in parsed) {
    throw new CallFault('refused_address', `the URL must not be called: ${parsed.fault.kind}`)
  }
  const url = new URL(parsed.href)
  urls.set(text, url)
  return url
}

/** Waits for a turn. If the caller gives up while waiting, it still gets its turn, and passes it on. */
async function turn(gate: Gate<string>, origin: string, signal: AbortSignal): Promise<void> {
  const entered = gate.enter(origin)
  if (!entered) throw new CallFault('busy', 'too many calls to this host are waiting already')
  let isGivenUp = false
  const passed = entered.then(() => {
    if (isGivenUp) gate.leave(origin)
  })
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    await Promise.race([aborted.promise, passed])
  } catch (error) {
    isGivenUp = true
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function exchange(
  url: URL,
  call: OutboundCall & { method: Method },
  { agents, ending, progress }: Means,
): Promise<Outcome> {
  const { signal } = ending
  return new Promise((resolve, reject) => {
    let answered: IncomingMessage | undefined
    const chunks: Buffer[] = []
    const fail = (error: unknown): void => {
      if (call.headSuffices && answered) resolve(answerOf(answered, chunks))
      else reject(error)
    }
    // Registered before the request: if a call is cancelled while it connects, the request emits no event.
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    const options = {
      method: call.method,
      headers: {
        ...call.headers,
        'content-length': call.body.length,
        'accept-encoding': 'identity',
        'user-agent': userAgent,
      },
      maxHeaderSize: headBytesMax,
      signal,
      // Node doesn't pass `signal` on to the agent; this copy reaches it.
      connectingEnds: signal,
    }
    const request =
      url.protocol === 'https:'
        ? requestSecure(url, { ...options, agent: agents.https })
        : requestPlain(url, { ...options, agent: agents.http })
    const late = setTimeout(
      () => ending.abort(new CallFault('timeout', `no connection within ${call.connectWithinMs} ms`)),
      call.connectWithinMs,
    )
    request.once('close', () => clearTimeout(late))
    request.once('socket', (socket: Socket) => {
      clearTimeout(late)
      const before = socket.bytesWritten
      progress.bytesSent = () => socket.bytesWritten > before
    })
    refuseOddities(request, ending)
    request.on('error', fail)
    request.once('response', (answer) => {
      if ((answer.statusCode ?? 0) < finalStatusMin)
        return ending.abort(new CallFault('malformed', `${answer.statusCode} is not the status of an answer`))
      answered = answer
      progress.came = () => partOf(answer, chunks)
      collect(answer, chunks, call.answerBytesMax, ending).then(() => resolve(answerOf(answer, chunks)), fail)
    })
    request.end(call.body)
  })
}

function answerOf(answer: IncomingMessage, chunks: readonly Buffer[]): Outcome {
  return { kind: 'answered', ...partOf(answer, chunks) }
}

function partOf({ statusCode = 0, headers }: IncomingMessage, chunks: readonly Buffer[]): Came {
  return { status: statusCode, headers, body: Buffer.concat(chunks) }
}

function failureOf(error: unknown, progress: Progress): Outcome {
  const { reason, message } = faultOf(error)
  const came = progress.came()
  const bytesSent = progress.bytesSent()
  return { kind: 'failed', reason, bytesSent, message, ...(came ? { came } : {}) }
}
