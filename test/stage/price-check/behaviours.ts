/** The behaviours of a supplier's server in a price check, and the required outcomes. */
import { expiredCertificate, goodCertificate, otherCertificate } from '../servers/certificates.ts'
import { httpAnswer, type Behaviour, type ReceiverOptions } from '../servers/receiver.ts'

export type Server = {
  behave?: Behaviour
  options?: ReceiverOptions
  /** The host to call, if it differs from the server's. */
  host?: string
  isSecure?: true
  /** `outcome`, or `outcome/reason`; any of them is right. */
  expected: readonly [string, ...string[]]
}

/** As pushed by every lane: two nights at 100.00 without taxes. */
const right = {
  roomId: 'DBL',
  rateId: 'BAR',
  currency: 'USD',
  inventory: 5,
  amountBeforeTax: [100, 100],
  amountAfterTax: [100, 100],
}
const rightText = JSON.stringify({ roomRate: right })

const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`

const saying =
  (text: string, status = 200): Behaviour =>
  (socket) =>
    socket.write(httpAnswer(status, text))

const answering = (roomRate: Record<string, unknown>): Behaviour =>
  saying(JSON.stringify({ roomRate: { ...right, ...roomRate } }))

/** Writing to a connection that has been closed by then has no effect. */
const after =
  (ms: number): Behaviour =>
  (socket) =>
    void setTimeout(() => socket.writable && socket.write(httpAnswer(200, rightText)), ms).unref()

function dripping(first: string, piece: string, pauseMs: number): Behaviour {
  return (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(piece), pauseMs)
    socket.once('close', () => clearInterval(timer))
  }
}

const cut: Behaviour = (socket) => socket.resetAndDestroy()
const padded = `${rightText}${' '.repeat(300_000)}`

export const servers: Readonly<Record<string, Server>> = {
  // Durations.
  'after 5 ms': { behave: after(5), expected: ['available'] },
  'after 50 ms': { behave: after(50), expected: ['available'] },
  'after 300 ms': { behave: after(300), expected: ['available'] },
  'after 1,000 ms': { behave: after(1_000), expected: ['available'] },
  'after 1,200 ms': { behave: after(1_200), expected: ['available'] },
  'after 1,950 ms': { behave: after(1_950), expected: ['available', 'timeout/timeout'] },
  'after 2,300 ms': { behave: after(2_300), expected: ['timeout/timeout'] },
  'after 10 s': { behave: after(10_000), expected: ['timeout/timeout'] },
  never: { behave: () => {}, expected: ['timeout/timeout'] },
  'a head that drips': { behave: dripping(head, 'a: b\r\n', 100), expected: ['timeout/timeout'] },
  'a body that drips': {
    behave: dripping(`${head}content-length: 1000\r\n\r\n`, 'x', 100),
    expected: ['timeout/timeout'],
  },
  'over TLS': {
    behave: saying(rightText),
    options: { certificate: goodCertificate },
    isSecure: true,
    expected: ['available'],
  },

  // Connections.
  'nobody listens': { host: '127.0.0.3', expected: ['supplier_error/connect'] },
  'a reset': { behave: cut, expected: ['supplier_error/reset'] },
  'the end before the answer': { behave: (socket) => socket.end(), expected: ['supplier_error/reset'] },
  'the end within the body': {
    behave: (socket) => socket.end(`${head}content-length: 999\r\n\r\n${rightText}`),
    expected: ['supplier_error/reset'],
  },
  'a reset before the request': {
    options: { onConnection: (socket) => socket.resetAndDestroy() },
    expected: ['supplier_error/reset', 'supplier_error/connect'],
  },
  'no handshake': {
    options: { onConnection: (socket) => socket.pause() },
    isSecure: true,
    expected: ['timeout/timeout'],
  },
  'a handshake that is cut': {
    options: { onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
    isSecure: true,
    expected: ['supplier_error/tls'],
  },
  'a certificate for another name': {
    behave: saying(rightText),
    options: { certificate: otherCertificate },
    isSecure: true,
    expected: ['supplier_error/tls'],
  },
  'a certificate that has expired': {
    behave: saying(rightText),
    options: { certificate: expiredCertificate },
    isSecure: true,
    expected: ['supplier_error/tls'],
  },

  // Refusals.
  'status 404': { behave: saying('{}', 404), expected: ['supplier_error/http_status'] },
  'status 429': { behave: saying('{}', 429), expected: ['supplier_error/http_status'] },
  'status 500': { behave: saying(rightText, 500), expected: ['supplier_error/http_status'] },
  'a redirect': {
    behave: (socket) => socket.write(httpAnswer(307, '', { location: 'http://127.0.0.1:1/' })),
    expected: ['supplier_error/http_status'],
  },

  // Garbage.
  'no HTTP': { behave: (socket) => socket.write('SSH-2.0-X\r\n'), expected: ['invalid_response/malformed'] },
  'another protocol': {
    behave: (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    expected: ['invalid_response/malformed'],
  },
  'nothing said': { behave: saying('', 200), expected: ['invalid_response/malformed_json'] },
  'a page': { behave: saying('<html>'), expected: ['invalid_response/malformed_json'] },
  'half of it': { behave: saying(rightText.slice(0, 60)), expected: ['invalid_response/malformed_json'] },
  'a deep nest': { behave: saying('['.repeat(100_000)), expected: ['invalid_response/malformed_json'] },
  'a list': { behave: saying(`[${rightText}]`), expected: ['invalid_response/wrong_shape'] },

  // Too much.
  'a body too large': { behave: saying(padded), expected: ['invalid_response/too_large'] },
  'a body without end': {
    behave: dripping(chunked, `384\r\n${' '.repeat(900)}\r\n`, 1),
    expected: ['invalid_response/too_large', 'timeout/timeout'],
  },
  'a flood of header fields': {
    behave: (socket) => socket.write(head + 'a: b\r\n'.repeat(20_000)),
    expected: ['invalid_response/too_large'],
  },

  // Mismatched answers.
  'another room': { behave: answering({ roomId: 'dbl' }), expected: ['invalid_response/other_room'] },
  'another rate': { behave: answering({ rateId: 'NRF' }), expected: ['invalid_response/other_rate'] },
  'another currency': {
    behave: answering({ currency: 'EUR' }),
    expected: ['invalid_response/other_currency'],
  },
  'a sum for all nights': {
    behave: answering({ amountBeforeTax: [200], amountAfterTax: [200] }),
    expected: ['invalid_response/other_nights'],
  },
  'a night too many': {
    behave: answering({ amountAfterTax: [100, 100, 100] }),
    expected: ['invalid_response/other_nights'],
  },
  'no night': {
    behave: answering({ amountBeforeTax: [], amountAfterTax: [] }),
    expected: ['invalid_response/wrong_shape'],
  },
  'less with taxes': {
    behave: answering({ amountAfterTax: [100, 99.99] }),
    expected: ['invalid_response/wrong_amount'],
  },
  'a tenth of a cent': {
    behave: answering({ amountAfterTax: [100, 100.001] }),
    expected: ['invalid_response/wrong_amount'],
  },
  'less than nothing': {
    behave: answering({ amountBeforeTax: [-1, 100] }),
    expected: ['invalid_response/wrong_shape'],
  },

  // Correct answers.
  'sold out': { behave: answering({ inventory: 0 }), expected: ['sold_out'] },
  'sold out without a price': {
    behave: answering({ inventory: 0, amountBeforeTax: [], amountAfterTax: [] }),
    expected: ['sold_out/wrong_shape'],
  },
  dearer: { behave: answering({ amountAfterTax: [100, 100.01] }), expected: ['price_changed'] },
  cheaper: {
    behave: answering({ amountBeforeTax: [99, 99], amountAfterTax: [99, 99] }),
    expected: ['price_changed'],
  },
}
