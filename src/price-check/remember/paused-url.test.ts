import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import { changesIn, cursorOfNow, getChanges } from '../../../test/stage/scenes/changes.ts'
import {
  gatewayForLiveAnswers,
  liveShop,
  platformAt,
  type Fields,
  type LiveShop,
} from '../../../test/stage/scenes/live-answers.ts'
import { changesSettled, type TestClient } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, storyHotel } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'
import { circuitLimits } from '../../outbound/circuit.ts'

/** A URL that is not called for a while, of an account that takes no booking without an answer. */

const gateway = await gatewayForLiveAnswers()
const pausedUntil = '2027-03-01T12:00:05.000Z'

const liveOf = async (shop: LiveShop, by?: TestClient): Promise<unknown> =>
  (await shop.offers({}, by))['DBL/BAR']?.['live']

async function paused(shop: LiveShop, failed = 0): Promise<void> {
  shop.says(503)
  for (let count = failed; count < circuitLimits.failuresToOpen; count++)
    assert.equal((await shop.check()).body['outcome'], 'supplier_error')
}

async function toldSince(after: string, shop: LiveShop): Promise<Fields[]> {
  await changesSettled(gateway.db)
  const changes = changesIn(await getChanges(shop.platform, { after }))
  return changes.map(({ cursor: _cursor, at: _at, ...told }) => told)
}

test('offers of the supplier say until when its URL is paused, at every process, and the refusal of a booking when to try again', async () => {
  const shop = await liveShop(gateway, 'paused')
  const elsewhere = await platformAt(gateway, await gateway.second())
  for (const by of [shop.platform, elsewhere]) assert.equal(await liveOf(shop, by), undefined)
  shop.says(503)
  const failed = expectStatus(await shop.book(), 409)
  assert.deepEqual(
    [failed.body['message'], failed.headers.get('retry-after')],
    ['The price could not be checked with the supplier', '5'],
  )
  await paused(shop, 1)
  const live = { outcome: 'circuit_open', until: pausedUntil }
  for (const by of [shop.platform, elsewhere]) {
    await until(async () => (await liveOf(shop, by)) !== undefined)
    assert.deepEqual(await liveOf(shop, by), live)
  }
  // The other supplier's hotels are found by the same searches.
  const other = await liveShop(gateway, 'not paused')
  assert.equal(await liveOf(other), undefined)
  const asked = shop.asked()
  const refused = expectStatus(await shop.book(), 409)
  const seconds = Number(refused.headers.get('retry-after'))
  assert.ok(seconds >= 1 && seconds <= circuitLimits.openFirstMs / 1_000, `Retry-After ${seconds}`)
  assert.deepEqual(Object(refused.body['priceChecks'])[0].outcome, 'circuit_open')
  assert.equal(shop.asked(), asked)
})

test('an account that sells at the stored price shows no pause', async () => {
  const shop = await liveShop(gateway, 'stored')
  await setAccount(gateway.db, shop.name, { onFailure: 'use_stored' })
  const cursor = await cursorOfNow(gateway, shop.platform)
  await paused(shop)
  const other = await liveShop(gateway, 'rejecting')
  await paused(other)
  await until(async () => (await liveOf(other)) !== undefined)
  assert.equal(await liveOf(shop), undefined)
  const suppliers = (await toldSince(cursor, shop)).filter(({ kind }) => kind === 'live')
  assert.deepEqual(
    suppliers.map(({ supplier }) => supplier),
    ['rejecting'],
  )
})

test('the feed tells of a paused URL once a supplier, not once a hotel, and when it answers again before the told time', async () => {
  const shop = await liveShop(gateway, 'told')
  const hotels = ['H2', 'H3'].map((hotelId) => storyHotel({ hotelId }))
  expectOk(await shop.supplier.post('/push/hotels', hotels))
  const cursor = await cursorOfNow(gateway, shop.platform)
  await paused(shop)
  const told = {
    kind: 'live',
    supplier: 'told',
    live: { outcome: 'circuit_open', until: pausedUntil },
  }
  await until(async () => (await toldSince(cursor, shop)).length > 0)
  assert.deepEqual(await toldSince(cursor, shop), [told])
  shop.says({})
  // The pause is of real time; the service's clock stands still.
  await wait(circuitLimits.openFirstMs)
  assert.equal((await shop.check()).body['outcome'], 'available')
  await until(async () => (await toldSince(cursor, shop)).length > 1)
  const ended = { outcome: 'ended', at: '2027-03-01T12:00:00.000Z' }
  assert.deepEqual(await toldSince(cursor, shop), [told, { ...told, live: ended }])
  assert.equal(await liveOf(shop), undefined)
})
