import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { vat, type Shop } from '../../../test/stage/scenes/booking.ts'
import {
  day,
  drop,
  finish,
  openGuarded,
  recordsOf,
  send,
  statusOf,
  unit,
  type Fields,
} from '../../../test/stage/scenes/night-prices.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** Drops and rises are judged by what parties pay, those with children and infants too. */

const gateway = await gatewayForTests()
/** For three, of whom two may be adults, or children. */
const open = (rules?: Fields[]) => openGuarded(gateway, rules)
const rise: Fields[] = [{ kind: 'priceRise', percent: 50, action: 'hold' }]

const categories = ['adult', 'child', 'infant']
/** By category and number of guests, as in `a2`. */
type Amounts = Readonly<Record<string, number | null>>

function lines(shop: Shop, amounts: Amounts, more: Fields = {}): Promise<Reply> {
  const sent = Object.entries(amounts).map(([name, amount]) => ({
    ageCategory: categories.find((one) => one.startsWith(name.slice(0, 1))),
    guests: Number(name.slice(1)),
    amount,
  }))
  return send(shop, { prices: sent }, { pricingModel: 'guest', ...more })
}

/** What is stored, as it was sent. */
async function stored({ supplier }: Shop): Promise<unknown> {
  const dates = { startDate: day, endDate: day }
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', rateIds: ['BAR'], ...dates }),
  )
  const [rate] = recordsOf(recordsOf(body['ari'])[0]?.['rates'])
  return Object.fromEntries(
    recordsOf(rate?.['prices']).map(({ ageCategory, guests, amount }) => [
      ageCategory === undefined
        ? 'unit'
        : `${categories.find((one) => one === ageCategory)?.slice(0, 1)}${String(guests)}`,
      amount,
    ]),
  )
}

/** What is held first of the first item. */
function shown(reply: Reply): unknown[] {
  const [hold] = recordsOf(recordsOf(reply.body['results'])[0]?.['holds'])
  const { ageCategory, guests, before, after, bound } = recordsOf(hold?.['examples'])[0] ?? {}
  return [hold?.['rule'], ageCategory, guests, before, after, bound]
}

test('an infant’s price that goes makes the infant free: a drop, which is held', async () => {
  const shop = await open(drop)
  expectOk(await lines(shop, { a2: 120, i1: 25, i2: 30 }))
  const held = await lines(shop, { i1: null })
  assert.deepEqual(
    [statusOf(held), shown(held), await stored(shop)],
    ['held', ['priceDrop', 'infant', 1, 25, null, 17.5], { a2: 120, i1: 25, i2: 30 }],
  )
  // Beside a price that is applied.
  const beside = await lines(shop, { a2: 118, i1: null })
  assert.deepEqual([statusOf(beside), await stored(shop)], ['held', { a2: 118, i1: 25, i2: 30 }])
  expectOk(await finish(shop, 'release', beside))
  assert.deepEqual(await stored(shop), { a2: 118, i2: 30 })
  const overlay = await lines(shop, { a2: 119 }, { mode: 'overlay' })
  assert.deepEqual([statusOf(overlay), await stored(shop)], ['held', { a2: 119, i2: 30 }])
  expectOk(await finish(shop, 'release', overlay))
  assert.deepEqual(await stored(shop), { a2: 119 })
})

test('a hold of an infant’s price that goes carries its sequence, and ends with a newer price', async () => {
  const shop = await open(drop)
  expectOk(await lines(shop, { a2: 120, i1: 25 }, { sequence: 5 }))
  assert.equal(statusOf(await lines(shop, { i1: null }, { sequence: 10 })), 'held')
  assert.equal(statusOf(await lines(shop, { i1: 24 }, { sequence: 9 })), 'superseded')
  const newer = await lines(shop, { i1: 24 }, { sequence: 11 })
  assert.deepEqual([statusOf(newer), await stored(shop)], ['applied', { a2: 120, i1: 24 }])
  const { body } = await shop.supplier.post('/push/guard/release', { hotelId: 'H1' })
  assert.deepEqual(body['holds'], [])
})

for (const action of ['reject', 'warn'])
  test(`an infant’s price that goes is answered by ${action}`, async () => {
    const shop = await open([{ kind: 'priceDrop', percent: 30, action }])
    expectOk(await lines(shop, { a2: 120, i1: 25 }))
    const reply = await lines(shop, { i1: null })
    const [result] = recordsOf(reply.body['results'])
    const [problem] = recordsOf(result?.[action === 'warn' ? 'warnings' : 'errors'])
    assert.match(String(problem?.['message']), /priceDrop, for example from 25 to null \(bound 17.5\)$/)
    assert.deepEqual(await stored(shop), action === 'warn' ? { a2: 120 } : { a2: 120, i1: 25 })
  })

