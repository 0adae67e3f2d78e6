import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import { until } from '../../../test/stage/scenes/deliveries.ts'
import {
  gatewayForTests,
  startGateway,
  type TestGateway,
  type TestOperator,
  type TestSupplier,
} from '../../../test/stage/harness.ts'
import { minutes } from '../../../test/stage/pace.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'
import type { DeliveryWorker } from '../../deliveries/worker/worker.ts'
import { startSupplier, type SimulatedSupplier } from '../../simulate/supplier.ts'

/** Actions of operators in the sandbox, on behalf of a supplier. */

let gateway: TestGateway
let deliveries: DeliveryWorker
let operator: TestOperator
let supplier: TestSupplier
let simulated: SimulatedSupplier
let supplierId: number

before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (vetted) => vetted },
    vaultKey: Buffer.alloc(32, 7),
    checkBudgetMs: minutes(1),
  })
  deliveries = gateway.app.startDeliveries()
  operator = await gateway.operator('operator')
  supplier = await gateway.supplier('Acme')
  supplierId = await idOf('Acme')
  const { url, clock } = gateway
  const there = { host: '127.0.0.1', port: 0, secrets: [], faults: [] }
  simulated = await startSupplier({ url, clock, apiKey: supplier.apiKey, ...there, onCall: () => {} })
})
after(async () => {
  await deliveries.close()
  await gateway.stop()
  await simulated.close()
})

async function idOf(name: string): Promise<number> {
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  return Number(rows[0]?.id)
}

const at = (path: string): string => `/sandbox/${supplierId}${path}`

type Listed = Record<string, unknown>
const listOf = (value: unknown): Listed[] => Object.values(Object(value)).map((one) => Object(one))
const callsSeen = async (): Promise<Listed[]> =>
  listOf(expectOk(await operator.get(at('/calls'))).body['calls'])

const booking = {
  hotelId: 'EXAMPLE',
  roomId: 'DBL',
  rateId: 'BAR',
  checkin: '2027-04-20',
  checkout: '2027-04-22',
}
const book = (more: object = {}) =>
  operator.post(at('/bookings'), { ...booking, adults: 2, childAges: [5], ...more })

test('the example hotel is pushed as the supplier would push it: bookable for a year, in the push log, with its key', async () => {
  const { body } = expectOk(await operator.post(at('/example'), undefined))
  const pushes = listOf(body['pushes'])
  assert.deepEqual(
    pushes.map(({ kind, status }) => [kind, status]),
    [
      ['hotels', 200],
      ['products', 200],
      ['taxes', 200],
      ['ari', 200],
    ],
  )
  const log = listOf(expectOk(await supplier.get('/push/log?hotelId=EXAMPLE')).body['pushes'])
  assert.deepEqual(
    log.map(({ kind, outcome, keyId, requestId }) => [kind, outcome, keyId, requestId]),
    pushes.map(({ kind, requestId }) => [kind, 'applied', supplier.keyId, requestId]).reverse(),
  )
  assert.ok(pushes.every(({ requestId }) => String(requestId).startsWith('console-')))
  const [hotel] = listOf(expectOk(await operator.get(at('/hotels'))).body['hotels'])
  assert.deepEqual(
    [hotel?.['hotelId'], hotel?.['code'], hotel?.['today'], listOf(hotel?.['products']).length],
    [body['hotelId'], 'EXAMPLE', '2027-03-01', 6],
  )
  const nights = await gateway.db.query<{ nights: number }>(
    `select count(*)::int as nights from ari_night where hotel_id = $1 and rate_no > 0`,
    [body['hotelId']],
  )
  assert.equal(nights.rows[0]?.nights, 6 * 365)
  expectOk(await operator.post(at('/example'), undefined))
  const again = listOf(expectOk(await supplier.get('/push/log?hotelId=EXAMPLE&limit=4')).body['pushes'])
  assert.deepEqual(
    again.map(({ outcome }) => outcome),
    ['unchanged', 'unchanged', 'unchanged', 'unchanged'],
  )
})

