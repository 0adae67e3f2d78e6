import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { insertEvents } from '../../src/changes/write-events.ts'
import { runHourly } from '../../src/deliveries/worker/hourly-run.ts'
import { bookingBody, expectStatus, idOf, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { changesIn, cursorOfNow, getChanges, type Change } from '../stage/scenes/changes.ts'
import { changesSettled, gatewayForTests, type Reply } from '../stage/harness.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../stage/servers/receiver.ts'
import { expectOk } from '../stage/story.ts'

/**
 * The delivery of a reservation as the platform sees it: beside the reservation, and in the change feed. No worker runs, and
 * the clock stands still: a delivery is sent only on the supplier's request.
 */

const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (to) => to } })
let receiver: Receiver
let answers = 200
let shop: Shop
let shops = 0
before(async () => {
  receiver = await startReceiver((socket) => socket.write(httpAnswer(answers, '{}')))
})
after(() => receiver.close())

const start = Date.parse('2027-03-01T12:00:00Z')
const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString()
const daySeconds = 86_400
const supplierName = (): string => `Shop ${shops}`

beforeEach(async () => {
  gateway.clock.set(at(0))
  answers = 200
  shops++
  shop = await openShop(gateway, supplierName(), { inventory: 50 })
})

async function register(): Promise<void> {
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook }))
  expectOk(await shop.supplier.post('/push/webhook/test', { kind: 'pushbook' }))
}

const send = (id: string): Promise<Reply> =>
  shop.supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: id })
const change = (id: string, more: Record<string, unknown> = {}): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody(supplierName(), more))
const cancel = (id: string): Promise<Reply> => shop.platform.post(`/booking/reservations/${id}/cancel`, {})
const later = { rooms: [room({ guest: { firstName: 'Bo', lastName: 'Li' } })] }

/** As the reservation and the list say alike. */
async function deliveryOf(id: string): Promise<Record<string, unknown>> {
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const query = new URLSearchParams({ supplier: supplierName() }).toString()
  const { reservations } = expectOk(await shop.platform.get(`/booking/reservations?${query}`)).body
  const listed = Object(reservations).find((one: { reservationId: string }) => one.reservationId === id)
  assert.deepEqual(listed.delivery, Object(reservation).delivery)
  return listed.delivery
}

const queued = (more: object) => ({
  status: 'queued',
  attempts: 0,
  nextAttemptAt: null,
  error: null,
  ...more,
})
const ended = (status: string, since: string, more: object = {}) => ({
  status,
  since,
  attempts: 1,
  nextAttemptAt: null,
  error: null,
  ...more,
})

/** Makes what waited for three days without a URL dead. */
const runHour = (): Promise<unknown> =>
  runHourly({ db: gateway.db, clock: gateway.clock, vault: { openableKeyIds: () => [] } })

test('a reservation says how far its delivery has come, since when, and what stands in the way', async () => {
  const nowhere = expectStatus(await shop.book(), 201)
  const noUrl = queued({ since: at(0), error: 'no_url' })
  assert.deepEqual(nowhere.body['delivery'], noUrl)
  assert.deepEqual(await deliveryOf(idOf(nowhere)), noUrl)
  await register()
  const booked = expectStatus(await shop.book(), 201)
  const id = idOf(booked)
  const first = queued({ since: at(0), nextAttemptAt: at(0) })
  assert.deepEqual(booked.body['delivery'], first)
  assert.deepEqual(await deliveryOf(id), first)

  answers = 500
  expectOk(await send(id))
  const failing = await deliveryOf(id)
  const { nextAttemptAt } = failing
  assert.deepEqual(failing, queued({ since: at(0), attempts: 1, nextAttemptAt, error: 'http_500' }))
  // The first retry, with up to a tenth more.
  assert.ok(String(nextAttemptAt) >= at(10) && String(nextAttemptAt) <= at(11), String(nextAttemptAt))

  // The hotel is behind since the first version, which it never got.
  gateway.clock.set(at(5))
  const changed = expectOk(await change(id, later))
  const behind = queued({ since: at(0), nextAttemptAt: at(5) })
  assert.deepEqual(changed.body['delivery'], behind)
  assert.deepEqual(await deliveryOf(id), behind)

  answers = 200
  gateway.clock.set(at(7))
  expectOk(await send(id))
  assert.deepEqual(await deliveryOf(id), ended('delivered', at(7)))
  assert.deepEqual(expectOk(await change(id, later)).body['delivery'], ended('delivered', at(7)))

  // What is sent once more was delivered nevertheless.
  answers = 500
  gateway.clock.set(at(8))
  expectOk(await send(id))
  assert.deepEqual(await deliveryOf(id), ended('delivered', at(7)))

  gateway.clock.set(at(9))
  const gone = queued({ since: at(9), nextAttemptAt: at(9) })
  assert.deepEqual(expectOk(await cancel(id)).body['delivery'], gone)
  assert.deepEqual(expectOk(await cancel(id)).body['delivery'], gone)
})

