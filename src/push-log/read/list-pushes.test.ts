import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { testNow } from '../../../test/stage/template.ts'

const gateway = await gatewayForTests()

const unlimited = { requestsPerMinute: 0 }
const hotel = (hotelId: string, hotelName = hotelId) => ({
  hotelId,
  hotelName,
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
})

async function push(supplier: TestSupplier, requestId: string, ...hotels: object[]): Promise<void> {
  await supplier.post('/push/hotels', hotels, { 'x-request-id': requestId })
}

type Page = { pushes: Record<string, unknown>[]; nextCursor: string | null }

async function list(supplier: TestSupplier, query = ''): Promise<Page> {
  const { status, body } = await supplier.get(`/push/log${query}`)
  assert.equal(status, 200, query)
  const { pushes, nextCursor } = body
  assert.ok(Array.isArray(pushes) && (nextCursor === null || typeof nextCursor === 'string'))
  return { pushes, nextCursor }
}

async function ids(supplier: TestSupplier, query = ''): Promise<unknown[]> {
  return (await list(supplier, query)).pushes.map(({ requestId }) => requestId)
}

test('every push is listed with its outcome, newest first', async () => {
  const supplier = await gateway.supplier('all')
  await push(supplier, 'applied', hotel('H1'))
  await push(supplier, 'unchanged', hotel('H1'))
  await push(supplier, 'rejected', { ...hotel('H1'), minChildAge: 0 })
  const { pushes, nextCursor } = await list(supplier)
  const { durationMs, bodyBytes } = pushes[2] ?? {}
  assert.ok(Number.isInteger(durationMs) && Number(bodyBytes) > 100)
  assert.deepEqual(pushes[2], {
    requestId: 'applied',
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
    bodyBytes,
    keyId: supplier.keyId,
  })
  assert.deepEqual(
    pushes.map(({ requestId, outcome, status }) => [requestId, outcome, status]),
    [
      ['rejected', 'rejected', 400],
      ['unchanged', 'unchanged', 200],
      ['applied', 'applied', 200],
    ],
  )
  assert.equal(nextCursor, null)
})

test('a push with an invalid Idempotency-Key is listed too', async () => {
  const supplier = await gateway.supplier('odd key')
  const headers = { 'x-request-id': 'odd', 'idempotency-key': 'a b' }
  assert.equal((await supplier.post('/push/hotels', [hotel('H1')], headers)).status, 400)
  assert.deepEqual(
    (await list(supplier)).pushes.map(({ requestId, problems }) => [requestId, Object(problems).types]),
    [['odd', ['INVALID_IDEMPOTENCY_KEY']]],
  )
})

test('a push whose body could not be read at all is listed too', async () => {
  const supplier = await gateway.supplier('unread', { bodyBytesMax: 1_024 })
  await supplier.post('/push/hotels', '{"hotelId', { 'x-request-id': 'malformed' })
  await supplier.post('/push/hotels', [hotel('H1', 'x'.repeat(2_000))], { 'x-request-id': 'too-large' })
  const { pushes } = await list(supplier)
  assert.deepEqual(
    pushes.map(({ requestId, hotelId, status }) => [requestId, hotelId, status]),
    [
      ['too-large', null, 413],
      ['malformed', null, 400],
    ],
  )
})

test('kind, outcome, hotel and time each narrow the list, unknown parameters do not', async () => {
  const supplier = await gateway.supplier('filters')
  await push(supplier, 'one', hotel('H1'))
  gateway.clock.set('2027-03-02T23:59:59.999Z')
  await push(supplier, 'two', hotel('H1'), hotel('H2'))
  gateway.clock.set('2027-03-03T00:00:00.000Z')
  await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }, { 'x-request-id': 'three' })
  await supplier.post('/push/taxes', { hotelId: 'H2', taxes: {} }, { 'x-request-id': 'four' })
  gateway.clock.set(testNow)
  const all = ['four', 'three', 'two', 'one']
  const cases: [string, unknown[]][] = [
    ['', all],
    ['?page=7', all],
    ['?kind=taxes', ['four', 'three']],
    ['?outcome=rejected', ['four']],
    ['?outcome=unchanged&kind=hotels', []],
    ['?since=2027-03-02', ['four', 'three', 'two']],
    ['?since=2027-03-03', ['four', 'three']],
    ['?until=2027-03-02', ['two', 'one']],
    ['?since=2027-03-02&until=2027-03-02', ['two']],
    ['?since=2027-03-03T01:00:00%2B01:00', ['four', 'three']],
    ['?until=2027-03-02T23:59:59.999Z', ['one']],
    ['?since=2027-03-02T23:59:59.999Z&until=2027-03-03T00:00Z', ['two']],
    ['?since=2030-01-01', []],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await ids(supplier, query), expected, query)
})

