import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GetAriBody } from '../../../packages/client/src/api.ts'
import { supplierClient } from '../../../packages/client/src/clients.ts'
import { hotelDigests, nightLines, type StoredNight } from '../../../packages/client/src/digest.ts'
import { storedNights } from '../../../packages/client/src/stored-nights.ts'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import {
  gatewayForTests,
  type Reply,
  type TestClient,
  type TestSupplier,
} from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>

let suppliers = 0
async function storySupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`digester ${++suppliers}`)
  await pushStoryHotel(supplier)
  return supplier
}

const [from, to] = ['2027-04-01', '2027-06-30']
const push = async (supplier: TestClient, ari: Fields[], more: Fields = {}): Promise<Reply> =>
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari, ...more }))
const digest = (supplier: TestClient, level: string, more: Fields = {}): Promise<Reply> =>
  supplier.post('/push/getAriDigest', { hotelId: 'H1', from, to, level, ...more })
const stored = async ({ apiKey }: TestSupplier, range: Partial<GetAriBody> = {}): Promise<StoredNight[]> => {
  const client = supplierClient({ url: gateway.url, apiKey })
  return storedNights(await client.getAri({ hotelId: 'H1', startDate: from, endDate: to, ...range }), 2)
}
/** As the answer has them: without what isn't set. */
const some = (digests: object): Fields =>
  Object.fromEntries(Object.entries(digests).filter(([, text]) => text !== ''))

const everything = {
  roomId: 'DBL',
  startDate: '2027-04-15',
  endDate: '2027-06-02',
  inventory: 5,
  closed: true,
  rates: [
    {
      rateId: 'BAR',
      inventory: 2,
      closedToArrival: true,
      minLengthStay: 2,
      maxAdvanceDays: 300,
      prices: [
        { ageCategory: 'adult', guests: 1, amount: 90 },
        { ageCategory: 'adult', guests: 2, amount: 110.5 },
        { ageCategory: 'child', guests: 1, amount: 0 },
      ],
    },
    { rateId: 'NRF', pricingModel: 'unit', prices: [{ amount: 99.99 }], maxStayArrival: 9 },
  ],
}

test('a day’s lines are those of the guide', async () => {
  const supplier = await storySupplier()
  await push(supplier, [everything])
  const { body } = expectOk(await digest(supplier, 'day', { from: '2027-05-31', to: '2027-05-31' }))
  const date = '2027-05-31'
  assert.deepEqual(body['digests'], [
    { roomId: 'DBL', date, inv: '5', res: '1' },
    {
      roomId: 'DBL',
      rateId: 'BAR',
      date,
      inv: '2',
      res: '0|1|0|2|||||300',
      pri: 'guest|a1=9000,a2=11050,c1=0',
    },
    { roomId: 'DBL', rateId: 'NRF', date, res: '0|0|0||||9||', pri: 'unit|u=9999' },
  ])
  assert.deepEqual(
    [body['revision'], body['algorithm'], body['effectiveFrom'], body['nextCursor']],
    [3, 'ari-digest-1', date, null],
  )
})

test('each level has the hashes that the client computes from what getAri answers', async () => {
  const supplier = await storySupplier()
  expectOk(
    await supplier.post('/push/products', { hotelId: 'H1', products: [product('Suite 1/2 | 50 %', 'é')] }),
  )
  await push(supplier, [
    everything,
    {
      roomId: 'Suite 1/2 | 50 %',
      date: '2027-06-10',
      inventory: 0,
      rates: [{ rateId: 'é', price: 7, pricingModel: 'unit' }],
    },
    { roomId: 'DBL', date: '2027-04-20', inventory: 1 },
  ])
  const { hotel, products, months } = await hotelDigests(await stored(supplier))
  assert.equal(months.length, 11)
  for (const [level, expected] of Object.entries({ product: products, month: months })) {
    const { body } = expectOk(await digest(supplier, level))
    assert.deepEqual(body['digests'], expected.map(some))
    assert.deepEqual(body['hotel'], hotel)
  }
  const { body } = expectOk(await digest(supplier, 'hotel'))
  assert.deepEqual([body['hotel'], body['digests']], [hotel, undefined])
})

