import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { expectOk } from '../../../test/stage/story.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'

const gateway = await gatewayForTests()

const hotel = {
  hotelId: 'H1',
  hotelName: 'Hôtel de la Gare',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}
const sent = (requestId: string) => ({ 'x-request-id': requestId })

test('an accepted push is returned with its original body and answer', async () => {
  const supplier = await gateway.supplier('accepted')
  const pushed = await supplier.post('/push/hotels', [hotel], sent('p1'))
  const { status, body } = await supplier.get('/push/log/p1')
  assert.equal(status, 200)
  const { durationMs } = Object(body['push'])
  assert.deepEqual(body, {
    code: '200',
    message: 'Push retrieved successfully',
    push: {
      requestId: 'p1',
      at: '2027-03-01T12:00:00.000Z',
      kind: 'hotels',
      hotelId: 'H1',
      outcome: 'applied',
      problems: null,
      warnings: null,
      status: 200,
      revision: 1,
      cellsChanged: 0,
      durationMs,
      bodyBytes: Buffer.byteLength(JSON.stringify([hotel])),
      keyId: supplier.keyId,
      bodyEncoding: 'json',
      body: [hotel],
      answer: pushed.body,
    },
    earlier: [],
  })
})

test('a refused push is returned with the errors of its answer', async () => {
  const supplier = await gateway.supplier('refused')
  const refused = await supplier.post('/push/taxes', { hotelId: 'H1' }, sent('p1'))
  const { body } = await supplier.get('/push/log/p1')
  const { outcome, status, answer } = Object(body['push'])
  assert.deepEqual([outcome, status, answer], ['rejected', 400, refused.body])
})

test('a JSON body is returned byte for byte, with its blanks and the spelling of its numbers', async () => {
  const supplier = await gateway.supplier('spelling')
  const text = `  {"hotelId" : "H9",\n "taxes": [ 110.00, 12345678901234567890, 1e400 ], "x": "\\ud800 \\u0000" }\n`
  await supplier.post('/push/taxes', text, sent('p1'))
  const shown = await supplier.get('/push/log/p1')
  assert.ok(shown.text.includes(`"bodyEncoding":"json","body":${text},"answer":{"code":"400"`))
})

test('a compressed body is returned decompressed, even a large one', async () => {
  const supplier = await gateway.supplier('compressed')
  const hotels = Array.from({ length: 300 }, (_, index) => ({ ...hotel, hotelId: `H${index}` }))
  const bytes = gzipSync(JSON.stringify(hotels))
  await supplier.post('/push/hotels', bytes, { ...sent('p1'), 'content-encoding': 'gzip' })
  const { body } = await supplier.get('/push/log/p1')
  assert.deepEqual(Object(body['push']).body, hotels)
})

test('a body that is not JSON is returned as text, one that is not text in base64, hostile JSON as text', async () => {
  const supplier = await gateway.supplier('bodies')
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const cases: [string | Uint8Array, string, unknown][] = [
    ['{"hotelId', 'text', '{"hotelId'],
    ['{"a":1,"a":2}', 'text', '{"a":1,"a":2}'],
    [deep, 'text', deep],
    ['\u0000\u0001 "\\', 'text', '\u0000\u0001 "\\'],
    [new Uint8Array([0xff, 0xfe, 0x00]), 'base64', '//4A'],
    ['', 'text', ''],
    ['{"__proto__":{"x":1},"constructor":2}', 'json', JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  ]
  for (const [index, [bytes, encoding, body]] of cases.entries()) {
    await supplier.post('/push/hotels', bytes, sent(`p${index}`))
    const shown = await supplier.get(`/push/log/p${index}`)
    const push = Object(shown.body['push'])
    assert.deepEqual([shown.status, push.bodyEncoding, push.body], [200, encoding, body])
  }
})

test('a reused request id returns the newest push, and a summary of the others', async () => {
  const supplier = await gateway.supplier('reused')
  for (const hotelName of ['first', 'second', 'third']) {
    await supplier.post('/push/hotels', [{ ...hotel, hotelName }], sent('reused'))
  }
  await supplier.post('/push/hotels', [hotel], sent('other'))
  const { body } = await supplier.get('/push/log/reused')
  assert.deepEqual(
    Object(body['push']).body.map((pushed: { hotelName: string }) => pushed.hotelName),
    ['third'],
  )
  assert.ok(Array.isArray(body['earlier']))
  assert.deepEqual(
    body['earlier'].map(({ requestId, revision, body: none }) => [requestId, revision, none]),
    [
      ['reused', 2, undefined],
      ['reused', 1, undefined],
    ],
  )
})

test('a request id in the form of a UUID is returned as it was sent, and is another one in other letters', async () => {
  const supplier = await gateway.supplier('uuids')
  const lower = '0b8f3c2a-5d4e-4f6a-9b7c-8d9e0f1a2b3c'
  const ids = [lower, lower.toUpperCase(), lower.replaceAll('-', ''), `${lower}-1`, '0b8f3c2a']
  for (const [index, id] of ids.entries())
    await supplier.post('/push/hotels', [{ ...hotel, hotelName: `Hotel ${index}` }], sent(id))
  for (const [index, id] of ids.entries()) {
    const { push, earlier } = Object(expectOk(await supplier.get(`/push/log/${id}`)).body)
    assert.deepEqual([push.requestId, push.body[0].hotelName, earlier], [id, `Hotel ${index}`, []])
  }
  const given = await supplier.post('/push/hotels', [hotel])
  const { push } = Object(expectOk(await supplier.get(`/push/log/${given.headers.get('x-request-id')}`)).body)
  assert.equal(push.requestId, given.headers.get('x-request-id'))
})

test('a request id that was never used, belongs to another supplier or cannot be one is not found', async () => {
  const [owner, stranger] = [await gateway.supplier('owner'), await gateway.supplier('stranger')]
  await owner.post('/push/hotels', [hotel], sent('secret-id'))
  const foreign = await stranger.get('/push/log/secret-id', sent('same'))
  assert.deepEqual([foreign.status, foreign.body['message']], [404, 'Push not found'])
  const absent = await stranger.get('/push/log/absent-id', sent('same'))
  assert.equal(foreign.text.replaceAll('secret-id', 'absent-id'), absent.text)
  for (const odd of ['%00', '%ED%A0%80', 'a%2Fb', 'x'.repeat(65), '%27%3B--']) {
    const { status } = await stranger.get(`/push/log/${odd}`)
    assert.ok(status === 404 || status === 400, `${odd}: ${status}`)
  }
})