test('a hotel has the pushes that contain it, alone or among others, applied or refused', async () => {
  const supplier = await gateway.supplier('hotels')
  await push(supplier, 'first', hotel('H1'))
  await push(supplier, 'both', hotel('H1', 'new'), hotel('H2'))
  await push(supplier, 'other', hotel('H2', 'new'))
  await push(supplier, 'refused', { ...hotel('H1'), currency: 'XXX' })
  await push(supplier, 'refused-both', hotel('H2'), { ...hotel('H1'), currency: 'XXX' })
  await supplier.post('/push/products', { hotelId: 'H1', products: [] }, { 'x-request-id': 'products' })
  assert.deepEqual(await ids(supplier, '?hotelId=H1'), [
    'products',
    'refused-both',
    'refused',
    'both',
    'first',
  ])
  assert.deepEqual(await ids(supplier, '?hotelId=H2'), ['refused-both', 'other', 'both'])
})

const late = (supplier: TestSupplier, page: number) => (name: string) =>
  push(supplier, `late-${page}-${name}`, hotel('H1', name))

test('no push is listed twice or skipped while new ones arrive', async () => {
  const supplier = await gateway.supplier('pages', unlimited)
  const early = Array.from({ length: 60 }, (_, index) => `early-${index}`)
  for (const requestId of early) await push(supplier, requestId, hotel('H1', requestId))
  for (const filter of ['limit=7', 'limit=7&hotelId=H1']) {
    const found: unknown[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page: Page = await list(supplier, `?${filter}${cursor === null ? '' : `&cursor=${cursor}`}`)
      found.push(...page.pushes.map(({ requestId }) => requestId))
      cursor = page.nextCursor
      await Promise.all(['x', 'y', 'z'].map(late(supplier, pages)))
      pages++
    } while (cursor !== null)
    assert.equal(new Set(found).size, found.length)
    assert.deepEqual(
      found.filter((requestId) => String(requestId).startsWith('early')),
      early.toReversed(),
    )
    assert.deepEqual([pages > 8, found[0] === early.at(-1) || filter.includes('hotelId')], [true, true])
  }
})

