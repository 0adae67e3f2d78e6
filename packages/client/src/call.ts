import type { Problem } from './api.ts'
import { GatewayError } from './gateway-error.ts'
import type { Operation, UploadOptions } from './operations.ts'
import { deadlineOf, timerMaxMs } from './deadline.ts'
import { pause, retryWaitMs } from './retry-wait.ts'
import { asBody, fileIn, isReadOnce, type Data } from './transfers.ts'

/** Calls every operation: headers, time limits, retries, and the conversion of answers. */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** An attempt of a call, for logs and metrics. It contains no key and no body. */
export type Attempt = {
  operation: string
  attempt: number
  /** 0: there was no answer. */
  status: number
  durationMs: number
  requestId: string | undefined
  /** The answer was stored under the Idempotency-Key: an earlier attempt did the work. */
  isReplayed: boolean
  /** Delay until the next attempt; undefined: this is the last. */
  retryInMs: number | undefined
}

export type ConnectOptions = {
  /** URL of the service, with or without `/v1` at the end. */
  url: string
  fetch?: Fetch
  /**
   * For a whole call, with all its attempts and the waits between them; default 60,000, or 120,000 with data, or what
   * `timeoutMs` or `retryForMs` says if that is longer. Of a file that is answered, for the beginning.
   */
  deadlineMs?: number
  /** For one attempt, within the deadline; default 30,000. */
  timeoutMs?: number
  /** No attempt is repeated later than this; by default until the deadline, 0 for a single attempt. */
  retryForMs?: number
  /** Bodies from this size on are compressed; default 16,384, Infinity for never. */
  gzipFromBytes?: number
  onAttempt?: (attempt: Attempt) => void
}

export type Input = { params?: unknown; query?: unknown; body?: unknown; data?: unknown }

export type Caller = (operation: Operation, input: Input, options: UploadOptions) => Promise<unknown>

/** The service gives a request with data a minute. */
const usual = { timeoutMs: 30_000, uploadTimeoutMs: 60_000, gzipFromBytes: 16_384 }