test('with the caller’s own digests, only the differences come back', async () => {
  const supplier = await storySupplier()
  await push(supplier, [everything])
  const { months } = await hotelDigests(await stored(supplier))
  await push(supplier, [
    { roomId: 'DBL', date: '2027-05-10', rates: [{ rateId: 'BAR', minLengthStay: 3 }] },
    { roomId: 'DBL', date: '2027-06-20', inventory: 1, rates: [{ rateId: 'BAR', closed: true }] },
  ])
  const gone = { roomId: 'GONE', month: '2027-05', inv: '0'.repeat(32) }
  const { body } = expectOk(await digest(supplier, 'month', { known: [...months, gone] }))
  const now = new Map(
    (await hotelDigests(await stored(supplier))).months.map((one) => [`${one.rateId} ${one.month}`, one]),
  )
  const before = new Map(months.map((one) => [`${one.rateId} ${one.month}`, one]))
  const differing = (rateId: string | undefined, month: string, group: 'inv' | 'res') => ({
    roomId: 'DBL',
    ...(rateId === undefined ? {} : { rateId }),
    month,
    groups: [group],
    theirs: { [group]: before.get(`${rateId} ${month}`)?.[group] },
    ours: { [group]: now.get(`${rateId} ${month}`)?.[group] },
  })
  assert.deepEqual(body['differs'], [
    differing(undefined, '2027-06', 'inv'),
    differing('BAR', '2027-05', 'res'),
    differing('BAR', '2027-06', 'res'),
  ])
  assert.deepEqual([body['onlyHere'], body['onlyThere'], body['nextCursor']], [[], [gone], null])
  const { body: days } = expectOk(
    await digest(supplier, 'day', {
      within: [{ roomId: 'DBL', rateId: 'BAR', month: '2027-05' }],
      known: [{ roomId: 'DBL', rateId: 'BAR', date: '2027-05-10', inv: '2', res: '0|1|0|2|||||300' }],
      groups: ['res'],
    }),
  )
  assert.deepEqual(days['differs'], [
    {
      roomId: 'DBL',
      rateId: 'BAR',
      date: '2027-05-10',
      groups: ['res'],
      theirs: { res: '0|1|0|2|||||300' },
      ours: { res: '0|1|0|3|||||300' },
    },
  ])
  assert.equal(Array.isArray(days['onlyHere']) && days['onlyHere'].length, 30)
})

test('a day whose inventory a booking lowered says so, until it is pushed again', async () => {
  const shop = await openShop(gateway, 'Booked')
  assert.equal((await shop.book()).status, 201)
  const range = { from: '2027-04-20', to: '2027-04-21', groups: ['inv'] }
  const known = ['2027-04-20', '2027-04-21'].map((date) => ({ roomId: 'DBL', date, inv: '7' }))
  const causes = async (): Promise<unknown[]> => {
    const { body } = expectOk(await digest(shop.supplier, 'day', { ...range, known }))
    return Array.from(Object(body['differs']), (one: object) => Object.entries(one).map(([, value]) => value))
  }
  const differing = (date: string, ours: string, more: string[]): unknown[] => [
    'DBL',
    date,
    ['inv'],
    { inv: '7' },
    { inv: ours },
    ...more,
  ]
  assert.deepEqual(await causes(), [
    differing('2027-04-20', '1', ['bookings']),
    differing('2027-04-21', '1', ['bookings']),
  ])
  await push(shop.supplier, [{ roomId: 'DBL', date: '2027-04-20', inventory: 4 }], { pricingModel: 'unit' })
  assert.deepEqual(await causes(), [
    differing('2027-04-20', '4', []),
    differing('2027-04-21', '1', ['bookings']),
  ])
})

