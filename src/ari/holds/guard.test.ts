import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, openShop, vat, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { isRecord } from '../../http/validation/validate.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>
const recordsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {})

let shops = 0
/** DBL with BAR at 100.00 and NRF at 80.00, two units, in April 2027. */
async function guarded(rules: Fields[], more: Fields = {}): Promise<Shop> {
  const shop = await openShop(gateway, `guarded ${++shops}`)
  expectOk(await shop.supplier.post('/push/guard', { rules, ...more }))
  return shop
}

const push = ({ supplier }: Shop, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more })
const night = (date: string, rates: Fields[], more: Fields = {}): Fields => ({
  roomId: 'DBL',
  date,
  rates,
  ...more,
})
const bar = (fields: Fields): Fields => ({ rateId: 'BAR', ...fields })

/** The room's inventory and the values of each rate on a night. */
async function stored({ supplier }: Shop, date: string): Promise<Fields> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: date, endDate: date }),
  )
  const [item] = recordsOf(body['ari'])
  const rates = recordsOf(item?.['rates'])
  const values = rates.map(({ rateId, prices, ...rest }) => [
    rateId,
    { ...rest, price: recordsOf(prices)[0]?.['amount'] },
  ])
  return { inventory: item?.['inventory'], ...Object.fromEntries(values) }
}
async function priceOn(shop: Shop, date: string): Promise<unknown> {
  return recordOf((await stored(shop, date))['BAR'])['price']
}
async function holdsOf({ supplier }: Shop, more: Fields = {}): Promise<Fields[]> {
  const { body } = expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1', ...more }))
  return recordsOf(body['holds'])
}
function resultOf(reply: Reply, index = 0): Fields {
  const result = recordsOf(reply.body['results'])[index]
  assert.ok(result, reply.text)
  return result
}
function holdIdOf(reply: Reply, index = 0): string {
  const [hold] = recordsOf(resultOf(reply, index)['holds'])
  return String(hold?.['holdId'])
}
const release = ({ supplier }: Shop, holdIds: string[]): Promise<Reply> =>
  supplier.post('/push/guard/release', { hotelId: 'H1', holdIds })

const drop = { kind: 'priceDrop', percent: 30, action: 'hold' }

test('a price beyond the bound is held, the rest of its item is applied, and a release applies it', async () => {
  const shop = await guarded([drop])
  const reply = await push(shop, [
    night('2027-04-10', [bar({ price: 10, closed: true })], { inventory: 1 }),
    night('2027-04-11', [bar({ price: 70 })]),
  ])
  assert.equal(reply.status, 207)
  const { holds, ...result } = resultOf(reply)
  assert.deepEqual(result, { index: 0, status: 'held', cellsChanged: 2 })
  assert.deepEqual(holds, [
    {
      holdId: holdIdOf(reply),
      rule: 'priceDrop',
      cells: 1,
      examples: [
        {
          roomId: 'DBL',
          rateId: 'BAR',
          date: '2027-04-10',
          field: 'price',
          before: 100,
          after: 10,
          bound: 70,
        },
      ],
    },
  ])
  assert.deepEqual([resultOf(reply, 1)['status'], recordOf(reply.body['summary'])['held']], ['applied', 1])
  assert.deepEqual([await priceOn(shop, '2027-04-10'), await priceOn(shop, '2027-04-11')], [100, 70])
  const [listed] = await holdsOf(shop)
  const { requestId, at, expiresAt, examples, ...rest } = listed ?? {}
  assert.deepEqual(rest, {
    holdId: holdIdOf(reply),
    hotelId: 'H1',
    rule: 'priceDrop',
    cells: 1,
    onExpiry: 'discard',
    state: 'open',
    resolvedAt: null,
    resolvedBy: null,
  })
  assert.equal(requestId, reply.body['requestId'])
  assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(at)), 72 * 3_600_000)
  assert.equal(recordsOf(examples).length, 1)

  const released = expectOk(await release(shop, [holdIdOf(reply)]))
  const revision = Number(reply.body['revision'])
  assert.deepEqual(
    [released.body['revision'], released.body['cellsChanged'], released.body['skipped']],
    [revision + 1, 1, []],
  )
  assert.equal(await priceOn(shop, '2027-04-10'), 10)
  assert.deepEqual(await holdsOf(shop), [])
  assert.deepEqual(
    (await holdsOf(shop, { state: 'released' })).map(({ resolvedBy }) => resolvedBy),
    ['supplier'],
  )
  assert.deepEqual(problemsOf(await release(shop, [holdIdOf(reply)])), [
    ['/holdIds/0', 'HOLD_NOT_OPEN', 'The hold is released'],
  ])
  const diff = expectOk(await shop.supplier.post('/push/getAriDiff', { hotelId: 'H1', from: { revision } }))
  assert.deepEqual(
    recordsOf(diff.body['changes']).map(({ before, after, by }) => ({ before, after, by })),
    [{ before: 100, after: 10, by: 'push' }],
  )
})

