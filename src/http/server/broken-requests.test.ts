import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { minutes } from '../../../test/stage/pace.ts'
import { rawConnection } from '../../../test/stage/raw-http.ts'

/** Bytes that are not a request, or never become a complete one. */

let supplier: TestSupplier

const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('broken', { requestsPerMinute: 0 })
})

const port = (): number => Number(new URL(gateway.url).port)
const head = (line: string, fields: string): string =>
  `${line} HTTP/1.1\r\nx-api-key: ${supplier.apiKey}\r\n${fields}\r\n`
const json = 'host: x\r\ncontent-type: application/json\r\n'
const hotel = JSON.stringify([
  {
    hotelId: 'H1',
    hotelName: 'Wire',
    currency: 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'UTC',
  },
])
const push = (): string => head('POST /v1/push/hotels', `${json}content-length: ${hotel.length}\r\n`) + hotel

async function inFlight(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  return Number(/^ari_requests_in_flight (\d+)$/m.exec(text)?.[1])
}

/**
 * Counts how often in a row the metrics request is the only one in flight. One check isn't enough: the server
 * may read the bytes sent only after it.
 */
async function timesAlone(wanted: number): Promise<number> {
  const untilMs = performance.now() + minutes(2)
  let alone = 0
  while (alone < wanted && performance.now() < untilMs) {
    alone = (await inFlight()) === 1 ? alone + 1 : 0
    await wait(10)
  }
  return alone
}

test('input that is not an HTTP request is answered in the shape of the contract and ends the connection', async () => {
  const sent: Readonly<Record<string, string>> = {
    'no HTTP': 'SSH-2.0-x\r\n',
    'length and chunks': head(
      'POST /v1/push/hotels',
      `${json}content-length: 2\r\ntransfer-encoding: chunked\r\n`,
    ),
    'two lengths': head('POST /v1/push/hotels', `${json}content-length: 2\r\ncontent-length: 3\r\n`),
    'a broken chunk': `${head('POST /v1/push/hotels', `${json}transfer-encoding: chunked\r\n`)}zz\r\n`,
    'a header without end': head('GET /v1/push/limits', `host: x\r\nx: ${'y'.repeat(20_000)}\r\n`),
  }
  const seen: unknown[] = []
  for (const [what, text] of Object.entries(sent)) {
    const { replies, closed } = await rawConnection(port()).exchange({
      parts: [Buffer.from(text)],
      repliesWanted: 2,
    })
    const [reply] = replies
    const requestId = reply?.headers.get('x-request-id')
    assert.match(String(requestId), /^[0-9a-f-]{36}$/)
    const body: unknown = JSON.parse(String(reply?.body))
    seen.push([what, replies.length, closed, reply?.status, body])
    const isTooLarge = reply?.status === 431
    const problem = isTooLarge
      ? { type: 'HEADERS_TOO_LARGE', message: 'Request headers are too large' }
      : { type: 'MALFORMED_REQUEST', message: 'The request is not valid HTTP/1.1' }
    const code = isTooLarge ? '431' : '400'
    const errors = [{ ...problem, docUrl: `/docs/guides/errors#${problem.type}` }]
    assert.deepEqual(body, { code, message: problem.message, requestId, errors }, what)
  }
  assert.deepEqual(
    seen.map((one) => Array.isArray(one) && one.slice(0, 4)),
    [
      ['no HTTP', 1, true, 400],
      ['length and chunks', 1, true, 400],
      ['two lengths', 1, true, 400],
      ['a broken chunk', 1, true, 400],
      ['a header without end', 1, true, 431],
    ],
  )
})

test('requests that cannot be routed are answered in the shape of the contract, with the id that was sent', async () => {
  const own = 'host: x\r\nx-request-id: mine\r\n'
  const sent: Readonly<Record<string, string>> = {
    'a URL that cannot be decoded': head('GET /v1/push/log/%zz', own),
    'no host': head('GET /v1/push/limits', 'x-request-id: mine\r\n'),
    'an unknown expectation': head('POST /v1/push/hotels', `${own}expect: miracles\r\ncontent-length: 0\r\n`),
    'an id longer than any': head(`GET /v1/push/log/${'a'.repeat(3_000)}`, own),
    'a path with a slash too many': head('GET /v1/push/limits/', own),
  }
  const seen: unknown[] = []
  for (const [what, text] of Object.entries(sent)) {
    const connection = rawConnection(port())
    const { replies } = await connection.exchange({ parts: [Buffer.from(text)], repliesWanted: 1 })
    connection.destroy()
    const body: unknown = JSON.parse(String(replies[0]?.body))
    const { code, message, requestId } =
      typeof body === 'object' && body !== null ? { code: '', message: '', requestId: '', ...body } : {}
    seen.push([what, replies[0]?.status, code, message, requestId, replies[0]?.headers.get('x-request-id')])
  }
  assert.deepEqual(seen, [
    ['a URL that cannot be decoded', 400, '400', 'URL is not valid', 'mine', 'mine'],
    ['no host', 400, '400', 'Host header is required', 'mine', 'mine'],
    ['an unknown expectation', 417, '417', 'Expect must be 100-continue', 'mine', 'mine'],
    ['an id longer than any', 404, '404', 'Push not found', 'mine', 'mine'],
    ['a path with a slash too many', 404, '404', 'There is no endpoint /v1/push/limits/', 'mine', 'mine'],
  ])
})

test('a push followed by rubbish gets its own answer, not that of the rubbish', async () => {
  const outcome = await rawConnection(port()).exchange({
    parts: [Buffer.from(`${push()}SSH-2.0-x\r\n`)],
    repliesWanted: 2,
  })
  assert.deepEqual([outcome.replies.map(({ status }) => status), outcome.closed], [[200], true])
})

test('a request whose caller goes away does not count as in flight for ever', async () => {
  const begun = push().slice(0, -20)
  const partings: Readonly<Record<string, (number: number) => { sent: string; afterMs: number }>> = {
    'within a body': (number) => ({ sent: begun, afterMs: number % 5 }),
    'before the answer': (number) => ({ sent: push(), afterMs: number % 3 }),
    'with answers that wait for others': () => ({ sent: push().repeat(5), afterMs: 0 }),
  }
  for (const [what, parting] of Object.entries(partings)) {
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const { sent, afterMs } = parting(number)
        const connection = rawConnection(port())
        await connection.exchange({ parts: [Buffer.from(sent)], repliesWanted: 99, withinMs: afterMs })
        connection.destroy()
      }),
    )
    assert.deepEqual([what, await timesAlone(20)], [what, 20])
  }
})
