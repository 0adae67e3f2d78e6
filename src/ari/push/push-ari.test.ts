import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adult,
  bar,
  child,
  night,
  nights,
  outcomesOf,
  push,
  readAri,
  storySupplier,
  type Fields,
} from '../../../test/stage/scenes/ari.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

/** The values that a push sets, clears and leaves. */

const gateway = await gatewayForTests()

test('a push is acknowledged with its changes, and read back as it was sent', async () => {
  const supplier = await storySupplier(gateway)
  const ari = [
    {
      roomId: 'DBL',
      startDate: '2027-04-15',
      endDate: '2027-05-15',
      inventory: 6,
      rates: [
        {
          rateId: 'BAR',
          minLengthStay: 2,
          prices: [
            { ageCategory: 'adult', guests: 1, amount: 90 },
            { ageCategory: 'adult', guests: 2, amount: 110.5 },
            { ageCategory: 'child', guests: 1, amount: 15 },
          ],
        },
      ],
    },
  ]
  const pushed = expectOk(
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }, { 'x-request-id': 'r1' }),
  )
  assert.deepEqual(pushed.body, {
    code: '200',
    message: 'ARI updated successfully',
    hotelId: 'H1',
    revision: 3,
    requestId: 'r1',
    summary: { items: 1, applied: 1, partial: 0, rejected: 0, superseded: 0, unchanged: 0, cellsChanged: 62 },
    results: [{ index: 0, status: 'applied', cellsChanged: 62 }],
  })
  const read = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-05-31' }),
  )
  assert.deepEqual(read.body, {
    code: '200',
    message: 'ARI retrieved successfully',
    hotelId: 'H1',
    revision: 3,
    currency: 'USD',
    pricingModel: 'guest',
    ari,
  })
})

test('delta: absent members stay unchanged, null clears, a value sets, and a price changes only its own bucket', async () => {
  const supplier = await storySupplier(gateway)
  const full = {
    minLengthStay: 2,
    closedToArrival: true,
    prices: [adult(1, 90), adult(2, 110), child(1, 15)],
  }
  expectOk(await push(supplier, nights('2027-04-01', '2027-04-03', { inventory: 6, rates: bar(full) })))
  const changes = { maxLengthStay: 14, closedToArrival: null, prices: [adult(2, 120), child(1, null)] }
  assert.deepEqual(outcomesOf(await push(supplier, night('2027-04-02', { rates: bar(changes) }))), [
    'applied 1',
  ])
  const [old, changed] = [
    { rateId: 'BAR', ...full },
    { rateId: 'BAR', minLengthStay: 2, maxLengthStay: 14, prices: [adult(1, 90), adult(2, 120)] },
  ]
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: [old] }),
    nights('2027-04-01', '2027-04-03', { inventory: 6 }),
    nights('2027-04-02', '2027-04-02', { rates: [changed] }),
    nights('2027-04-03', '2027-04-03', { rates: [old] }),
  ])
  assert.deepEqual(outcomesOf(await push(supplier, night('2027-04-01', { inventory: null }))), ['applied 1'])
  assert.deepEqual(outcomesOf(await push(supplier, night('2027-04-01', { inventory: null }))), [
    'unchanged 0',
  ])
})

test('overlay: absent members are cleared, on the pushed room-rates and dates and nowhere else', async () => {
  const supplier = await storySupplier(gateway)
  const line = { inventory: 2, closed: true, minAdvanceDays: 3, prices: [adult(1, 90), adult(2, 110)] }
  const both = [
    { rateId: 'BAR', ...line },
    { rateId: 'NRF', ...line },
  ]
  expectOk(
    await push(supplier, nights('2027-04-01', '2027-04-03', { inventory: 6, closed: true, rates: both })),
  )
  const overlay = night('2027-04-02', { rates: bar({ maxStayArrival: 9, prices: [adult(2, 115)] }) })
  assert.deepEqual(outcomesOf(await push(supplier, overlay, { mode: 'overlay' })), ['applied 1'])
  assert.deepEqual(outcomesOf(await push(supplier, overlay, { mode: 'overlay' })), ['unchanged 0'])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: [{ rateId: 'BAR', ...line }] }),
    nights('2027-04-01', '2027-04-03', { inventory: 6, closed: true, rates: [{ rateId: 'NRF', ...line }] }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ maxStayArrival: 9, prices: [adult(2, 115)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: [{ rateId: 'BAR', ...line }] }),
  ])
  // An empty line clears everything of its room-rate; an item without rates clears nothing.
  assert.deepEqual(
    outcomesOf(
      await push(supplier, [night('2027-04-02', { rates: bar({}) }), night('2027-04-02', {})], {
        mode: 'overlay',
      }),
    ),
    ['applied 1', 'unchanged 0'],
  )
  const expected = [
    nights('2027-04-02', '2027-04-02', { inventory: 6, closed: true, rates: [{ rateId: 'NRF', ...line }] }),
  ]
  assert.deepEqual(await readAri(supplier, '2027-04-02', '2027-04-02'), expected)
})