test('only a price that the fixed taxes of its night forbid to any party is let through a rule', async () => {
  const shop = await guarded([drop])
  const perPerson = { ...vat, valueType: 'fixed', appliedPer: 'per_person_per_night', included: true }
  const taxes = [
    { ...perPerson, type: 'CITY_TAX', value: 4 },
    { ...perPerson, type: 'LOCAL_TAX', value: 50, startDate: '2027-07-01', endDate: '2027-08-31' },
  ]
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  // A room for three: the city takes 12.00 of them.
  const reply = await push(shop, [
    night('2027-04-10', [bar({ price: 20 })]),
    night('2027-04-11', [bar({ price: 12 })]),
    night('2027-04-12', [bar({ price: 11.99 })]),
  ])
  assert.equal(reply.status, 207)
  assert.deepEqual(
    recordsOf(reply.body['results']).map(({ status }) => status),
    ['held', 'held', 'applied'],
  )
})

test('without a guard an answer has no members of it, and an empty list of rules switches it off', async () => {
  const shop = await openShop(gateway, 'unguarded')
  const low = await push(shop, [night('2027-04-10', [bar({ price: 1 })])])
  assert.equal(low.status, 200)
  assert.ok(!low.text.includes('held') && !low.text.includes('holds'))
  expectOk(await shop.supplier.post('/push/guard', { rules: [drop] }))
  const held = await push(shop, [night('2027-04-11', [bar({ price: 1 })])])
  assert.equal(held.status, 207)
  expectOk(await shop.supplier.post('/push/guard', { rules: [] }))
  expectOk(await push(shop, [night('2027-04-12', [bar({ price: 1 })])]))
  // What is held stays until it is released, replaced or expired.
  expectOk(await push(shop, [night('2027-04-11', [bar({ price: 90 })])]))
  assert.deepEqual(
    (await holdsOf(shop, { state: 'replaced' })).map(({ holdId }) => holdId),
    [holdIdOf(held)],
  )
})

test("a hotel's own rules replace those of the account, until it inherits them again", async () => {
  const shop = await guarded([drop])
  const set = (more: Fields) => shop.supplier.post('/push/guard', { hotelId: 'H1', ...more })
  const read = async (query: string) => {
    const { body } = expectOk(await shop.supplier.get(`/push/guard${query}`))
    return [body['source'], recordsOf(body['rules']).length]
  }
  assert.deepEqual(
    [await read(''), await read('?hotelId=H1')],
    [
      ['account', 1],
      ['account', 1],
    ],
  )
  expectOk(await set({ rules: [] }))
  assert.deepEqual(await read('?hotelId=H1'), ['hotel', 0])
  expectOk(await push(shop, [night('2027-04-10', [bar({ price: 1 })])]))
  expectOk(await set({ inherit: true }))
  assert.deepEqual(await read('?hotelId=H1'), ['account', 1])
  assert.equal((await push(shop, [night('2027-04-11', [bar({ price: 1 })])])).status, 207)
})

test('inherit beside settings of its own is refused, and changes nothing', async () => {
  const shop = await guarded([drop])
  const own = [{ kind: 'priceFloor', amount: 50, action: 'reject' }]
  expectOk(await shop.supplier.post('/push/guard', { hotelId: 'H1', rules: own }))
  const settings = { rules: [drop], learned: true, expiryHours: 5, onExpiry: 'apply' }
  const reply = await shop.supplier.post('/push/guard', { hotelId: 'H1', inherit: true, ...settings })
  assert.equal(reply.status, 400)
  assert.deepEqual(
    problemsOf(reply),
    Object.keys(settings).map((name) => [
      `/${name}`,
      'GUARD_INHERIT_NOT_ALONE',
      `inherit and ${name} exclude each other: with inherit, the hotel follows the settings of the account`,
    ]),
  )
  const { body } = expectOk(await shop.supplier.get('/push/guard?hotelId=H1'))
  assert.deepEqual([body['source'], body['rules']], ['hotel', own])
  expectOk(await shop.supplier.post('/push/guard', { hotelId: 'H1', inherit: false, rules: [drop] }))
})