test('with the last price for adults gone, nobody is sold: that closes, and is applied at once', async () => {
  const shop = await open(drop)
  expectOk(await lines(shop, { a2: 120, i1: 25 }))
  assert.equal(statusOf(await lines(shop, { a2: null, i1: null })), 'applied')
  assert.deepEqual(await stored(shop), {})
  expectOk(await lines(shop, { a1: 100, a2: 120, c1: 20, i1: 25 }))
  // Without a price for a child no party with one is sold.
  assert.equal(statusOf(await lines(shop, { c1: null })), 'applied')
  assert.equal(statusOf(await send(shop, { prices: null }, { pricingModel: 'guest' })), 'applied')
  assert.deepEqual(await stored(shop), {})
})

test('taxes that a price must cover forbid no price of an infant or child beside adults that cover them', async () => {
  const shop = await open(drop)
  const city = { ...vat, type: 'CITY_TAX', valueType: 'fixed', value: 10, included: true }
  expectOk(
    await shop.supplier.post('/push/taxes', {
      hotelId: 'H1',
      taxes: [{ ...city, appliedPer: 'per_person_per_night' }],
    }),
  )
  expectOk(await lines(shop, { a2: 120, c1: 25, i1: 25 }))
  assert.equal(statusOf(await lines(shop, { i1: 5 })), 'held')
  assert.equal(statusOf(await lines(shop, { c1: 5 })), 'held')
  assert.equal(statusOf(await lines(shop, { i1: null })), 'held')
  assert.deepEqual(await stored(shop), { a2: 120, c1: 25, i1: 25 })
})

test('a change to the unit is judged by the parties with children and infants that were sold', async () => {
  const shop = await open(drop)
  expectOk(await lines(shop, { a1: 100, a2: 120, c1: 60 }))
  const held = await unit(shop, 115)
  assert.deepEqual(
    [statusOf(held), shown(held)],
    ['held', ['priceDrop', undefined, undefined, 180, 115, 126]],
  )
  // Three guests at most: two children stay with one adult.
  expectOk(await lines(shop, { c1: null, c2: 85 }))
  assert.deepEqual(shown(await unit(shop, 115)), ['priceDrop', undefined, undefined, 185, 115, 129.5])
  const other = await open(drop)
  expectOk(await lines(other, { a1: 100, a2: 120, i1: 40, i3: 50 }))
  assert.deepEqual(shown(await unit(other, 115)), ['priceDrop', undefined, undefined, 170, 115, 119])
  assert.equal(statusOf(await unit(other, 119)), 'applied')
})

test('a change to prices by guest is judged with those of children and infants, in whatever items', async () => {
  const shop = await open(rise)
  const held = await lines(shop, { a1: 90, a2: 110, c1: 60 })
  assert.deepEqual(
    [statusOf(held), shown(held), await stored(shop)],
    ['held', ['priceRise', 'child', 1, null, 60, 40], { unit: 100 }],
  )
  const apart = await shop.supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'guest',
    ari: (['adult', 'infant'] as const).map((ageCategory) => ({
      roomId: 'DBL',
      date: day,
      rateId: 'BAR',
      guests: 1,
      ageCategory,
      amount: 90,
    })),
  })
  assert.deepEqual(
    [recordsOf(apart.body['results']).map(({ status }) => status), await stored(shop)],
    [['held', 'held'], { unit: 100 }],
  )
  assert.equal(statusOf(await lines(shop, { a1: 90, a2: 110, c1: 40 })), 'applied')
})

test('a price for whom stayed free is judged by what the party with the cheapest adults pays more', async () => {
  const shop = await open(rise)
  expectOk(await lines(shop, { a1: 90, a2: 110, c1: 0 }))
  const infant = await lines(shop, { i1: 46 })
  assert.deepEqual([statusOf(infant), shown(infant)], ['held', ['priceRise', 'infant', 1, null, 46, 45]])
  const child = await lines(shop, { c1: 46 })
  assert.deepEqual([statusOf(child), shown(child)], ['held', ['priceRise', 'child', 1, 0, 46, 45]])
  assert.equal(statusOf(await lines(shop, { i1: 45, c1: 45 })), 'applied')
  // From here on the line itself is compared.
  assert.equal(statusOf(await lines(shop, { i1: 68 })), 'held')
})

test('after all prices were cleared, parties with children are compared with what they paid within a day', async () => {
  const shop = await open()
  expectOk(await lines(shop, { a2: 120, c1: 60 }))
  expectOk(await shop.supplier.post('/push/guard', { rules: [...drop, ...rise] }))
  expectOk(await send(shop, { prices: null }, { pricingModel: 'guest' }))
  assert.deepEqual(shown(await unit(shop, 115)), ['priceDrop', undefined, undefined, 180, 115, 126])
  expectOk(await unit(shop, 126))
  expectOk(await unit(shop, null))
  const back = await lines(shop, { a2: 120, c1: 70 })
  assert.deepEqual([statusOf(back), shown(back)], ['held', ['priceRise', 'child', 1, null, 70, 69]])
  assert.deepEqual(await stored(shop), { a2: 120 })
})
