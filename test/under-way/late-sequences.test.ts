import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import { figuresOf, load } from '../stage/scenes/bulk.ts'
import { changesIn, cursorOfNow, getChanges } from '../stage/scenes/changes.ts'
import { expectStatus, idOf, openShop, type Shop } from '../stage/scenes/booking.ts'
import { typesOf, type Fields } from '../stage/under-way/calls.ts'
import { changesSettled, gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** The numbers of a key began again, or are far behind those that it has pushed with. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

let shops = 0
/** Every night of April was pushed with the sequence 1,000. */
async function ahead(): Promise<Shop> {
  gateway.clock.set('2027-03-01T12:00:00Z')
  const shop = await openShop(gateway, `late ${++shops}`)
  expectOk(await push(shop, 1_000, { inventory: 2, closed: false }))
  return shop
}

const push = (
  { supplier }: Shop,
  sequence: number | undefined,
  sent: Fields,
  headers = {},
): Promise<Reply> => {
  const ari = [{ roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30', ...sent }]
  const numbered = sequence === undefined ? {} : { sequence }
  return supplier.post('/push/ari', { hotelId: 'H1', ari, ...numbered }, headers)
}
const resultOf = ({ body }: Reply): Fields => Object(Object(body['results'])[0])

async function openAlerts({ supplier }: Shop, kind: string): Promise<Fields[]> {
  const { db, clock } = gateway
  await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
  const { body } = expectOk(await supplier.post('/push/alerts', { kinds: [kind], states: ['open'] }))
  return Object(body['alerts'])
}

test('a late push changes nothing and says so: nothing to undo, to tell or to find', async () => {
  const shop = await ahead()
  const { supplier, platform } = shop
  const cursor = await cursorOfNow(gateway, platform)
  const key = { 'idempotency-key': 'late' }
  const late = expectOk(await push(shop, 1, { inventory: 9, closed: true }, key))
  assert.deepEqual(
    [late.body['message'], resultOf(late)['status'], Object(late.body['summary'])['superseded']],
    ['ARI updated successfully', 'superseded', 1],
  )
  const [warning] = Object.values<Fields>(Object(resultOf(late)['warnings']))
  assert.deepEqual(
    [warning?.['type'], warning?.['message']],
    ['SUPERSEDED', '30 nights kept the values of a higher sequence'],
  )
  const { requestId } = late.body
  const undo = await supplier.post('/push/undo', { hotelId: 'H1', requestId })
  assert.deepEqual(typesOf(expectStatus(undo, 409)), ['NOT_UNDOABLE'])
  await changesSettled(gateway.db)
  assert.deepEqual(changesIn(await getChanges(platform, { after: cursor })), [])
  idOf(await shop.book())
  const again = await push(shop, 1, { inventory: 9, closed: true }, key)
  assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [late.text, 'true'])
})

test('a push without a number counts at once, and one above the number of then too', async () => {
  const shop = await ahead()
  assert.equal(resultOf(await push(shop, undefined, { inventory: 7 }))['status'], 'applied')
  assert.equal(resultOf(await push(shop, 999, { inventory: 6 }))['status'], 'superseded')
  assert.equal(resultOf(await push(shop, 1_001, { inventory: 5 }))['status'], 'applied')
})

test('a hotel that gets only late pushes is stale, as one without any', async () => {
  const shop = await ahead()
  gateway.clock.set('2027-03-02T11:00:00Z')
  expectOk(await push(shop, 1, { inventory: 9 }))
  gateway.clock.set('2027-03-02T12:01:00Z')
  assert.equal((await openAlerts(shop, 'ari.stale')).length, 1)
  expectOk(await push(shop, 2, { inventory: 9 }))
  assert.equal((await openAlerts(shop, 'ari.stale')).length, 1)
  gateway.clock.set('2027-03-02T12:02:00Z')
  // What is stored already is no older than what is sent.
  expectOk(await push(shop, 1_001, { inventory: 2 }))
  assert.deepEqual(await openAlerts(shop, 'ari.stale'), [])
})

test('a late push is not the ARI that the platform asked for again', async () => {
  const shop = await ahead()
  const hotel = { supplier: shop.supplier.name, hotelId: 'H1' }
  assert.ok((await shop.platform.post('/booking/resync', { hotel })).status < 300)
  gateway.clock.set('2027-03-01T12:10:00Z')
  expectOk(await push(shop, 1, { inventory: 9 }))
  assert.equal((await openAlerts(shop, 'resync.requested')).length, 1)
  expectOk(await push(shop, 1_001, { inventory: 2 }))
  assert.deepEqual(await openAlerts(shop, 'resync.requested'), [])
})

test('a late line of a load counts as unchanged', async () => {
  const shop = await ahead()
  const ari = [{ roomId: 'DBL', date: '2027-04-10', inventory: 9 }]
  const line = `${JSON.stringify({ hotelId: 'H1', sequence: 1, ari })}\n`
  const figures = figuresOf(await load(shop.supplier, { kind: 'ari' }, line))
  const expected = { state: 'done', lines: 1, applied: 0, unchanged: 1, partial: 0, refused: 0, hotels: 1 }
  assert.deepEqual(figures, expected)
})
