import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { client, gatewayForTests, type Reply, type TestSupplier } from '../stage/harness.ts'
import { expectOk, pushStoryHotel } from '../stage/story.ts'

/** Typical mistakes on the first day of an integration; each answer says what to do. */

let supplier: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('newcomer')
  await pushStoryHotel(supplier)
})

const hotel = {
  hotelId: 'H1',
  hotelName: 'Sea View',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}

/** The problems as [path, message, hint]. */
function told({ body }: Reply): unknown[] {
  assert.ok(Array.isArray(body['errors']))
  return body['errors'].map(({ path, message, hint }) => [path, message, hint])
}

test('a body that begins with a byte order mark is accepted, compressed too, and kept without it', async () => {
  const marked = Buffer.from(`\uFEFF${JSON.stringify([hotel])}`)
  const headers = { 'x-request-id': 'marked' }
  const plain = expectOk(await supplier.post('/push/hotels', marked, headers))
  assert.equal(plain.body['unchanged'], 1)
  const zipped = await supplier.post('/push/hotels', gzipSync(marked), { 'content-encoding': 'gzip' })
  assert.equal(expectOk(zipped).body['unchanged'], 1)
  const kept = expectOk(await supplier.get('/push/log/marked')).body['push']
  const { bodyEncoding, body } = Object(kept)
  assert.deepEqual([bodyEncoding, body], ['json', [hotel]])
})

test('the answer to a compressed body without its header names the missing header', async () => {
  const body = JSON.stringify([hotel])
  const hints = [
    [gzipSync(body), 'The body is compressed: send the header Content-Encoding: gzip with it'],
    [zstdCompressSync(body), 'The body is compressed: send the header Content-Encoding: zstd with it'],
  ] as const
  for (const [sent, hint] of hints) {
    const reply = await supplier.post('/push/hotels', sent)
    assert.deepEqual([reply.status, told(reply)], [400, [['', 'Request body is not valid JSON', hint]]])
  }
})

test('the hint about a wrong type shows a value of the right type', async () => {
  const reply = await supplier.post('/push/ari', {
    hotelId: 5,
    dryRun: 'true',
    sequence: '4711',
    ari: [{ roomId: 5, date: '2027-04-15', inventory: '6', closed: 'false', rates: {} }],
  })
  assert.deepEqual(told(reply), [
    ['/hotelId', 'hotelId must be a string', 'Send a string, for example "H1"'],
    [
      '/dryRun',
      'dryRun must be true or false',
      'Send true or false, for example true, without quotation marks',
    ],
    [
      '/sequence',
      'sequence must be an integer',
      'Send an integer, for example 4711, without quotation marks',
    ],
    ['/ari/0/roomId', 'roomId must be a string', 'Send a string, for example "DBL"'],
    [
      '/ari/0/inventory',
      'inventory must be an integer or null',
      'Send an integer or null, for example 6, without quotation marks',
    ],
    [
      '/ari/0/closed',
      'closed must be true or false or null',
      'Send true or false or null, for example true, without quotation marks',
    ],
    ['/ari/0/rates', 'rates must be an array', 'Send an array'],
  ])
  const clock = await supplier.post('/push/sandbox/clock', { advanceBy: 5 })
  assert.deepEqual(told(clock), [
    ['/advanceBy', 'advanceBy must be a string', 'Send an ISO 8601 duration, for example "P1D"'],
  ])
  const booked = await supplier.post('/push/sandbox/booking', {
    hotelId: 'H1',
    checkin: 20270420,
    checkout: '2027-04-21',
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: '1' }],
  })
  assert.deepEqual(told(booked), [
    ['/checkin', 'checkin must be a string', 'Send a date in the form YYYY-MM-DD, for example "2027-04-20"'],
    [
      '/rooms/0/adults',
      'adults must be an integer',
      'Send an integer, for example 2, without quotation marks',
    ],
  ])
})

