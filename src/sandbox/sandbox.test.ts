import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ada, expectStatus, openShop, room, unitsLeft, type Shop } from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { client, gatewayForTests, startGateway, type TestGateway } from '../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'
import type { SimulatedCall } from '../simulate/answer.ts'
import { startSupplier, type SimulatedSupplier } from '../simulate/supplier.ts'
import { minutes, seconds } from '../../test/stage/pace.ts'
import type { DeliveryWorker } from '../deliveries/worker/worker.ts'

/** Sandbox faults and test bookings, with a simulated supplier on the other side. */

let gateway: TestGateway
let deliveries: DeliveryWorker
let shop: Shop
let simulated: SimulatedSupplier
const calls: SimulatedCall[] = []

before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
  })
  deliveries = gateway.app.startDeliveries()
  shop = await openShop(gateway, 'Acme', { inventory: 50 })
  const { url, clock } = gateway
  const { apiKey } = shop.supplier
  simulated = await startSupplier({
    url,
    apiKey,
    clock,
    host: '127.0.0.1',
    port: 0,
    secrets: [],
    faults: [],
    onCall: (call) => calls.push(call),
  })
  // Drops the registration's call, which came before its secret.
  calls.length = 0
})
after(async () => {
  await deliveries.close()
  await gateway.stop()
  await simulated.close()
})
afterEach(async () => {
  calls.length = 0
  await order([])
})

const order = (faults: unknown, by = shop.supplier) => by.post('/push/sandbox/faults', { faults })

const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }
const wanted = { hotelId: 'H1', ...stay, rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }] }

/** Each check asks a different question, so that none shares a call. */
let adults = 0
async function outcomes(count: number, platform = shop.platform): Promise<unknown[]> {
  const found: unknown[] = []
  for (let made = 0; made < count; made++) {
    adults = (adults % 2) + 1
    const hotel = { supplier: 'Acme', hotelId: 'H1' }
    const asked = { hotel, roomId: 'DBL', rateId: 'BAR', ...stay, roomCount: 1, childAges: [] }
    const reply = expectOk(await platform.post('/booking/priceCheck', { ...asked, adultCount: adults }))
    found.push(reply.body['outcome'])
  }
  return found
}

/** A change as its dry run says that it is asked for. */
async function asAsked(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const dry = expectOk(await shop.supplier.post('/push/sandbox/booking', { ...body, dryRun: true }))
  return { ...body, ...Object(dry.body['asks']) }
}

test('a test booking is a booking: checked with the supplier, taken from the inventory, delivered, modified, cancelled', async () => {
  const [before20] = await unitsLeft(gateway)
  const made = expectStatus(await shop.supplier.post('/push/sandbox/booking', wanted), 201)
  const { reservationId, version, status, priceChecks } = made.body
  assert.deepEqual([version, status, Object(priceChecks)[0]?.outcome], [1, 'Confirm', 'available'])
  const id = String(reservationId)
  const both = { ...wanted, reservation_id: id, rooms: [room(), room({ rateId: 'NRF' })], customer: ada }
  const modified = expectOk(await shop.supplier.post('/push/sandbox/booking', await asAsked(both)))
  assert.equal(modified.body['version'], 2)
  assert.deepEqual((await unitsLeft(gateway))[0], Number(before20) - 2)
  const cancel = { hotelId: 'H1', reservation_id: id, status: 'Cancel' }
  const one = { ...cancel, cancelRooms: [`${id}-2`], expectedPenalty: null }
  const fewer = expectOk(await shop.supplier.post('/push/sandbox/booking', one))
  assert.deepEqual([fewer.body['version'], fewer.body['status']], [3, 'Confirm'])
  const otherwise = { ...cancel, expectedPenalty: '1.00' }
  const refused = await shop.supplier.post('/push/sandbox/booking', otherwise)
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [409, [['/expectedPenalty', 'PENALTY_CHANGED', 'Cancelling costs another penalty than was expected']]],
  )
  const cancelled = expectOk(await shop.supplier.post('/push/sandbox/booking', cancel))
  assert.deepEqual([cancelled.body['version'], cancelled.body['status']], [4, 'Cancel'])
  await until('the cancellation is delivered', () => simulated.reservation(id)?.version === 4)
  const held = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation']
  assert.deepEqual([Object(held).status, Object(held).customer], ['Cancel', ada])
  assert.ok(calls.every(({ signature, status: answered }) => signature === 'verified' && answered === 200))
})