test('a delivery that was given up says when, and a later one is behind since the first', async () => {
  const id = idOf(expectStatus(await shop.book(), 201))
  gateway.clock.set(at(3 * daySeconds + 7_200))
  await runHour()
  const dead = ended('dead', at(3 * daySeconds + 7_200), { attempts: 0, error: 'no_url' })
  assert.deepEqual(await deliveryOf(id), dead)
  await register()
  gateway.clock.set(at(4 * daySeconds))
  assert.deepEqual(
    expectOk(await change(id, later)).body['delivery'],
    queued({ since: at(0), nextAttemptAt: at(4 * daySeconds) }),
  )
  answers = 404
  expectOk(await send(id))
  const { nextAttemptAt, error } = await deliveryOf(id)
  assert.deepEqual([nextAttemptAt, error], [at(4 * daySeconds + 3_600), 'http_404'])
})

async function changesAfter(cursor: string): Promise<Change[]> {
  await changesSettled(gateway.db)
  const changes = changesIn(await getChanges(shop.platform, { after: cursor }))
  return changes
    .filter(({ supplier }) => supplier === supplierName())
    .map(({ cursor: _cursor, at: _at, platformHotelId: _id, ...rest }) => rest)
}

const event = (reservationId: string, version: number, status: string) => ({
  kind: 'delivery',
  supplier: supplierName(),
  hotelId: 'H1',
  reservationId,
  version,
  delivery: { status },
})

test('the feed tells of what was delivered, acknowledged or given up, once and without a revision', async () => {
  const nowhere = idOf(expectStatus(await shop.book(), 201))
  await register()
  const id = idOf(expectStatus(await shop.book(), 201))
  const acknowledged = idOf(expectStatus(await shop.book(), 201))
  const cursor = await cursorOfNow(gateway, shop.platform)

  answers = 500
  expectOk(await send(id))
  answers = 200
  expectOk(await send(id))
  expectOk(await send(id))
  const reservations = [{ reservation_id: acknowledged, reservation_version: '1' }]
  for (let time = 0; time < 2; time++)
    expectOk(await shop.supplier.post('/push/webhook/pushbook/ack', { reservations }))
  gateway.clock.set(at(3 * daySeconds + 10_800))
  await runHour()
  await runHour()
  // By hand, in vain: it was given up before.
  answers = 500
  expectOk(await send(nowhere))
  answers = 200
  expectOk(await send(nowhere))
  assert.deepEqual(await changesAfter(cursor), [
    event(id, 1, 'delivered'),
    event(acknowledged, 1, 'delivered'),
    event(nowhere, 1, 'dead'),
    event(nowhere, 1, 'delivered'),
  ])
})

test('nights that changed again are told once, events between them every time', async () => {
  await register()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push(idOf(expectStatus(await shop.book(), 201)))
  const cursor = await cursorOfNow(gateway, shop.platform)
  for (const [index, id] of ids.entries()) {
    const ari = [{ roomId: 'DBL', date: '2027-04-20', inventory: 20 + index }]
    expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
    expectOk(await send(id))
  }
  const told = (await changesAfter(cursor)).map(({ kind, reservationId, revision }) => [
    kind,
    reservationId ?? typeof revision,
  ])
  assert.deepEqual(told, [
    ['delivery', ids[0]],
    ['delivery', ids[1]],
    ['ari', 'number'],
    ['delivery', ids[2]],
  ])
})

test('an event of a supplier as a whole is one change, of no hotel', async () => {
  const cursor = await cursorOfNow(gateway, shop.platform)
  await gateway.db.query(
    insertEvents(
      'delivery',
      `select 0 as hotel_id, jsonb_build_object('supplierId', id, 'version', 7) as event
       from supplier where name = '${supplierName()}'`,
    ),
  )
  await changesSettled(gateway.db)
  const [told, ...others] = changesIn(await getChanges(shop.platform, { after: cursor }))
  assert.deepEqual(others, [])
  const { cursor: position, at: when, ...rest } = told ?? {}
  assert.deepEqual([typeof position, typeof when], ['string', 'string'])
  assert.deepEqual(rest, { kind: 'delivery', supplier: supplierName(), version: 7 })
})

test('a last attempt tells of the end, each time that there is one', async () => {
  await register()
  const id = idOf(expectStatus(await shop.book(), 201))
  const cursor = await cursorOfNow(gateway, shop.platform)
  answers = 500
  gateway.clock.set(at(3 * daySeconds))
  expectOk(await send(id))
  assert.deepEqual(await deliveryOf(id), ended('dead', at(3 * daySeconds), { error: 'http_500' }))
  expectOk(await shop.supplier.post('/push/deliveries/sendAgain', { hotelId: 'H1' }))
  gateway.app.startDeliveries()
  const stands = async (): Promise<unknown[]> => {
    const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
    const { status, attempts } = Object(reservation).delivery
    return [status, attempts]
  }
  await until('it is sent again', async () => isDeepStrictEqual(await stands(), ['queued', 2]))
  gateway.clock.set(at(6 * daySeconds))
  await until('it is given up again', async () => isDeepStrictEqual(await stands(), ['dead', 3]))
  assert.deepEqual(
    await deliveryOf(id),
    ended('dead', at(6 * daySeconds), { attempts: 3, error: 'http_500' }),
  )
  assert.deepEqual(await changesAfter(cursor), [event(id, 1, 'dead'), event(id, 1, 'dead')])
})
