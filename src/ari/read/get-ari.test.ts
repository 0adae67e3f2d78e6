import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
} from '../../../test/stage/harness.ts'
import { rawConnection } from '../../../test/stage/raw-http.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let suppliers = 0
async function storySupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`reader ${++suppliers}`)
  await pushStoryHotel(supplier)
  return supplier
}

const push = (supplier: TestClient, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari, ...more })
const read = (supplier: TestClient, more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30', ...more })

test('a hotel without ARI returns no items, with its revision and currency', async () => {
  const supplier = await storySupplier()
  assert.deepEqual(expectOk(await read(supplier)).body, {
    code: '200',
    message: 'ARI retrieved successfully',
    hotelId: 'H1',
    revision: 2,
    currency: 'USD',
    ari: [],
  })
})

test('as few ranges as possible: across months, split where a value differs or is missing', async () => {
  const supplier = await storySupplier()
  const pushed = [
    {
      roomId: 'DBL',
      startDate: '2027-04-20',
      endDate: '2027-06-10',
      inventory: 5,
      rates: [{ rateId: 'BAR', prices: [{ amount: 100 }] }],
    },
    { roomId: 'DBL', date: '2027-05-05', inventory: 4 },
    { roomId: 'DBL', date: '2027-05-20', rates: [{ rateId: 'BAR', prices: null }] },
  ]
  expectOk(await push(supplier, pushed))
  const item = (startDate: string, endDate: string, more: Fields): Fields => ({
    roomId: 'DBL',
    startDate,
    endDate,
    ...more,
  })
  const rates = [{ rateId: 'BAR', prices: [{ amount: 100 }] }]
  assert.deepEqual(expectOk(await read(supplier)).body['ari'], [
    item('2027-04-20', '2027-05-04', { inventory: 5 }),
    item('2027-04-20', '2027-05-19', { rates }),
    item('2027-05-05', '2027-05-05', { inventory: 4 }),
    item('2027-05-06', '2027-06-10', { inventory: 5 }),
    item('2027-05-21', '2027-06-10', { rates }),
  ])
})

test('only the requested dates, both inclusive, rooms, and rates with the room’s own values', async () => {
  const supplier = await storySupplier()
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('SGL', 'BAR')] }))
  const rates = [{ rateId: 'BAR', closed: true }]
  expectOk(
    await push(supplier, [
      {
        roomId: 'DBL',
        startDate: '2027-04-01',
        endDate: '2027-04-30',
        inventory: 5,
        rates: [...rates, { rateId: 'NRF', closed: true }],
      },
      { roomId: 'SGL', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 1, rates },
    ]),
  )
  const cut = { startDate: '2027-04-10', endDate: '2027-04-11' }
  const single = { roomId: 'SGL', ...cut, inventory: 1, rates }
  assert.deepEqual(expectOk(await read(supplier, { ...cut, roomIds: ['SGL'] })).body['ari'], [single])
  assert.deepEqual(expectOk(await read(supplier, { ...cut, rateIds: ['NRF'] })).body['ari'], [
    { roomId: 'DBL', ...cut, inventory: 5, rates: [{ rateId: 'NRF', closed: true }] },
    { roomId: 'SGL', ...cut, inventory: 1 },
  ])
  assert.deepEqual(
    expectOk(await read(supplier, { ...cut, roomIds: ['SGL'], rateIds: ['BAR', 'NRF'] })).body['ari'],
    [single],
  )
})

