import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** Atomic pushes to a guarded hotel: all that can be held is held, or refused, together. */

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let shops = 0
/** DBL with BAR at 100.00 and NRF at 80.00, two units, in April 2027; a fall is held, a price below 50 refused. */
async function guarded(more: Fields[] = []): Promise<Shop> {
  const shop = await openShop(gateway, `atomic ${++shops}`)
  const rules = [
    { kind: 'priceDrop', percent: 30, action: 'hold' },
    { kind: 'priceFloor', amount: 50, action: 'reject' },
    { kind: 'inventoryJump', units: 10, action: 'hold' },
    ...more,
  ]
  expectOk(await shop.supplier.post('/push/guard', { rules }))
  return shop
}

const item = (date: string, fields: Fields, more: Fields = {}): Fields => ({
  roomId: 'DBL',
  date,
  ...more,
  rates: [{ rateId: 'BAR', ...fields }],
})

async function pushed({ supplier }: Shop, ari: Fields[], more: Fields = {}) {
  const { status, body } = await supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari,
    ...more,
  })
  const results: { status: string; errors?: Fields[]; holds?: Fields[] }[] = Object(body)['results']
  return {
    status,
    items: results.map((one) => one.status),
    types: results.map(({ errors = [] }) => errors.map(({ type }) => type)),
    rules: results.map(({ holds = [] }) => holds.map(({ rule }) => rule)),
  }
}

const holdsOf = async ({ supplier }: Shop): Promise<Fields[]> =>
  Object(expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1' })).body)['holds']

async function priceOn({ supplier }: Shop, date: string): Promise<unknown> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date, rateIds: ['BAR'] }),
  )
  const rates = Object(body)['ari'].flatMap(({ rates: listed = [] }: { rates?: Fields[] }) => listed)
  return rates[0].prices[0].amount
}

const held = item('2027-04-10', { price: 60 })
const refused = item('2027-04-11', { price: 40 })

for (const dryRun of [true, false]) {
  test(`of an atomic push with a value that is refused nothing is held either${dryRun ? ', in a dry run too' : ''}`, async () => {
    const shop = await guarded()
    const answered = await pushed(shop, [held, refused, item('2027-04-12', { price: 110 })], {
      atomic: true,
      dryRun,
    })
    assert.deepEqual(answered, {
      status: 207,
      items: ['rejected', 'rejected', 'rejected'],
      types: [['GUARD_REJECTED'], ['GUARD_REJECTED'], ['GUARD_REJECTED']],
      rules: [[], [], []],
    })
    assert.deepEqual(await holdsOf(shop), [])
    for (const date of ['2027-04-10', '2027-04-11', '2027-04-12'])
      assert.equal(await priceOn(shop, date), 100)
  })
}

test('units and a change of the pricing model are not held either, and what was held before stays', async () => {
  const shop = await guarded()
  await pushed(shop, [item('2027-04-10', { price: 65 })])
  const [before] = await holdsOf(shop)
  const units = item('2027-04-13', { minLengthStay: null }, { inventory: 50 })
  const guests = item('2027-04-14', {
    pricingModel: 'guest',
    prices: [{ guests: 2, ageCategory: 'adult', amount: 60 }],
  })
  const { status, rules } = await pushed(shop, [held, units, guests, refused], { atomic: true })
  assert.deepEqual([status, rules], [207, [[], [], [], []]])
  assert.deepEqual(await holdsOf(shop), [before])
})

test('without a refused value it is held whole, and not atomic, each value goes its own way', async () => {
  const shop = await guarded()
  const other = item('2027-04-12', { price: 110 })
  const whole = await pushed(shop, [held, other], { atomic: true })
  assert.deepEqual([whole.status, whole.items], [207, ['held', 'held']])
  const single = await pushed(shop, [held, refused, other])
  assert.deepEqual([single.status, single.items], [207, ['held', 'rejected', 'applied']])
})

test('units that go beside a held value are set, where no rule is about units', async () => {
  const shop = await openShop(gateway, 'atomic without a rule about units')
  expectOk(
    await shop.supplier.post('/push/guard', { rules: [{ kind: 'priceDrop', percent: 30, action: 'hold' }] }),
  )
  const goes = { roomId: 'DBL', date: '2027-04-20', inventory: null }
  const { status, items } = await pushed(shop, [held, goes], { atomic: true })
  assert.deepEqual([status, items], [207, ['held', 'applied']])
})
