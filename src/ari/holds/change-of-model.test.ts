import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import type { Shop } from '../../../test/stage/scenes/booking.ts'
import {
  day,
  drop,
  finish,
  floor,
  guest,
  holdIdsOf,
  openGuarded,
  openHolds,
  prices,
  recordsOf,
  send,
  statusOf,
  unit,
  type Fields,
} from '../../../test/stage/scenes/night-prices.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** One night's prices are one thing: what supersedes, holds or refuses a change of the pricing model does so whole. */

const gateway = await gatewayForTests()
const open = (rules?: Fields[]) => openGuarded(gateway, rules)
const watch = gateway.app.startHoldWatch()
await watch.close()

/** The account's clock moves on, and what is over ends. */
async function pass({ supplier }: Shop, advanceBy: string): Promise<void> {
  expectOk(await supplier.post('/push/sandbox/clock', { advanceBy }))
  await watch.look()
}

test('a push in the other model that is older than one line of the night is superseded whole', async () => {
  const shop = await open()
  expectOk(await guest(shop, { 1: 60 }, { sequence: 20 }))
  expectOk(await guest(shop, { 2: 120 }))
  const late = await unit(shop, 80, { sequence: 10 })
  assert.deepEqual([statusOf(late), await prices(shop)], ['superseded', { 1: 60, 2: 120 }])
  // Not a trace of it: what is older still is not superseded by it.
  assert.equal(statusOf(await guest(shop, { 2: 110 }, { sequence: 5 })), 'applied')
  assert.equal(statusOf(await unit(shop, 80, { sequence: 20 })), 'applied')
  assert.equal(await prices(shop), 80)
  const mixed = await guest(shop, { 1: 50, 2: 90 }, { sequence: 19 })
  assert.deepEqual([statusOf(mixed), await prices(shop)], ['superseded', 80])
})

for (const action of ['hold', 'reject'])
  test(`a change of model with a price that the guard answers by ${action} leaves the night as it was`, async () => {
    const shop = await open(floor(action))
    const reply = await guest(shop, { 1: 60, 2: 90 })
    assert.deepEqual([statusOf(reply), await prices(shop)], [action === 'hold' ? 'held' : 'rejected', 100])
    expectOk(await unit(shop, 101))
    const back = await guest(shop, { 1: 75, 2: 90 })
    assert.deepEqual([statusOf(back), await prices(shop)], ['applied', { 1: 75, 2: 90 }])
    const again = await unit(shop, 60)
    assert.equal(statusOf(again), action === 'hold' ? 'held' : 'rejected')
    assert.deepEqual(await prices(shop), { 1: 75, 2: 90 })
  })

test('what is held of a change of model is released whole, or not at all', async () => {
  const shop = await open(floor('hold'))
  const held = await guest(shop, { 1: 60, 2: 90 })
  const released = await finish(shop, 'release', held)
  assert.deepEqual([released.status, released.body['cellsChanged']], [200, 1])
  assert.deepEqual(await prices(shop), { 1: 60, 2: 90 })

  const backHeld = await unit(shop, 20)
  assert.deepEqual([statusOf(backHeld), await prices(shop)], ['held', { 1: 60, 2: 90 }])
  expectOk(await finish(shop, 'release', backHeld))
  assert.equal(await prices(shop), 20)

  const discarded = await guest(shop, { 1: 30 })
  expectOk(await finish(shop, 'discard', discarded))
  assert.equal(await prices(shop), 20)

  // An undo brings the night's model back meanwhile: the hold is of another night now.
  const { requestId } = expectOk(await guest(shop, { 1: 80 })).body
  const stale = await guest(shop, { 2: 10 })
  assert.equal(statusOf(stale), 'held')
  expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', requestId }))
  const refused = await finish(shop, 'release', stale)
  assert.equal(refused.status, 207)
  assert.deepEqual(
    recordsOf(refused.body['skipped']).map(({ reason }) => reason),
    ['changed'],
  )
  assert.equal(await prices(shop), 20)
})