test('the answer to a wrong path names the endpoint that was meant, with its method', async () => {
  const ask = async (method: string, path: string) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { 'x-api-key': supplier.apiKey },
    })
    const { errors } = Object(await response.json())
    return [response.status, errors[0].message, errors[0].hint]
  }
  const wrong = [
    ['POST', '/push/hotels', 'POST /v1/push/hotels'],
    ['GET', '/push/hotels', 'POST /v1/push/hotels'],
    ['POST', '/v1/v1/push/hotels', 'POST /v1/push/hotels'],
    ['POST', '/v2/push/hotels', 'POST /v1/push/hotels'],
    ['POST', '/v1/push/hotels/', 'POST /v1/push/hotels'],
    ['POST', '/v1/push//hotels', 'POST /v1/push/hotels'],
    ['POST', '/v1/Push/Hotels', 'POST /v1/push/hotels'],
    ['POST', '/V1/push/get-ari', 'POST /v1/push/getAri'],
    ['GET', '/push/log/abc?x=1', 'GET /v1/push/log/abc'],
    ['GET', '/booking/reservations', 'POST or GET /v1/booking/reservations'],
    ['POST', '/v1/push/ari%2f', 'POST /v1/push/ari'],
    ['POST', '/v1/push%2Fari', 'POST /v1/push/ari'],
    ['POST', '/v1//push/bulk//start', 'POST /v1/push/bulk/{jobId}/start'],
    ['GET', '/v1/push/bulk//errors', 'GET /v1/push/bulk/{jobId}/errors'],
    ['POST', '/v1/booking/reservations//cancel/', 'POST /v1/booking/reservations/{id}/cancel'],
    ['PUT', '/v1/push//bulk/7//data', 'PUT /v1/push/bulk/7/data'],
  ] as const
  for (const [method, path, meant] of wrong) {
    const named = meant.includes(` or ${method} `) ? meant.replace(/^.* or /, '') : meant
    assert.deepEqual(await ask(method, path), [
      404,
      `There is no endpoint ${path.split('?')[0]}`,
      `Send it to ${named}: paths begin with /v1 once, have no doubled or trailing slash, and are case-sensitive`,
    ])
  }
  const misspelt = [
    ['POST', '/v1/push/hotel', 'POST /v1/push/hotels'],
    ['GET', '/push/hotel', 'POST /v1/push/hotels'],
    ['POST', '/v1/hotels', 'POST /v1/push/hotels'],
    ['POST', '/v1/push/getProduct', 'POST /v1/push/getProducts'],
    ['POST', '/v1/offers', 'POST /v1/booking/offers'],
    ['GET', '/v1/push/logs/abc', 'GET /v1/push/log/abc'],
    ['POST', '/v1/push/avail', 'POST /v1/push/ari'],
    ['POST', '/v1/push/availability', 'POST /v1/push/ari'],
    ['POST', '/v1/push/Availabilty/', 'POST /v1/push/ari'],
    ['POST', '/v1/push/rates', 'POST /v1/push/ari'],
    ['POST', '/v1/inventory', 'POST /v1/push/ari'],
    ['POST', '/v1/push/get-availability', 'POST /v1/push/getAri'],
    ['POST', '/v1/push/properties', 'POST /v1/push/hotels'],
    ['POST', '/v1/push/rooms', 'POST /v1/push/products'],
    ['POST', '/v1/push/ratePlans', 'POST /v1/push/products'],
    ['POST', '/v1/push/webhooks/reservations', 'POST /v1/push/webhook/pushbook'],
    ['POST', '/v1/booking/availability', 'POST /v1/booking/offers'],
    ['POST', '/v1/bookings', 'POST /v1/booking/reservations'],
    ['POST', '/v1/booking/bookings//cancel', 'POST /v1/booking/reservations/{id}/cancel'],
    [
      'POST',
      '/v1/booking/reservation/4111111111111111/cancel',
      'POST /v1/booking/reservations/[card number removed]/cancel',
    ],
  ] as const
  for (const [method, path, meant] of misspelt) {
    const [status, , hint] = await ask(method, path)
    assert.deepEqual([path, status, hint], [path, 404, `Did you mean ${meant}?`])
  }
  for (const path of ['/', '/v1', '/v1/rooms/of/nobody', '/console/api/nothing', `/${'/'.repeat(5_000)}x`]) {
    const [status, , hint] = await ask('POST', path)
    assert.deepEqual([path, status, hint], [path, 404, 'See /docs/reference for the endpoints'])
  }
})

