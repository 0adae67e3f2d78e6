import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type Receiver,
} from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'
import { transaction } from '../../postgres/transaction.ts'
import { sendAgain, type DeliveryFilter } from './send-again.ts'
import { lockHotelForBooking } from '../../bookings/store.ts'

/** Suppliers manage their reservations while no worker runs: a delivery is sent only on their request. */

let stage: DeliveryTest
const receivers: Receiver[] = []
before(async () => {
  stage = await startDeliveryTest()
})
after(() => stage.stop())
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

async function supplierBehaving(
  name: string,
  behave: Behaviour,
): Promise<{ supplier: DeliverySupplier; receiver: Receiver }> {
  const receiver = await startReceiver(behave)
  receivers.push(receiver)
  const supplier = await stage.supplierAt(name, `http://127.0.0.1:${receiver.port}/book`)
  receiver.calls.length = 0
  return { supplier, receiver }
}

const always =
  (status: number): Behaviour =>
  (socket) =>
    socket.write(httpAnswer(status, '{}'))

const pushed = (supplier: DeliverySupplier, reservationId: number): Promise<Reply> =>
  supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: String(reservationId) })

const told = ({ body }: Reply): unknown[] => {
  const { deliveryId, status, httpStatus, attempt } = Object(body['delivery'])
  return [body['message'], deliveryId, status, httpStatus, attempt]
}

test('a reservation is pushed on demand; one that was delivered goes once more as a delivery of its own', async () => {
  const { supplier, receiver } = await supplierBehaving('on demand', always(200))
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  const first = await pushed(supplier, booked.reservationId)
  assert.deepEqual(
    [first.status, ...told(first)],
    [200, 'Booking pushed successfully', booked.deliveryId, 'delivered', 200, 1],
  )
  const again = await pushed(supplier, booked.reservationId)
  const [message, deliveryId, ...rest] = told(again)
  assert.deepEqual([message, ...rest], ['Booking pushed successfully', 'delivered', 200, 1])
  assert.notEqual(deliveryId, booked.deliveryId)
  assert.deepEqual(
    receiver.calls.map(({ headers, body }) => [headers.get('webhook-id'), body.toString()]),
    [booked.deliveryId, deliveryId].map((id) => [id, receiver.calls[0]?.body.toString()]),
  )
})

test('a push on demand that fails says so and takes nothing from the schedule', async () => {
  const { supplier } = await supplierBehaving('failing', always(500))
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  const { reservationId, deliveryId } = booked
  const answers = [await pushed(supplier, reservationId), await pushed(supplier, reservationId)]
  assert.deepEqual(
    answers.map((reply) => [reply.status, ...told(reply)]),
    [1, 2].map((attempt) => [200, 'Booking could not be delivered', deliveryId, 'failed', 500, attempt]),
  )
  const [{ status, lane, retries } = { status: '', lane: '', retries: 0 }] = await deliveriesOf(
    stage.gateway,
    reservationId,
  )
  // The first failure starts the schedule; the second, a manual one, does not advance it.
  assert.deepEqual([status, lane, retries], ['queued', 'retry', 1])
})

test('a reservation that cannot be read is a push that failed: nothing is sent, and it keeps its place', async () => {
  const { supplier, receiver } = await supplierBehaving('unreadable', always(200))
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  const { reservationId, deliveryId } = booked
  const content = (sql: string): Promise<unknown> =>
    stage.gateway.db.query(`update reservation_version set content = ${sql} where reservation_id = $1`, [
      reservationId,
    ])
  await content(`jsonb_build_object('kept', content)`)
  const reply = await pushed(supplier, reservationId)
  assert.deepEqual(
    [reply.status, ...told(reply)],
    [200, 'Booking could not be delivered', deliveryId, 'failed', null, 1],
  )
  assert.deepEqual(receiver.calls, [])
  await content(`content -> 'kept'`)
  const mended = await pushed(supplier, reservationId)
  assert.deepEqual(
    [mended.status, ...told(mended)],
    [200, 'Booking pushed successfully', deliveryId, 'delivered', 200, 2],
  )
})

