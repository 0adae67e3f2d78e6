import assert from 'node:assert/strict'
import { after, test } from 'node:test'
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
import { figuresOf, load } from '../stage/scenes/bulk.ts'
import { changesIn, cursorOfNow, getChanges } from '../stage/scenes/changes.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { gatewayForCalls, liveUrl, typesOf, type Fields } from '../stage/under-way/calls.ts'
import { setAccount } from '../../src/keys/suppliers.ts'
import { changesSettled } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** An account's test clock moves on while something is under way. It stands at noon on 1 March 2027 before. */

const gateway = await gatewayForCalls({ vaultKey: Buffer.alloc(32, 7) })
gateway.app.startBulk()
const watch = gateway.app.startHoldWatch()
after(() => watch.close())

let shops = 0
const shopOf = (ari: Fields = {}): Promise<Shop> =>
  openShop(gateway, `clock ${++shops}`, { endDate: '2027-05-30', inventory: 9, ...ari })

async function advance({ supplier }: Shop, advanceBy: string): Promise<void> {
  expectOk(await supplier.post('/push/sandbox/clock', { advanceBy }))
}

const push = ({ supplier }: Shop, date: string, inventory: number, headers = {}, more = {}) =>
  supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'DBL', date, inventory }], ...more }, headers)

test('a night that is past by the end of a price check is not booked', async () => {
  const shop = await shopOf()
  const url = await liveUrl(shop)
  const { answer, letGo } = await url.held(() => shop.book())
  await advance(shop, 'P60D')
  letGo()
  expectStatus(await answer, 409)
})

test('kept answers are of the real clock: a repeat gets its answer a month of the account later', async () => {
  const shop = await shopOf()
  const [pushed, booked] = [{ 'idempotency-key': 'push' }, { 'idempotency-key': 'book' }]
  const first = expectOk(await push(shop, '2027-04-20', 7, pushed))
  const reservation = expectStatus(await shop.book({}, booked), 201)
  await advance(shop, 'P60D')
  assert.equal((await push(shop, '2027-04-20', 7, pushed)).text, first.text)
  assert.equal((await shop.book({}, booked)).text, reservation.text)
})

test('what is stored stays, with its sequences; past nights are left out of digests, undone no more, and nothing is told', async () => {
  const shop = await shopOf()
  const { supplier, platform } = shop
  const numbered = { sequence: 5 }
  const { revision } = expectOk(await push(shop, '2027-05-10', 3, {}, numbered)).body
  const past = expectOk(await push(shop, '2027-04-10', 3)).body['revision']
  const cursor = await cursorOfNow(gateway, platform)
  await advance(shop, 'P60D')
  await changesSettled(gateway.db)
  assert.deepEqual(changesIn(await getChanges(platform, { after: cursor })), [])
  const late = expectOk(await push(shop, '2027-05-10', 4, {}, { sequence: 4 }))
  assert.equal(Object(Object(late.body['results'])[0]).status, 'superseded')
  const fields = ['inventory']
  const undone = expectOk(await supplier.post('/push/undo', { hotelId: 'H1', revision: past, fields }))
  assert.equal(Object(undone.body['summary']).pastNights, 1)
  const before = { hotelId: 'H1', asOf: { revision }, startDate: '2027-05-10', endDate: '2027-05-10' }
  assert.equal(Object(expectOk(await supplier.post('/push/getAri', before)).body['ari'])[0].inventory, 3)
  const digest = { hotelId: 'H1', from: '2027-04-01', to: '2027-05-30', level: 'hotel' }
  const { body } = expectOk(await supplier.post('/push/getAriDigest', digest))
  assert.equal(body['effectiveFrom'], '2027-04-30')
})

test('a line of a load is judged by the day of its moment', async () => {
  const shop = await shopOf()
  const line = `${JSON.stringify({ hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-10', inventory: 3 }] })}\n`
  assert.deepEqual(Object(figuresOf(await load(shop.supplier, { kind: 'ari' }, line))).applied, 1)
  await advance(shop, 'P60D')
  assert.deepEqual(Object(figuresOf(await load(shop.supplier, { kind: 'ari' }, line))).refused, 1)
})