test('a test booking is checked and delivered, and its calls are visible', async () => {
  const made = Object(expectStatus(await book(), 201).body['booking'])
  assert.deepEqual([made.version, made.status], [1, 'Confirm'])
  await until('it is delivered', () => simulated.reservation(made.reservationId)?.version === 1)
  const seen = (await callsSeen()).slice(0, 2)
  assert.deepEqual(
    seen.map(({ calls, outcome, httpStatus }) => [calls, outcome, httpStatus]),
    [
      ['pushBooking', 'answered', 200],
      ['priceCheck', 'answered', 200],
    ],
  )
  const shown = await Promise.all(
    seen.map(async ({ id }) => Object(expectOk(await operator.get(at(`/calls/${String(id)}`))).body['call'])),
  )
  const [delivered, checked] = shown.map(({ request }) => JSON.parse(request))
  assert.equal(delivered.reservations.reservation[0].reservation_id, made.reservationId)
  assert.deepEqual(
    [checked.roomId, checked.rateId, checked.checkin, checked.adultCount, checked.childAges],
    ['DBL', 'BAR', '2027-04-20', 2, [5]],
  )
  assert.equal(JSON.parse(shown[1]?.answer).roomRate.roomId, 'DBL')
  const wanted = { hotelId: 'EXAMPLE', reservationId: made.reservationId }
  const callsAbout = async (): Promise<string[]> => {
    const shownSupplier = Object(expectOk(await operator.get(`/suppliers/${supplierId}`)).body['supplier'])
    return listOf(shownSupplier.calls).map(
      ({ kind, hotelName, reservationId }) => `${String(kind)} ${String(hotelName)} ${String(reservationId)}`,
    )
  }
  // It is settled a moment after the supplier has it.
  await until('both calls are listed', async () => (await callsAbout()).length === 2)
  assert.deepEqual((await callsAbout()).toSorted(), [
    'availability Example Hotel null',
    `pushbook Example Hotel ${made.reservationId}`,
  ])
  const quotePath = at(`/cancellations/${made.reservationId}`)
  const { quote } = expectOk(await operator.get(quotePath)).body
  const { amount } = Object(quote).penalty
  const cancel = (expectedPenalty: unknown) =>
    operator.post(at('/cancellations'), { ...wanted, expectedPenalty })
  const other = await cancel('0.01')
  assert.deepEqual(
    [other.status, problemsOf(other)],
    [409, [['/expectedPenalty', 'PENALTY_CHANGED', 'Cancelling costs another penalty than was expected']]],
  )
  const cancelled = Object(expectOk(await cancel(amount)).body['booking'])
  assert.deepEqual([cancelled.version, cancelled.status], [2, 'Cancel'])
})

test('a hotel can be read by its id, if it belongs to the supplier', async () => {
  await pushStoryHotel(supplier, { hotelId: 'OTHER' })
  const stranger = await gateway.supplier('Stranger')
  await pushStoryHotel(stranger)
  const read = async (hotelId: unknown) =>
    listOf(expectOk(await operator.get(at(`/hotels?hotelId=${String(hotelId)}`))).body['hotels'])
  const [first, other] = listOf(expectOk(await operator.get(at('/hotels'))).body['hotels'])
  assert.deepEqual([first?.['code'], other?.['code']], ['EXAMPLE', 'OTHER'])
  assert.deepEqual(await read(other?.['hotelId']), [other])
  const [foreign] = listOf(
    expectOk(await operator.get(`/sandbox/${await idOf('Stranger')}/hotels`)).body['hotels'],
  )
  for (const hotelId of [foreign?.['hotelId'], 'EXAMPLE', '0', '99999999999'])
    assert.deepEqual(await read(hotelId), [])
})

test('an impossible booking is refused with the reason the platform gets', async () => {
  const refused = await book({ checkin: '2027-07-20', checkout: '2027-07-21' })
  assert.equal(refused.status, 409)
  const unknown = await book({ hotelId: 'H9' })
  assert.deepEqual(
    [unknown.status, problemsOf(unknown)],
    [404, [['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel not found']]],
  )
})

test('faults make the calls to this supplier fail, and are listed while pending', async () => {
  const faults = [{ calls: 'priceCheck', fault: 'status500', times: 1 }]
  const ordered = expectOk(await operator.put(at('/faults'), { faults })).body
  const held = [
    {
      calls: 'priceCheck',
      fault: 'status500',
      hotelId: null,
      timesLeft: 1,
      expiresAt: '2027-03-01T13:00:00.000Z',
    },
  ]
  assert.deepEqual(ordered['faults'], held)
  assert.deepEqual(expectOk(await operator.get(at('/faults'))).body['faults'], held)
  const refused = await book()
  assert.deepEqual(
    problemsOf(refused).map((problem) => Object(problem)[1]),
    ['PRICE_CHECK_FAILED'],
  )
  const [seen] = await callsSeen()
  assert.deepEqual(
    [seen?.['calls'], seen?.['outcome'], seen?.['httpStatus']],
    ['priceCheck', 'answered', 500],
  )
  expectOk(await operator.put(at('/faults'), { faults: [] }))
  const { rows } = await gateway.db.query<{ before: unknown; after: unknown }>(
    `select before, after from audit_log where action = 'sandbox.fault' order by id limit 1`,
  )
  assert.deepEqual(rows, [{ before: { faults: [] }, after: { faults: held } }])
})

test('the visible calls contain no card data', async () => {
  const number = '4111111111111111'
  await gateway.db.query('update supplier set delivers_cards = true where id = $1', [supplierId])
  const card = { holderName: 'Ada Lovelace', type: 'VI', number, expiry: '12/2030', cvv: '737' }
  const payment = { type: 'Channel Collect', card }
  const { checkin, checkout, roomId, rateId } = booking
  const wanted = { hotelId: 'EXAMPLE', checkin, checkout, rooms: [{ roomId, rateId, adults: 2 }], payment }
  const made = expectStatus(await supplier.post('/push/sandbox/booking', wanted), 201).body
  const id = String(made['reservationId'])
  await until('it is delivered', () => simulated.reservation(id)?.version === 1)
  const [seen] = await callsSeen()
  const { request, answer } = Object(
    expectOk(await operator.get(at(`/calls/${String(seen?.['id'])}`))).body['call'],
  )
  assert.equal(JSON.parse(request).reservations.reservation[0].paymentcarddetail, '[hidden]')
  assert.equal(answer, null)
  const { rows } = await gateway.db.query<{ kept: string }>(
    `select string_agg(sandbox_callback::text, '') as kept from sandbox_callback`,
  )
  assert.ok(!rows[0]?.kept.includes(number))
  await gateway.db.query('update supplier set delivers_cards = false where id = $1', [supplierId])
})