test('repeated pushes of one reservation delay no other reservation of the account', async () => {
  const held: (() => void)[] = []
  let isSlow = false
  const { supplier, receiver } = await supplierBehaving('eager', (socket) => {
    const answer = () => socket.write(httpAnswer(200, '{}'))
    if (isSlow) held.push(answer)
    else answer()
    isSlow = false
  })
  const [again, other] = await book(stage.gateway, supplier, { count: 2 })
  assert.ok(again && other)
  isSlow = true
  const eager = Array.from({ length: 5 }, () => pushed(supplier, again.reservationId))
  await until('the first is on its way', () => receiver.calls.length === 1)
  assert.deepEqual(told(await pushed(supplier, other.reservationId))[2], 'delivered')
  for (const answer of held) answer()
  const statuses = (await Promise.all(eager)).map((reply) => [reply.status, told(reply)[2]])
  assert.deepEqual(statuses, Array(5).fill([200, 'delivered']))
})

test('without a URL nothing can be pushed, and the feature may be disabled for an account', async () => {
  const supplier = await stage.supplierAt('no url', undefined)
  const [booked] = await book(stage.gateway, supplier)
  const { status, body } = await pushed(supplier, booked?.reservationId ?? 0)
  assert.deepEqual([status, body['message']], [409, 'Push booking webhook is not registered'])
  await setAccount(stage.gateway.db, 'no url', { mayPushOnDemand: false, mayRetrieve: false })
  const refused = await Promise.all([
    pushed(supplier, booked?.reservationId ?? 0),
    supplier.get('/push/webhook/pushbook/retrieve'),
    supplier.post('/push/webhook/pushbook/ack', {
      reservations: [{ reservation_id: '1', reservation_version: '1' }],
    }),
  ])
  assert.deepEqual(
    refused.map((reply) => [reply.status, Object(Object(reply.body['errors'])[0])['type']]),
    refused.map(() => [409, 'NOT_ENABLED']),
  )
})

test('another supplier neither pushes, nor retrieves, nor acknowledges a reservation', async () => {
  const supplier = await stage.supplierAt('owner', undefined)
  const { supplier: stranger, receiver } = await supplierBehaving('stranger', always(200))
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  const named = { reservation_id: String(reservationId), reservation_version: '1' }
  const push = await pushed(stranger, reservationId)
  const ack = await stranger.post('/push/webhook/pushbook/ack', { reservations: [named] })
  const seen = await stranger.get(`/push/webhook/pushbook/retrieve?reservation_id=${reservationId}`)
  assert.deepEqual([push.status, ack.status, seen.body['data']], [404, 404, []])
  assert.equal(receiver.calls.length, 0)
  assert.equal((await deliveriesOf(stage.gateway, reservationId))[0]?.status, 'queued')
})

test('reservations are retrieved by page in the order of their changes, in bodies of one hotel and status', async () => {
  const supplier = await stage.supplierAt('retrieving', undefined)
  const booked = await book(stage.gateway, supplier, { count: 3 })
  stage.gateway.clock.set(new Date(stage.gateway.clock.now() + 60_000).toISOString())
  const [first] = booked
  await book(stage.gateway, supplier, { reservationId: first?.reservationId ?? 0, status: 'Cancel' })
  const names = booked.map(({ reservationId, version }) => `${reservationId}.${version}`)
  const wanted = [...names.slice(1), `${first?.reservationId}.2`]
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await supplier.get(`/push/webhook/pushbook/retrieve?limit=2${query}`)
    assert.ok(Array.isArray(body['data']))
    for (const one of body['data'])
      seen.push(...namedIn({ line: '', headers: new Map(), body: Buffer.from(JSON.stringify(one)) }))
    cursor = typeof body['nextCursor'] === 'string' ? body['nextCursor'] : null
  }
  assert.deepEqual(seen, wanted)
  const whole = await supplier.get('/push/webhook/pushbook/retrieve?hotelId=H1')
  assert.ok(Array.isArray(whole.body['data']))
  assert.deepEqual(
    whole.body['data'].map(({ hotelId, status, reservations }) => [
      hotelId,
      status,
      reservations.reservation.length,
    ]),
    [
      ['H1', 'Confirm', 2],
      ['H1', 'Cancel', 1],
    ],
  )
  const cancelled = await supplier.get('/push/webhook/pushbook/retrieve?status=Cancel')
  assert.deepEqual(cancelled.body['data'], whole.body['data'].slice(1))
})