test('what is held ends by the account’s clock, and is not released after its end', async () => {
  const shop = await shopOf()
  const { supplier } = shop
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules, expiryHours: 24 }))
  const held = expectStatus(await push(shop, '2027-04-20', 90), 207)
  const { holdId } = Object(Object(Object(held.body['results'])[0]).holds)[0]
  await advance(shop, 'PT25H')
  const release = await supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [holdId] })
  assert.deepEqual(typesOf(expectStatus(release, 409)), ['HOLD_NOT_OPEN'])
  await watch.look()
  const { body } = expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1', state: 'expired' }))
  assert.equal(Object(body['holds']).length, 1)
})

test('nights that have passed were not closed: a leap of the clock is no alert', async () => {
  const shop = await shopOf()
  const alerts = async (): Promise<unknown> => {
    const { db, clock } = gateway
    await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
    const wanted = { kinds: ['mass.closed'], states: ['open'] }
    const { body } = expectOk(await shop.supplier.post('/push/alerts', wanted))
    return Object.values<Fields>(Object(body['alerts'])).map(({ evidence }) => evidence)
  }
  assert.deepEqual(await alerts(), [])
  await advance(shop, 'P70D')
  assert.deepEqual(await alerts(), [])
  const ari = [{ roomId: 'DBL', startDate: '2027-05-10', endDate: '2027-05-26', closed: true }]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', ari }))
  assert.deepEqual(await alerts(), [{ sellableBefore: 21, sellableNow: 4, daysLookedAt: 90 }])
})

test('nights that are past by the account’s clock drift no more', async () => {
  const shop = await shopOf()
  const url = await liveUrl(shop)
  url.answers({ before: [150, 150, 150, 150], after: [165, 165, 165, 165] })
  const stay = { checkin: '2027-04-20', checkout: '2027-04-24' }
  expectStatus(await shop.book(stay), 409)
  const alerts = async (): Promise<number> => {
    const { db, clock } = gateway
    await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
    const wanted = { kinds: ['drift.high'], states: ['open'] }
    return Object(expectOk(await shop.supplier.post('/push/alerts', wanted)).body['alerts']).length
  }
  await until('the drift is written', async () => (await alerts()) === 1)
  await advance(shop, 'P60D')
  assert.equal(await alerts(), 0)
})

test('a reservation that stays is changed and cancelled by the day of then', async () => {
  const shop = await shopOf()
  const { platform, supplier } = shop
  const id = idOf(await shop.book({ checkin: '2027-05-10', checkout: '2027-05-12' }))
  const past = idOf(await shop.book())
  await advance(shop, 'P60D')
  const later = { checkin: '2027-05-10', checkout: '2027-05-13' }
  expectOk(await changeAsAsked(platform, id, bookingBody(supplier.name, later)))
  const changed = await platform.put(`/booking/reservations/${past}`, bookingBody(supplier.name))
  assert.deepEqual(typesOf(expectStatus(changed, 409)), ['STAY_BEGUN'])
  const cancelled = await platform.post(`/booking/reservations/${past}/cancel`, {})
  assert.deepEqual(typesOf(expectStatus(cancelled, 409)), ['STAY_BEGUN'])
})

test('a card is kept as long by the account’s clock: its times come closer with it', async () => {
  const shop = await shopOf()
  await setAccount(gateway.db, shop.supplier.name, { deliversCards: true })
  const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030', cvv: '837' }
  const id = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  const times = async (): Promise<unknown> => {
    const { rows } = await gateway.db.query<{ card: string; cvv: string }>(
      'select keep_until::text as card, cvv_until::text as cvv from reservation_card where reservation_id = $1',
      [id],
    )
    return rows[0]
  }
  assert.deepEqual(await times(), { card: '2027-04-30 00:00:00+00', cvv: '2027-03-04 11:00:00+00' })
  await advance(shop, 'P2D')
  assert.deepEqual(await times(), { card: '2027-04-28 00:00:00+00', cvv: '2027-03-02 11:00:00+00' })
})