export function caller(connect: ConnectOptions, credentials: Readonly<Record<string, string>>): Caller {
  const base = `${connect.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  return async (operation, input, options) => {
    const begunMs = performance.now()
    const retryForMs = options.retryForMs ?? connect.retryForMs
    const deadlineMs = deadlineOf(operation, options, connect)
    const untilMs = begunMs + Math.min(retryForMs ?? deadlineMs, deadlineMs)
    const request = await prepared(base, operation, input, options, connect, credentials)
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted()
      const startedMs = performance.now()
      const leftMs = begunMs + deadlineMs - startedMs
      const outcome = await attempted(operation, request, Math.min(request.timeoutMs, leftMs, timerMaxMs))
      const waitMs =
        request.isRepeatable && mayRetry(outcome)
          ? retryWaitMs(attempt, outcome.error.retryAfterMs)
          : undefined
      const isInTime = waitMs !== undefined && performance.now() + waitMs < untilMs
      connect.onAttempt?.({
        operation: operation.name,
        attempt,
        status: outcome.status,
        durationMs: performance.now() - startedMs,
        requestId: outcome.requestId,
        isReplayed: outcome.isReplayed,
        retryInMs: isInTime ? waitMs : undefined,
      })
      if (outcome.error === undefined) return outcome.answer
      // A caller that aborts wants the abort reported, and no other error.
      options.signal?.throwIfAborted()
      if (!isInTime) throw outcome.error
      await pause(waitMs, options.signal)
    }
  }
}

type Prepared = {
  url: string
  init: RequestInit
  timeoutMs: number
  fetch: Fetch
  signal: AbortSignal | undefined
  /** False: its data can be read only once. */
  isRepeatable: boolean
}

async function prepared(
  base: string,
  operation: Operation,
  { params, query, body, data }: Input,
  options: UploadOptions,
  connect: ConnectOptions,
  credentials: Readonly<Record<string, string>>,
): Promise<Prepared> {
  const { idempotencyKey, requestId, signal, timeoutMs } = options
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(membersOf(params).get(name) ?? ''),
  )
  const queryText = new URLSearchParams([...membersOf(query)]).toString()
  const isUpload = operation.transfers === 'upload'
  const sent = isUpload ? sentData(data, options) : await sentJson(body, connect)
  const key = operation.isKeyed ? (idempotencyKey ?? crypto.randomUUID()) : undefined
  const headers = {
    accept: operation.transfers === 'download' ? '*/*' : 'application/json',
    ...credentials,
    ...sent.headers,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
  }
  return {
    url: `${base}${path}${queryText === '' ? '' : `?${queryText}`}`,
    init: {
      method: operation.method,
      headers,
      // A push that a redirect turned into a GET would not report its result.
      redirect: 'manual',
      ...sent.body,
    },
    isRepeatable: sent.isRepeatable,
    timeoutMs: timeoutMs ?? (isUpload ? usual.uploadTimeoutMs : (connect.timeoutMs ?? usual.timeoutMs)),
    fetch: connect.fetch ?? ((url, init) => fetch(url, init)),
    signal,
  }
}

type Sent = { headers: Record<string, string>; body: RequestInit; isRepeatable: boolean }

async function sentJson(
  body: unknown,
  { gzipFromBytes = usual.gzipFromBytes }: ConnectOptions,
): Promise<Sent> {
  if (body === undefined) return { headers: {}, body: {}, isRepeatable: true }
  const text = new TextEncoder().encode(JSON.stringify(body))
  const isLong = text.length >= gzipFromBytes
  return {
    headers: { 'content-type': 'application/json', ...(isLong ? { 'content-encoding': 'gzip' } : {}) },
    body: { body: isLong ? await gzipped(text) : text },
    isRepeatable: true,
  }
}

function sentData(data: unknown, { contentEncoding, contentRange }: UploadOptions): Sent {
  // The boundary: the type of the call, which is made from the contract, allows nothing else.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  const sent = data as Data
  return {
    headers: {
      'content-type': 'application/octet-stream',
      ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
      ...(contentRange === undefined ? {} : { 'content-range': contentRange }),
    },
    body: asBody(sent),
    isRepeatable: !isReadOnce(sent),
  }
}

function membersOf(value: unknown): Map<string, string> {
  return new Map(
    Object.entries(value ?? {}).flatMap(([name, member]): [string, string][] =>
      member === undefined || member === null ? [] : [[name, String(member)]],
    ),
  )
}

type Outcome = {
  status: number
  requestId: string | undefined
  isReplayed: boolean
} & ({ error: GatewayError } | { error: undefined; answer: unknown })

async function attempted(
  operation: Operation,
  { url, init, fetch: send, signal }: Prepared,
  timeoutMs: number,
): Promise<Outcome> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), Math.max(0, timeoutMs))
  try {
    const both = signal ? AbortSignal.any([late.signal, signal]) : late.signal
    const response = await send(url, { ...init, signal: both })
    // A file may take longer: the time limit is for the beginning of its answer.
    const file = operation.transfers === 'download' ? fileIn(response) : undefined
    if (file) return { ...aboutOf(response), error: undefined, answer: file }
    return judged(operation, response, await response.text())
  } catch (cause) {
    const isLate = late.signal.aborted
    const error = new GatewayError({
      operation: operation.name,
      status: 0,
      code: isLate ? 'TIMEOUT' : 'NO_ANSWER',
      message: isLate ? `no answer within ${Math.ceil(timeoutMs)} ms` : `no answer: ${reasonOf(cause)}`,
      cause,
    })
    return { status: 0, requestId: undefined, isReplayed: false, error }
  } finally {
    clearTimeout(timer)
  }
}

/** fetch says only "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  // When every address of a name was tried, the message is empty.
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message
}

function aboutOf({ status, headers }: Response): Pick<Outcome, 'status' | 'requestId' | 'isReplayed'> {
  const requestId = headers.get('x-request-id') ?? undefined
  return { status, requestId, isReplayed: headers.get('idempotency-replayed') === 'true' }
}

/** A proxy before the gateway, or a page of another server, answers like this. */
function whyOf(status: number): string {
  if (status === 413) return ': a proxy before it takes no body of this size'
  return status >= 502 && status <= 504 ? ': a proxy before it did not reach it' : ''
}

function judged(operation: Operation, response: Response, text: string): Outcome {
  const { status, headers } = response
  const body = recordIn(text)
  const about = aboutOf(response)
  const { requestId } = about
  if (status >= 200 && status < 300 && body) return { ...about, error: undefined, answer: body }
  const retryAfterMs = retryAfterOf(headers.get('retry-after'))
  const error = new GatewayError({
    operation: operation.name,
    status,
    code: typeof body?.['code'] === 'string' ? body['code'] : 'NOT_JSON',
    message:
      typeof body?.['message'] === 'string'
        ? body['message']
        : `status ${status}, without JSON of the gateway${whyOf(status)}`,
    errors: problemsIn(body),
    ...(typeof body?.['moreErrors'] === 'number' ? { moreErrors: body['moreErrors'] } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(body === undefined ? {} : { body }),
  })
  return { ...about, error }
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function problemsIn(body: Record<string, unknown> | undefined): Problem[] {
  const errors: readonly unknown[] = Array.isArray(body?.['errors']) ? body['errors'] : []
  return errors.filter(isProblem)
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Retry-After in seconds, or as a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * Whether the failure is temporary: no answer, too many requests, an overloaded or stopping service (or one
 * in front of it), or a repeat that came while the first is still in progress. Any other refusal would be
 * repeated.
 */
function mayRetry(outcome: Outcome): outcome is Outcome & { error: GatewayError } {
  const { error, status } = outcome
  if (error === undefined) return false
  if (status === 429 || status === 503 || error.has('IDEMPOTENCY_KEY_IN_USE')) return true
  return [0, 502, 504].includes(status)
}

/** Uses only APIs that every runtime with fetch has. */
export async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
