import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { routes, type RouteName } from '../../../src/contract.ts'
import type { PublicRoute } from '../../../src/http/route.ts'
import { isRecord } from '../../../src/http/validation/validate.ts'
import { annotated, damaged, mutated, validTree, type SchemaOf } from './bodies.ts'
import { spellTree } from './json-tree.ts'
import type { Random } from './random.ts'
import type { Described, FuzzCase, Seat } from './case.ts'
import { usualAriPush, usualBooking, usualPriceCheck, usualSearch, usualTestBooking } from './usual-bodies.ts'
import { hostileExchange } from './wire.ts'

/** Requests to every route: right ones, damaged ones, and bytes that only resemble requests. */

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
// The boundary: the keys of the table.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const routeNames = Object.keys(routes) as RouteName[]

export function fuzzCase(random: Random, seat: Seat): FuzzCase {
  if (random.chance(0.03)) return hostileExchange(random, seat)
  const name = random.pick(routeNames)
  const request = described(name, random, seat)
  const kinds: string[] = []
  if (random.chance(0.85)) kinds.push(spoilBody(name, request, random, seat))
  if (random.chance(0.12)) kinds.push(spoilEnvelope(request, random))
  if (random.chance(0.08)) kinds.push(encode(request, random))
  const requestId = requestIdFor(request, random)
  return {
    what: kinds.join(' + ') || 'valid',
    route: name,
    parts: written(request, random),
    isHead: request.method === 'HEAD',
    replies: { least: 1, most: 1 },
    ...(requestId === undefined ? {} : { requestId }),
    request,
  }
}

/** A right request to a route. */
export function described(name: RouteName, random: Random, seat: Seat): Described {
  const { method, path, access, params, query, body } = routeByName[name]
  const id = (): string =>
    path.startsWith('/booking/') && random.chance(0.7)
      ? String(1 + random.below(10))
      : `fuzz-${random.below(50)}`
  const target = `/v1${path.replaceAll(/\{(\w+)\}/g, () => (params ? id() : ''))}${query ? queryOf(query, random) : ''}`
  const headers: [string, string][] = [
    ['host', seat.host],
    access === 'platform' ? ['authorization', `Bearer ${seat.platformToken}`] : ['x-api-key', seat.apiKey],
  ]
  if (!body) return { method, target, headers, body: undefined }
  headers.push(['content-type', 'application/json'])
  return {
    method,
    target,
    headers,
    body: Buffer.from(spellTree(bodyTree(name, random, seat, new WeakMap()))),
  }
}

const usualBodies: Readonly<Partial<Record<RouteName, (random: Random, supplier: string) => unknown>>> = {
  pushAri: usualAriPush,
  findOffers: usualSearch,
  createReservation: usualBooking,
  modifyReservation: usualBooking,
  bookTest: usualTestBooking,
  checkPrice: usualPriceCheck,
  advanceClock: (random) => ({ advanceBy: random.pick(['PT1H', 'P1D']) }),
}

function bodyTree(name: RouteName, random: Random, seat: Seat, schemaOf: SchemaOf) {
  const { body, examples } = routeByName[name]
  const usual = usualBodies[name]
  if (usual && random.chance(0.6)) return annotated(usual(random, seat.supplier), { ...body }, schemaOf)
  if (random.chance(0.1)) return annotated(random.pick(examples).request, { ...body }, schemaOf)
  return validTree({ ...body }, random, schemaOf)
}

function queryOf(schema: object, random: Random): string {
  const tree = validTree({ ...schema }, random, new WeakMap())
  const parsed: unknown = JSON.parse(spellTree(tree))
  if (!isRecord(parsed) || Object.keys(parsed).length === 0) return ''
  return `?${new URLSearchParams(Object.entries(parsed).map(([key, value]) => [key, String(value)])).toString()}`
}

function spoilBody(name: RouteName, request: Described, random: Random, seat: Seat): string {
  if (!request.body) {
    spoilTarget(request, random)
    return 'target'
  }
  if (random.chance(0.12)) {
    request.body = damaged(request.body.toString(), random)
    return 'bytes'
  }
  const schemaOf: SchemaOf = new WeakMap()
  request.body = Buffer.from(spellTree(mutated(bodyTree(name, random, seat, schemaOf), random, schemaOf)))
  return 'values'
}

