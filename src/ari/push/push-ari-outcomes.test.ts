import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adult,
  bar,
  night,
  nights,
  outcomesOf,
  push,
  readAri,
  storySupplier,
  type Fields,
} from '../../../test/stage/scenes/ari.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

/** What a push answers, and what it leaves unwritten. */

const gateway = await gatewayForTests()

/** Every row that a push could write, with the version that PostgreSQL gives it at each write. */
async function writtenRows(supplier: TestSupplier): Promise<unknown[]> {
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

test('an unknown room or rate is refused with the text of the specification', async () => {
  const supplier = await storySupplier(gateway)
  const room = await supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'X1', date: '2027-04-15', inventory: 1 }],
  })
  assert.equal(room.status, 404)
  assert.deepEqual(problemsOf(room), [['/ari/0/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']])
})

test('invalid items and rate lines are rejected, the others are applied: 207', async () => {
  const supplier = await storySupplier(gateway)
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
    night('2027-04-03', { inventory: 100_000, rates: bar({ closed: true }) }),
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
            message: 'inventory must be less than or equal to 99999',
            path: '/ari/3/inventory',
            value: 100_000,
          },
        ],
      },
      { index: 4, status: 'unchanged', cellsChanged: 0 },
    ],
  })
  assert.deepEqual(await readAri(supplier), [
    nights('2027-04-01', '2027-04-01', { inventory: 1 }),
    nights('2027-04-02', '2027-04-02', { inventory: 2, rates: [{ rateId: 'NRF', closed: true }] }),
  ])
})

test('atomic: one invalid item refuses all, and each result has a reason', async () => {
  const supplier = await storySupplier(gateway)
  const earlier = await writtenRows(supplier)
  const items = [night('2027-04-01', { inventory: 1 }), { roomId: 'X1', date: '2027-04-01', inventory: 1 }]
  const reply = await push(supplier, items, { atomic: true })
  assert.equal(reply.status, 404)
  assert.deepEqual(problemsOf(reply), [['/ari/1/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']])
  assert.deepEqual(outcomesOf(reply), ['rejected 0', 'rejected 0'])
  const [first] = Array.isArray(reply.body['results']) ? reply.body['results'] : []
  assert.equal(first.errors[0].message, 'Not applied: the push is atomic and another item was rejected')
  assert.deepEqual(await writtenRows(supplier), earlier)
  assert.deepEqual(outcomesOf(await push(supplier, items.slice(0, 1), { atomic: true })), ['applied 1'])
})

test('dryRun: the same answer, and nothing is applied or stored', async () => {
  const supplier = await storySupplier(gateway)
  expectOk(await push(supplier, night('2027-04-01', { inventory: 1 })))
  const earlier = await writtenRows(supplier)
  const items = [
    nights('2027-04-01', '2027-05-02', { inventory: 2, rates: bar({ price: 5 }) }),
    night('2027-04-01', { inventory: 3 }),
    night('2027-04-01', { inventory: 3 }),
    { roomId: 'X', date: '2027-04-01' },
  ]
  const more = { pricingModel: 'unit', sequence: 99 }
  const dry = await push(supplier, items, { ...more, dryRun: true }, { 'x-request-id': 'same' })
  assert.deepEqual(await writtenRows(supplier), earlier)
  assert.deepEqual(outcomesOf(await push(supplier, night('2027-04-01', { inventory: 1 }), { sequence: 1 })), [
    'unchanged 0',
  ])
  const real = await push(supplier, items, { ...more, sequence: 100 }, { 'x-request-id': 'same' })
  assert.deepEqual([dry.status, dry.body['revision'], dry.body['dryRun']], [207, 3, true])
  assert.deepEqual({ ...dry.body, dryRun: undefined, revision: 4 }, { ...real.body, dryRun: undefined })
  assert.deepEqual(outcomesOf(await push(supplier, items.slice(3), { dryRun: true })), ['rejected 0'])
})

