import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertChannels } from '../../src/alerts/channels/channels.ts'
import { tellOnce } from '../../src/alerts/messages/tell.ts'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { setAccount } from '../../src/keys/suppliers.ts'
import { loopbackNetworks, resolveAsSystem } from '../../src/outbound/vet-url.ts'
import { bookingBody, expectStatus, idOf, openShop, pushNights, type Shop } from '../stage/scenes/booking.ts'
import { changesIn, cursorOfNow, getChanges } from '../stage/scenes/changes.ts'
import { until } from '../stage/scenes/deliveries.ts'
import {
  gatewayForCalls,
  liveUrl,
  receiverOf,
  typesOf,
  urlOf,
  type Fields,
} from '../stage/under-way/calls.ts'
import { changesSettled, type Reply } from '../stage/harness.ts'
import { httpAnswer } from '../stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../stage/story.ts'

/** The account of a sandbox is reset while something of it is under way. */

const gateway = await gatewayForCalls({ vaultKey: Buffer.alloc(32, 7) })
gateway.app.startDeliveries()

let shops = 0
const shopOf = (): Promise<Shop> => openShop(gateway, `reset ${++shops}`)

async function reset({ supplier }: Shop): Promise<void> {
  expectOk(await supplier.post('/push/sandbox/reset', {}))
}

const push = ({ supplier }: Shop, inventory: number, more: Fields = {}, headers = {}): Promise<Reply> =>
  supplier.post(
    '/push/ari',
    { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-20', inventory }], ...more },
    headers,
  )

test('a call that a reset overtakes finds no hotel, and the next hotel of the code is another', async () => {
  const shop = await shopOf()
  const url = await liveUrl(shop)
  const { answer, letGo } = await url.held(() => shop.book())
  await reset(shop)
  letGo()
  expectStatus(await answer, 404)
  expectStatus(await shop.book(), 404)
  await pushStoryHotel(shop.supplier)
  expectStatus(await shop.book(), 409)
  const { body } = expectOk(await shop.supplier.get('/push/priceChecks?hotelId=H1'))
  assert.deepEqual(body['priceChecks'], [])
  await pushNights(shop.supplier)
  // The URL is the key's, and stays.
  const calls = url.receiver.calls.length
  url.answers({ before: [80, 80], after: [80, 80] })
  expectStatus(await shop.book(), 409)
  assert.equal(url.receiver.calls.length, calls + 1)
})

test('sequences, holds and undo targets go with the hotel, the guard of the account stays', async () => {
  const shop = await shopOf()
  const { supplier } = shop
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  const { requestId } = expectOk(await push(shop, 3, { sequence: 100 })).body
  expectStatus(await push(shop, 90, { sequence: 101 }), 207)
  await reset(shop)
  await pushStoryHotel(supplier)
  assert.equal(
    Object(Object(expectOk(await push(shop, 4, { sequence: 1 })).body['results'])[0]).status,
    'applied',
  )
  const open = expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1' })).body['holds']
  assert.deepEqual(open, [])
  const undo = await supplier.post('/push/undo', { hotelId: 'H1', requestId })
  assert.ok(undo.status === 404 || undo.status === 410, undo.text)
  assert.deepEqual(expectOk(await supplier.get('/push/guard')).body['rules'], rules)
  expectStatus(await push(shop, 90, { sequence: 2 }), 207)
})

test('the supplier’s kept answers go; the platform’s stay, though what they tell of is gone', async () => {
  const shop = await shopOf()
  const key = { 'idempotency-key': 'one' }
  expectOk(await push(shop, 3, {}, key))
  const booked = expectStatus(await shop.book({}, key), 201)
  await reset(shop)
  await pushStoryHotel(shop.supplier)
  const again = expectOk(await push(shop, 3, {}, key))
  assert.equal(again.headers.get('idempotency-replayed'), null)
  assert.equal((await shop.book({}, key)).text, booked.text)
  expectStatus(await shop.platform.get(`/booking/reservations/${idOf(booked)}`), 404)
})

test('reservations go with their deliveries and cards: none is sent, changed or cancelled any more', async () => {
  const shop = await shopOf()
  const { supplier, platform } = shop
  await setAccount(gateway.db, supplier.name, { deliversCards: true })
  const receiver = await receiverOf((socket) => socket.write(httpAnswer(500, '{}')))
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: urlOf(receiver) }))
  const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030', cvv: '837' }
  const id = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  await until('it was tried', () => receiver.calls.some(({ body }) => body.includes('reservation_id')))
  await reset(shop)
  const path = `/booking/reservations/${id}`
  expectStatus(await platform.put(path, bookingBody(supplier.name)), 404)
  expectStatus(await platform.post(`${path}/cancel`, {}), 404)
  const { body } = expectOk(await supplier.get('/push/deliveries'))
  assert.deepEqual(body['deliveries'], [])
  const again = await supplier.post('/push/deliveries/sendAgain', { deliveryIds: [] })
  assert.ok(again.status < 500, again.text)
  const { rows } = await gateway.db.query<{ cards: number }>(
    'select count(*)::int as cards from reservation_card where reservation_id = $1',
    [id],
  )
  assert.equal(rows[0]?.cards, 0)
})

test('the alerts of the account go, and the messages that wait to tell of them', async () => {
  const shop = await shopOf()
  const { supplier } = shop
  const { db, clock } = gateway
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  const receiver = await receiverOf((socket) => socket.write(httpAnswer(500, '{}')))
  expectOk(await supplier.post('/push/alerts/settings', { webhook: urlOf(receiver, 'alerts') }))
  const needs = { db, clock, log: openLog('fatal'), telemetry: telemetry() }
  const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
  const channels = alertChannels({ ...needs, outbound })
  const tellAll = async (): Promise<void> => {
    while ((await tellOnce({ ...needs, alertChannels: channels })) > 0);
  }
  expectStatus(await push(shop, 90), 207)
  const watch = gateway.app.startHoldWatch()
  await watch.look()
  await watch.close()
  await tellAll()
  assert.equal(receiver.calls.length, 1)
  const alerts = async (): Promise<unknown> =>
    Object(expectOk(await supplier.post('/push/alerts', {})).body['alerts']).map(({ kind }: Fields) => kind)
  assert.deepEqual(await alerts(), ['guard.held'])
  await reset(shop)
  clock.set('2027-03-01T14:00:00Z')
  await tellAll()
  channels.close()
  clock.set('2027-03-01T12:00:00Z')
  assert.deepEqual([await alerts(), receiver.calls.length], [[], 1])
})

test('the platform is told that the hotel is removed, and offers, digests and alerts of it are gone', async () => {
  const shop = await shopOf()
  const { supplier, platform } = shop
  const cursor = await cursorOfNow(gateway, platform)
  await reset(shop)
  await changesSettled(gateway.db)
  const changes = changesIn(await getChanges(platform, { after: cursor }))
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ['removed'],
  )
  const { hotel, checkin, checkout } = bookingBody(supplier.name)
  const search = { hotels: [hotel], checkin, checkout, rooms: [{ adults: 2 }] }
  const { body } = expectOk(await platform.post('/booking/offers', search))
  assert.deepEqual([body['hotels'], Object(body['notFound']).length], [[], 1])
  const digest = { hotelId: 'H1', from: '2027-04-01', to: '2027-04-29', level: 'hotel' }
  assert.deepEqual(typesOf(expectStatus(await supplier.post('/push/getAriDigest', digest), 404)), [
    'HOTEL_NOT_FOUND',
  ])
  assert.deepEqual(expectOk(await supplier.post('/push/alerts', {})).body['alerts'], [])
})