for (const { onExpiry, price } of [
  { onExpiry: 'discard', price: 100 },
  { onExpiry: 'apply', price: { 1: 60, 2: 90 } },
])
  test(`what is held of a change of model ends whole when its time is over, with ${onExpiry}`, async () => {
    const shop = await openGuarded(gateway, floor('hold'), { expiryHours: 2, onExpiry })
    assert.equal(statusOf(await guest(shop, { 1: 60, 2: 90 })), 'held')
    await pass(shop, 'PT119M')
    assert.deepEqual([await openHolds(shop), await prices(shop)], [1, 100])
    await pass(shop, 'PT1M')
    assert.deepEqual([await openHolds(shop), await prices(shop)], [0, price])
  })

test('what is held of a push that was undone is not applied when its time is over', async () => {
  const shop = await openGuarded(gateway, floor('hold'), { expiryHours: 2, onExpiry: 'apply' })
  const { requestId } = (await guest(shop, { 1: 60, 2: 90 })).body
  expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', requestId }))
  await pass(shop, 'PT3H')
  assert.deepEqual([await openHolds(shop), await prices(shop)], [0, 100])
})

test('a newer price of the night, in whatever model, ends what is held of a change of model', async () => {
  const shop = await open(floor('hold'))
  assert.equal(statusOf(await guest(shop, { 1: 60, 2: 90 })), 'held')
  assert.equal(statusOf(await unit(shop, 110)), 'applied')
  assert.deepEqual([await openHolds(shop), await prices(shop)], [0, 110])
  // What is held anew takes the place of what was.
  assert.equal(statusOf(await guest(shop, { 1: 60 })), 'held')
  assert.equal(statusOf(await guest(shop, { 2: 65 })), 'held')
  assert.equal(await openHolds(shop), 1)
  expectOk(await shop.supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.deepEqual(await prices(shop), { 2: 65 })
})

test('what is refused ends no hold', async () => {
  const shop = await open([
    { kind: 'priceFloor', amount: 70, action: 'hold' },
    { kind: 'priceFloor', amount: 5, action: 'reject' },
  ])
  assert.equal(statusOf(await guest(shop, { 1: 60 })), 'held')
  assert.equal(statusOf(await guest(shop, { 1: 1 })), 'rejected')
  assert.equal(await openHolds(shop), 1)
})

test('a hold carries the sequence of its push: an older one is superseded and ends nothing', async () => {
  const shop = await open(floor('hold'))
  expectOk(await unit(shop, 100, { sequence: 5 }))
  const held = await guest(shop, { 1: 60 }, { sequence: 10 })
  assert.equal(statusOf(await unit(shop, 80, { sequence: 9 })), 'superseded')
  assert.equal(statusOf(await unit(shop, 80, { sequence: 9, dryRun: true })), 'superseded')
  assert.equal(statusOf(await unit(shop, null, { sequence: 9 })), 'superseded')
  assert.deepEqual([await prices(shop), await openHolds(shop)], [100, 1])
  // What it was held for leaves no trace: once it is given up, the older one counts.
  expectOk(await finish(shop, 'discard', held))
  assert.equal(statusOf(await unit(shop, 80, { sequence: 9 })), 'applied')
  assert.equal(await prices(shop), 80)
})

test('a hold without a sequence keeps none away', async () => {
  const shop = await open(floor('hold'))
  expectOk(await unit(shop, null))
  expectOk(await guest(shop, { 1: null }, { sequence: 10 }))
  assert.equal(statusOf(await guest(shop, { 1: 60 })), 'held')
  assert.equal(statusOf(await unit(shop, 80, { sequence: 9 })), 'applied')
  assert.deepEqual([await prices(shop), await openHolds(shop)], [80, 0])
})

test('a held value of one field carries its sequence for that field alone', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75, 2: 90 }, { sequence: 5 }))
  assert.equal(statusOf(await guest(shop, { 1: 60 }, { sequence: 10 })), 'held')
  assert.equal(statusOf(await guest(shop, { 2: 95 }, { sequence: 8 })), 'applied')
  assert.equal(statusOf(await guest(shop, { 1: 77 }, { sequence: 8 })), 'superseded')
  assert.equal(statusOf(await unit(shop, 99, { sequence: 9 })), 'superseded')
  assert.deepEqual([await prices(shop), await openHolds(shop)], [{ 1: 75, 2: 95 }, 1])
  expectOk(await shop.supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.deepEqual(await prices(shop), { 1: 60, 2: 95 })
})

