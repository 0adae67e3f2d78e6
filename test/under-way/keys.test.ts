import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import {
  changeAsAsked,
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  type Shop,
} from '../stage/scenes/booking.ts'
import { createJob, ended, ndjson, upload } from '../stage/scenes/bulk.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { createExport } from '../stage/scenes/exports.ts'
import { httpAnswer } from '../stage/servers/receiver.ts'
import { gatewayForCalls, liveUrl, receiverOf, urlOf, type Fields } from '../stage/under-way/calls.ts'
import {
  client,
  type Reply,
  type TestClient,
  type TestOperator,
  type TestSupplier,
} from '../stage/harness.ts'
import { holdHotel, untilWaiting } from '../stage/locks.ts'
import { expectOk } from '../stage/story.ts'

/** A key is revoked, or renewed, while something of its account is under way. */

const gateway = await gatewayForCalls()
gateway.app.startBulk()
const deliveries = gateway.app.startDeliveries()
after(() => deliveries.close())
let admin: TestOperator
before(async () => {
  admin = await gateway.operator('admin')
})

let shops = 0
const shopOf = (ari: Fields = {}): Promise<Shop> => openShop(gateway, `keys ${++shops}`, ari)

/** Another key of the same account. */
const another = ({ name }: TestSupplier): Promise<TestSupplier> => gateway.supplier(name)

async function revoke({ keyId, get }: TestSupplier): Promise<void> {
  expectOk(await admin.post(`/keys/${keyId}/revoke`, undefined))
  await until('it is refused', async () => (await get('/push/limits')).status === 401)
}

/** The key's new secret; the old one goes on for so many minutes. */
async function renewed({ keyId }: TestSupplier, overlapMinutes = 60): Promise<TestClient> {
  const { body } = expectOk(await admin.post(`/keys/${keyId}/rotate`, { overlapMinutes }))
  return client(gateway.url, { 'x-api-key': String(body['apiKey']) })
}

const push = (key: TestClient, inventory: number, more: Fields = {}, headers = {}): Promise<Reply> =>
  key.post(
    '/push/ari',
    { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-20', inventory }], ...more },
    headers,
  )
const statusOf = ({ body }: Reply): unknown => Object(Object(body['results'])[0])['status']

async function unitsOf(key: TestClient, date = '2027-04-20'): Promise<unknown> {
  const range = { hotelId: 'H1', startDate: date, endDate: date }
  return Object(expectOk(await key.post('/push/getAri', range)).body['ari'])[0].inventory
}

test('what a revoked key pushed stays: sold, read, in the log and undone by another key of the account', async () => {
  const { supplier, book } = await shopOf()
  const other = await another(supplier)
  const nights = { hotelId: 'H1', from: '2027-04-01', to: '2027-04-30', level: 'hotel' }
  const digest = async (key: TestClient = other) =>
    expectOk(await key.post('/push/getAriDigest', nights)).body['hotel']
  const { requestId } = expectOk(
    await push(supplier, 7, { ari: [{ roomId: 'DBL', date: '2027-04-25', closed: true }] }),
  ).body
  const atFirst = await digest()
  assert.deepEqual([await digest(supplier), await digest(await renewed(supplier))], [atFirst, atFirst])
  await revoke(supplier)
  assert.deepEqual(await digest(), atFirst)
  idOf(await book({ checkin: '2027-04-26', checkout: '2027-04-27' }))
  expectStatus(await book({ checkin: '2027-04-25', checkout: '2027-04-26' }), 409)
  const logged = Object(expectOk(await other.get(`/push/log/${String(requestId)}`)).body['push'])
  assert.equal(logged.keyId, supplier.keyId)
  expectOk(await other.post('/push/undo', { hotelId: 'H1', requestId }))
  idOf(await book({ checkin: '2027-04-25', checkout: '2027-04-26' }))
  assert.notDeepEqual(await digest(), atFirst)
})

test('a renewed key goes on with its sequences and answers; a new key begins with its own', async () => {
  const { supplier } = await shopOf()
  const idempotency = { 'idempotency-key': 'one' }
  const first = expectOk(await push(supplier, 7, { sequence: 100 }, idempotency))
  const fresh = await renewed(supplier)
  const again = await push(fresh, 7, { sequence: 100 }, idempotency)
  assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [first.text, 'true'])
  assert.equal(statusOf(await push(fresh, 6, { sequence: 99 })), 'superseded')
  assert.equal(statusOf(await push(supplier, 5, { sequence: 101 })), 'applied')
  const other = await another(supplier)
  await revoke(supplier)
  await until('its secret of now is refused too', async () => (await push(fresh, 4)).status === 401)
  const repeated = await push(other, 7, { sequence: 1 }, idempotency)
  assert.deepEqual(
    [statusOf(repeated), repeated.headers.get('idempotency-replayed'), await unitsOf(other)],
    ['applied', null, 7],
  )
})