test('an unchanged value writes nothing: not the month, not the hotel', async () => {
  const supplier = await storySupplier(gateway)
  const item = nights('2027-04-20', '2027-05-10', {
    inventory: 3,
    closed: false,
    rates: bar({ minLengthStay: 2, closed: null, prices: [adult(2, '110.50')] }),
  })
  expectOk(await push(supplier, item))
  const earlier = await writtenRows(supplier)
  for (const more of [{}, { mode: 'overlay' }, { dryRun: true }, { atomic: true }]) {
    const again = expectOk(await push(supplier, item, more))
    assert.deepEqual(outcomesOf(again), ['unchanged 0'])
    assert.equal(again.body['revision'], 3)
  }
  assert.deepEqual(await writtenRows(supplier), earlier)
  const one = expectOk(await push(supplier, night('2027-05-01', { inventory: 4 })))
  assert.equal(one.body['revision'], 4)
  const changed = await writtenRows(supplier)
  // Only the room's May and the hotel changed, neither April nor the rate.
  assert.equal(
    changed.filter((row, index) => JSON.stringify(row) !== JSON.stringify(earlier[index])).length,
    2,
  )
})

test('revision rises by one with every applied push, and with no other', async () => {
  const supplier = await storySupplier(gateway)
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

test('the same Idempotency-Key and body give the stored answer, and another body 422', async () => {
  const supplier = await storySupplier(gateway)
  const key = { 'idempotency-key': 'k1' }
  const first = await push(supplier, night('2027-04-01', { inventory: 1 }), {}, key)
  expectOk(await push(supplier, night('2027-04-01', { inventory: 2 })))
  const again = await push(supplier, night('2027-04-01', { inventory: 1 }), {}, key)
  assert.deepEqual(
    [again.status, again.text, again.headers.get('idempotency-replayed')],
    [200, first.text, 'true'],
  )
  assert.deepEqual(await readAri(supplier), [nights('2027-04-01', '2027-04-01', { inventory: 2 })])
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
  const supplier = await storySupplier(gateway)
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
  assert.deepEqual(await readAri(supplier), [])
})

test('a misspelt member is named in a warning, because nothing else would reveal it', async () => {
  const supplier = await storySupplier(gateway)
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

test('a price without guests in a rate line of the guest model is refused with the form to send instead', async () => {
  const supplier = await storySupplier(gateway)
  const pushed = (rate: object) =>
    supplier.post('/push/ari', {
      hotelId: 'H1',
      pricingModel: 'guest',
      ari: [{ roomId: 'DBL', date: '2027-04-15', rates: [{ rateId: 'BAR', ...rate }] }],
    })
  const { status, body } = await pushed({ price: 110 })
  const hint =
    'Send prices: [{ "ageCategory": "adult", "guests": 2, "amount": 110 }], or pricingModel unit for one price whatever the guests'
  assert.deepEqual(
    [status, body['errors']],
    [
      400,
      ['guests', 'ageCategory'].map((name) => ({
        type: 'REQUIRED',
        message: `${name} is required when pricingModel is guest`,
        path: `/ari/0/rates/0/${name}`,
        hint,
        docUrl: '/docs/guides/errors#REQUIRED',
      })),
    ],
  )
  expectOk(await pushed({ prices: [{ ageCategory: 'adult', guests: 2, amount: 110 }] }))
})

test('a push that is refused because ari is missing is not said to have an empty one', async () => {
  const supplier = await storySupplier(gateway)
  const missing = await supplier.post('/push/ari', { hotelId: 'H1' })
  const empty = await supplier.post('/push/ari', { hotelId: 'H1', ari: [] })
  const typesOf = (problems: unknown): unknown[] => [problems ?? []].flat().map((one) => Object(one).type)
  assert.deepEqual(
    [missing, empty].map(({ status, body }) => [status, typesOf(body['errors']), typesOf(body['warnings'])]),
    [
      [400, ['REQUIRED'], []],
      [200, [], ['NOTHING_SENT']],
    ],
  )
})

test('guests in the unit model are ignored, with a warning', async () => {
  const supplier = await storySupplier(gateway)
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
  const supplier = await storySupplier(gateway)
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
  const supplier = await storySupplier(gateway)
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