test('posting the answer back changes nothing: both models, all members, over a year', async () => {
  const supplier = await storySupplier()
  const guest = [
    { ageCategory: 'adult', guests: 1, amount: 90.1 },
    { ageCategory: 'child', guests: 1, amount: 0 },
  ]
  expectOk(
    await push(supplier, [
      {
        roomId: 'DBL',
        startDate: '2027-02-28',
        endDate: '2028-03-31',
        inventory: 3,
        rates: [{ rateId: 'NRF', price: 0.29, minLengthStay: 2 }],
      },
      {
        roomId: 'DBL',
        startDate: '2027-03-01',
        endDate: '2028-12-31',
        daysOfWeek: ['FRI', 'SAT'],
        closed: true,
        pricingModel: 'guest',
        rates: [{ rateId: 'BAR', prices: guest, inventory: 0, closedToArrival: true, maxAdvanceDays: 999 }],
      },
      { roomId: 'DBL', date: '2027-08-01', pricingModel: 'guest', rates: [{ rateId: 'NRF', prices: guest }] },
    ]),
  )
  const held = expectOk(await read(supplier, { startDate: '2027-02-28', endDate: '2029-03-30' }))
  for (const mode of [{}, { mode: 'overlay' }, { atomic: true }]) {
    const again = expectOk(await supplier.post('/push/ari', { ...held.body, ...mode }))
    const { items, unchanged, cellsChanged } = Object(again.body['summary'])
    assert.deepEqual([unchanged, cellsChanged, again.body['revision']], [items, 0, held.body['revision']])
  }
  assert.deepEqual((await read(supplier, { startDate: '2027-02-28', endDate: '2029-03-30' })).body, held.body)
})

