import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestClient, type TestSupplier } from '../../test/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../test/story.ts'

const gateway = await gatewayForTests()

let suppliers = 0
async function storySupplier(hotel: Record<string, unknown> = {}): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`supplier ${++suppliers}`)
  await pushStoryHotel(supplier, hotel)
  return supplier
}

test('a push is acknowledged with its changes, and read back as it was sent', async () => {
  const supplier = await storySupplier()
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

test('an unknown room or rate is refused with the text of the specification', async () => {
  const supplier = await storySupplier()
  const room = await supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'X1', date: '2027-04-15', inventory: 1 }],
  })
  assert.equal(room.status, 404)
  assert.deepEqual(problemsOf(room), [['/ari/0/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']])
})

type Fields = Record<string, unknown>

/** Pushes items for H1 in the guest model; `more` overrides members. */
function push(
  supplier: TestClient,
  ari: Fields | Fields[],
  more: Fields = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  return supplier.post(
    '/push/ari',
    { hotelId: 'H1', pricingModel: 'guest', ari: [ari].flat(), ...more },
    headers,
  )
}

const adult = (guests: number, amount: unknown): Fields => ({ ageCategory: 'adult', guests, amount })
const child = (guests: number, amount: unknown): Fields => ({ ageCategory: 'child', guests, amount })
const bar = (line: Fields): Fields[] => [{ rateId: 'BAR', ...line }]
const night = (date: string, item: Fields): Fields => ({ roomId: 'DBL', date, ...item })
const nights = (startDate: string, endDate: string, item: Fields): Fields => ({
  roomId: 'DBL',
  startDate,
  endDate,
  ...item,
})

/** Each item as "status cells". */
function told({ body }: Reply): string[] {
  assert.ok(Array.isArray(body['results']), JSON.stringify(body))
  return body['results'].map(({ status, cellsChanged }) => `${status} ${cellsChanged}`)
}

async function held(
  supplier: TestClient,
  startDate = '2027-04-01',
  endDate = '2027-04-30',
): Promise<unknown> {
  return expectOk(await supplier.post('/push/getAri', { hotelId: 'H1', startDate, endDate })).body['ari']
}

/** Every row that a push could write, with the version that PostgreSQL gives it at each write. */
async function rows(supplier: TestSupplier): Promise<unknown[]> {
  const { rows: found } = await gateway.db.query(
    `select 'month' as kind, room_no, rate_no, month, ari_month.xmin::text, ari_month.ctid::text
       from ari_month join hotel on hotel.id = hotel_id join supplier on supplier.id = supplier_id where supplier.name = $1
     union all
     select 'hotel', 0, 0, 0, hotel.revision::text, hotel.catalog_version::text
       from hotel join supplier on supplier.id = supplier_id where supplier.name = $1
     order by 1, 2, 3, 4`,
    [supplier.name],
  )
  return found
}

test('delta: absent members stay unchanged, null clears, a value sets, and a price changes only its own bucket', async () => {
  const supplier = await storySupplier()
  const full = {
    minLengthStay: 2,
    closedToArrival: true,
    prices: [adult(1, 90), adult(2, 110), child(1, 15)],
  }
  expectOk(await push(supplier, nights('2027-04-01', '2027-04-03', { inventory: 6, rates: bar(full) })))
  const changes = { maxLengthStay: 14, closedToArrival: null, prices: [adult(2, 120), child(1, null)] }
  assert.deepEqual(told(await push(supplier, night('2027-04-02', { rates: bar(changes) }))), ['applied 1'])
  const [old, changed] = [
    { rateId: 'BAR', ...full },
    { rateId: 'BAR', minLengthStay: 2, maxLengthStay: 14, prices: [adult(1, 90), adult(2, 120)] },
  ]
  assert.deepEqual(await held(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: [old] }),
    nights('2027-04-01', '2027-04-03', { inventory: 6 }),
    nights('2027-04-02', '2027-04-02', { rates: [changed] }),
    nights('2027-04-03', '2027-04-03', { rates: [old] }),
  ])
  assert.deepEqual(told(await push(supplier, night('2027-04-01', { inventory: null }))), ['applied 1'])
  assert.deepEqual(told(await push(supplier, night('2027-04-01', { inventory: null }))), ['unchanged 0'])
})

