import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import {
  gatewayForLiveAnswers,
  liveShop,
  platformAt,
  soldOut,
  type Fields,
  type LiveShop,
} from '../../../test/stage/scenes/live-answers.ts'
import { holdIdsOf } from '../../../test/stage/scenes/night-prices.ts'
import { client, type Reply } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** What ends the memory of a supplier's answer: whatever says something about the room-rate on a night of the stay. */

const gateway = await gatewayForLiveAnswers()

let shops = 0
async function forgone(): Promise<LiveShop> {
  const shop = await liveShop(gateway, `touched ${++shops}`)
  const products = [product('TWN', 'BAR'), product('DBL', 'BAR'), product('DBL', 'NRF')]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  return shop
}

const isOffered = async (shop: LiveShop): Promise<boolean> => 'DBL/BAR' in (await shop.offers())

const push = ({ supplier }: LiveShop, item: Fields, more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [{ roomId: 'DBL', ...item }],
    ...more,
  })

const night = { date: '2027-04-21' }
const price = (amount: number, rateId = 'BAR'): Fields => ({ rates: [{ rateId, price: amount }] })

test('a push of the room or the rate on one of the nights ends it, also one with the values that are stored', async () => {
  const touches: [string, Fields][] = [
    ['other units', { ...night, inventory: 3 }],
    ['the same units', { ...night, inventory: 5 }],
    ['another price', { ...night, ...price(120) }],
    ['the same price', { ...night, ...price(100) }],
    ['a restriction', { ...night, rates: [{ rateId: 'BAR', minLengthStay: 1 }] }],
    ['a longer range', { startDate: '2027-04-01', endDate: '2027-04-30', inventory: 5 }],
  ]
  for (const [what, item] of touches) {
    const shop = await forgone()
    expectOk(await push(shop, item))
    assert.ok(await isOffered(shop), what)
  }
})

test('what is about other nights, rooms or rates, or is not applied, does not end it', async () => {
  const shop = await forgone()
  const others: [string, Fields, Fields?][] = [
    ['the day of departure', { date: '2027-04-22', inventory: 3 }],
    ['the day before', { date: '2027-04-19', inventory: 3 }],
    ['another rate', { ...night, ...price(70, 'NRF') }],
    ['another room', { ...night, roomId: 'TWN', inventory: 2 }],
    ['other weekdays', { startDate: '2027-04-12', endDate: '2027-04-25', daysOfWeek: ['FRI'], inventory: 2 }],
    ['a dry run', { ...night, inventory: 4 }, { dryRun: true }],
  ]
  for (const [what, item, more] of others) {
    expectOk(await push(shop, item, more))
    assert.equal(await isOffered(shop), false, what)
  }
  expectStatus(await push(shop, { ...night, inventory: -1.5 }), 400)
  assert.equal(await isOffered(shop), false)
})

test('a late push that a newer sequence superseded does not end it', async () => {
  const shop = await liveShop(gateway, 'superseded')
  expectOk(await push(shop, { ...night, inventory: 5 }, { sequence: 9 }))
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  expectOk(await push(shop, { ...night, inventory: 2 }, { sequence: 8 }))
  assert.equal(await isOffered(shop), false)
  expectOk(await push(shop, { ...night, inventory: 5 }, { sequence: 10 }))
  assert.ok(await isOffered(shop))
})

test('an undo, the release of a hold, a stop-sell that is resumed and a changed product end it', async () => {
  const undone = await liveShop(gateway, 'undone')
  const pushed = expectOk(await push(undone, { ...night, ...price(130) })).body
  undone.says(soldOut)
  await undone.check()
  await undone.untilForgone()
  expectOk(await undone.supplier.post('/push/undo', { hotelId: 'H1', requestId: pushed['requestId'] }))
  assert.ok(await isOffered(undone), 'an undo')

  const held = await liveShop(gateway, 'held')
  const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
  expectOk(await held.supplier.post('/push/guard', { rules }))
  held.says(soldOut)
  await held.check()
  await held.untilForgone()
  const kept = expectStatus(await push(held, { ...night, ...price(11) }), 207)
  assert.equal(await isOffered(held), false, 'a hold')
  const holdIds = holdIdsOf(kept)
  expectOk(await held.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds }))
  assert.ok(await isOffered(held), 'a release')

  const operator = await operatorOf(gateway)
  const stopped = await forgone()
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [stopped.name],
  )
  for (const action of ['stop', 'open']) {
    const order = { action, targets: [{ roomId: 'DBL' }], reason: 'Pipe', from: night.date, to: night.date }
    expectOk(await operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, order))
  }
  assert.ok(await isOffered(stopped), 'a stop-sell')

  const changed = await forgone()
  const send = (more: Fields, rateId = 'BAR'): Promise<Reply> =>
    changed.supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', rateId, more)] })
  expectOk(await send({}))
  expectOk(await send({ mealPlan: 'BB' }, 'NRF'))
  assert.equal(await isOffered(changed), false, 'other products')
  expectOk(await send({ mealPlan: 'BB' }))
  assert.ok(await isOffered(changed), 'a product')
})

test('a reservation does not end it', async () => {
  const shop = await forgone()
  shop.says({})
  expectStatus(
    await shop.book({
      rooms: [{ roomId: 'DBL', rateId: 'NRF', adults: 2, guest: { firstName: 'A', lastName: 'B' } }],
    }),
    201,
  )
  assert.equal(await isOffered(shop), false)
})

test('what touched the nights while the supplier was asked counts, unless it was a reservation', async () => {
  const shop = await liveShop(gateway, 'meanwhile')
  shop.says(soldOut, () => push(shop, { ...night, inventory: 4 }))
  await shop.check()
  // Answers of a hotel are written in their order.
  shop.says(soldOut, async () => undefined)
  await shop.check({ rateId: 'NRF' })
  await until(async () => !('DBL/NRF' in (await shop.offers())))
  assert.ok(await isOffered(shop))

  const another = { roomId: 'DBL', rateId: 'NRF', adults: 1, guest: { firstName: 'A', lastName: 'B' } }
  let isFirst = true
  shop.says(soldOut, async () => {
    if (!isFirst) return
    isFirst = false
    shop.says({})
    expectStatus(await shop.book({ rooms: [another] }), 201)
    shop.says(soldOut)
  })
  await shop.check()
  await shop.untilForgone()
})

test('a push at another process ends it, whatever that process has cached', async () => {
  const other = await gateway.second()
  const shop = await liveShop(gateway, 'pushed elsewhere')
  const supplier = client(other.url, { 'x-api-key': shop.supplier.apiKey })
  const body = { hotelId: 'H1', pricingModel: 'unit', ari: [{ roomId: 'DBL', ...night, inventory: 5 }] }
  for (let round = 0; round < 3; round++) expectOk(await supplier.post('/push/ari', body))
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  expectOk(await supplier.post('/push/ari', body))
  for (const by of [shop.platform, await platformAt(gateway, other)])
    assert.ok('DBL/BAR' in (await shop.offers({}, by)))
})