test('a price in the other model replaces the prices on the pushed dates only', async () => {
  const supplier = await storySupplier(gateway)
  expectOk(
    await push(
      supplier,
      nights('2027-04-01', '2027-04-03', { rates: bar({ prices: [adult(1, 90), child(1, 5)] }) }),
    ),
  )
  expectOk(
    await push(supplier, night('2027-04-02', { rates: bar({ price: 200 }) }), { pricingModel: 'unit' }),
  )
  const guest = { rateId: 'BAR', prices: [adult(1, 90), child(1, 5)] }
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: [guest] }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ pricingModel: 'unit', prices: [{ amount: 200 }] }) }),
    nights('2027-04-03', '2027-04-03', { rates: [guest] }),
  ])
  const mappings = expectOk(await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' })).body[
    'mappings'
  ]
  assert.ok(Array.isArray(mappings))
  const models = mappings.map(({ rateId, pricingModel }) => [rateId, pricingModel] as const)
  assert.deepEqual(Object.fromEntries(models), { BAR: 'unit', NRF: null })
  // Clearing in one model leaves the other model's prices alone.
  const cleared = await push(
    supplier,
    nights('2027-04-01', '2027-04-03', { rates: bar({ price: null, inventory: 1 }) }),
    { pricingModel: 'unit' },
  )
  assert.deepEqual(outcomesOf(cleared), ['applied 3'])
  const back = await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) }))
  assert.deepEqual(outcomesOf(back), ['applied 1'])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: bar({ inventory: 1 }) }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ inventory: 1, prices: [adult(2, 100)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ inventory: 1 }) }),
  ])
})

test('prices null clears all prices of both models; a null amount clears one', async () => {
  const supplier = await storySupplier(gateway)
  const prices = [adult(1, 90), adult(2, 110)]
  expectOk(await push(supplier, nights('2027-04-01', '2027-04-04', { rates: bar({ prices }) })))
  expectOk(await push(supplier, night('2027-04-04', { rates: bar({ price: 10 }) }), { pricingModel: 'unit' }))
  const items = [
    night('2027-04-01', { rates: bar({ prices: null }) }),
    night('2027-04-02', { rates: bar({ prices: [adult(2, null)] }) }),
    night('2027-04-03', { rateId: 'BAR', amount: null, guests: 1, ageCategory: 'adult' }),
    night('2027-04-04', { rateId: 'BAR', price: null }),
    night('2027-04-03', { rates: bar({ prices: [] }) }),
  ]
  assert.deepEqual(outcomesOf(await push(supplier, items)), [
    'applied 1',
    'applied 1',
    'applied 1',
    'applied 1',
    'unchanged 0',
  ])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-02', '2027-04-02', { rates: bar({ prices: [adult(1, 90)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ prices: [adult(2, 110)] }) }),
  ])
})