test('overlay: absent members are cleared, on the pushed room-rates and dates and nowhere else', async () => {
  const supplier = await storySupplier()
  const line = { inventory: 2, closed: true, minAdvanceDays: 3, prices: [adult(1, 90), adult(2, 110)] }
  const both = [
    { rateId: 'BAR', ...line },
    { rateId: 'NRF', ...line },
  ]
  expectOk(
    await push(supplier, nights('2027-04-01', '2027-04-03', { inventory: 6, closed: true, rates: both })),
  )
  const overlay = night('2027-04-02', { rates: bar({ maxStayArrival: 9, prices: [adult(2, 115)] }) })
  assert.deepEqual(told(await push(supplier, overlay, { mode: 'overlay' })), ['applied 1'])
  assert.deepEqual(told(await push(supplier, overlay, { mode: 'overlay' })), ['unchanged 0'])
  assert.deepEqual(await held(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: [{ rateId: 'BAR', ...line }] }),
    nights('2027-04-01', '2027-04-03', { inventory: 6, closed: true, rates: [{ rateId: 'NRF', ...line }] }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ maxStayArrival: 9, prices: [adult(2, 115)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: [{ rateId: 'BAR', ...line }] }),
  ])
  // An empty line clears everything of its room-rate; an item without rates clears nothing.
  assert.deepEqual(
    told(
      await push(supplier, [night('2027-04-02', { rates: bar({}) }), night('2027-04-02', {})], {
        mode: 'overlay',
      }),
    ),
    ['applied 1', 'unchanged 0'],
  )
  const expected = [
    nights('2027-04-02', '2027-04-02', { inventory: 6, closed: true, rates: [{ rateId: 'NRF', ...line }] }),
  ]
  assert.deepEqual(await held(supplier, '2027-04-02', '2027-04-02'), expected)
})

test('a price in the other model replaces the prices on the pushed dates only', async () => {
  const supplier = await storySupplier()
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
  assert.deepEqual(await held(supplier), [
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
  assert.deepEqual(told(cleared), ['applied 3'])
  const back = await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) }))
  assert.deepEqual(told(back), ['applied 1'])
  assert.deepEqual(await held(supplier), [
    nights('2027-04-01', '2027-04-01', { rates: bar({ inventory: 1 }) }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ inventory: 1, prices: [adult(2, 100)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ inventory: 1 }) }),
  ])
})

test('prices null clears all prices of both models; a null amount clears one', async () => {
  const supplier = await storySupplier()
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
  assert.deepEqual(told(await push(supplier, items)), [
    'applied 1',
    'applied 1',
    'applied 1',
    'applied 1',
    'unchanged 0',
  ])
  assert.deepEqual(await held(supplier), [
    nights('2027-04-02', '2027-04-02', { rates: bar({ prices: [adult(1, 90)] }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ prices: [adult(2, 110)] }) }),
  ])
})

test('restrictions: 0 and null clear, 1 to 999 set, and none changes another', async () => {
  const supplier = await storySupplier()
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
    assert.deepEqual(told(await push(supplier, night('2027-04-01', { rates: bar({ [name]: cleared }) }))), [
      'applied 1',
    ])
    assert.deepEqual(
      told(await push(supplier, night('2027-04-01', { rates: bar({ [name]: cleared === 0 ? null : 0 }) }))),
      ['unchanged 0'],
    )
    const others = Object.entries(all).slice(index + 1)
    const left = { closedToArrival: true, closedToDeparture: true, ...Object.fromEntries(others) }
    assert.deepEqual(await held(supplier), [nights('2027-04-01', '2027-04-01', { rates: bar(left) })])
  }
  expectOk(
    await push(
      supplier,
      night('2027-04-01', { rates: bar({ closedToArrival: false, closedToDeparture: null }) }),
    ),
  )
  assert.deepEqual(await held(supplier), [])
})