test('filters limit both sides, and the rooms’ own values come with any rate', async () => {
  const supplier = await storySupplier()
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('SGL', 'BAR')] }))
  await push(supplier, [everything, { roomId: 'SGL', date: '2027-05-01', inventory: 3 }])
  const { products } = await hotelDigests(await stored(supplier))
  const of = (roomId: string, rateId?: string) =>
    some(products.find((one) => one.roomId === roomId && one.rateId === rateId) ?? {})
  // Once computed, once from what is cached of the whole hotel.
  for (const whole of [false, true]) {
    if (whole) await digest(supplier, 'product')
    const { body } = expectOk(await digest(supplier, 'product', { rateIds: ['NRF'] }))
    assert.deepEqual(body['digests'], [of('DBL'), of('DBL', 'NRF'), of('SGL')])
    const only = expectOk(await digest(supplier, 'product', { roomIds: ['SGL'], known: products })).body
    assert.deepEqual([only['differs'], only['onlyHere'], only['onlyThere']], [[], [], []])
  }
})

test('nights before today in the hotel are left out on both sides', async (t) => {
  const supplier = await storySupplier()
  t.after(() => gateway.clock.set('2027-03-01T12:00:00Z'))
  gateway.clock.set('2027-04-14T22:30:00Z')
  await push(supplier, [{ roomId: 'DBL', startDate: '2027-04-14', endDate: '2027-04-16', inventory: 5 }])
  const known = ['2027-04-13', '2027-04-14', '2027-04-15', '2027-04-16'].map((date) => ({
    roomId: 'DBL',
    date,
    inv: '5',
  }))
  const { body } = expectOk(await digest(supplier, 'day', { known }))
  assert.deepEqual(
    [body['effectiveFrom'], body['differs'], body['onlyHere'], body['onlyThere']],
    ['2027-04-15', [], [], []],
  )
})

test('prices that cannot be sold do not count, as in getAri', async () => {
  const supplier = await storySupplier()
  const prices = [
    { ageCategory: 'adult', guests: 1, amount: 90 },
    { ageCategory: 'adult', guests: 2, amount: 110 },
  ]
  await push(supplier, [
    { roomId: 'DBL', startDate: '2027-05-01', endDate: '2027-05-02', rates: [{ rateId: 'BAR', prices }] },
  ])
  expectOk(
    await supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', { occupancy: { maxOccupancy: 1 } })],
    }),
  )
  const lines = async (): Promise<unknown> => expectOk(await digest(supplier, 'day')).body['digests']
  const night = (date: string, pri: string) => ({ roomId: 'DBL', rateId: 'BAR', date, pri })
  assert.deepEqual(await lines(), [
    night('2027-05-01', 'guest|a1=9000'),
    night('2027-05-02', 'guest|a1=9000'),
  ])
  await pushStoryHotel(supplier, { currency: 'JPY' })
  await push(supplier, [{ roomId: 'DBL', date: '2027-05-02', rates: [{ rateId: 'BAR', prices }] }])
  assert.deepEqual(await lines(), [night('2027-05-02', 'guest|a1=90,a2=110')])
})

test('a change is seen at once, whatever is cached; an operator’s stop-sell is not part of it', async () => {
  const supplier = await storySupplier()
  await push(supplier, [everything])
  const hotel = async (): Promise<unknown> => expectOk(await digest(supplier, 'hotel')).body['hotel']
  const seen = new Set([JSON.stringify(await hotel())])
  for (const inventory of [4, 3, 2]) {
    await push(supplier, [{ roomId: 'DBL', date: '2027-05-01', inventory }])
    seen.add(JSON.stringify(await hotel()))
    assert.deepEqual(await hotel(), (await hotelDigests(await stored(supplier))).hotel)
  }
  assert.equal(seen.size, 4)
  const before = expectOk(await digest(supplier, 'hotel')).body
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [supplier.name],
  )
  const operator = await operatorOf(gateway)
  const stop = {
    action: 'stop',
    targets: [{ roomId: 'DBL' }],
    from: '2027-05-01',
    to: '2027-05-02',
    reason: 'Flood',
  }
  const stopped = await operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, stop)
  assert.equal(stopped.status, 200)
  const after = expectOk(await digest(supplier, 'hotel')).body
  assert.deepEqual(
    [after['hotel'], Number(after['revision']) - Number(before['revision'])],
    [before['hotel'], 1],
  )
})