test('restrictions: 0 and null clear, maxAdvanceDays null alone, 1 to 999 set, and none changes another', async () => {
  const supplier = await storySupplier(gateway)
  const names = [
    'minLengthStay',
    'maxLengthStay',
    'minStayArrival',
    'maxStayArrival',
    'minAdvanceDays',
    'maxAdvanceDays',
  ]
  const all = Object.fromEntries(names.map((name, index) => [name, index === 5 ? 999 : index + 1]))
  expectOk(
    await push(
      supplier,
      night('2027-04-01', { rates: bar({ ...all, closedToArrival: true, closedToDeparture: true }) }),
    ),
  )
  for (const [index, name] of names.entries()) {
    const cleared = index % 2 === 0 ? 0 : null
    assert.deepEqual(
      outcomesOf(await push(supplier, night('2027-04-01', { rates: bar({ [name]: cleared }) }))),
      ['applied 1'],
    )
    const other = cleared === 0 || name === 'maxAdvanceDays' ? null : 0
    assert.deepEqual(
      outcomesOf(await push(supplier, night('2027-04-01', { rates: bar({ [name]: other }) }))),
      ['unchanged 0'],
    )
    const others = Object.entries(all).slice(index + 1)
    const left = { closedToArrival: true, closedToDeparture: true, ...Object.fromEntries(others) }
    assert.deepEqual(await readAri(supplier), [nights('2027-04-01', '2027-04-01', { rates: bar(left) })])
  }
  expectOk(
    await push(
      supplier,
      night('2027-04-01', { rates: bar({ closedToArrival: false, closedToDeparture: null }) }),
    ),
  )
  assert.deepEqual(await readAri(supplier), [])
})

test('inventory and closed belong to the room in an item, to the rate in a rate line; closed of a flat item belongs to the rate', async () => {
  const supplier = await storySupplier(gateway)
  const items = [
    night('2027-04-01', { inventory: 6, closed: true, rates: bar({ inventory: 2, closed: true }) }),
    night('2027-04-02', { rateId: 'NRF', inventory: 5, closed: true }),
    night('2027-04-03', { inventory: 0 }),
  ]
  assert.deepEqual(outcomesOf(await push(supplier, items)), ['applied 2', 'applied 2', 'applied 1'])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', {
      inventory: 6,
      closed: true,
      rates: bar({ inventory: 2, closed: true }),
    }),
    nights('2027-04-02', '2027-04-02', { inventory: 5, rates: [{ rateId: 'NRF', closed: true }] }),
    nights('2027-04-03', '2027-04-03', { inventory: 0 }),
  ])
})

test('the short forms: one night by date, price for the unit, amount with guests, strings for numbers, a model of its own', async () => {
  const supplier = await storySupplier(gateway)
  const items = [
    night('2027-04-01', { rateId: 'BAR', price: '110.50' }),
    night('2027-04-02', { rateId: 'BAR', amount: 0.29 }),
    night('2027-04-03', { rates: bar({ price: 5 }) }),
    night('2027-04-04', { rates: bar({ prices: [{ amount: '7.1', guests: 2, ageCategory: 'adult' }] }) }),
    night('2027-04-05', {
      rateId: 'BAR',
      pricingModel: 'guest',
      amount: '80',
      guests: 2,
      ageCategory: 'adult',
    }),
    night('2027-04-06', {
      pricingModel: 'guest',
      rates: [...bar({ prices: [child(1, 0)] }), { rateId: 'NRF', pricingModel: 'unit', price: 9 }],
    }),
  ]
  assert.deepEqual(outcomesOf(await push(supplier, items, { pricingModel: 'unit' })), [
    ...Array<string>(5).fill('applied 1'),
    'applied 2',
  ])
  const unit = (amount: number): Fields => ({ rates: bar({ prices: [{ amount }] }) })
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', unit(110.5)),
    nights('2027-04-02', '2027-04-02', unit(0.29)),
    nights('2027-04-03', '2027-04-03', unit(5)),
    nights('2027-04-04', '2027-04-04', unit(7.1)),
    nights('2027-04-05', '2027-04-05', { rates: bar({ pricingModel: 'guest', prices: [adult(2, 80)] }) }),
    nights('2027-04-06', '2027-04-06', {
      rates: [
        { rateId: 'BAR', pricingModel: 'guest', prices: [child(1, 0)] },
        { rateId: 'NRF', prices: [{ amount: 9 }] },
      ],
    }),
  ])
})