const oddQueries = [
  '?limit=1&limit=2',
  '?limit=0',
  '?limit=501',
  '?limit=-1',
  '?limit=1e1',
  '?limit=99999999999999999999',
  '?limit[]=1',
  '?hotelId=',
  '?hotelId=%00',
  '?hotelId=%FF%FE',
  '?hotelId=%ED%A0%80',
  '?hotelId=H1&hotelId=H2',
  '?hotelId=%zz',
  '?%zz=1',
  '?=',
  '?&&&',
  '?',
  '??',
  '?#',
  '?__proto__=x&constructor=y&toString=z',
  '?__proto__[isAdmin]=1',
  '?since=infinity',
  '?since=2027-02-30',
  '?since=2027-04-15T10:00:00+02:00',
  '?since=2027-04-15T10:00:00%2B99:00',
  '?since=2199-12-31&until=2000-01-01',
  '?until=9999-12-31T23:59:60Z',
  '?cursor=',
  '?cursor=AAAA',
  '?cursor=cm93IDk5OTk5OTk5OTk5OTk5OTk5OTk5OTk',
  '?cursor=cm93IDk5OTk5OTk5OTk5OTk5OQ',
  '?status=confirm',
  '?delivered=1',
  '?kind=__proto__',
  '?outcome=',
]

function spoilTarget(request: Described, random: Random): void {
  const [path = ''] = request.target.split('?')
  switch (random.below(6)) {
    case 0:
    case 1:
      request.target = path + random.pick(oddQueries)
      break
    case 2:
      request.target = `${path}?${encodeURIComponent(random.junk(10).toWellFormed())}=${encodeURIComponent(random.junk(60).toWellFormed())}`
      break
    case 3:
      request.target = `${path}/${encodeURIComponent(random.junk(30).toWellFormed())}`
      break
    case 4:
      request.target = `/v1/push/log/${random.pick(['%00', '%2e%2e', '..', '%2F', '%', '%zz', '%ff', 'a'.repeat(3_000), '%F0%9F%98%80', ';x', '*', '{requestId}', ':requestId', '__proto__'])}`
      break
    default:
      request.target = `${path}?x=${'y'.repeat(random.pick([100, 2_000, 9_000]))}`
  }
}

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'MKCOL',
  'SEARCH',
  'PURGE',
]
const paths = [
  '/',
  '//',
  '/v1',
  '/v1/',
  '/v1/push',
  '/v2/push/ari',
  '/V1/push/ari',
  '/v1/push/ARI',
  '/v1//push/ari',
  '/v1/push/ari/',
  '/v1/push/../push/ari',
  '/v1/push/ari%2f',
  '/v1/push/%61ri',
  '/v1/push/ari;x=1',
  '/v1/push/hotels/H1',
  '/__proto__',
  '/constructor',
  '/v1/push/log/',
  '/.env',
  '*',
  'http://other.example/v1/push/ari',
]
const contentTypes = [
  '',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;charset',
  'application/json;;',
  'APPLICATION/JSON',
  'application/json ',
  'application/jsonx',
  'application/problem+json',
  'json',
  ';',
  '/',
  'application/json, text/plain',
  `application/json; a=${'b'.repeat(500)}`,
]
const encodings = [
  'gzip',
  'br',
  'zstd',
  'deflate',
  'compress',
  'x-gzip',
  'gzip, gzip',
  'identity',
  '',
  'GZIP',
  ' gzip ',
  'gzip;q=1',
  '__proto__',
  'constructor',
]
const idempotencyKeys = ['', ' ', 'a b', 'x'.repeat(64), 'x'.repeat(65), 'é', '__proto__', "';--", 'same']

function spoilEnvelope(request: Described, random: Random): string {
  const set = (name: string, value: string): void => {
    request.headers = [...request.headers.filter(([other]) => other !== name), [name, value]]
  }
  const remove = (name: string): void => {
    request.headers = request.headers.filter(([other]) => other !== name)
  }
  const credential = request.headers.some(([name]) => name === 'authorization')
    ? 'authorization'
    : 'x-api-key'
  switch (random.below(11)) {
    case 0:
      request.method = random.pick(methods)
      return 'method'
    case 1:
      request.target = random.pick(paths)
      return 'path'
    case 2:
      set('content-type', random.pick(contentTypes))
      return 'content type'
    case 3:
      remove('content-type')
      return 'no content type'
    case 4:
      set('content-encoding', random.pick(encodings))
      return 'false encoding'
    case 5:
      set(
        credential,
        random.pick([
          '',
          'x',
          `${'a'.repeat(5_000)}`,
          'ari_sbx_',
          request.headers.find(([name]) => name === credential)?.[1].toLowerCase() ?? '',
        ]),
      )
      return 'key'
    case 6:
      remove(credential)
      return 'no key'
    case 7:
      set('idempotency-key', random.pick(idempotencyKeys))
      return 'idempotency key'
    case 8:
      for (const name of [
        'x-forwarded-for',
        'forwarded',
        'accept-version',
        'if-match',
        'range',
        'cookie',
        'upgrade',
        'te',
        'trailer',
        'accept',
      ]) {
        if (random.chance(0.4))
          set(
            name,
            random.pick([
              '',
              '*',
              'x',
              '__proto__',
              '\u00ff\u00fe',
              ';;;',
              '1.x',
              'bytes=0-9',
              'a=b'.repeat(50),
            ]),
          )
      }
      return 'headers'
    case 9:
      for (let count = random.pick([10, 100, 900]); count > 0; count--)
        request.headers.push([`x-${count}`, 'y'])
      return 'many headers'
    default:
      set(
        'accept-encoding',
        random.pick(['zstd', 'br', 'gzip;q=0', '*', 'identity;q=0', '*;q=0', ',,', 'nonsense']),
      )
      return 'accepted encodings'
  }
}

