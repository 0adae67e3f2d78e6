import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { expectStatus, openShop, type Shop } from '../stage/scenes/booking.ts'
import { figuresOf, load } from '../stage/scenes/bulk.ts'
import { until } from '../stage/scenes/deliveries.ts'
import { typesOf, type Fields } from '../stage/under-way/calls.ts'
import { gatewayForTests, type Reply, type TestOperator } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** A key's setting of unknown members changes between warn and reject. */

const gateway = await gatewayForTests()
gateway.app.startBulk()
let admin: TestOperator
before(async () => {
  admin = await gateway.operator('admin')
})

let shops = 0
const shopOf = (): Promise<Shop> => openShop(gateway, `unknown ${++shops}`)

const body = (inventory: number): Fields => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date: '2027-04-20', inventory, stopsell: true }],
})
const push = ({ supplier }: Shop, inventory: number, headers = {}): Promise<Reply> =>
  supplier.post('/push/ari', body(inventory), headers)

async function set(shop: Shop, unknownFields: 'warn' | 'reject'): Promise<void> {
  expectOk(await admin.put(`/keys/${shop.supplier.keyId}/limits`, { unknownFields }))
  const status = unknownFields === 'warn' ? 200 : 400
  await until('it counts', async () => {
    const asked = { hotelId: 'H1', nothing: 1 }
    return (await shop.supplier.post('/push/getRoomRateMappings', asked)).status === status
  })
}

async function unitsOf({ supplier }: Shop): Promise<unknown> {
  const range = { hotelId: 'H1', startDate: '2027-04-20', endDate: '2027-04-20' }
  return Object(expectOk(await supplier.post('/push/getAri', range)).body['ari'])[0].inventory
}

test('what was taken with a warning stays, and is repeated and undone under a setting that would refuse it', async () => {
  const shop = await shopOf()
  const key = { 'idempotency-key': 'warned' }
  const first = expectOk(await push(shop, 7, key))
  await set(shop, 'reject')
  assert.deepEqual(typesOf(expectStatus(await push(shop, 8), 400)), ['UNKNOWN_FIELD'])
  const again = await push(shop, 7, key)
  assert.deepEqual([again.headers.get('idempotency-replayed'), await unitsOf(shop)], ['true', 7])
  assert.deepEqual(Object(again.body)['revision'], first.body['revision'])
  const { revision } = first.body
  expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', revision, fields: ['inventory'] }))
  assert.equal(await unitsOf(shop), 2)
})

test('what was refused is judged anew: no answer of it is kept, and nothing of it was stored', async () => {
  const shop = await shopOf()
  await set(shop, 'reject')
  const key = { 'idempotency-key': 'refused' }
  const { requestId } = expectStatus(await push(shop, 7, key), 400).body
  assert.equal(await unitsOf(shop), 2)
  const undo = await shop.supplier.post('/push/undo', { hotelId: 'H1', requestId })
  assert.equal(undo.status, 409, undo.text)
  await set(shop, 'warn')
  const taken = expectOk(await push(shop, 7, key))
  assert.deepEqual([taken.headers.get('idempotency-replayed'), await unitsOf(shop)], [null, 7])
})

test('what is refused from then on is told of, until less is: a warning is no refusal', async () => {
  const shop = await shopOf()
  const { db, clock } = gateway
  const refused = async (): Promise<unknown> => {
    await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
    const wanted = { kinds: ['push.refused'], states: ['open'] }
    const { alerts } = expectOk(await shop.supplier.post('/push/alerts', wanted)).body
    return Object.values<Fields>(Object(alerts)).map(({ count, evidence }) => [
      count,
      Object(evidence).mostFrequentError,
    ])
  }
  for (const inventory of [3, 4, 5]) expectOk(await push(shop, inventory))
  assert.deepEqual(await refused(), [])
  await set(shop, 'reject')
  for (const inventory of [6, 7, 8]) expectStatus(await push(shop, inventory), 400)
  assert.deepEqual(await refused(), [[3, 'UNKNOWN_FIELD']])
  await set(shop, 'warn')
  clock.set('2027-03-01T12:16:00Z')
  expectOk(await push(shop, 9))
  assert.deepEqual(await refused(), [])
  clock.set('2027-03-01T12:00:00Z')
})

test('lines of a load are judged by the setting of their moment; what is held is released by any', async () => {
  const shop = await shopOf()
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await shop.supplier.post('/push/guard', { rules }))
  expectStatus(await push(shop, 70), 207)
  await set(shop, 'reject')
  const job = await load(shop.supplier, { kind: 'ari' }, `${JSON.stringify(body(3))}\n`)
  assert.deepEqual(Object(figuresOf(job)).refused, 1)
  expectOk(await shop.supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.equal(await unitsOf(shop), 70)
  await set(shop, 'warn')
  const again = await load(shop.supplier, { kind: 'ari' }, `${JSON.stringify(body(3))}\n`)
  assert.deepEqual([Object(figuresOf(again)).applied, await unitsOf(shop)], [1, 3])
})
