import { gunzipSync } from 'node:zlib'
import type { Fetch } from '../../packages/client/src/call.ts'
import { isGatewayError, type GatewayError } from '../../packages/client/src/gateway-error.ts'
import { cut, line, paint, width } from './print.ts'

type Json = Record<string, unknown>

/** Keys that the demo itself chooses are shown; those that the client generates for each call are not. */
export const shownKeyPrefix = 'demo-'

/**
 * The fetch passed to the client: it shows each request with its answer, and beneath it every problem with
 * its remedy.
 */
export const shownFetch: Fetch = async (url, init) => {
  const headers = new Headers(init.headers)
  const key = headers.get('idempotency-key')
  const extra = key?.startsWith(shownKeyPrefix) === true ? `idempotency-key: ${key}` : ''
  const path = url.slice(url.indexOf('/v1'))
  line(
    `   ${paint('dim', '→')} ${paint('bold', `${init.method ?? 'GET'} ${path}`)} ${paint('dim', extra)}`.trimEnd(),
  )
  if (init.body instanceof Uint8Array) {
    const isZipped = headers.get('content-encoding') === 'gzip'
    const json = (isZipped ? gunzipSync(init.body) : Buffer.from(init.body)).toString()
    line(`     ${paint('dim', excerpt(json, isZipped ? init.body.length : undefined))}`)
  }
  const startedMs = performance.now()
  const response = await fetch(url, init)
  const text = await response.text()
  showAnswer(response, recordOf(JSON.parse(text)), performance.now() - startedMs)
  return new Response(text, response)
}

/** The fetch of a client whose calls are a line each. */
export const brieflyShownFetch: Fetch = async (url, init) => {
  const startedMs = performance.now()
  const response = await fetch(url, init)
  const text = await response.clone().text()
  const call = `${init.method ?? 'GET'} ${url.slice(url.indexOf('/v1'))}`
  const took = paint('dim', `${(performance.now() - startedMs).toFixed(0)} ms`)
  line(
    `   ${paint('dim', '→')} ${paint('bold', call)}  ${response.status} ${String(recordOf(JSON.parse(text))['message'])}  ${took}`,
  )
  return response
}

/** The beginning of a body, and its total length. */
function excerpt(json: string, zippedBytes: number | undefined): string {
  const columns = width() - 6
  if (json.length <= columns) return json
  const zipped = zippedBytes === undefined ? '' : `, ${sizeText(zippedBytes)} compressed`
  const size = ` ${sizeText(Buffer.byteLength(json))} in all${zipped}`
  return cut(json, columns - size.length) + size
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`
}

function showAnswer({ status, headers }: Response, body: Json, durationMs: number): void {
  const style = status < 207 ? 'green' : status < 300 ? 'yellow' : 'red'
  const replayed =
    headers.get('idempotency-replayed') === 'true' ? paint('yellow', '  Idempotency-Replayed: true') : ''
  const took = paint('dim', `${durationMs.toFixed(0)} ms`)
  line(
    `   ${paint('dim', '←')} ${paint([style, 'bold'], String(status))} ${paint(style, String(body['message']))}  ${took}${replayed}`,
  )
  for (const problem of problemsIn(body)) showProblem(problem, 'red', body['message'])
  for (const warning of listOf(body['warnings'])) showProblem(recordOf(warning), 'yellow', '')
}

/** The problems of the request, or of the items of a partly applied ARI push. */
function problemsIn(body: Json): Json[] {
  const own = listOf(body['errors']).map(recordOf)
  if (own.length > 0) return own
  return listOf(body['results']).flatMap((result) => listOf(recordOf(result)['errors']).map(recordOf))
}

/** The problem (unless the answer's own message states it), its place, and its remedy. */
function showProblem(problem: Json, style: 'red' | 'yellow', output: unknown): void {
  const { type, message, path, value, hint } = problem
  const columns = width() - 7
  if (message !== output) line(`     ${paint(style, cut(spelled(message), columns))}`)
  const place = path === undefined || path === '' ? '' : ` at ${spelled(path)}`
  const received = value === undefined ? '' : `, received ${JSON.stringify(value)}`
  line(`       ${paint('dim', cut(`${spelled(type)}${place}${received}`, columns))}`)
  if (hint !== undefined) line(`       ${cut(spelled(hint), columns)}`)
}

/** A remark on the answer just shown. */
export function found(text: string): void {
  line(`     ${text}`)
}

export function spelled(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A call that is meant to be refused. */
export async function refused(call: Promise<unknown>, status: number): Promise<GatewayError> {
  const error: unknown = await call.then(
    () => new Error(`expected ${status}, and it was accepted`),
    (cause: unknown) => cause,
  )
  if (isGatewayError(error) && error.status === status) return error
  throw error
}