test('inventory and closed belong to the room in an item, to the rate in a rate line; closed of a flat item belongs to the rate', async () => {
  const supplier = await storySupplier()
  const items = [
    night('2027-04-01', { inventory: 6, closed: true, rates: bar({ inventory: 2, closed: true }) }),
    night('2027-04-02', { rateId: 'NRF', inventory: 5, closed: true }),
    night('2027-04-03', { inventory: 0 }),
  ]
  assert.deepEqual(told(await push(supplier, items)), ['applied 2', 'applied 2', 'applied 1'])
  assert.deepEqual(await held(supplier), [
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
  const supplier = await storySupplier()
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
  assert.deepEqual(told(await push(supplier, items, { pricingModel: 'unit' })), [
    ...Array<string>(5).fill('applied 1'),
    'applied 2',
  ])
  const unit = (amount: number): Fields => ({ rates: bar({ prices: [{ amount }] }) })
  assert.deepEqual(await held(supplier), [
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
  const supplier = await storySupplier()
  // 2027-04-02 is a Friday.
  const weekend = nights('2027-04-02', '2027-04-10', { daysOfWeek: ['FRI', 'SAT', 'FRI'], inventory: 1 })
  assert.deepEqual(told(await push(supplier, weekend)), ['applied 4'])
  assert.deepEqual(await held(supplier), [
    nights('2027-04-02', '2027-04-03', { inventory: 1 }),
    nights('2027-04-09', '2027-04-10', { inventory: 1 }),
  ])
})

test('items are applied in order, even for the same nights and for a night given twice', async () => {
  const supplier = await storySupplier()
  const items = [1, 2, 2, 1].map((inventory) => night('2027-04-01', { inventory }))
  const reply = expectOk(await push(supplier, items))
  assert.deepEqual(told(reply), ['applied 1', 'applied 1', 'unchanged 0', 'applied 1'])
  assert.deepEqual(reply.body['summary'], {
    items: 4,
    applied: 3,
    partial: 0,
    rejected: 0,
    superseded: 0,
    unchanged: 1,
    cellsChanged: 3,
  })
  assert.deepEqual(await held(supplier), [nights('2027-04-01', '2027-04-01', { inventory: 1 })])
})

test('invalid items and rate lines are rejected, the others are applied: 207', async () => {
  const supplier = await storySupplier()
  const items = [
    night('2027-04-01', { inventory: 1 }),
    { roomId: 'X1', date: '2027-04-01', inventory: 1 },
    night('2027-04-02', {
      inventory: 2,
      rates: [
        { rateId: 'BAR', minLengthStay: 1000 },
        { rateId: 'NRF', closed: true },
        { rateId: 'X2', closed: true },
      ],
    }),
    night('2027-04-03', { inventory: -1, rates: bar({ closed: true }) }),
    night('2027-04-01', { inventory: 1 }),
  ]
  const reply = await push(supplier, items, {}, { 'x-request-id': 'mixed' })
  assert.equal(reply.status, 207)
  assert.deepEqual(reply.body, {
    code: '207',
    message: 'ARI partially updated',
    hotelId: 'H1',
    revision: 3,
    requestId: 'mixed',
    summary: { items: 5, applied: 1, partial: 1, rejected: 2, superseded: 0, unchanged: 1, cellsChanged: 3 },
    results: [
      { index: 0, status: 'applied', cellsChanged: 1 },
      {
        index: 1,
        status: 'rejected',
        cellsChanged: 0,
        errors: [
          {
            type: 'ROOM_NOT_FOUND',
            message: 'RoomID not found',
            path: '/ari/1/roomId',
            value: 'X1',
            hint: 'Push the room with POST /push/products first',
          },
        ],
      },
      {
        index: 2,
        status: 'partial',
        cellsChanged: 2,
        errors: [
          {
            type: 'OUT_OF_RANGE',
            message: 'minLengthStay must be less than or equal to 999',
            path: '/ari/2/rates/0/minLengthStay',
            value: 1000,
          },
          {
            type: 'RATE_NOT_FOUND',
            message: 'RateID not found',
            path: '/ari/2/rates/2/rateId',
            value: 'X2',
            hint: 'Push the rate with POST /push/products first',
          },
        ],
      },
      {
        index: 3,
        status: 'rejected',
        cellsChanged: 0,
        errors: [
          {
            type: 'OUT_OF_RANGE',
            message: 'inventory must be greater than or equal to 0',
            path: '/ari/3/inventory',
            value: -1,
          },
        ],
      },
      { index: 4, status: 'unchanged', cellsChanged: 0 },
    ],
  })
  assert.deepEqual(await held(supplier), [
    nights('2027-04-01', '2027-04-01', { inventory: 1 }),
    nights('2027-04-02', '2027-04-02', { inventory: 2, rates: [{ rateId: 'NRF', closed: true }] }),
  ])
})

test('atomic: one invalid item refuses all, and each result has a reason', async () => {
  const supplier = await storySupplier()
  const earlier = await rows(supplier)
  const items = [night('2027-04-01', { inventory: 1 }), { roomId: 'X1', date: '2027-04-01', inventory: 1 }]
  const reply = await push(supplier, items, { atomic: true })
  assert.equal(reply.status, 404)
  assert.deepEqual(problemsOf(reply), [['/ari/1/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']])
  assert.deepEqual(told(reply), ['rejected 0', 'rejected 0'])
  const [first] = Array.isArray(reply.body['results']) ? reply.body['results'] : []
  assert.equal(first.errors[0].message, 'Not applied: the push is atomic and another item was rejected')
  assert.deepEqual(await rows(supplier), earlier)
  assert.deepEqual(told(await push(supplier, items.slice(0, 1), { atomic: true })), ['applied 1'])
})

test('dryRun: the same answer, and nothing is applied or stored', async () => {
  const supplier = await storySupplier()
  expectOk(await push(supplier, night('2027-04-01', { inventory: 1 })))
  const earlier = await rows(supplier)
  const items = [
    nights('2027-04-01', '2027-05-02', { inventory: 2, rates: bar({ price: 5 }) }),
    night('2027-04-01', { inventory: 3 }),
    night('2027-04-01', { inventory: 3 }),
    { roomId: 'X', date: '2027-04-01' },
  ]
  const more = { pricingModel: 'unit', sequence: 99 }
  const dry = await push(supplier, items, { ...more, dryRun: true }, { 'x-request-id': 'same' })
  assert.deepEqual(await rows(supplier), earlier)
  assert.deepEqual(told(await push(supplier, night('2027-04-01', { inventory: 1 }), { sequence: 1 })), [
    'unchanged 0',
  ])
  const real = await push(supplier, items, { ...more, sequence: 100 }, { 'x-request-id': 'same' })
  assert.deepEqual([dry.status, dry.body['revision'], dry.body['dryRun']], [207, 3, true])
  assert.deepEqual({ ...dry.body, dryRun: undefined, revision: 4 }, { ...real.body, dryRun: undefined })
  assert.deepEqual(told(await push(supplier, items.slice(3), { dryRun: true })), ['rejected 0'])
})

test('an unchanged value writes nothing: not the month, not the hotel', async () => {
  const supplier = await storySupplier()
  const item = nights('2027-04-20', '2027-05-10', {
    inventory: 3,
    closed: false,
    rates: bar({ minLengthStay: 2, closed: null, prices: [adult(2, '110.50')] }),
  })
  expectOk(await push(supplier, item))
  const earlier = await rows(supplier)
  for (const more of [{}, { mode: 'overlay' }, { dryRun: true }, { atomic: true }]) {
    const again = expectOk(await push(supplier, item, more))
    assert.deepEqual(told(again), ['unchanged 0'])
    assert.equal(again.body['revision'], 3)
  }
  assert.deepEqual(await rows(supplier), earlier)
  const one = expectOk(await push(supplier, night('2027-05-01', { inventory: 4 })))
  assert.equal(one.body['revision'], 4)
  const changed = await rows(supplier)
  // Only the room's May and the hotel changed, neither April nor the rate.
  assert.equal(
    changed.filter((row, index) => JSON.stringify(row) !== JSON.stringify(earlier[index])).length,
    2,
  )
})

test('revision rises by one with every applied push, and with no other', async () => {
  const supplier = await storySupplier()
  const revisions: unknown[] = []
  for (const [items, more] of [
    [[night('2027-04-01', { inventory: 1 }), night('2027-04-02', { inventory: 1 })], {}],
    [[night('2027-04-01', { inventory: 1 })], {}],
    [[{ roomId: 'X', date: '2027-04-01' }], {}],
    [[night('2027-04-01', { inventory: 2 })], { dryRun: true }],
    [[night('2027-04-01', { inventory: 2 }), { roomId: 'X', date: '2027-04-01' }], {}],
    [[night('2027-04-01', { inventory: 3 })], { currency: 'EUR' }],
    [[night('2027-04-01', { inventory: null })], {}],
  ] satisfies [Fields[], Fields][]) {
    revisions.push((await push(supplier, items, more)).body['revision'])
  }
  assert.deepEqual(revisions, [3, 3, 3, 3, 4, 4, 5])
})

test('sequence: each field keeps the value with the highest, regardless of the order of arrival', async () => {
  const supplier = await storySupplier()
  const send = (sequence: number | undefined, line: Fields, more: Fields = {}): Promise<Reply> =>
    push(supplier, night('2027-04-01', { rates: bar(line) }), {
      ...(sequence === undefined ? {} : { sequence }),
      ...more,
    })
  assert.deepEqual(told(await send(10, { minLengthStay: 10, inventory: 10 })), ['applied 1'])
  const late = expectOk(await send(9, { minLengthStay: 9 }))
  assert.deepEqual(told(late), ['superseded 0'])
  const [result] = Array.isArray(late.body['results']) ? late.body['results'] : []
  assert.deepEqual(
    result.warnings.map((warning: Fields) => [warning['type'], warning['message'], warning['path']]),
    [['SUPERSEDED', '1 night kept the values of a higher sequence', '/ari/0']],
  )
  assert.deepEqual(told(await send(8, { minLengthStay: 8, maxLengthStay: 8 })), ['applied 1'])
  assert.deepEqual(told(await send(10, { minLengthStay: 11 })), ['applied 1'])
  assert.deepEqual(await held(supplier), [
    nights('2027-04-01', '2027-04-01', {
      rates: bar({ inventory: 10, minLengthStay: 11, maxLengthStay: 8 }),
    }),
  ])
  // Without a sequence, arrival order counts and the remembered sequence stays.
  assert.deepEqual(told(await send(undefined, { minLengthStay: 1 })), ['applied 1'])
  assert.deepEqual(told(await send(9, { minLengthStay: 9 })), ['superseded 0'])
  assert.deepEqual(told(await send(0, { maxStayArrival: 3 })), ['applied 1'])
  assert.deepEqual(told(await send(Number.MAX_SAFE_INTEGER, { minLengthStay: 2 })), ['applied 1'])
  assert.deepEqual(told(await send(10, { minLengthStay: 3 })), ['superseded 0'])
})

test('sequence: clears count too, even of prices that were never set', async () => {
  const supplier = await storySupplier()
  const send = (sequence: number, date: string, line: Fields, more: Fields = {}): Promise<Reply> =>
    push(supplier, night(date, { rates: bar(line) }), { sequence, ...more })
  // Cleared by null, by overlay and by the other model; then an older price arrives late.
  expectOk(await send(5, '2027-04-01', { prices: null }))
  expectOk(await send(5, '2027-04-02', { closed: true }, { mode: 'overlay' }))
  expectOk(await send(5, '2027-04-03', { price: 50 }, { pricingModel: 'unit' }))
  for (const date of ['2027-04-01', '2027-04-02', '2027-04-03']) {
    assert.deepEqual(told(await send(4, date, { prices: [adult(2, 100)] })), ['superseded 0'], date)
    assert.deepEqual(
      told(await send(4, date, { price: 70 }, { pricingModel: 'unit' })),
      ['superseded 0'],
      date,
    )
  }
  assert.deepEqual(await held(supplier), [
    nights('2027-04-02', '2027-04-02', { rates: bar({ closed: true }) }),
    nights('2027-04-03', '2027-04-03', { rates: bar({ prices: [{ amount: 50 }] }) }),
  ])
  // A newer guest price arrived first: the older unit price and the older clearing are not applied.
  expectOk(await send(7, '2027-04-04', { prices: [adult(2, 100)] }))
  assert.deepEqual(told(await send(6, '2027-04-04', { price: 50 }, { pricingModel: 'unit' })), [
    'superseded 0',
  ])
  assert.deepEqual(told(await send(6, '2027-04-04', {}, { mode: 'overlay' })), ['superseded 0'])
  assert.deepEqual(await held(supplier, '2027-04-04', '2027-04-04'), [
    nights('2027-04-04', '2027-04-04', { rates: bar({ prices: [adult(2, 100)] }) }),
  ])
})

test('sequence: a price is superseded by a newer price of the other model', async () => {
  const supplier = await storySupplier()
  const other = await gateway.supplier(supplier.name)
  const guest = night('2027-04-01', { rates: bar({ prices: [adult(2, 100)] }) })
  expectOk(await push(supplier, guest, { sequence: 5 }))
  expectOk(await push(other, night('2027-04-01', { rates: bar({ price: 50 }) }), { pricingModel: 'unit' }))
  // The first key's clearing of the unit price has sequence 5, so the same key's older push can't clear it
  // any more.
  const late = night('2027-04-01', { rates: bar({ prices: [adult(1, 90)] }) })
  assert.deepEqual(told(await push(supplier, late, { sequence: 3 })), ['superseded 0'])
  // The other way round: a newer sequence keeps the guest price, which was pushed without one.
  expectOk(
    await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, null)] }) }), { sequence: 5 }),
  )
  expectOk(await push(supplier, night('2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) })))
  const unit = night('2027-04-02', { rates: bar({ price: 70 }) })
  assert.deepEqual(told(await push(supplier, unit, { sequence: 3, pricingModel: 'unit' })), ['superseded 0'])
  const ari = await held(supplier)
  assert.deepEqual(ari, [
    nights('2027-04-01', '2027-04-01', { rates: bar({ pricingModel: 'unit', prices: [{ amount: 50 }] }) }),
    nights('2027-04-02', '2027-04-02', { rates: bar({ prices: [adult(2, 100)] }) }),
  ])
  assert.deepEqual(told(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari })), [
    'unchanged 0',
    'unchanged 0',
  ])
})