test('long lists come in pages, which together are the whole', async () => {
  const supplier = await storySupplier()
  const rates = Array.from({ length: 9 }, (_, number) => `R${number}`)
  expectOk(
    await supplier.post('/push/products', {
      hotelId: 'H1',
      products: rates.map((rate) => product('DBL', rate)),
    }),
  )
  await push(supplier, [
    {
      roomId: 'DBL',
      startDate: '2027-04-01',
      endDate: '2029-03-01',
      rates: rates.map((rateId) => ({ rateId, closed: true })),
    },
  ])
  const known = [{ roomId: 'DBL', rateId: 'R4', date: '2028-01-01', res: '0|1|0||||||' }]
  const pages: Fields[] = []
  for (let cursor: unknown = undefined; cursor !== null; cursor = pages.at(-1)?.['nextCursor'])
    pages.push(
      expectOk(
        await digest(supplier, 'day', {
          to: '2029-03-01',
          known,
          ...(cursor === undefined ? {} : { cursor }),
        }),
      ).body,
    )
  const here = pages.flatMap(({ onlyHere }) => (Array.isArray(onlyHere) ? onlyHere : []))
  assert.deepEqual([pages.length, here.length], [2, 9 * 701 - 1])
  assert.equal(new Set(here.map((entry) => JSON.stringify(entry))).size, here.length)
  assert.deepEqual(
    pages.map(({ differs }) => Array.isArray(differs) && differs.length),
    [1, 0],
  )
})

test('lines agree with the client’s for every member, and 0 is not a limit', () => {
  const night = {
    roomId: 'A',
    rateId: 'B',
    date: '2027-05-01',
    minLengthStay: 0,
    closed: false,
    inventory: null,
  }
  assert.deepEqual(nightLines(night), { inv: '', res: '', pri: '' })
})

test('wrong requests name every problem', async () => {
  const supplier = await storySupplier()
  assert.deepEqual(problemsOf(await digest(supplier, 'week')), [
    ['/level', 'NOT_ALLOWED', 'level must be one of hotel, product, month, day'],
  ])
  const wrong = {
    from: '2027-07-01',
    known: [
      { roomId: 'DBL', month: '2027-05' },
      { roomId: 'DBL', month: '2027-05' },
      { month: '2027-13', date: '2027-05-01' },
    ],
    cursor: 'x',
  }
  assert.deepEqual(problemsOf(await digest(supplier, 'month', wrong)), [
    ['/known/2/month', 'INVALID_MONTH', 'month must be a month'],
    ['/from', 'DATES_REVERSED', 'from must not be after to'],
    ['/known/1', 'DUPLICATE_KNOWN', 'Two entries of known have the same name'],
    ['/known/2/roomId', 'REQUIRED', 'roomId is required'],
    ['/known/2/date', 'NOT_AT_THIS_LEVEL', 'date does not belong to an entry of level month'],
    ['/cursor', 'INVALID_CURSOR', 'cursor is not valid'],
  ])
  assert.deepEqual(problemsOf(await digest(supplier, 'month', { to: '2029-12-31' })), [
    ['/to', 'RANGE_TOO_LONG', 'from to to must span at most 800 nights'],
  ])
  assert.deepEqual(problemsOf(await digest(supplier, 'month', { roomIds: ['X'] })), [
    ['/roomIds/0', 'ROOM_NOT_FOUND', 'RoomID not found'],
  ])
})