test('an acknowledged version is no longer sent, but a newer version is', async () => {
  const supplier = await stage.supplierAt('acknowledging', undefined)
  const [one, other] = await book(stage.gateway, supplier, { count: 2 })
  assert.ok(one && other)
  await book(stage.gateway, supplier, { reservationId: other.reservationId })
  const named = [one, other].map(({ reservationId }) => ({
    reservation_id: String(reservationId),
    reservation_version: '1',
  }))
  const ack = (): Promise<Reply> => supplier.post('/push/webhook/pushbook/ack', { reservations: named })
  const [first, again] = [await ack(), await ack()]
  const saying = (acknowledged: number) => ({
    code: '200',
    message: 'Reservations acknowledged successfully',
    acknowledged,
  })
  assert.deepEqual([first.body, again.body], [saying(1), saying(0)])
  const left = await supplier.get('/push/webhook/pushbook/retrieve?delivered=false')
  const done = await supplier.get('/push/webhook/pushbook/retrieve?delivered=true')
  const idsOf = ({ body }: Reply): unknown =>
    Object(body['data'])[0].reservations.reservation.map(
      (shown: Record<string, unknown>) => shown['reservation_id'],
    )
  assert.deepEqual([idsOf(left), idsOf(done)], [[String(other.reservationId)], [String(one.reservationId)]])
})

test('an acknowledgement with unknown entries changes nothing, and names all of them', async () => {
  const supplier = await stage.supplierAt('wrong', undefined)
  const [{ reservationId } = { reservationId: 0 }] = await book(stage.gateway, supplier)
  const id = String(reservationId)
  const reply = await supplier.post('/push/webhook/pushbook/ack', {
    reservations: [
      { reservation_id: id, reservation_version: '1' },
      { reservation_id: 'X', reservation_version: '1' },
      { reservation_id: id, reservation_version: '2' },
    ],
  })
  assert.equal(reply.status, 404)
  assert.deepEqual(problemsOf(reply), [
    ['/reservations/1/reservation_id', 'RESERVATION_NOT_FOUND', 'Reservation not found'],
    ['/reservations/2/reservation_version', 'RESERVATION_VERSION_NOT_FOUND', 'Reservation version not found'],
  ])
  assert.equal((await deliveriesOf(stage.gateway, reservationId))[0]?.status, 'queued')
})

test('dead letters are sent again singly and by range, delivered ones as repeats, and of each reservation only the last version', async () => {
  const { supplier, receiver } = await supplierBehaving('dead', always(200))
  const { db, clock } = stage.gateway
  const [dead, changed, delivered, elsewhere] = await book(stage.gateway, supplier, { count: 4 })
  assert.ok(dead && changed && delivered && elsewhere)
  await pushed(supplier, delivered.reservationId)
  await db.query("update delivery set status = 'dead' where supplier_id = $1 and status = 'queued'", [
    supplier.supplierId,
  ])
  await book(stage.gateway, supplier, { reservationId: changed.reservationId })
  const range = { supplier: 'dead', hotelCode: 'H1', sinceMs: clock.now(), untilMs: clock.now() + 1 }
  const again = (filter: DeliveryFilter) =>
    transaction(db, (connection) => sendAgain(connection, filter, clock.now()))
  const none = await again({ ...range, sinceMs: clock.now() + 1, status: 'dead' })
  const single = await again({ ids: [elsewhere.deliveryId.slice(4)] })
  const byRange = await again({ ...range, status: 'dead' })
  const repeats = await again({ ...range, status: 'delivered' })
  assert.deepEqual(
    [none, single, byRange, repeats],
    [
      { again: 0, repeated: 0, nowhere: 0 },
      { again: 1, repeated: 0, nowhere: 0 },
      { again: 1, repeated: 0, nowhere: 0 },
      { again: 0, repeated: 1, nowhere: 0 },
    ],
  )
  receiver.calls.length = 0
  const worker = stage.worker()
  await until('all are settled', async () => (await openOf(supplier)) === 0)
  await worker.close()
  assert.deepEqual(
    receiver.calls.flatMap(namedIn).sort(),
    [
      `${dead.reservationId}.1`,
      `${changed.reservationId}.2`,
      `${delivered.reservationId}.1`,
      `${elsewhere.reservationId}.1`,
    ].sort(),
  )
})

