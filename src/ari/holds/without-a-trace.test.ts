import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import {
  drop,
  finish,
  floor,
  guest,
  openGuarded,
  openHolds,
  prices,
  send,
  statusOf,
  unit,
  type Fields,
} from '../../../test/stage/scenes/night-prices.ts'
import { pushNights } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** What the guard keeps away leaves no trace, and what it doesn't is applied, in pushes that clear prices as well. */

const gateway = await gatewayForTests()
const open = (rules?: Fields[]) => openGuarded(gateway, rules)

test('an overlay clears the prices that it doesn’t name, though all that it names are held', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75, 2: 90 }))
  const held = await guest(shop, { 1: 20 }, { mode: 'overlay' })
  assert.deepEqual([statusOf(held), await prices(shop)], ['held', { 1: 75 }])
})

test('an older push may set the price that an overlay set in vain', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75, 2: 90 }))
  const held = await guest(shop, { 1: 20, 2: 95 }, { mode: 'overlay', sequence: 10 })
  assert.deepEqual([statusOf(held), await prices(shop)], ['held', { 1: 75, 2: 95 }])
  expectOk(await finish(shop, 'discard', held))
  assert.equal(statusOf(await guest(shop, { 1: 77 }, { sequence: 9 })), 'applied')
  assert.equal(statusOf(await guest(shop, { 2: 77 }, { sequence: 9 })), 'superseded')
  assert.deepEqual(await prices(shop), { 1: 77, 2: 95 })
})

test('what clears all prices clears none that a newer push holds, nor keeps older ones from it', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75, 2: 90 }))
  const held = await guest(shop, { 1: 20 }, { sequence: 10 })
  expectOk(await send(shop, { prices: null }, { pricingModel: 'guest', sequence: 9 }))
  assert.deepEqual([await prices(shop), await openHolds(shop)], [{ 1: 75 }, 1])
  expectOk(await finish(shop, 'discard', held))
  assert.equal(statusOf(await guest(shop, { 1: 77 }, { sequence: 8 })), 'applied')
  assert.equal(statusOf(await guest(shop, { 2: 77 }, { sequence: 8 })), 'superseded')
})

test('a price that is older than what is held doesn’t keep older ones of the other model away', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75 }))
  const held = await guest(shop, { 1: 20 }, { sequence: 10 })
  assert.equal(statusOf(await guest(shop, { 1: 80 }, { sequence: 9 })), 'superseded')
  expectOk(await finish(shop, 'discard', held))
  assert.equal(statusOf(await unit(shop, 99, { sequence: 8 })), 'applied')
  assert.equal(await prices(shop), 99)
})

test('what clears all prices ends what is held of those that it clears, and of no other', async () => {
  const shop = await open(floor('hold'))
  expectOk(await guest(shop, { 1: 75 }, { sequence: 20 }))
  expectOk(await guest(shop, { 2: 90 }))
  assert.equal(statusOf(await guest(shop, { 2: 20 })), 'held')
  expectOk(await send(shop, { prices: null }, { pricingModel: 'guest', sequence: 15 }))
  assert.deepEqual([await prices(shop), await openHolds(shop)], [{ 1: 75 }, 0])
  expectOk(await guest(shop, { 2: null }, { sequence: 30 }))
  assert.equal(statusOf(await guest(shop, { 2: 20 })), 'held')
  expectOk(await send(shop, { prices: null }, { pricingModel: 'guest', sequence: 25 }))
  assert.equal(await openHolds(shop), 1)
})