test('the answer to null for an absent value is the hint to omit the member', async () => {
  const leaveOut = 'null is not allowed here; omit the member'
  const nulls = { ...hotel, state: null, phone: null, latitude: null, address: [null] }
  assert.deepEqual(told(await supplier.post('/push/hotels', [nulls])), [
    ['/0/latitude', 'latitude must be a number', leaveOut],
    ['/0/state', 'state must be a string', leaveOut],
    ['/0/address/0', 'An element of address must be a string', leaveOut],
    ['/0/phone', 'phone must be an object', leaveOut],
  ])
})

test('messages name the list, an element of it, or the request body', async () => {
  const messages: [path: string, body: unknown, told: unknown[]][] = [
    ['/push/hotels', {}, ['', 'Request body must be an array']],
    ['/push/hotels', ['H1'], ['/0', 'An element of the request body must be an object']],
    ['/push/getHotels', ['H1', 5], ['/1', 'An element of the request body must be a string']],
    ['/push/getHotels', { hotelIds: 5 }, ['/hotelIds', 'hotelIds must be an array']],
    ['/push/getHotels', { hotelIds: [''] }, ['/hotelIds/0', 'An element of hotelIds must not be empty']],
    ['/push/products', { hotelId: 'H1', products: {} }, ['/products', 'products must be an array']],
    [
      '/push/products',
      { hotelId: 'H1', products: [7] },
      ['/products/0', 'An element of products must be an object'],
    ],
    ['/push/ari', { hotelId: 'H1', ari: 'x' }, ['/ari', 'ari must be an array']],
    ['/push/taxes', [], ['', 'Request body must be an object']],
  ]
  for (const [path, body, [at, message]] of messages) {
    const reply = await supplier.post(path, body)
    const found = told(reply).map((one) => (Array.isArray(one) ? one.slice(0, 2) : one))
    assert.deepEqual([path, reply.status, found], [path, 400, [[at, message]]])
  }
})

test('the answer to a key sent as a token, or a token sent as a key, names the right header', async () => {
  const platform = await gateway.token('platform')
  const ask = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await client(gateway.url, headers).post(path, {})
    return [status, Object(body['errors'])[0].hint]
  }
  const asKey = 'Send the key as x-api-key, not as Authorization'
  assert.deepEqual(await ask('/push/getTaxes', { authorization: `Bearer ${supplier.apiKey}` }), [401, asKey])
  assert.deepEqual(await ask('/push/getTaxes', { authorization: 'Basic YTpi' }), [401, asKey])
  const asToken =
    'This needs a platform token, sent as "Authorization: Bearer …"; x-api-key is for keys of suppliers'
  assert.deepEqual(await ask('/booking/offers', { 'x-api-key': platform }), [401, asToken])
  assert.deepEqual(await ask('/booking/offers', { 'x-api-key': supplier.apiKey }), [401, asToken])
  const withoutBearer = 'Send the token as "Authorization: Bearer …", with the word Bearer before it'
  assert.deepEqual(await ask('/booking/offers', { authorization: platform }), [401, withoutBearer])
})

test('every error has the address of its row in the guide', async () => {
  const replies = [
    await supplier.post('/push/hotel', {}),
    await supplier.get('/push/hotels'),
    await supplier.post('/push/hotels', '{'),
    await supplier.post('/push/hotels', [{}]),
    await supplier.post('/push/ari', { hotelId: 'H9', ari: [{ roomId: 5 }] }),
    await supplier.post('/push/getAri', { hotelId: 'H9', startDate: '2027-04-01', endDate: '2027-04-01' }),
    await client(gateway.url, { 'x-api-key': 'no' }).post('/push/hotels', []),
  ]
  for (const { status, body } of replies) {
    assert.ok(status >= 400 && Array.isArray(body['errors']))
    for (const { type, docUrl } of body['errors']) {
      assert.equal(docUrl, `/docs/guides/errors#${type}`)
      const page = await (await fetch(`${gateway.url}${docUrl}`)).text()
      assert.ok(page.includes(`<tr id="${type}">`), type)
    }
  }
})
