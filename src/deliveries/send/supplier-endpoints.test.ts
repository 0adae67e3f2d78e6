import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'

let supplier: TestSupplier
const gateway = await gatewayForTests()
before(async () => {
  supplier = await gateway.supplier('reservations')
  const hotel = {
    hotelId: 'H1',
    hotelName: 'H',
    currency: 'USD',
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
  }
  assert.equal((await supplier.post('/push/hotels', [hotel])).status, 200)
})

test('a reservation to deliver is not found, whether its hotel is known, unknown or of another supplier', async () => {
  const stranger = await gateway.supplier('stranger')
  const texts = await Promise.all(
    [
      [supplier, 'H1'],
      [supplier, 'H9'],
      [stranger, 'H1'],
    ].map(async ([who, hotelId]) => {
      assert.ok(typeof who === 'object')
      const { status, text, body } = await who.post(
        '/push/webhook/booking',
        { hotelId, reservation_id: '55191' },
        { 'x-request-id': 'same' },
      )
      assert.deepEqual([status, body['message']], [404, 'Reservation not found'])
      return text
    }),
  )
  assert.equal(new Set(texts).size, 1)
})

test('hotelId and reservation_id are required, as text', async () => {
  const { status, body } = await supplier.post('/push/webhook/booking', {})
  assert.deepEqual([status, body['message']], [400, 'hotelId is required'])
  assert.ok(Array.isArray(body['errors']))
  assert.deepEqual(
    body['errors'].map(({ message, path }) => [message, path]),
    [
      ['hotelId is required', '/hotelId'],
      ['reservation_id is required', '/reservation_id'],
    ],
  )
  const number = await supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: 55191 })
  assert.deepEqual([number.status, number.body['message']], [400, 'reservation_id must be a string'])
})

test('a supplier without reservations retrieves an empty list, whatever it asks for', async () => {
  for (const query of [
    '',
    '?hotelId=H1&reservation_id=55191&since=2027-01-01&until=2027-02-01T10:00:00%2B02:00&status=Confirm&delivered=false&limit=500',
    '?status=Cancel&delivered=true&limit=1',
  ]) {
    const { status, body } = await supplier.get(`/push/webhook/pushbook/retrieve${query}`)
    assert.deepEqual(
      [status, body],
      [200, { code: '200', message: 'Reservations retrieved successfully', data: [], nextCursor: null }],
    )
  }
})

test('every parameter of retrieve that is wrong is named', async () => {
  const cases: [string, string, string][] = [
    ['since=yesterday', 'since must be a date or an ISO 8601 instant', '?since'],
    ['until=2027-02-30', 'until must be a date or an ISO 8601 instant', '?until'],
    ['since=2027-02-02&until=2027-02-01', 'since must be before until', '?since'],
    ['status=confirm', 'status must be one of Confirm, Cancel', '?status'],
    ['delivered=no', 'delivered must be one of true, false', '?delivered'],
    ['limit=501', 'limit must be an integer from 1 to 500', '?limit'],
    ['limit=ten', 'limit must be an integer from 1 to 500', '?limit'],
    ['cursor=abc', 'cursor is not valid', '?cursor'],
    ['hotelId=', 'hotelId must not be empty', '?hotelId'],
    ['hotelId=H1&hotelId=H2', 'hotelId must be a string', '?hotelId'],
  ]
  for (const [query, message, path] of cases) {
    const { status, body } = await supplier.get(`/push/webhook/pushbook/retrieve?${query}`)
    assert.deepEqual([status, body['message']], [400, message])
    assert.ok(Array.isArray(body['errors']))
    assert.deepEqual(
      body['errors'].map((problem) => problem.path),
      [path],
    )
  }
  const { status, body } = await supplier.get(
    '/push/webhook/pushbook/retrieve?hotelId=H9&status=no&since=x&limit=0&cursor=x',
  )
  assert.ok(Array.isArray(body['errors']))
  assert.deepEqual(
    [status, body['errors'].map((problem) => problem.path)],
    [400, ['?hotelId', '?status', '?since', '?limit', '?cursor']],
  )
})

test('retrieve for a hotel that is unknown or of another supplier says that it is not found', async () => {
  const stranger = await gateway.supplier('stranger')
  for (const [who, hotelId] of [
    [supplier, 'H9'],
    [stranger, 'H1'],
  ] as const) {
    const { status, body } = await who.get(`/push/webhook/pushbook/retrieve?hotelId=${hotelId}`)
    assert.deepEqual([status, body['message']], [404, 'Hotel not found'])
  }
})