test('a held price takes the place of one of the other model that is held', async () => {
  const shop = await open(drop)
  expectOk(await unit(shop, null))
  assert.equal(statusOf(await unit(shop, 1)), 'held')
  assert.equal(statusOf(await guest(shop, { 2: 2 })), 'held')
  assert.equal(await openHolds(shop), 1)
  assert.equal(statusOf(await unit(shop, 3)), 'held')
  assert.equal(await openHolds(shop), 1)
  expectOk(await shop.supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.equal(await prices(shop), 3)
})

test('a change of model is superseded whole by what a newer push holds of one price', async () => {
  const shop = await open(floor('hold'))
  const { requestId } = expectOk(await guest(shop, { 1: 80 })).body
  const held = await guest(shop, { 1: 20 }, { sequence: 10 })
  expectOk(await shop.supplier.post('/push/undo', { hotelId: 'H1', requestId }))
  assert.deepEqual([await prices(shop), await openHolds(shop)], [100, 1])
  assert.equal(statusOf(await guest(shop, { 1: 75, 2: 90 }, { sequence: 9 })), 'superseded')
  assert.deepEqual([await prices(shop), await openHolds(shop)], [100, 1])
  expectOk(await finish(shop, 'discard', held))
  assert.equal(statusOf(await guest(shop, { 1: 75, 2: 90 }, { sequence: 9 })), 'applied')
})

test('what is held of changes of model by several items is released with all of them', async () => {
  const shop = await open(floor('hold'))
  const { supplier } = shop
  const price = { guests: 1, ageCategory: 'adult', amount: 20 }
  const ari = ['2027-04-10', '2027-04-12'].map((date) => ({
    roomId: 'DBL',
    date,
    rates: [{ rateId: 'BAR', prices: [price] }],
  }))
  const held = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari })
  assert.equal(statusOf(held), 'held')
  const { body } = expectOk(await finish(shop, 'release', held))
  assert.deepEqual([body['cellsChanged'], body['skipped']], [2, []])
})

test('what is held of one month is neither ended nor superseded by what concerns another', async () => {
  const shop = await open(floor('hold'))
  const { supplier } = shop
  const may = { startDate: '2027-05-01', endDate: '2027-05-31', inventory: 2 }
  await pushNights(supplier, may)
  const push = (priceByDate: Record<string, number>, sequence?: number) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'unit',
      ...(sequence === undefined ? {} : { sequence }),
      ari: Object.entries(priceByDate).map(([date, price]) => ({
        roomId: 'DBL',
        date,
        rates: [{ rateId: 'BAR', price }],
      })),
    })
  const held = await push({ '2027-04-10': 20, '2027-05-20': 20 }, 10)
  assert.deepEqual([statusOf(held), await openHolds(shop)], ['held', 1])
  // Older, and newer, for the same days of the other month.
  assert.equal(statusOf(await push({ '2027-05-10': 90 }, 9)), 'applied')
  assert.equal(statusOf(await push({ '2027-04-20': 90 }, 9)), 'applied')
  assert.equal(statusOf(await push({ '2027-05-10': 91 })), 'applied')
  assert.equal(statusOf(await push({ '2027-04-20': 91 })), 'applied')
  const { body } = expectOk(await finish(shop, 'release', held))
  assert.deepEqual([body['cellsChanged'], body['skipped'], await prices(shop)], [2, [], 20])
})

test('the last price of a night is known though a push sets one and clears it again', async () => {
  const shop = await open(drop)
  expectOk(await unit(shop, null))
  const item = { roomId: 'DBL', date: '2027-04-10' }
  const ari = [
    { ...item, rates: [{ rateId: 'BAR', price: 90 }] },
    { ...item, rates: [{ rateId: 'BAR', price: null, closedToArrival: true }] },
  ]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  assert.equal(statusOf(await unit(shop, 3)), 'held')
})

test('of an opening with many units, the stricter of two rules counts', async () => {
  const shop = await open([
    { kind: 'massOpen', nights: 0, action: 'hold' },
    { kind: 'inventoryJump', units: 5, action: 'reject' },
  ])
  const units = (inventory: number) => send(shop, { inventory }, { pricingModel: 'unit' })
  expectOk(await units(0))
  assert.deepEqual([statusOf(await units(4)), statusOf(await units(40))], ['held', 'rejected'])
})

test('a price below the floor is held, though it was on sale before it was cleared', async () => {
  const shop = await open()
  expectOk(await unit(shop, 60))
  expectOk(await shop.supplier.post('/push/guard', { rules: [...drop, ...floor('hold')] }))
  assert.equal(statusOf(await unit(shop, 60)), 'unchanged')
  expectOk(await unit(shop, null))
  assert.equal(statusOf(await unit(shop, 60)), 'held')
})