test("another supplier's calls are not visible, and viewers can't do anything", async () => {
  await gateway.supplier('Other')
  const other = await idOf('Other')
  const [mine] = await callsSeen()
  assert.deepEqual(expectOk(await operator.get(`/sandbox/${other}/calls`)).body['calls'], [])
  assert.equal((await operator.get(`/sandbox/${other}/calls/${String(mine?.['id'])}`)).status, 404)
  assert.equal((await operator.get('/sandbox/99999/calls')).status, 404)
  const viewer = await gateway.operator('viewer')
  const replies = [
    await viewer.post(at('/example'), undefined),
    await viewer.put(at('/faults'), { faults: [] }),
    await viewer.post(at('/bookings'), { ...booking, adults: 1, childAges: [] }),
    await viewer.post(at('/cancellations'), {
      hotelId: 'EXAMPLE',
      reservationId: '1',
      expectedPenalty: null,
    }),
    await viewer.post(at('/clock'), { advanceBy: 'P1D' }),
    await viewer.post(at('/reset'), undefined),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [403, 403, 403, 403, 403, 403],
  )
  await gateway.db.query('update api_key set revoked_at = now() where supplier_id = $1', [other])
  assert.deepEqual(problemsOf(await operator.post(`/sandbox/${other}/example`, undefined)), [
    [undefined, 'NO_VALID_KEY', 'Supplier "Other" has no valid key'],
  ])
})

test('the clock of a supplier is advanced, its example hotel pushed at that time, and all its hotels removed; the audit log has both', async () => {
  const later = await gateway.supplier('Later')
  const path = `/sandbox/${await idOf('Later')}`
  const clock = { now: '2027-12-26T12:00:00.000Z', aheadBy: 'P300D' }
  const advanced = expectOk(await operator.post(`${path}/clock`, { advanceBy: 'P300D' })).body
  assert.deepEqual(advanced, { clock, deliveriesDue: 0 })
  assert.deepEqual(expectOk(await operator.get(`${path}/clock`)).body, { clock })
  assert.deepEqual(expectOk(await later.get('/push/sandbox/clock')).body['clock'], clock)
  const { pushes } = expectOk(await operator.post(`${path}/example`, undefined)).body
  assert.ok(Array.isArray(pushes))
  assert.deepEqual(
    pushes.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const [hotel] = Object(expectOk(await operator.get(`${path}/hotels`)).body['hotels'])
  assert.equal(hotel.today, '2027-12-26')
  const { removed } = expectOk(await operator.post(`${path}/reset`, undefined)).body
  assert.deepEqual([Object(removed).hotels, Object(removed).reservations], [1, 0])
  assert.deepEqual(expectOk(await operator.get(`${path}/hotels`)).body['hotels'], [])
  const { rows } = await gateway.db.query(
    `select action, coalesce(after -> 'clock' ->> 'aheadBy', before ->> 'hotels') as what from audit_log
     where action in ('sandbox.advance-clock', 'sandbox.reset') order by id`,
  )
  assert.deepEqual(rows, [
    { action: 'sandbox.advance-clock', what: 'P300D' },
    { action: 'sandbox.reset', what: '1' },
  ])
})

test('in production there is no sandbox', async () => {
  const production = await gatewayForTests({ environment: 'production' })
  const who = await production.operator('operator')
  const replies = [
    await who.get('/sandbox/1/hotels'),
    await who.post('/sandbox/1/example', undefined),
    await who.get('/sandbox/1/faults'),
    await who.put('/sandbox/1/faults', { faults: [] }),
    await who.post('/sandbox/1/bookings', { ...booking, adults: 1, childAges: [] }),
    await who.post('/sandbox/1/cancellations', {
      hotelId: 'EXAMPLE',
      reservationId: '1',
      expectedPenalty: null,
    }),
    await who.get('/sandbox/1/cancellations/1'),
    await who.get('/sandbox/1/clock'),
    await who.post('/sandbox/1/clock', { advanceBy: 'P1D' }),
    await who.post('/sandbox/1/reset', undefined),
    await who.get('/sandbox/1/calls'),
    await who.get('/sandbox/1/calls/1'),
  ]
  assert.deepEqual(
    replies.map((reply) => [reply.status, problemsOf(reply)]),
    replies.map(() => [404, [[undefined, 'NOT_ENABLED', 'This exists only in the sandbox']]]),
  )
})