test('a load and an export of a key that is renewed meanwhile go on, also once the former secret is over', async (context) => {
  const { supplier } = await shopOf()
  const letGo = await holdHotel(context, gateway.db, 'H1', supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const lines = Array.from({ length: 20 }, (_, index) => ({
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', date: '2027-04-20', inventory: 10 + index }],
  }))
  expectOk(await upload(supplier, jobId, ndjson(lines)))
  expectOk(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  await untilWaiting(gateway.db, () => 1)
  const exportId = await createExport(supplier, { kind: 'ari' })
  const fresh = await renewed(supplier, 0)
  await until('the former secret is refused', async () => (await supplier.get('/push/limits')).status === 401)
  await letGo()
  const { state, lines: done, refused } = await ended(fresh, jobId)
  assert.deepEqual([state, done, refused, await unitsOf(fresh)], ['done', 20, 0, 29])
  assert.equal((await ended(fresh, exportId)).state, 'done')
  expectOk(await fresh.get(`/push/export/${exportId}/data`))
})

test('what is held of a revoked key is released, replaced or ended by the account’s other keys', async () => {
  const { supplier } = await shopOf()
  const other = await another(supplier)
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  const open = async (): Promise<number> =>
    Object(expectOk(await other.post('/push/guard/holds', { hotelId: 'H1' })).body['holds']).length
  expectStatus(await push(supplier, 50, { sequence: 100 }), 207)
  expectStatus(
    await push(supplier, 0, { sequence: 101, ari: [{ roomId: 'DBL', date: '2027-04-21', inventory: 60 }] }),
    207,
  )
  await revoke(supplier)
  assert.equal(statusOf(await push(other, 3, { sequence: 1 })), 'applied')
  assert.equal(await open(), 1)
  expectOk(await other.post('/push/guard/release', { hotelId: 'H1' }))
  assert.deepEqual([await unitsOf(other), await unitsOf(other, '2027-04-21')], [3, 60])
})

test('a price check that a revoked key’s URL has begun to answer counts; later ones go to another key’s, or are none', async () => {
  const shop = await shopOf({ inventory: 9 })
  const { supplier, platform } = shop
  const other = await another(supplier)
  const url = await liveUrl(shop)
  const { answer, letGo } = await url.held(() => shop.book())
  await revoke(supplier)
  letGo()
  const booked = expectStatus(await answer, 201)
  const outcomeOf = ({ body }: Reply) => Object(Object(body['priceChecks'])[0]).outcome
  assert.equal(outcomeOf(booked), 'available')
  const calls = url.receiver.calls.length
  assert.equal(outcomeOf(expectStatus(await shop.book(), 201)), 'not_registered')
  const longer = bookingBody(supplier.name, { checkout: '2027-04-23' })
  const changed = expectOk(await changeAsAsked(platform, idOf(booked), longer))
  assert.equal(outcomeOf(changed), 'not_registered')
  assert.equal(url.receiver.calls.length, calls)
  const next = await liveUrl({ supplier: other })
  next.answers({ inventory: 0 })
  assert.equal(expectStatus(await shop.book(), 409).body['message'], 'Sold out')
  expectOk(await platform.post(`/booking/reservations/${idOf(booked)}/cancel`, {}))
})

test('reservations of a revoked key wait, and go to the URL of another key with the version of now', async () => {
  const { supplier, platform, book } = await shopOf()
  const receiver = await receiverOf()
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: urlOf(receiver, 'first') }))
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
  const other = await another(supplier)
  await revoke(supplier)
  const id = idOf(await book())
  expectOk(await platform.post(`/booking/reservations/${id}/cancel`, {}))
  const { body } = expectOk(await other.get('/push/deliveries?status=no_url'))
  assert.deepEqual(
    Object.values<Fields>(Object(body['deliveries'])).map((one) => one['reservation_version']),
    ['2'],
  )
  receiver.calls.length = 0
  expectOk(await other.post('/push/webhook/pushbook', { webhook: urlOf(receiver, 'second') }))
  expectOk(await other.post('/push/webhook/test', { kind: 'pushbook' }))
  const bookings = () => receiver.calls.filter(({ body: sent }) => sent.includes('reservation_id'))
  await until('it is delivered', () => bookings().length > 0)
  assert.deepEqual(
    bookings().map(({ line, body: sent }) => [line, JSON.parse(sent.toString()).status]),
    [['POST /second HTTP/1.1', 'Cancel']],
  )
})

test('the alerts of a key end with it: its expiry, and a URL that fails', async () => {
  const { supplier } = await shopOf()
  const other = await another(supplier)
  const { db, clock } = gateway
  const alerts = async (): Promise<string[]> => {
    await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
    const wanted = { kinds: ['key.expiring', 'webhook.failing'], states: ['open'] }
    const { body } = expectOk(await other.post('/push/alerts', wanted))
    const kinds = Object.values<Fields>(Object(body['alerts'])).map(({ kind }) => String(kind))
    return kinds.toSorted()
  }
  const failing = await receiverOf((socket) => socket.write(httpAnswer(500, '{}')))
  expectOk(await supplier.post('/push/webhook/availability', { webhook: urlOf(failing) }))
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  for (let call = 0; call < 5; call++) {
    const hotel = { supplier: supplier.name, hotelId: 'H1' }
    const stay = { roomId: 'DBL', rateId: 'BAR', checkin: '2027-04-20', checkout: '2027-04-21' }
    expectOk(await platform.post('/booking/priceCheck', { hotel, ...stay, roomCount: 1, adultCount: 2 }))
  }
  await until('the checks are written', async () => {
    const { rows } = await db.query<{ count: number }>(
      'select count(*)::int as count from price_check join supplier on supplier.id = supplier_id where name = $1',
      [supplier.name],
    )
    return rows[0]?.count === 5
  })
  const at = new Date(clock.now() + 5 * 86_400_000).toISOString()
  expectOk(await admin.put(`/keys/${supplier.keyId}/expiry`, { at }))
  await until('its use is stored', async () => {
    const { rowCount } = await db.query('select from api_key where id = $1 and last_used_at is not null', [
      supplier.keyId,
    ])
    return rowCount === 1
  })
  assert.deepEqual(await alerts(), ['key.expiring', 'webhook.failing'])
  await revoke(supplier)
  assert.deepEqual(await alerts(), [])
})