const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const compressors = {
  gzip: gzipSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, fastBrotli),
  zstd: zstdCompressSync,
}
const bombBytes = 12 * 1024 * 1024
const bombs = new Map<string, Buffer>()

/** Compressed as it says, cut short, with a tail, or a few kilobytes that become megabytes. */
function encode(request: Described, random: Random): string {
  if (!request.body) return 'encoding'
  const name = random.pick(['gzip', 'br', 'zstd'] as const)
  request.headers.push(['content-encoding', name])
  if (random.chance(0.03)) {
    const character = random.pick(['[', ' ', '0'])
    const key = name + character
    const bomb = bombs.get(key) ?? compressors[name](Buffer.alloc(bombBytes, character))
    bombs.set(key, bomb)
    request.body = bomb
    return 'bomb'
  }
  const packed = compressors[name](request.body)
  switch (random.below(5)) {
    case 0:
      request.body = packed.subarray(0, random.below(packed.length + 1))
      return 'cut encoding'
    case 1:
      request.body = Buffer.concat([packed, random.pick([Buffer.from('tail'), packed, Buffer.alloc(10)])])
      return 'encoding with a tail'
    default:
      request.body = packed
      return 'encoding'
  }
}

function requestIdFor(request: Described, random: Random): string | undefined {
  if (random.chance(0.5)) return undefined
  if (random.chance(0.3)) {
    request.headers.push([
      'x-request-id',
      random.pick(['', ' ', 'a b', 'x'.repeat(65), 'é', '<script>', 'a,b', '{}']),
    ])
    return undefined
  }
  const requestId = `fuzz-${random.below(100)}`
  request.headers.push(['x-request-id', requestId])
  return requestId
}

/** The request in the bytes, and the pieces, in which it is sent. */
function written(request: Described, random: Random): Buffer[] {
  const { method, target, headers, body } = request
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  request.isChunked = body !== undefined && random.chance(0.05)
  if (request.isChunked) lines.push('transfer-encoding: chunked')
  else if (body) lines.push(`content-length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (!body) return [head]
  if (!request.isChunked) return [Buffer.concat([head, body])]
  const size = random.pick([1, 7, 1_000])
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += Math.max(size, Math.ceil(body.length / 50))) {
    const chunk = body.subarray(at, at + Math.max(size, Math.ceil(body.length / 50)))
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return [head, Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])]
}

const shownBytesMax = 20_000

/** The case as a line for a shell. */
export function curlOf(fuzzed: FuzzCase, port: number): string {
  const { request } = fuzzed
  if (!request) {
    const bytes = Buffer.concat([...fuzzed.parts]).subarray(0, shownBytesMax)
    return `base64 -d <<< ${bytes.toString('base64')} | curl -s --max-time 5 telnet://127.0.0.1:${port}  # sent in parts of ${fuzzed.parts.map(({ length }) => length).join()} bytes`
  }
  const { method, target, headers, body, isChunked } = request
  const fields = headers
    .filter(([name]) => name !== 'host')
    .map(([name, value]) => ` -H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`)
  const url = target.startsWith('/')
    ? `http://127.0.0.1:${port}${target}`
    : `http://127.0.0.1:${port}/ --request-target ${quoted(target)}`
  const line = `curl -i --path-as-is -g -X ${method} ${quoted(url)}${fields.join('')}${isChunked ? " -H 'transfer-encoding: chunked'" : ''}`
  if (!body) return line
  const cut = body.length > shownBytesMax ? `  # the first ${shownBytesMax} of ${body.length} bytes` : ''
  const shown = body.subarray(0, shownBytesMax)
  if (/^[\x20-\x7e]*$/.test(shown.toString('latin1')))
    return `${line} --data-binary ${quoted(shown.toString())}${cut}`
  return `base64 -d <<< ${shown.toString('base64')} | ${line} --data-binary @-${cut}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