test('a page that ends exactly at the last push has no next one', async () => {
  const supplier = await gateway.supplier('exact')
  for (const requestId of ['a', 'b', 'c', 'd']) await push(supplier, requestId, hotel('H1', requestId))
  const first = await list(supplier, '?limit=2')
  const second = await list(supplier, `?limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual(
    [first, second].map(({ pushes }) => pushes.map(({ requestId }) => requestId)),
    [
      ['d', 'c'],
      ['b', 'a'],
    ],
  )
  assert.equal(second.nextCursor, null)
})

test('50 pushes are listed by default, 500 at most', async () => {
  const supplier = await gateway.supplier('limits', unlimited)
  await Promise.all(Array.from({ length: 51 }, (_, index) => push(supplier, `p${index}`, {})))
  assert.equal((await list(supplier)).pushes.length, 50)
  assert.equal((await list(supplier, '?limit=500')).pushes.length, 51)
})

test('all invalid parameters are reported at once', async () => {
  const supplier = await gateway.supplier('wrong')
  const cases: [string, string, string][] = [
    ['since=now', 'since must be a date or an ISO 8601 instant', '?since'],
    ['until=2027-03-01T25:00:00Z', 'until must be a date or an ISO 8601 instant', '?until'],
    ['until=1999-01-01', 'until must be a date or an ISO 8601 instant', '?until'],
    ['since=2027-03-02&until=2027-03-01', 'since must be before until', '?since'],
    ['limit=0', 'limit must be an integer from 1 to 500', '?limit'],
    ['limit=501', 'limit must be an integer from 1 to 500', '?limit'],
    ['limit=1e2', 'limit must be an integer from 1 to 500', '?limit'],
    ['cursor=x', 'cursor is not valid', '?cursor'],
    ['cursor=', 'cursor must not be empty', '?cursor'],
    [`cursor=${Buffer.from('row 1e9').toString('base64url')}`, 'cursor is not valid', '?cursor'],
    [
      'kind=rates',
      'kind must be one of hotels, products, taxes, ari, availabilityWebhook, pushbookWebhook, stopSell, undo, release',
      '?kind',
    ],
    ['outcome=ok', 'outcome must be one of applied, unchanged, partial, rejected, dryRun', '?outcome'],
    ['limit=1&limit=2', 'limit must be a string', '?limit'],
    ['hotelId=%00', 'hotelId has characters that cannot be stored', '?hotelId'],
  ]
  for (const [query, message, path] of cases) {
    const { status, body } = await supplier.get(`/push/log?${query}`)
    assert.deepEqual([status, body['message']], [400, message], query)
    assert.ok(Array.isArray(body['errors']))
    assert.equal(body['errors'][0].path, path)
  }
  const { body } = await supplier.get('/push/log?since=x&until=y&limit=z&cursor=q')
  assert.ok(Array.isArray(body['errors']))
  assert.deepEqual(
    body['errors'].map(({ path }) => path),
    ['?since', '?until', '?cursor', '?limit'],
  )
  const mixed = await supplier.get(
    '/push/log?hotelId=H9&kind=rates&outcome=ok&limit=1&limit=2&since=x&cursor=',
  )
  assert.ok(Array.isArray(mixed.body['errors']))
  assert.deepEqual(
    [mixed.status, mixed.body['errors'].map(({ path, type }) => [path, type])],
    [
      400,
      [
        ['?hotelId', 'HOTEL_NOT_FOUND'],
        ['?kind', 'NOT_ALLOWED'],
        ['?outcome', 'NOT_ALLOWED'],
        ['?cursor', 'TOO_SHORT'],
        ['?limit', 'WRONG_TYPE'],
        ['?since', 'INVALID_TIME'],
      ],
    ],
  )
})

test("another supplier's pushes are not listed, its hotels are unknown, and its cursors return only one's own pushes", async () => {
  const [owner, stranger] = [await gateway.supplier('owner'), await gateway.supplier('stranger')]
  await push(stranger, 'strange', hotel('H9'))
  for (const requestId of ['mine-1', 'mine-2']) await push(owner, requestId, hotel('H1', requestId))
  assert.deepEqual(await ids(stranger), ['strange'])
  const { nextCursor } = await list(owner, '?limit=1')
  assert.deepEqual(await ids(stranger, `?cursor=${nextCursor}`), ['strange'])
  const headers = { 'x-request-id': 'same' }
  const foreign = await stranger.get('/push/log?hotelId=H1', headers)
  const absent = await stranger.get('/push/log?hotelId=H2', headers)
  assert.deepEqual([foreign.status, foreign.body['message']], [404, 'Hotel not found'])
  assert.equal(foreign.text.replaceAll('H1', 'H2'), absent.text)
})

test('two keys of one supplier see the same log', async () => {
  const [one, two] = [await gateway.supplier('keys'), await gateway.supplier('keys')]
  await push(one, 'by-one', hotel('H1'))
  await push(two, 'by-two', hotel('H1', 'new'))
  const expected = [
    ['by-two', two.keyId],
    ['by-one', one.keyId],
  ]
  for (const supplier of [one, two]) {
    const { pushes } = await list(supplier)
    assert.deepEqual(
      pushes.map(({ requestId, keyId }) => [requestId, keyId]),
      expected,
    )
  }
})
