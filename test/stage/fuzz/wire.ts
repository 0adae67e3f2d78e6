import type { Random } from './random.ts'
import type { FuzzCase, Seat } from './case.ts'

/** Exchanges below the level of requests: broken framing, smuggling, pipelining, slow and half-closed connections. */

/** What a smuggled request would make; it must never be there. */
export const smuggledHotel = 'SMUGGLED'

const hotel = (hotelId: string): string =>
  JSON.stringify([
    {
      hotelId,
      hotelName: 'Wire',
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'UTC',
    },
  ])

function post(seat: Seat, body: string, fields: string): string {
  return `POST /v1/push/hotels HTTP/1.1\r\nhost: ${seat.host}\r\nx-api-key: ${seat.apiKey}\r\ncontent-type: application/json\r\n${fields}\r\n\r\n${body}`
}

const whole = (seat: Seat, body: string): string =>
  post(seat, body, `content-length: ${Buffer.byteLength(body)}`)
const get = (seat: Seat, fields = ''): string =>
  `GET /v1/push/limits HTTP/1.1\r\nhost: ${seat.host}\r\nx-api-key: ${seat.apiKey}\r\n${fields}\r\n`

type Made = Omit<FuzzCase, 'what' | 'route'>
type Exchange = (seat: Seat, random: Random) => Made

const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'))

/** Framing that two readers could understand differently, with a request behind that one of them would run. */
const ambiguousFields = [
  'content-length: 2\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked\r\ncontent-length: 2',
  'content-length: 2\r\ncontent-length: 3',
  'content-length: 2, 3',
  'content-length: +2',
  'content-length: -2',
  'content-length: 0x2',
  'content-length: 2 2',
  'content-length: 99999999999999999999',
  'transfer-encoding: xchunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding : chunked',
  'transfer-encoding:\x0bchunked',
  'transfer-encoding: chunked\r\ntransfer-encoding: identity',
  ' content-length: 2',
  'content-length\x00: 2',
  'content length: 2',
  'x: y\r\n continued\r\ncontent-length: 2\r\ntransfer-encoding: chunked',
  'x: y\ncontent-length: 2\r\ntransfer-encoding: chunked',
  'x: y\rcontent-length: 2',
  'x\x01: y\r\ncontent-length: 2',
]

const brokenChunks = [
  'zz\r\n[]\r\n0\r\n\r\n',
  '-1\r\n[]\r\n0\r\n\r\n',
  '2\r\n[]0\r\n\r\n',
  'ffffffffffffffffff\r\n[]',
  '2;\x00\r\n[]\r\n0\r\n\r\n',
  '2\n[]\n0\n\n',
  '2\r\n[]\r\n0\r\nx y\r\n\r\n',
  `2;${'x'.repeat(20_000)}\r\n[]\r\n0\r\n\r\n`,
]

const noHttp = [
  '\x00\x01\x02\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/2.0\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'get / http/1.1\r\n\r\n',
  'GET /\x00 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /\xff HTTP/1.1\r\nhost: x\r\n\r\n',
  'BREW /pot HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET / HTTP/1.1\r\n: x\r\n\r\n',
  'SSH-2.0-x\r\n',
  '{"hotelId":"H1"}\r\n\r\n',
]