test('sequences are separate for each key and hotel', async () => {
  const supplier = await storySupplier()
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const other = await gateway.supplier(supplier.name)
  const send = (client: TestClient, sequence: number, inventory: number, hotelId = 'H1'): Promise<Reply> =>
    push(client, night('2027-04-01', { inventory }), { sequence, hotelId })
  assert.deepEqual(told(await send(supplier, 100, 1)), ['applied 1'])
  assert.deepEqual(told(await send(other, 1, 2)), ['applied 1'])
  assert.deepEqual(told(await send(supplier, 99, 3)), ['superseded 0'])
  assert.deepEqual(told(await send(other, 0, 3)), ['superseded 0'])
  assert.deepEqual(told(await send(supplier, 1, 3, 'H2')), ['applied 1'])
})

test('amounts fit the minor digits of the hotel’s currency, as numbers and as text', async () => {
  const digits = {
    JPY: ['5', '5.0', '5.5', '0.1'],
    USD: ['5', '5.55', '5.550', '5.555'],
    KWD: ['5', '5.555', '5.5550', '5.5555'],
  }
  for (const [currency, amounts] of Object.entries(digits)) {
    const supplier = await storySupplier({ currency })
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
  const supplier = await storySupplier()
  const item = nights('2027-04-01', '2027-04-02', {
    inventory: 3,
    rates: bar({ minLengthStay: 2, prices: [adult(2, 110)] }),
  })
  expectOk(await push(supplier, item))
  await pushStoryHotel(supplier, { currency: 'EUR' })
  const unpriced = nights('2027-04-01', '2027-04-02', { inventory: 3, rates: bar({ minLengthStay: 2 }) })
  assert.deepEqual(await held(supplier), [unpriced])
  assert.deepEqual(told(await push(supplier, item)), ['applied 2'])
  assert.deepEqual(await held(supplier), [item])
  assert.deepEqual(told(await push(supplier, item)), ['unchanged 0'])
  // Back to the first currency: prices in the second currency are former ones now.
  await pushStoryHotel(supplier)
  assert.deepEqual(await held(supplier), [unpriced])
})

test('a price that a push sets and clears again is no change, not even after a change of currency', async () => {
  const supplier = await storySupplier()
  const items = [
    night('2027-04-01', { rates: bar({ prices: [adult(2, 110)] }) }),
    night('2027-04-01', { rates: bar({ prices: null }) }),
  ]
  assert.deepEqual(told(await push(supplier, items)), ['unchanged 0', 'unchanged 0'])
  expectOk(await push(supplier, items[0] ?? {}))
  expectOk(await push(supplier, items[1] ?? {}))
  await pushStoryHotel(supplier, { currency: 'EUR' })
  assert.deepEqual(told(await push(supplier, items)), ['unchanged 0', 'unchanged 0'])
})

test('the same Idempotency-Key and body give the stored answer, and another body 422', async () => {
  const supplier = await storySupplier()
  const key = { 'idempotency-key': 'k1' }
  const first = await push(supplier, night('2027-04-01', { inventory: 1 }), {}, key)
  expectOk(await push(supplier, night('2027-04-01', { inventory: 2 })))
  const again = await push(supplier, night('2027-04-01', { inventory: 1 }), {}, key)
  assert.deepEqual(
    [again.status, again.text, again.headers.get('idempotency-replayed')],
    [200, first.text, 'true'],
  )
  assert.deepEqual(await held(supplier), [nights('2027-04-01', '2027-04-01', { inventory: 2 })])
  const other = await push(supplier, night('2027-04-01', { inventory: 3 }), {}, key)
  assert.equal(other.status, 422)
  assert.deepEqual(problemsOf(other), [
    ['idempotency-key', 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another body'],
  ])
  // Twenty at once under one key: one is applied; the others get its answer or are told to retry.
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      push(supplier, night('2027-04-09', { inventory: 4 }), {}, { 'idempotency-key': 'k2' }),
    ),
  )
  const fresh = replies.filter(
    ({ status, headers }) => status === 200 && !headers.has('idempotency-replayed'),
  )
  assert.equal(fresh.length, 1)
  for (const { status, text } of replies)
    assert.ok((status === 200 && text === fresh[0]?.text) || status === 409, text)
})