test('prices in a former currency are omitted, with a warning that counts their nights', async () => {
  const supplier = await storySupplier()
  expectOk(
    await push(supplier, [
      {
        roomId: 'DBL',
        startDate: '2027-04-01',
        endDate: '2027-04-03',
        inventory: 1,
        rates: [{ rateId: 'BAR', price: 5 }],
      },
    ]),
  )
  await pushStoryHotel(supplier, { currency: 'JPY' })
  expectOk(
    await push(supplier, [{ roomId: 'DBL', date: '2027-04-02', rates: [{ rateId: 'BAR', price: 500 }] }]),
  )
  const { body } = expectOk(await read(supplier))
  assert.deepEqual(body, {
    code: '200',
    message: 'ARI retrieved successfully',
    hotelId: 'H1',
    revision: 5,
    currency: 'JPY',
    pricingModel: 'unit',
    ari: [
      { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-03', inventory: 1 },
      {
        roomId: 'DBL',
        startDate: '2027-04-02',
        endDate: '2027-04-02',
        rates: [{ rateId: 'BAR', prices: [{ amount: 500 }] }],
      },
    ],
    warnings: [
      {
        type: 'FORMER_CURRENCY',
        message: "Prices of 2 nights were pushed before the hotel's currency changed and cannot be sold",
        hint: 'Push them again in JPY',
      },
    ],
  })
})

test('prices beyond a lowered occupancy are kept but omitted, so that posting the answer back changes nothing; a higher occupancy restores them', async () => {
  const supplier = await storySupplier()
  const line = (ageCategory: string, guests: number, amount: number): Fields => ({
    guests,
    ageCategory,
    amount,
  })
  const sold = [line('adult', 1, 90), line('child', 1, 15)]
  const prices = [
    line('adult', 1, 90),
    line('adult', 2, 110),
    line('child', 1, 15),
    line('child', 2, 25),
    line('infant', 3, 5),
  ]
  const nights = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-03' }
  expectOk(
    await push(
      supplier,
      [
        { ...nights, inventory: 5, rates: [{ rateId: 'BAR', prices }] },
        {
          ...nights,
          startDate: '2027-04-03',
          rates: [{ rateId: 'NRF', prices: [line('adult', 2, 80)] }],
        },
      ],
      { pricingModel: 'guest' },
    ),
  )
  const whole = expectOk(await read(supplier)).body
  const pushProducts = (occupancy: Fields) =>
    supplier.post('/push/products', {
      hotelId: 'H1',
      products: ['BAR', 'NRF'].map((rateId) => product('DBL', rateId, { occupancy })),
    })
  expectOk(await pushProducts({ maxOccupancy: 2, maxAdult: 1, maxChild: 1 }))
  const { body } = expectOk(await read(supplier))
  assert.deepEqual(body, {
    code: '200',
    message: 'ARI retrieved successfully',
    hotelId: 'H1',
    revision: 4,
    currency: 'USD',
    pricingModel: 'guest',
    ari: [{ ...nights, inventory: 5, rates: [{ rateId: 'BAR', prices: sold }] }],
    warnings: [
      {
        type: 'BEYOND_OCCUPANCY',
        message: 'Prices of 4 nights are for more guests than the product allows and cannot be sold',
        hint: 'Nothing to do, unless the occupancy is wrong: they can be sold again once it allows them',
      },
    ],
  })
  const again = expectOk(await supplier.post('/push/ari', body))
  const { unchanged, cellsChanged } = Object(again.body['summary'])
  assert.deepEqual([unchanged, cellsChanged, again.body['revision']], [1, 0, 4])

  const raised = expectOk(await pushProducts({ maxOccupancy: 3, maxAdult: 2, maxChild: 2 }))
  assert.deepEqual([raised.body['updated'], raised.body['warnings']], [2, []])
  assert.deepEqual(expectOk(await read(supplier)).body, { ...whole, revision: 5 })
})

test('unknown hotels, rooms and rates, and hotels of others', async () => {
  const supplier = await storySupplier()
  const stranger = await gateway.supplier(`reader ${++suppliers}`)
  for (const reply of [await read(stranger), await read(supplier, { hotelId: 'H9' })]) {
    assert.equal(reply.status, 404)
    assert.deepEqual(problemsOf(reply), [['/hotelId', 'HOTEL_NOT_FOUND', 'Hotel ID is not found']])
  }
  const reply = await read(supplier, { roomIds: ['DBL', 'X1', 'X2'], rateIds: ['bar'] })
  assert.equal(reply.status, 404)
  assert.deepEqual(problemsOf(reply), [
    ['/roomIds/1', 'ROOM_NOT_FOUND', 'RoomID not found'],
    ['/roomIds/2', 'ROOM_NOT_FOUND', 'RoomID not found'],
    ['/rateIds/0', 'RATE_NOT_FOUND', 'RateID not found'],
  ])
})

test('dates are required, valid and in order, at most 800 nights', async () => {
  const supplier = await storySupplier()
  const cases: [Fields, unknown[]][] = [
    [{ startDate: undefined }, [['/startDate', 'REQUIRED', 'startDate is required']]],
    [
      { endDate: '2027-06-31' },
      [['/endDate', 'INVALID_DATE', 'endDate must be a date in the form YYYY-MM-DD']],
    ],
    [
      { startDate: '2027-07-01' },
      [['/startDate', 'DATES_REVERSED', 'startDate must not be later than endDate']],
    ],
    [
      { endDate: '2029-06-09' },
      [['/endDate', 'RANGE_TOO_LONG', 'startDate to endDate must span at most 800 nights']],
    ],
    [{ roomIds: [] }, [['/roomIds', 'TOO_FEW', 'roomIds must have at least 1 element']]],
    [{ hotelId: undefined }, [['/hotelId', 'HOTEL_ID_REQUIRED', 'hotelId is required']]],
  ]
  for (const [more, problems] of cases) {
    const reply = await read(supplier, more)
    assert.equal(reply.status, 400, JSON.stringify(more))
    assert.deepEqual(problemsOf(reply), problems)
  }
  expectOk(await read(supplier, { endDate: '2029-06-08' }))
})

test('all problems of a read are reported at once', async () => {
  const supplier = await storySupplier()
  const told = async (more: Fields): Promise<unknown[]> => {
    const reply = await read(supplier, more)
    assert.equal(reply.status, 400, reply.text)
    return problemsOf(reply).map((problem) => (Array.isArray(problem) ? problem.slice(0, 2) : []))
  }
  const codes = { roomIds: ['DBL', 5, 'X'], rateIds: ['Y'] }
  assert.deepEqual(await told({ startDate: '2027-07-01', ...codes }), [
    ['/roomIds/1', 'WRONG_TYPE'],
    ['/startDate', 'DATES_REVERSED'],
    ['/roomIds/2', 'ROOM_NOT_FOUND'],
    ['/rateIds/0', 'RATE_NOT_FOUND'],
  ])
  assert.deepEqual(await told({ startDate: 'x', rateIds: ['Y'] }), [
    ['/startDate', 'INVALID_DATE'],
    ['/rateIds/0', 'RATE_NOT_FOUND'],
  ])
  assert.deepEqual(await told({ hotelId: 'H9', startDate: '2027-07-01', ...codes }), [
    ['/hotelId', 'HOTEL_NOT_FOUND'],
    ['/roomIds/1', 'WRONG_TYPE'],
    ['/startDate', 'DATES_REVERSED'],
  ])
})

test('a read is consistent: its nights are those of its revision, while pushes continue', async () => {
  const supplier = await gateway.supplier(`reader ${++suppliers}`, { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
  // Every push adds a rate and sets the inventory to the revision that it creates.
  const write = async (): Promise<void> => {
    for (let step = 0; step < 25; step++) {
      expectOk(
        await supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', `R${step}`)] }),
      )
      const inventory = 2 * step + 4
      const pushed = await push(supplier, [
        {
          roomId: 'DBL',
          startDate: '2027-04-01',
          endDate: '2027-06-30',
          inventory,
          rates: [{ rateId: `R${step}`, closed: true }],
        },
      ])
      assert.equal(expectOk(pushed).body['revision'], inventory)
    }
  }
  let isWriting = true
  const observe = async (): Promise<void> => {
    while (isWriting) {
      const { body } = expectOk(await read(supplier))
      const inventories = [body['ari']].flat().map((item) => Object(item).inventory)
      const revision = Number(body['revision'])
      // A push of products leaves the inventory of the preceding ARI push.
      assert.deepEqual(inventories, revision < 4 ? [] : [revision - (revision % 2)])
    }
  }
  await Promise.all([write().finally(() => (isWriting = false)), observe(), observe(), observe()])
})

test('a long answer is compressed as the caller accepts it, with the same content', async (context) => {
  const supplier = await storySupplier()
  const nights = Array.from({ length: 60 }, (_, index) => ({
    roomId: 'DBL',
    date: new Date(Date.parse('2027-04-01') + index * 86_400_000).toISOString().slice(0, 10),
    inventory: index,
  }))
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: nights }, { 'x-request-id': 'long' }))
  const decompressed = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
  const wanted = JSON.stringify({ hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-06-30' })
  // One that is made as a text, and one that is made as bytes.
  const requests = [
    { first: 'POST /v1/push/getAri', body: wanted, plain: expectOk(await read(supplier)).text },
    { first: 'GET /v1/push/log/long', body: '', plain: expectOk(await supplier.get('/push/log/long')).text },
  ]
  const connection = rawConnection(Number(new URL(gateway.url).port))
  context.after(connection.destroy)
  for (const { first, body, plain } of requests) {
    assert.ok(plain.length > 4_000, plain)
    for (const [encoding, decompress] of Object.entries(decompressed)) {
      const head = [
        `${first} HTTP/1.1`,
        'host: x',
        `x-api-key: ${supplier.apiKey}`,
        `accept-encoding: ${encoding}`,
        ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
      ]
      const parts = [Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)]
      const [reply] = (await connection.exchange({ parts, repliesWanted: 1 })).replies
      assert.ok(reply)
      assert.deepEqual([reply.status, reply.headers.get('content-encoding')], [200, encoding])
      assert.equal(decompress(reply.body).toString(), plain)
    }
  }
})