test('closures, fewer units and tighter restrictions are applied at once, even by an atomic push that is held', async () => {
  const shop = await guarded([drop, { kind: 'inventoryJump', units: 3, action: 'hold' }])
  expectOk(await push(shop, [night('2027-04-10', [bar({ minStayArrival: 3 })])]))
  const reply = await push(
    shop,
    [
      night('2027-04-10', [bar({ price: 1, minStayArrival: 2, maxStayArrival: 4 })], { inventory: 90 }),
      night('2027-04-11', [bar({ closed: true, price: 101 })], { inventory: 1 }),
    ],
    { atomic: true },
  )
  assert.equal(reply.status, 207)
  assert.deepEqual([resultOf(reply)['status'], resultOf(reply, 1)['status']], ['held', 'held'])
  assert.deepEqual(await stored(shop, '2027-04-10'), {
    inventory: 2,
    BAR: { minStayArrival: 3, maxStayArrival: 4, price: 100 },
    NRF: { price: 80 },
  })
  const both = await holdsOf(shop)
  const ids = both.map(({ holdId }) => String(holdId))
  const released = expectOk(await release(shop, ids))
  assert.equal(released.body['cellsChanged'], 3)
  assert.deepEqual(await stored(shop, '2027-04-10'), {
    inventory: 90,
    BAR: { minStayArrival: 2, maxStayArrival: 4, price: 1 },
    NRF: { price: 80 },
  })
})

test('a newer push replaces its part of a hold; an older sequence does not', async () => {
  const shop = await guarded([drop])
  const days = { roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-13' }
  const held = await push(shop, [{ ...days, rates: [bar({ price: 5 })] }], { sequence: 10 })
  assert.equal(held.status, 207)
  const old = await push(shop, [night('2027-04-10', [bar({ price: 95 })])], { sequence: 9 })
  assert.equal(resultOf(old)['status'], 'superseded')
  expectOk(await push(shop, [night('2027-04-11', [bar({ price: 95 })])], { sequence: 11 }))
  // The stored value, pushed again, replaces what is held too.
  expectOk(await push(shop, [night('2027-04-12', [bar({ price: 100 })])]))
  const again = await push(shop, [night('2027-04-13', [bar({ price: 6 })])])
  const [newer, older] = await holdsOf(shop)
  assert.deepEqual([newer?.['cells'], older?.['cells']], [1, 1])
  expectOk(await release(shop, [holdIdOf(held), holdIdOf(again)]))
  assert.deepEqual(
    [
      await priceOn(shop, '2027-04-10'),
      await priceOn(shop, '2027-04-11'),
      await priceOn(shop, '2027-04-12'),
      await priceOn(shop, '2027-04-13'),
    ],
    [5, 95, 100, 6],
  )
})

test('a release leaves out what changed since, and names it', async () => {
  const shop = await guarded([drop, { kind: 'inventoryJump', units: 3, action: 'hold' }])
  const held = await push(shop, [
    { roomId: 'DBL', startDate: '2027-04-19', endDate: '2027-04-22', inventory: 9 },
  ])
  expectStatus(await shop.book(), 201)
  const released = await release(shop, [holdIdOf(held)])
  assert.equal(released.status, 207)
  assert.deepEqual(released.body['skipped'], [
    {
      holdId: holdIdOf(held),
      roomId: 'DBL',
      rateId: null,
      startDate: '2027-04-20',
      endDate: '2027-04-21',
      field: 'inventory',
      reason: 'changed',
    },
  ])
  assert.equal(released.body['cellsChanged'], 2)

  const priced = await push(shop, [night('2027-04-10', [bar({ price: 5 })])])
  const hotel = expectOk(await shop.supplier.post('/push/getHotels', ['H1'])).body['hotels']
  expectOk(await shop.supplier.post('/push/hotels', [{ ...recordsOf(hotel)[0], currency: 'EUR' }]))
  const late = await release(shop, [holdIdOf(priced)])
  assert.deepEqual(
    recordsOf(late.body['skipped']).map(({ reason }) => reason),
    ['currency'],
  )
})

test('openings and closures of many nights are judged by the whole push', async () => {
  const shop = await guarded([
    { kind: 'massOpen', nights: 5, action: 'hold' },
    { kind: 'massClose', nights: 5, action: 'warn' },
  ])
  const days = (closed: boolean, endDate: string) => [
    { roomId: 'DBL', startDate: '2027-04-10', endDate, rates: [bar({ closed })] },
  ]
  expectOk(await push(shop, days(true, '2027-04-14')))
  const closing = expectOk(await push(shop, days(true, '2027-04-20')))
  assert.deepEqual(
    recordsOf(resultOf(closing)['warnings']).map(({ type, message }) => [type, message]),
    [['GUARD_WARNING', 'The push closes 6 nights of rooms and room-rates (bound 5)']],
  )
  assert.equal(resultOf(await push(shop, days(false, '2027-04-14')))['status'], 'applied')
  const opening = await push(shop, days(false, '2027-04-20'))
  assert.equal(resultOf(opening)['status'], 'held')
  expectOk(await release(shop, [holdIdOf(opening)]))
  assert.ok(!JSON.stringify(await stored(shop, '2027-04-20')).includes('closed'))
})

test('what a rule rejects is an error of its item, and what it warns of is applied', async () => {
  const shop = await guarded([
    { kind: 'priceFloor', amount: '40.00', currency: 'USD', action: 'reject' },
    { kind: 'priceFloor', amount: 60, action: 'warn' },
    { kind: 'priceCeiling', amount: 900, currency: 'EUR', action: 'reject' },
  ])
  const reply = await push(shop, [
    night('2027-04-10', [bar({ price: 39.99, closed: true })]),
    night('2027-04-11', [bar({ price: 40 })]),
    night('2027-04-12', [bar({ price: 5_000 })]),
    night('2027-04-13', [bar({ price: 1 })]),
  ])
  assert.equal(reply.status, 207)
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => {
      const { status, errors, warnings } = resultOf(reply, index)
      return [status, recordsOf(errors ?? warnings).map(({ type, message }) => [type, message])]
    }),
    [
      [
        'partial',
        [['GUARD_REJECTED', '1 night was not applied: priceFloor, for example from 100 to 39.99 (bound 40)']],
      ],
      ['applied', [['GUARD_WARNING', '1 night: priceFloor, for example from 100 to 40 (bound 60)']]],
      ['applied', []],
      [
        'rejected',
        [['GUARD_REJECTED', '1 night was not applied: priceFloor, for example from 100 to 1 (bound 40)']],
      ],
    ],
  )
  assert.deepEqual(await holdsOf(shop), [])
})