test('an unknown hotel and another supplier’s hotel get the same answer', async () => {
  const supplier = await storySupplier()
  const stranger = await gateway.supplier('a stranger')
  for (const [client, hotelId] of [
    [supplier, 'H9'],
    [stranger, 'H1'],
  ] as const) {
    const reply = await push(client, night('2027-04-01', { inventory: 1 }), { hotelId })
    assert.equal(reply.status, 404)
    assert.deepEqual(problemsOf(reply), [['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel ID is not found']])
  }
  // Two suppliers may both have an H1, and neither sees the other's.
  await pushStoryHotel(stranger)
  expectOk(await push(stranger, night('2027-04-01', { inventory: 7 })))
  assert.deepEqual(await held(supplier), [])
})

test('a misspelt member is named in a warning, because nothing else would reveal it', async () => {
  const supplier = await storySupplier()
  const ari = [
    { roomId: 'DBL', date: '2027-04-15', availability: 4, stopSell: true },
    { roomId: 'DBL', date: '2027-04-15', inventory: 2, rates: [{ rateId: 'BAR', minStay: 2 }] },
  ]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
  assert.deepEqual(body['results'], [
    {
      index: 0,
      status: 'unchanged',
      cellsChanged: 0,
      warnings: [
        {
          type: 'NOTHING_SENT',
          message: 'Nothing was changed: no value was sent',
          path: '/ari/0',
          hint: 'Unknown and ignored: availability, stopSell',
        },
      ],
    },
    {
      index: 1,
      status: 'applied',
      cellsChanged: 1,
      warnings: [
        {
          type: 'NOTHING_SENT',
          message: 'Nothing was changed: no value was sent',
          path: '/ari/1/rates/0',
          hint: 'Unknown and ignored: minStay',
        },
      ],
    },
  ])
})