test('if several resend a delivered reservation at once, by hand or by the queue, it is sent once', async () => {
  const { supplier } = await supplierBehaving('at once', always(200))
  const { db, clock } = stage.gateway
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  await pushed(supplier, booked.reservationId)
  const ids = [booked.deliveryId.slice(4)]
  const sent = await Promise.all(
    Array.from({ length: 8 }, () =>
      transaction(db, (connection) => sendAgain(connection, { ids }, clock.now())),
    ),
  )
  assert.equal(
    sent.reduce((sum, { repeated }) => sum + repeated, 0),
    1,
  )
  const deliveries = await deliveriesOf(stage.gateway, booked.reservationId)
  assert.deepEqual(deliveries.map(({ status }) => status).sort(), ['delivered', 'queued'])
})

test('sent again while it is cancelled, a reservation does not arrive in its older version last', async () => {
  const { supplier, receiver } = await supplierBehaving('while cancelled', always(200))
  const { db, clock } = stage.gateway
  const booked = await book(stage.gateway, supplier, { count: 20 })
  await Promise.all(booked.map(({ reservationId }) => pushed(supplier, reservationId)))
  receiver.calls.length = 0
  await Promise.all(
    booked.flatMap(({ reservationId, deliveryId }) => [
      book(stage.gateway, supplier, { reservationId, status: 'Cancel' }),
      transaction(db, (connection) => sendAgain(connection, { ids: [deliveryId.slice(4)] }, clock.now())),
    ]),
  )
  const worker = stage.worker()
  await until('all are settled', async () => (await openOf(supplier)) === 0)
  await worker.close()
  const last = booked.map(({ reservationId }) =>
    receiver.calls.flatMap(namedIn).findLast((name) => name.startsWith(`${reservationId}.`)),
  )
  assert.deepEqual(
    last,
    booked.map(({ reservationId }) => `${reservationId}.2`),
  )
})

test('deliveries without a URL are not resent, and a resend waits for no booking of the hotel', async () => {
  const supplier = await stage.supplierAt('nowhere', undefined)
  const { db, clock } = stage.gateway
  const [booked] = await book(stage.gateway, supplier)
  assert.ok(booked)
  const again = () =>
    transaction(db, (connection) => sendAgain(connection, { supplier: 'nowhere' }, clock.now()))
  assert.deepEqual(await again(), { again: 0, repeated: 0, nowhere: 1 })
  const [left] = await deliveriesOf(stage.gateway, booked.reservationId)
  assert.deepEqual([left?.lane, left?.dueInMs], ['hourly', null])
  const receiver = await startReceiver(always(200))
  receivers.push(receiver)
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  await db.query("update delivery set status = 'delivered', delivered_at = now() where reservation_id = $1", [
    booked.reservationId,
  ])
  const sent = await transaction(db, async (connection) => {
    await lockHotelForBooking(connection, supplier.hotelId)
    return await again()
  })
  assert.deepEqual(sent, { again: 0, repeated: 1, nowhere: 0 })
})

test('two waiting deliveries of one reservation, which should never exist, block no others', async () => {
  const { supplier, receiver } = await supplierBehaving('doubled', always(200))
  const { db } = stage.gateway
  const [doubled, other] = await book(stage.gateway, supplier, { count: 2 })
  assert.ok(doubled && other)
  await db.query(
    `insert into delivery select copy.* from delivery cross join lateral
       jsonb_populate_record(delivery, jsonb_build_object('id', gen_random_uuid())) as copy
     where delivery.reservation_id = $1`,
    [doubled.reservationId],
  )
  const worker = stage.worker()
  await until('all are settled', async () => (await openOf(supplier)) === 0)
  await worker.close()
  const [first, second] = [`${doubled.reservationId}.1`, `${other.reservationId}.1`]
  assert.deepEqual(receiver.calls.flatMap(namedIn).sort(), [first, first, second])
})

async function openOf({ supplierId }: DeliverySupplier): Promise<number> {
  const { rows } = await stage.gateway.db.query(
    "select from delivery where supplier_id = $1 and status in ('queued', 'sending')",
    [supplierId],
  )
  return rows.length
}
