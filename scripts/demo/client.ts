import { cut, line, paint, width } from './print.ts'
import type { Shown } from './service.ts'

export type Json = Record<string, unknown>

export type Reply = { status: number; body: Json; headers: Headers }

export type Ask = (
  path: string,
  body?: unknown,
  more?: { headers?: Record<string, string>; method?: 'DELETE' },
) => Promise<Reply>

/** Sends a request and shows it with its answer: one line each, and beneath it every problem with its remedy. */
export function shownClient({ url }: Pick<Shown, 'url'>, credentials: Record<string, string>): Ask {
  return async (path, body, { headers = {}, method = body === undefined ? 'GET' : 'POST' } = {}) => {
    const json = body === undefined ? '' : JSON.stringify(body)
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    line(
      `   ${paint('dim', '→')} ${paint('bold', `${method} /v1${path}`)} ${paint('dim', extra.join('  '))}`.trimEnd(),
    )
    if (json !== '') line(`     ${paint('dim', excerpt(json))}`)
    const startedMs = performance.now()
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        ...credentials,
        ...(json === '' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === '' ? {} : { body: json }),
    })
    const reply: Reply = {
      status: response.status,
      body: recordOf(await response.json()),
      headers: response.headers,
    }
    showAnswer(reply, performance.now() - startedMs)
    return reply
  }
}

/** The beginning of a body, and how long all of it is. */
function excerpt(json: string): string {
  const columns = width() - 6
  if (json.length <= columns) return json
  const bytes = Buffer.byteLength(json)
  const size = ` ${bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`} in all`
  return cut(json, columns - size.length) + size
}

function showAnswer({ status, body, headers }: Reply, durationMs: number): void {
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

/** Of the request, or of the items of an ARI push that was applied in part. */
function problemsIn(body: Json): Json[] {
  const own = listOf(body['errors']).map(recordOf)
  if (own.length > 0) return own
  return listOf(body['results']).flatMap((result) => listOf(recordOf(result)['errors']).map(recordOf))
}

/** What is wrong (unless the answer's own message says it), where, and what to do about it. */
function showProblem(problem: Json, style: 'red' | 'yellow', said: unknown): void {
  const { type, message, path, value, hint } = problem
  const columns = width() - 7
  if (message !== said) line(`     ${paint(style, cut(spelled(message), columns))}`)
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

export function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function expect(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply
  throw new Error(`expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body).slice(0, 300)}`)
}
