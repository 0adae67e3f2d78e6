import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import {
  day,
  drop,
  guest,
  openGuarded,
  openHolds,
  prices,
  recordsOf,
  send,
  unit,
  type Fields,
  type Guests,
} from '../../../test/stage/scenes/night-prices.ts'
import type { Shop } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** A change of the pricing model that several items of one push make is one change: held, refused or applied whole. */

const gateway = await gatewayForTests()
const open = (rules: Fields[] = drop) => openGuarded(gateway, rules)

const dropBy = (action: string): Fields[] => [{ kind: 'priceDrop', percent: 30, action }]

const item = (line: Fields, dates: Fields = { date: day }): Fields => ({
  roomId: 'DBL',
  ...dates,
  rates: [{ rateId: 'BAR', ...line }],
})
const byUnit = (price: number | null): Fields => item({ pricingModel: 'unit', price })
const byGuest = (totals: Guests, dates?: Fields): Fields =>
  item({ pricingModel: 'guest', prices: linesOf(totals) }, dates)
const linesOf = (totals: Guests): Fields[] =>
  Object.entries(totals).map(([guests, amount]) => ({
    guests: Number(guests),
    ageCategory: 'adult',
    amount,
  }))

const push = ({ supplier }: Shop, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', ari, ...more })
const statusesOf = (reply: Reply): unknown[] => recordsOf(reply.body['results']).map(({ status }) => status)
const releaseAll = ({ supplier }: Shop): Promise<Reply> =>
  supplier.post('/push/guard/release', { hotelId: 'H1' })

const orders: Guests[][] = [
  [{ 1: 60 }, { 2: 110 }],
  [{ 2: 110 }, { 1: 60 }],
]
for (const [index, totals] of orders.entries()) {
  const which = `the ${index === 0 ? 'first' : 'second'}`
  test(`a party in an item of its own, ${which}, keeps the old model while its price is held, and is released with it`, async () => {
    const shop = await open()
    const trial = await push(
      shop,
      totals.map((one) => byGuest(one)),
      { dryRun: true },
    )
    assert.deepEqual(statusesOf(trial), ['held', 'held'])
    const reply = await push(
      shop,
      totals.map((one) => byGuest(one)),
    )
    assert.deepEqual([reply.status, statusesOf(reply), await prices(shop)], [207, ['held', 'held'], 100])
    const holds = recordsOf(reply.body['results']).flatMap((result) => recordsOf(result['holds']))
    assert.deepEqual(
      holds.map(({ rule, cells }) => [rule, cells]),
      [
        ['priceDrop', 1],
        ['priceDrop', 1],
      ],
    )
    assert.equal(new Set(holds.map(({ holdId }) => holdId)).size, 1)
    // What broke the rule has its bound, and what is held together with it none.
    const bounds = holds.flatMap(({ examples }) =>
      recordsOf(examples).map(({ after, bound }) => [after, bound]),
    )
    assert.deepEqual(
      bounds,
      totals.map((one) => (one[1] === undefined ? [110, null] : [60, 70])),
    )
    assert.equal(await openHolds(shop), 1)
    const { body } = expectOk(await releaseAll(shop))
    assert.deepEqual([body['cellsChanged'], await prices(shop)], [1, { 1: 60, 2: 110 }])
  })
}

test('what is refused of a change in several items is refused whole, and holds nothing', async () => {
  const shop = await open(dropBy('reject'))
  const reply = await push(shop, [byGuest({ 2: 110 }), byGuest({ 1: 60 })])
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['rejected', 'rejected'], 100])
  assert.equal(await openHolds(shop), 0)
  // A hold by one rule and a refusal by another, of two items: the strictest counts for both.
  const both = await open([...drop, { kind: 'priceFloor', amount: 50, action: 'reject' }])
  const mixed = await push(both, [byGuest({ 1: 60 }), byGuest({ 2: 40 })])
  assert.deepEqual([statusesOf(mixed), await prices(both)], [['rejected', 'rejected'], 100])
  assert.equal(await openHolds(both), 0)
})