test('learned bounds hold a price far from those of its weekday, and only where there was one', async () => {
  const shop = await openShop(gateway, 'learned')
  const year = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30', rates: [bar({ price: 100 })] }
  expectOk(await push(shop, [year]))
  const { body } = expectOk(await shop.supplier.post('/push/guard', { learned: true }))
  assert.deepEqual([body['source'], body['learned']], ['account', true])
  const { body: shown } = expectOk(await shop.supplier.get('/push/guard?hotelId=H1'))
  const [bounds] = recordsOf(shown['bounds'])
  assert.deepEqual([bounds?.['rateId'], bounds?.['prices']], ['BAR', 91])
  assert.deepEqual(recordsOf(bounds?.['weekdays'])[0], { day: 'MON', lowest: 59.89, highest: 167 })
  const reply = await push(shop, [
    night('2027-05-10', [bar({ price: 167 })]),
    night('2027-05-11', [bar({ price: 167.01 })]),
    night('2027-05-12', [bar({ price: 59.88 })]),
    night('2027-05-13', [bar({ price: 59.89 })]),
    // A season's first prices, and a rate with too few prices.
    night('2027-08-10', [bar({ price: 900 })]),
    night('2027-04-10', [{ rateId: 'NRF', price: 900 }]),
  ])
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((index) => resultOf(reply, index)['status']),
    ['applied', 'held', 'held', 'applied', 'applied', 'applied'],
  )
})

test('what an earlier item of the same push clears still counts for what is learned', async () => {
  const shop = await openShop(gateway, 'learned before')
  const year = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-06-30', rates: [bar({ price: 100 })] }
  expectOk(await push(shop, [year]))
  expectOk(await shop.supplier.post('/push/guard', { learned: true }))
  // Fewer prices are left than are learned from.
  const cleared = {
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate: '2027-05-05',
    rates: [bar({ prices: null })],
  }
  const reply = await push(shop, [cleared, night('2027-05-10', [bar({ price: 1000 })])])
  assert.deepEqual(
    [0, 1].map((index) => resultOf(reply, index)['status']),
    ['applied', 'held'],
  )
})