test('a drop is judged by party, whatever the models', async () => {
  const shop = await open(drop)
  expectOk(await guest(shop, { 1: 75, 2: 110 }))
  const reply = await unit(shop, 60)
  const [hold] = recordsOf(recordsOf(reply.body['results'])[0]?.['holds'])
  assert.deepEqual(
    [statusOf(reply), recordsOf(hold?.['examples'])],
    [
      'held',
      [
        {
          roomId: 'DBL',
          rateId: 'BAR',
          date: day,
          field: 'price',
          before: 110,
          after: 60,
          bound: 77,
        },
      ],
    ],
  )
  assert.equal(statusOf(await unit(shop, 80)), 'applied')
  assert.equal(statusOf(await guest(shop, { 1: 55 })), 'held')
  assert.equal(statusOf(await guest(shop, { 1: 56 })), 'applied')
})

test('a price that comes back is judged by the last one within a day, in whatever model it was', async () => {
  const shop = await open(drop)
  expectOk(await unit(shop, null))
  assert.equal(statusOf(await unit(shop, 1)), 'held')
  assert.equal(statusOf(await guest(shop, { 2: 1 })), 'held')
  expectOk(await guest(shop, { 2: 90 }))
  // Two items of one push, and two pushes that may be written together.
  const both = await shop.supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'guest',
    ari: [null, 2].map((amount) => ({
      roomId: 'DBL',
      date: day,
      rateId: 'BAR',
      guests: 2,
      ageCategory: 'adult',
      amount,
    })),
  })
  assert.deepEqual(
    recordsOf(both.body['results']).map(({ status }) => status),
    ['applied', 'held'],
  )
  expectOk(await guest(shop, { 2: 90 }))
  const [, second] = await Promise.all([guest(shop, { 2: null }), unit(shop, 3)])
  assert.equal(statusOf(second), 'held')
})

test('the undo of a push ends what is held of it, and says so', async () => {
  const shop = await open(drop)
  const { supplier } = shop
  const undo = (more: Fields) => supplier.post('/push/undo', { hotelId: 'H1', ...more })
  const held = await unit(shop, 10, { sequence: 7 })
  const holdsEnded = [{ holdId: holdIdsOf(held)[0], cells: 1 }]
  const { requestId } = held.body
  const trial = expectOk(await undo({ requestId, dryRun: true })).body
  assert.deepEqual([trial['holdsEnded'], await openHolds(shop)], [holdsEnded, 1])
  const { body } = expectOk(await undo({ requestId }))
  assert.deepEqual(
    [body['message'], body['holdsEnded'], await openHolds(shop)],
    ['Push undone', holdsEnded, 0],
  )
  const [ended] = recordsOf(
    expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1', state: 'discarded' })).body['holds'],
  )
  assert.deepEqual([ended?.['holdId'], ended?.['resolvedBy']], [holdIdsOf(held)[0], 'undo'])
  const release = await finish(shop, 'release', held)
  assert.deepEqual([release.status, await prices(shop)], [409, 100])
  assert.equal((await undo({ requestId })).status, 409)

  // Of a push that was applied in part, and by its revision; narrowed to what is held of it.
  const partly = await send(shop, { price: 10, closedToArrival: true }, { pricingModel: 'unit' })
  const { revision } = partly.body
  const other = expectOk(await undo({ revision, fields: ['closedToArrival'] })).body
  assert.deepEqual([other['holdsEnded'], await openHolds(shop)], [undefined, 1])
  const { body: last } = expectOk(await undo({ revision, fields: ['price'] }))
  assert.deepEqual(
    [last['holdsEnded'], await openHolds(shop)],
    [[{ holdId: holdIdsOf(partly)[0], cells: 1 }], 0],
  )
})