test('both dates are inclusive, and only the given weekdays are set', async () => {
  const supplier = await storySupplier(gateway)
  // 2027-04-02 is a Friday.
  const weekend = nights('2027-04-02', '2027-04-10', { daysOfWeek: ['FRI', 'SAT', 'FRI'], inventory: 1 })
  assert.deepEqual(outcomesOf(await push(supplier, weekend)), ['applied 4'])
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-02', '2027-04-03', { inventory: 1 }),
    nights('2027-04-09', '2027-04-10', { inventory: 1 }),
  ])
})

test('items are applied in order, even for the same nights and for a night given twice', async () => {
  const supplier = await storySupplier(gateway)
  const items = [1, 2, 2, 1].map((inventory) => night('2027-04-01', { inventory }))
  const reply = expectOk(await push(supplier, items))
  assert.deepEqual(outcomesOf(reply), ['applied 1', 'applied 1', 'unchanged 0', 'applied 1'])
  assert.deepEqual(reply.body['summary'], {
    items: 4,
    applied: 3,
    partial: 0,
    rejected: 0,
    superseded: 0,
    unchanged: 1,
    cellsChanged: 3,
  })
  assert.deepEqual(await readAri(supplier), [nights('2027-04-01', '2027-04-01', { inventory: 1 })])
})

test('amounts fit the minor digits of the hotel’s currency, as numbers and as text', async () => {
  const digits = {
    JPY: ['5', '5.0', '5.5', '0.1'],
    USD: ['5', '5.55', '5.550', '5.555'],
    KWD: ['5', '5.555', '5.5550', '5.5555'],
  }
  for (const [currency, amounts] of Object.entries(digits)) {
    const supplier = await storySupplier(gateway, { currency })
    for (const [index, amount] of amounts.entries()) {
      const isRefused = index === 3 || amount === '5.5' || (currency === 'JPY' && index > 1)
      for (const sent of [amount, Number(amount)]) {
        const reply = await push(supplier, night(`2027-04-0${index + 1}`, { rates: bar({ price: sent }) }), {
          pricingModel: 'unit',
        })
        assert.equal(reply.status, isRefused ? 400 : 200, `${currency} ${amount}`)
        const message = `Amount must have at most ${{ JPY: 0, USD: 2, KWD: 3 }[currency]} decimals in ${currency}`
        if (isRefused)
          assert.deepEqual(problemsOf(reply), [['/ari/0/rates/0/price', 'INVALID_AMOUNT', message]])
      }
    }
  }
})

test('prices in a former currency count as absent until they are pushed again, other values stay', async () => {
  const supplier = await storySupplier(gateway)
  const item = nights('2027-04-01', '2027-04-02', {
    inventory: 3,
    rates: bar({ minLengthStay: 2, prices: [adult(2, 110)] }),
  })
  expectOk(await push(supplier, item))
  await pushStoryHotel(supplier, { currency: 'EUR' })
  const unpriced = nights('2027-04-01', '2027-04-02', { inventory: 3, rates: bar({ minLengthStay: 2 }) })
  assert.deepEqual(await readAri(supplier), [unpriced])
  assert.deepEqual(outcomesOf(await push(supplier, item)), ['applied 2'])
  assert.deepEqual(await readAri(supplier), [item])
  assert.deepEqual(outcomesOf(await push(supplier, item)), ['unchanged 0'])
  // Back to the first currency: prices in the second currency are former ones now.
  await pushStoryHotel(supplier)
  assert.deepEqual(await readAri(supplier), [unpriced])
})

test('a price that a push sets and clears again is no change, not even after a change of currency', async () => {
  const supplier = await storySupplier(gateway)
  const items = [
    night('2027-04-01', { rates: bar({ prices: [adult(2, 110)] }) }),
    night('2027-04-01', { rates: bar({ prices: null }) }),
  ]
  assert.deepEqual(outcomesOf(await push(supplier, items)), ['unchanged 0', 'unchanged 0'])
  expectOk(await push(supplier, items[0] ?? {}))
  expectOk(await push(supplier, items[1] ?? {}))
  await pushStoryHotel(supplier, { currency: 'EUR' })
  assert.deepEqual(outcomesOf(await push(supplier, items)), ['unchanged 0', 'unchanged 0'])
})
