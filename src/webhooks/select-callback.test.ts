import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { expireKey, revokeKey } from '../keys/manage.ts'
import { selectCallback } from './store.ts'

/** Selection of the URL that is called for a hotel. */

const gateway = await gatewayForTests()

const hotel = {
  hotelId: 'H1',
  hotelName: 'Sea View',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}

async function hotelOf({ keyId }: TestSupplier, code = 'H1') {
  const { rows } = await gateway.db.query<{ id: number; revision: number; keyId: number }>(
    `select hotel.id, hotel.revision, hotel.key_id as "keyId"
     from hotel join api_key k on k.supplier_id = hotel.supplier_id where k.id = $1 and code = $2`,
    [keyId, code],
  )
  return rows[0] ?? assert.fail('no hotel')
}

/** The last part of the path of the hotel's price-check URL. */
async function called(supplier: TestSupplier): Promise<string | undefined> {
  const { id } = await hotelOf(supplier)
  const callback = await selectCallback(gateway.db, id, 'availability', gateway.clock.now())
  return callback?.url.split('/').at(-1)
}

let minute = 0
async function register(supplier: TestSupplier, name: string): Promise<void> {
  gateway.clock.set(`2027-03-01T12:${String(++minute).padStart(2, '0')}:00Z`)
  expectOk(await supplier.post('/push/webhook/availability', { webhook: `https://pms.example.com/${name}` }))
}

test('the URL is that of the key that last pushed the hotel; its push changes nothing else of the hotel', async () => {
  const [one, other] = [await gateway.supplier('two keys'), await gateway.supplier('two keys')]
  expectOk(await one.post('/push/hotels', [hotel]))
  assert.equal(await called(one), undefined)
  await register(one, 'one')
  await register(other, 'other')
  assert.equal(await called(one), 'one')
  const first = await hotelOf(one)
  const again = expectOk(await other.post('/push/hotels', [hotel]))
  assert.equal(again.body['unchanged'], 1)
  assert.deepEqual([await called(one), await hotelOf(one)], ['other', { ...first, keyId: other.keyId }])
  expectOk(await one.post('/push/hotels', [{ ...hotel, hotelName: 'Renamed' }]))
  assert.deepEqual(
    [await called(one), await hotelOf(one)],
    ['one', { ...first, revision: first.revision + 1, keyId: one.keyId }],
  )
})

test('when that key has no URL, or is revoked or expired, the one registered last on a valid key is called', async () => {
  const keys: TestSupplier[] = []
  for (let count = 0; count < 4; count++) keys.push(await gateway.supplier('four keys'))
  const [own = assert.fail(), a = assert.fail(), b = assert.fail(), c = assert.fail()] = keys
  expectOk(await own.post('/push/hotels', [hotel]))
  for (const [key, name] of [
    [a, 'a'],
    [b, 'b'],
    [c, 'c'],
  ] as const) {
    await register(key, name)
  }
  const seen = [await called(own)]
  // Registering the same URL again makes it the last.
  await register(a, 'a')
  seen.push(await called(own))
  await expireKey(gateway.db, a.keyId, gateway.clock.now())
  seen.push(await called(own))
  await revokeKey(gateway.db, c.keyId, gateway.clock.now())
  seen.push(await called(own))
  await register(own, 'own')
  seen.push(await called(own))
  await revokeKey(gateway.db, own.keyId, gateway.clock.now())
  seen.push(await called(own))
  expectOk(await b.delete('/push/webhook/availability'))
  seen.push(await called(own))
  assert.deepEqual(seen, ['c', 'a', 'c', 'b', 'own', 'b', undefined])
})

test("another supplier's URL is never called, and each kind of call has its own URL", async () => {
  const [ours, theirs] = [await gateway.supplier('ours'), await gateway.supplier('theirs')]
  for (const supplier of [ours, theirs]) expectOk(await supplier.post('/push/hotels', [hotel]))
  await register(theirs, 'theirs')
  const { id } = await hotelOf(ours)
  const now = gateway.clock.now()
  assert.equal(await called(ours), undefined)
  expectOk(await ours.post('/push/webhook/pushbook', { webhook: 'https://pms.example.com/book' }))
  const booking = await selectCallback(gateway.db, id, 'pushbook', now)
  assert.deepEqual(
    [await called(ours), booking?.url, booking?.keyId, booking?.secrets.length],
    [undefined, 'https://pms.example.com/book', ours.keyId, 1],
  )
})

test('a new hotel belongs to the key that created it, and each hotel of a push to the key that sent it', async () => {
  const [one, other] = [await gateway.supplier('made'), await gateway.supplier('made')]
  expectOk(await one.post('/push/hotels', [hotel, { ...hotel, hotelId: 'H2' }]))
  expectOk(await other.post('/push/hotels', [hotel, { ...hotel, hotelId: 'H3' }]))
  const owners: number[] = []
  for (const code of ['H1', 'H2', 'H3']) owners.push((await hotelOf(one, code)).keyId)
  assert.deepEqual(owners, [other.keyId, one.keyId, other.keyId])
})