test('guests in the unit model are ignored, with a warning', async () => {
  const supplier = await storySupplier()
  const prices = [{ guests: 2, ageCategory: 'adult', amount: 110 }]
  const ari = [{ roomId: 'DBL', date: '2027-04-15', inventory: 4, rates: [{ rateId: 'BAR', prices }] }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  assert.deepEqual(body['results'], [
    {
      index: 0,
      status: 'applied',
      cellsChanged: 2,
      warnings: [
        {
          type: 'GUEST_FIELDS_IGNORED',
          message: 'guests and ageCategory are ignored when pricingModel is unit',
          path: '/ari/0/rates/0',
          hint: 'The amount is for the room, regardless of the guests; send pricingModel guest for prices by number of guests',
        },
      ],
    },
  ])
})

test('a push whose later items restore the values that its earlier ones overwrote is unchanged when repeated', async () => {
  const supplier = await storySupplier()
  const line = (price: number) => [{ rateId: 'BAR', price }]
  const range = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30' }
  const ari = [
    { ...range, inventory: 5, rates: line(90) },
    { ...range, daysOfWeek: ['FRI', 'SAT'], rates: line(120) },
  ]
  const body = { hotelId: 'H1', pricingModel: 'unit', ari }
  const first = expectOk(await supplier.post('/push/ari', body))
  const again = expectOk(await supplier.post('/push/ari', body))
  assert.equal(again.body['revision'], first.body['revision'])
  assert.deepEqual(again.body['results'], [
    { index: 0, status: 'unchanged', cellsChanged: 0 },
    { index: 1, status: 'unchanged', cellsChanged: 0 },
  ])
})

test('a locked hotel does not delay pushes for other hotels', async () => {
  const supplier = await storySupplier()
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  const pushTo = (hotelId: string) =>
    supplier.post('/push/ari', { hotelId, ari: [{ roomId: 'DBL', date: '2027-04-15', inventory: 3 }] })
  const holder = await gateway.db.pool.connect()
  await holder.query('begin')
  await holder.query(`select from hotel where code = 'H1' for update`)
  const waiting = pushTo('H1')
  const others = await Promise.all(Array.from({ length: 5 }, () => pushTo('H2')))
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  await holder.query('commit')
  holder.release()
  expectOk(await waiting)
})