test('items of one push for the same night are judged by what was stored, not by the items before them', async () => {
  const shop = await guarded([drop, { kind: 'inventoryJump', units: 5, action: 'hold' }])
  const reply = await push(shop, [
    night('2027-04-10', [bar({ prices: null })]),
    night('2027-04-10', [bar({ price: 1 })]),
    night('2027-04-11', [bar({ price: 75 })], { inventory: 6 }),
    night('2027-04-11', [bar({ price: 55 })], { inventory: 10 }),
    // Back to what was stored.
    night('2027-04-12', [bar({ price: 70 })]),
    night('2027-04-12', [bar({ price: 100 })]),
  ])
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((index) => resultOf(reply, index)['status']),
    ['applied', 'held', 'applied', 'held', 'applied', 'applied'],
  )
  assert.deepEqual(
    [await priceOn(shop, '2027-04-10'), await priceOn(shop, '2027-04-11'), await priceOn(shop, '2027-04-12')],
    [undefined, 75, 100],
  )
  assert.equal((await stored(shop, '2027-04-11'))['inventory'], 6)
  const ids = (await holdsOf(shop)).map(({ holdId }) => String(holdId))
  expectOk(await release(shop, ids))
  assert.deepEqual([await priceOn(shop, '2027-04-10'), await priceOn(shop, '2027-04-11')], [1, 55])
})

test('a dry run says what would be held, and holds nothing', async () => {
  const shop = await guarded([drop])
  const reply = await push(shop, [night('2027-04-10', [bar({ price: 1 })])], { dryRun: true })
  const [hold] = recordsOf(resultOf(reply)['holds'])
  assert.deepEqual([reply.status, hold?.['rule'], 'holdId' in (hold ?? {})], [207, 'priceDrop', false])
  assert.deepEqual(await holdsOf(shop), [])
})

test('a discarded hold is not applied; unknown ones are named', async () => {
  const shop = await guarded([drop])
  const held = await push(shop, [night('2027-04-10', [bar({ price: 1 })])])
  const discard = (holdIds: string[]) => shop.supplier.post('/push/guard/discard', { hotelId: 'H1', holdIds })
  const unknown = 'hld_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'
  assert.deepEqual(problemsOf(await discard([holdIdOf(held), unknown])), [
    ['/holdIds/1', 'HOLD_NOT_FOUND', 'Hold not found'],
  ])
  assert.equal(expectOk(await discard([holdIdOf(held)])).body['discarded'], 1)
  assert.deepEqual(problemsOf(await release(shop, [holdIdOf(held)])), [
    ['/holdIds/0', 'HOLD_NOT_OPEN', 'The hold is discarded'],
  ])
  assert.equal(await priceOn(shop, '2027-04-10'), 100)
})

test('a rule without its bound, or with another one, is refused and named', async () => {
  const { supplier } = await openShop(gateway, 'wrong rules')
  const reply = await supplier.post('/push/guard', {
    rules: [
      { kind: 'priceDrop', action: 'hold' },
      { kind: 'priceRise', percent: 10, units: 3, action: 'hold' },
      { kind: 'priceDrop', percent: 100, action: 'hold' },
      { kind: 'massClose', nights: 3, action: 'hold' },
      { kind: 'priceFloor', amount: '1.0001', action: 'hold' },
      { kind: 'priceFloor', amount: 1, currency: 'XYZ', action: 'hold' },
    ],
    inherit: true,
  })
  assert.deepEqual(problemsOf(reply), [
    ['/rules/0/percent', 'GUARD_BOUND_MISSING', 'percent is required for priceDrop'],
    ['/rules/1/units', 'GUARD_BOUND_MISPLACED', 'units is not a bound of priceRise'],
    ['/rules/2/percent', 'GUARD_BOUND_INVALID', 'percent of priceDrop must be from 1 to 99'],
    ['/rules/3/action', 'GUARD_ACTION_INVALID', 'massClose can only warn'],
    ['/rules/4/amount', 'GUARD_BOUND_INVALID', 'amount must be above 0, with at most 3 decimals'],
    ['/rules/5/currency', 'GUARD_BOUND_INVALID', 'currency must be an ISO 4217 code'],
    [
      '/inherit',
      'GUARD_INHERIT_NEEDS_HOTEL',
      'inherit needs hotelId: an account has nothing to inherit from',
    ],
    [
      '/rules',
      'GUARD_INHERIT_NOT_ALONE',
      'inherit and rules exclude each other: with inherit, the hotel follows the settings of the account',
    ],
  ])
})