test('a test booking that comes again under its Idempotency-Key is the same one', async () => {
  const other = await openShop(gateway, 'Bravo')
  const key = { 'idempotency-key': 'try-1' }
  const book = (body: object = wanted, by = shop.supplier) => by.post('/push/sandbox/booking', body, key)
  const [made, again, foreign] = [await book(), await book(), await book(wanted, other.supplier)]
  assert.deepEqual([made.status, again.text], [201, made.text])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.notEqual(expectStatus(foreign, 201).body['reservationId'], made.body['reservationId'])
  const id = String(made.body['reservationId'])
  for (const [step, body] of Object.entries({
    modified: await asAsked({ ...wanted, reservation_id: id, checkout: '2027-04-23' }),
    cancelled: { hotelId: 'H1', reservation_id: id, status: 'Cancel' },
  })) {
    const under = { 'idempotency-key': step }
    const first = expectOk(await shop.supplier.post('/push/sandbox/booking', body, under))
    const second = expectOk(await shop.supplier.post('/push/sandbox/booking', body, under))
    assert.deepEqual(
      [step, second.headers.get('idempotency-replayed'), second.text],
      [step, 'true', first.text],
    )
  }
  const changed = await book({ ...wanted, checkout: '2027-04-23' })
  assert.equal(changed.status, 422)
  assert.deepEqual(problemsOf(changed), [
    ['idempotency-key', 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another body'],
  ])
  // The platform's calls under the same key are independent of it.
  const booking = { hotel: { supplier: 'Acme', hotelId: 'H1' }, ...stay, rooms: [room()], customer: ada }
  const byPlatform = await shop.platform.post(
    '/booking/reservations',
    { ...booking, payment: { type: 'Channel Collect' } },
    key,
  )
  expectStatus(byPlatform, 201)
})

test('a body that is not JSON may contain a card: no part of it is repeated', async () => {
  const card = '{"number":"4111111111111111","cvv":"837","x":None}'
  const reply = await shop.supplier.post('/push/sandbox/booking', `{"payment":{"card":${card}}}`)
  assert.equal(reply.status, 400)
  // A request id may have any digits.
  assert.doesNotMatch(JSON.stringify(reply.body['errors']), /4111|837|None/)
  assert.deepEqual(Object.keys(reply.body).toSorted(), ['code', 'errors', 'message', 'requestId'])
  assert.doesNotMatch(String(reply.body['message']), /4111|837|None/)
})

test('problems of a test booking are reported as to the platform, under the names that were sent', async () => {
  const book = async (body: object) => {
    const reply = await shop.supplier.post('/push/sandbox/booking', body)
    return [reply.status, problemsOf(reply)]
  }
  assert.deepEqual(await book({ hotelId: 'H1', rooms: [{ ...wanted.rooms[0], roomId: 'STE' }] }), [
    400,
    [
      ['/checkin', 'REQUIRED', 'checkin is required'],
      ['/checkout', 'REQUIRED', 'checkout is required'],
    ],
  ])
  assert.deepEqual(await book({ ...wanted, hotelId: 'H9' }), [
    404,
    [['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel not found']],
  ])
  assert.deepEqual(await book({ hotelId: 'H1', status: 'Cancel' }), [
    400,
    [['/reservation_id', 'RESERVATION_ID_REQUIRED', 'reservation_id is required to cancel']],
  ])
  const [status] = await book({ ...wanted, expectedTotal: { afterTax: '1.00' } })
  assert.equal(status, 409)
})

test("another account's hotels and reservations are unknown, and its faults its own", async () => {
  const other = await openShop(gateway, 'Other')
  const made = expectStatus(await shop.supplier.post('/push/sandbox/booking', wanted), 201)
  const foreign = { hotelId: 'H1', reservation_id: String(made.body['reservationId']), status: 'Cancel' }
  const none = { ...foreign, reservation_id: '999999999' }
  const reply = async (body: object) => {
    const { status, body: said } = await other.supplier.post('/push/sandbox/booking', body, {
      'x-request-id': 'same',
    })
    return [status, said['message'], Object(said['errors'])[0]?.type]
  }
  assert.deepEqual(await reply(foreign), await reply(none))
  assert.deepEqual(await reply(none), [404, 'Reservation not found', 'RESERVATION_NOT_FOUND'])

  expectOk(await order([{ calls: 'priceCheck', fault: 'status500', times: 9 }], other.supplier))
  assert.deepEqual(expectOk(await shop.supplier.get('/push/sandbox/faults')).body['faults'], [])
  assert.deepEqual(await outcomes(2), ['available', 'available'])
  assert.equal(
    Object(expectOk(await other.supplier.get('/push/sandbox/faults')).body['faults'])[0]?.timesLeft,
    9,
  )
})

test('price checks suffer the faults in their order, as often as was ordered', async () => {
  const reply = expectOk(
    await order([
      { calls: 'priceCheck', fault: 'status500', times: 2 },
      { calls: 'pushBooking', fault: 'garbage', times: 3 },
      { calls: 'priceCheck', fault: 'garbage', hotelId: 'H1' },
      { calls: 'priceCheck', fault: 'lostReply' },
    ]),
  )
  const expiresAt = '2027-03-01T13:00:00.000Z'
  assert.deepEqual(reply.body['faults'], [
    { calls: 'priceCheck', fault: 'status500', hotelId: null, timesLeft: 2, expiresAt },
    { calls: 'pushBooking', fault: 'garbage', hotelId: null, timesLeft: 3, expiresAt },
    { calls: 'priceCheck', fault: 'garbage', hotelId: 'H1', timesLeft: 1, expiresAt },
    { calls: 'priceCheck', fault: 'lostReply', hotelId: null, timesLeft: 1, expiresAt },
  ])
  assert.deepEqual(await outcomes(5), [
    'supplier_error',
    'supplier_error',
    'invalid_response',
    'supplier_error',
    'available',
  ])
  assert.deepEqual(
    calls.map(({ call, status }) => [call, status]),
    [
      ['priceCheck', 200],
      ['priceCheck', 200],
    ],
    'the first had its reply lost',
  )
  assert.deepEqual(
    Object.values(Object((await shop.supplier.get('/push/sandbox/faults')).body['faults'])).map(
      (one) => Object(one).calls,
    ),
    ['pushBooking'],
  )
})

test('a timeout uses up the budget of the check', async () => {
  // Long enough that the check begins in time on a slow machine, too.
  const checkBudgetMs = seconds(4)
  const usual = await gateway.second({ checkBudgetMs })
  const supplier = client(usual.url, { 'x-api-key': shop.supplier.apiKey })
  expectOk(
    await supplier.post('/push/sandbox/faults', { faults: [{ calls: 'priceCheck', fault: 'timeout' }] }),
  )
  const platform = client(usual.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const startedMs = performance.now()
  assert.deepEqual(await outcomes(1, platform), ['timeout'])
  assert.ok(performance.now() - startedMs > checkBudgetMs * 0.75)
})

test('a delivery whose reply got lost is sent again, and the supplier knows it for the same', async () => {
  expectOk(await order([{ calls: 'pushBooking', fault: 'lostReply' }]))
  const made = expectStatus(await shop.supplier.post('/push/sandbox/booking', wanted), 201)
  const id = String(made.body['reservationId'])
  const delivered = () => calls.filter(({ call }) => call === 'booking')
  await until('the first came', () => delivered().length === 1)
  const pushed = { hotelId: 'H1', reservation_id: id }
  const again = expectOk(await shop.supplier.post('/push/webhook/booking', pushed))
  assert.equal(Object(again.body['delivery']).status, 'delivered', again.text)
  assert.deepEqual(
    delivered().map(({ isRepeat, reservations }) => [isRepeat, reservations?.[0]?.receipt]),
    [
      [false, 'created'],
      [true, 'duplicate'],
    ],
  )
  const [first, second] = delivered()
  assert.equal(first?.webhookId, second?.webhookId)
})

test('every process knows the ordered faults, and unused ones expire after an hour', async () => {
  const other = await gateway.second()
  const platform = client(other.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  assert.deepEqual(await outcomes(1, platform), ['available'])
  expectOk(await order([{ calls: 'priceCheck', fault: 'status500', times: 3 }]))
  await wait(250)
  assert.deepEqual(await outcomes(1, platform), ['supplier_error'])
  assert.deepEqual(await outcomes(1), ['supplier_error'])
  gateway.clock.set('2027-03-01T13:00:01Z')
  assert.deepEqual(await outcomes(1), ['available'])
  assert.deepEqual(expectOk(await shop.supplier.get('/push/sandbox/faults')).body['faults'], [])
})

test('an order with a hotel that the account does not have is refused whole', async () => {
  const reply = await order([
    { calls: 'priceCheck', fault: 'timeout' },
    { calls: 'priceCheck', fault: 'garbage', hotelId: 'H9' },
  ])
  assert.equal(reply.status, 404)
  assert.deepEqual(problemsOf(reply), [['/faults/1/hotelId', 'HOTEL_NOT_FOUND', 'Hotel not found']])
  assert.deepEqual(expectOk(await shop.supplier.get('/push/sandbox/faults')).body['faults'], [])
})

test('in production none of it exists', async () => {
  const production = await gatewayForTests({ environment: 'production' })
  const supplier = await production.supplier('Acme')
  const replies = [
    await order([], supplier),
    await supplier.get('/push/sandbox/faults'),
    await supplier.post('/push/sandbox/booking', wanted),
    await supplier.post('/push/sandbox/booking', { hotelId: 7 }),
    await supplier.post('/push/sandbox/clock', { advanceBy: 'P1D' }),
    await supplier.get('/push/sandbox/clock'),
    await supplier.post('/push/sandbox/reset', {}),
  ]
  assert.deepEqual(
    replies.map((reply) => [reply.status, problemsOf(reply)]),
    replies.map(() => [404, [[undefined, 'NOT_ENABLED', 'This exists only in the sandbox']]]),
  )
})