const exchanges: Readonly<Record<string, Exchange>> = {
  'ambiguous framing': (seat, random) => ({
    parts: bytes(post(seat, `[]${whole(seat, hotel(smuggledHotel))}`, random.pick(ambiguousFields))),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'broken chunks': (seat, random) => ({
    parts: bytes(post(seat, random.pick(brokenChunks), 'transfer-encoding: chunked')),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'no HTTP': (_seat, random) => ({
    parts: bytes(random.pick(noHttp)),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  // There is nothing to connect to: the connection ends without a word.
  tunnel: (seat) => ({
    parts: bytes(`CONNECT other.example:80 HTTP/1.1\r\nhost: ${seat.host}\r\n\r\n`),
    isClosed: true,
    replies: { least: 0, most: 0 },
  }),
  'oversize header': (seat, random) => ({
    parts: bytes(get(seat, `x-big: ${'x'.repeat(random.pick([15_000, 16_384, 17_000, 70_000]))}\r\n`)),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'too many headers': (seat) => ({
    parts: bytes(get(seat, 'a: b\r\n'.repeat(3_000))),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'no host': (seat) => ({
    parts: bytes(`GET /v1/push/limits HTTP/1.1\r\nx-api-key: ${seat.apiKey}\r\n\r\n`),
    replies: { least: 1, most: 1 },
  }),
  'HTTP/1.0': (seat) => ({
    parts: bytes(`GET /v1/push/limits HTTP/1.0\r\nx-api-key: ${seat.apiKey}\r\n\r\n`),
    replies: { least: 1, most: 1 },
  }),
  'unknown expectation': (seat, random) => ({
    parts: bytes(
      post(
        seat,
        hotel('H1'),
        `expect: ${random.pick(['nonsense', '200-ok', '\x7f'])}\r\ncontent-length: ${hotel('H1').length}`,
      ),
    ),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'expects to continue': (seat) => ({
    parts: bytes(post(seat, '[]', 'expect: 100-continue\r\ncontent-length: 2')),
    replies: { least: 1, most: 1 },
  }),
  pipelined: (seat, random) => {
    const count = 2 + random.below(6)
    const requests = Array.from({ length: count }, () =>
      random.pick([get(seat), whole(seat, '[]'), whole(seat, '{}'), whole(seat, hotel('H1'))]),
    )
    return { parts: bytes(requests.join('')), replies: { least: count, most: count } }
  },
  'pipelined, then rubbish': (seat, random) => ({
    parts: bytes(random.pick([get(seat), whole(seat, hotel('H1')), whole(seat, '{}')]) + random.pick(noHttp)),
    isClosed: true,
    replies: { least: 1, most: 2 },
  }),
  'half-closed after a whole request': (seat) => ({
    parts: bytes(get(seat)),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'half-closed within a body': (seat, random) => {
    const text = whole(seat, hotel(smuggledHotel))
    return {
      parts: bytes(text.slice(0, text.length - 1 - random.below(60))),
      halfClose: true,
      replies: { least: 0, most: 1 },
    }
  },
  'half-closed within the headers': (seat, random) => ({
    parts: bytes(get(seat).slice(0, random.below(60))),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'body in drops': (seat, random) => {
    const text = whole(seat, random.pick(['{}', '[{}]', '[1,2']))
    const bodyFrom = text.indexOf('\r\n\r\n') + 3
    return {
      parts: bytes(text.slice(0, bodyFrom), ...text.slice(bodyFrom)),
      pauseMs: random.pick([1, 5, 20]),
      replies: { least: 1, most: 1 },
    }
  },
  'headers in drops': (seat, random) => ({
    parts: bytes(...(get(seat).match(/[^]{1,20}/g) ?? [])),
    pauseMs: random.pick([1, 5]),
    replies: { least: 1, most: 1 },
  }),
  'more than the length says': (seat) => ({
    parts: bytes(post(seat, '[]]]]]', 'content-length: 2')),
    halfClose: true,
    replies: { least: 0, most: 2 },
  }),
  'less than the length says': (seat) => ({
    parts: bytes(post(seat, hotel(smuggledHotel), `content-length: ${hotel(smuggledHotel).length + 5}`)),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
  'larger than the limit, as announced': (seat) => ({
    parts: bytes(post(seat, '[]', 'content-length: 20000000')),
    halfClose: true,
    replies: { least: 0, most: 1 },
  }),
}

export const exchangeNames = Object.keys(exchanges)

export function hostileExchange(random: Random, seat: Seat): FuzzCase {
  const what = random.pick(exchangeNames)
  const make = exchanges[what]
  if (!make) throw new RangeError(what)
  return { what, route: undefined, ...make(seat, random) }
}
