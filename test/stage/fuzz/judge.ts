import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { routes } from '../../../src/contract.ts'
import { problemsListedMax } from '../../../src/http/rejected.ts'
import type { PublicRoute } from '../../../src/http/route.ts'
import { isRecord, validator } from '../../../src/http/validation/validate.ts'
import type { RawOutcome, RawReply } from '../raw-http.ts'
import type { FuzzCase } from './case.ts'

/** What is wrong with the answers to a case; nothing when all is well. */
export function complaintsAbout(fuzzed: FuzzCase, outcome: RawOutcome): string[] {
  const { least, most } = fuzzed.replies
  const complaints: string[] = []
  if (outcome.rubbish !== undefined) complaints.push(`not a response: ${JSON.stringify(outcome.rubbish)}`)
  const count = outcome.replies.length
  if (count < least)
    complaints.push(
      `${count} answers instead of ${least}${outcome.closed ? '' : ', and the connection hangs'}`,
    )
  if (count > most) complaints.push(`${count} answers instead of at most ${most}`)
  if ((fuzzed.halfClose || fuzzed.isClosed) && !outcome.closed)
    complaints.push('the connection is not closed')
  for (const reply of outcome.replies) complaints.push(...complaintsAboutReply(fuzzed, reply))
  return complaints
}

function complaintsAboutReply(fuzzed: FuzzCase, reply: RawReply): string[] {
  const { status, headers, body } = reply
  const requestId = headers.get('x-request-id')
  const found: string[] = []
  const say = (text: string): number => found.push(`${status}: ${text}`)
  if (status >= 500) say(`our fault ${body.toString().slice(0, 500)}`)
  if (requestId === undefined || !/^[A-Za-z0-9._-]{1,64}$/.test(requestId))
    say(`x-request-id is ${requestId}`)
  if (fuzzed.requestId !== undefined && requestId !== fuzzed.requestId)
    say(`x-request-id is ${requestId}, not the one sent`)
  if (fuzzed.isHead === true || status === 302) return found
  if (status >= 200 && status < 300) {
    const route = routeMeant(fuzzed)
    const shape = route && answerShape(route, status)
    const value = parsed(reply)
    if (shape && isV1(fuzzed) && !shape.matches(value))
      say(`not the answer of the contract: ${JSON.stringify(shape.judge(value).problems).slice(0, 500)}`)
    return found
  }
  const value = parsed(reply)
  if (!isRecord(value)) say(`no error body: ${body.toString().slice(0, 300)}`)
  else
    for (const complaint of complaintsAboutError(value, status, requestId))
      say(`${complaint} in ${body.toString().slice(0, 600)}`)
  return found
}

function complaintsAboutError(
  value: Record<string, unknown>,
  status: number,
  requestId: string | undefined,
): string[] {
  const { code, message, requestId: repeated, errors, moreErrors } = value
  const found: string[] = []
  if (code !== String(status)) found.push('code is not the status')
  if (repeated !== requestId) found.push('requestId is not x-request-id')
  if (!Array.isArray(errors) || errors.length === 0 || errors.length > problemsListedMax)
    return [...found, 'errors is not a list of 1 to 100']
  if (message !== errors[0].message) found.push('message is not that of the first error')
  if (
    moreErrors !== undefined &&
    !(Number.isSafeInteger(moreErrors) && Number(moreErrors) > 0 && errors.length === problemsListedMax)
  )
    found.push('moreErrors')
  for (const [index, error] of errors.entries()) {
    if (typeof error.type !== 'string' || !/^[A-Z][A-Z0-9_]+$/.test(error.type))
      found.push(`errors[${index}].type`)
    if (typeof error.message !== 'string' || error.message === '') found.push(`errors[${index}].message`)
    for (const name of ['path', 'hint', 'docUrl']) {
      if (error[name] !== undefined && typeof error[name] !== 'string') found.push(`errors[${index}].${name}`)
    }
    const unknown = Object.keys(error).filter(
      (name) => !['type', 'message', 'path', 'value', 'hint', 'docUrl'].includes(name),
    )
    if (unknown.length > 0) found.push(`errors[${index}] has ${unknown.join()}`)
  }
  return found
}

function isV1(fuzzed: FuzzCase): boolean {
  return /^\/v1\/(?:push|booking)\//.test(fuzzed.request?.target ?? '')
}

const shapes = new Map<TSchema, ReturnType<typeof validator>>()

/** Another method, or more behind the path, may make the request one of another route. */
function routeMeant({ route: name, request }: FuzzCase): PublicRoute | undefined {
  const route: PublicRoute | undefined = name && routes[name]
  if (!route || !request) return route
  const [target = ''] = request.target.split('?')
  const all: readonly PublicRoute[] = Object.values(routes)
  const addressed = all.filter(({ method, path }) => method === request.method && isAt(target, path))
  // A path that is written out comes before one with a parameter.
  const [found] = addressed.sort((one, other) => parametersIn(one.path) - parametersIn(other.path))
  return found ?? (request.method === route.method ? route : undefined)
}

function isAt(target: string, path: string): boolean {
  const parts = `/v1${path}`.split('/')
  const sent = target.split('/')
  return (
    sent.length === parts.length &&
    parts.every((part, index) => (part.startsWith('{') ? sent[index] !== '' : part === sent[index]))
  )
}

function parametersIn(path: string): number {
  return path.split('{').length - 1
}

function answerShape(route: PublicRoute, status: number) {
  const schema = route.answers?.[status] ?? route.answer
  const shape = shapes.get(schema) ?? validator(schema)
  shapes.set(schema, shape)
  return shape
}

function parsed({ body, headers }: RawReply): unknown {
  try {
    return JSON.parse(decoded(body, headers.get('content-encoding')).toString())
  } catch {
    return undefined
  }
}

function decoded(body: Buffer, encoding = 'identity'): Buffer {
  switch (encoding) {
    case 'gzip':
      return gunzipSync(body)
    case 'br':
      return brotliDecompressSync(body)
    case 'zstd':
      return zstdDecompressSync(body)
    default:
      return body
  }
}