test('a warning is no reason to withhold the rest of a change, and stands at its item alone', async () => {
  const shop = await open(dropBy('warn'))
  const reply = await push(shop, [byGuest({ 2: 110 }), byGuest({ 1: 60 })])
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['applied', 'applied'], { 1: 60, 2: 110 }])
  assert.deepEqual(
    recordsOf(reply.body['results']).map((result) => recordsOf(result['warnings']).map(({ type }) => type)),
    [[], ['GUARD_WARNING']],
  )
})

test('of items whose dates overlap, those nights that both change are one change each', async () => {
  const shop = await open()
  const reply = await push(shop, [
    byGuest({ 2: 110 }, { startDate: '2027-04-08', endDate: day }),
    byGuest({ 1: 60 }, { startDate: day, endDate: '2027-04-12' }),
  ])
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['held', 'held'], 100])
  const [first] = recordsOf(reply.body['results'])
  assert.deepEqual([first?.['cellsChanged'], recordsOf(first?.['holds'])[0]?.['cells']], [2, 1])
  expectOk(await releaseAll(shop))
  assert.deepEqual(await prices(shop), { 1: 60, 2: 110 })
})

test('a later item of the held model sets its prices in the hold, clears them, or replaces them all', async () => {
  const shop = await open()
  const cleared = await push(shop, [byGuest({ 1: 60, 2: 110 }), byGuest({ 1: 90, 2: null })])
  assert.deepEqual([statusesOf(cleared), await prices(shop)], [['held', 'held'], 100])
  expectOk(await releaseAll(shop))
  assert.deepEqual(await prices(shop), { 1: 90 })

  const units = await push(shop, [byUnit(10), byUnit(95)])
  assert.deepEqual([statusesOf(units), await prices(shop)], [['held', 'held'], { 1: 90 }])
  expectOk(await releaseAll(shop))
  assert.equal(await prices(shop), 95)

  const overlaid = await push(shop, [byGuest({ 1: 60 }), byGuest({ 2: 110 })], { mode: 'overlay' })
  assert.deepEqual([statusesOf(overlaid), await prices(shop)], [['held', 'held'], 95])
  expectOk(await releaseAll(shop))
  assert.deepEqual(await prices(shop), { 2: 110 })
})

test('an item in the model of the night is none of the change: it is applied, and ends what is held of it', async () => {
  const shop = await open()
  expectOk(await guest(shop, { 1: 100, 2: 120 }))
  const reply = await push(shop, [byUnit(10), byGuest({ 1: 95 })])
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['held', 'applied'], { 1: 95, 2: 120 }])
  assert.equal(await openHolds(shop), 0)
})

test('a push that changes the model and changes it back makes two changes, each whole', async () => {
  const shop = await open()
  expectOk(await guest(shop, { 1: 100, 2: 120 }))
  const reply = await push(shop, [byUnit(95), byGuest({ 1: 50 }), byGuest({ 2: 125 })])
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['applied', 'held', 'held'], 95])
  expectOk(await releaseAll(shop))
  assert.deepEqual(await prices(shop), { 1: 50, 2: 125 })
})

test('a price that a newer push supersedes holds no other of its change', async () => {
  const shop = await open()
  expectOk(await send(shop, { prices: linesOf({ 2: null }) }, { pricingModel: 'guest', sequence: 20 }))
  const reply = await push(shop, [byGuest({ 1: 90 }), byGuest({ 2: 50 })], { sequence: 10 })
  assert.deepEqual([statusesOf(reply), await prices(shop)], [['applied', 'superseded'], { 1: 90 }])
})

test('a change of model that is held ends what older pushes hold of the night', async () => {
  const shop = await open()
  expectOk(await unit(shop, 100))
  await unit(shop, 20)
  await push(shop, [byGuest({ 1: 60 }), byGuest({ 2: 110 })])
  assert.equal(await openHolds(shop), 1)
  expectOk(await releaseAll(shop))
  assert.deepEqual(await prices(shop), { 1: 60, 2: 110 })
})
