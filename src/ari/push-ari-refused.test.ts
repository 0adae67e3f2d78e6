import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply, type TestClient } from '../../test/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../test/story.ts'

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>
type Problem = [path: string, type: string, message: string]
type Refusal = {
  of: string
  item?: Fields
  items?: Fields[]
  body?: Fields
  status?: number
  problems: Problem[]
}

const night = (item: Fields): Fields => ({ roomId: 'DBL', date: '2027-04-01', ...item })
const bar = (line: Fields): Fields => night({ rates: [{ rateId: 'BAR', ...line }] })
const guest = (line: Fields): Fields =>
  bar({ prices: [{ ageCategory: 'adult', guests: 1, amount: 90, ...line }] })
const without = (object: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))

/** Runs each case as a supplier with only hotel H1; the model is `guest` unless the body says otherwise. */
async function refuse(refusals: readonly Refusal[]): Promise<void> {
  const supplier = await gateway.supplier(`refused: ${refusals[0]?.of}`)
  await pushStoryHotel(supplier)
  for (const { of, item, items, body, status = 400, problems } of refusals) {
    const ari = items ?? [item]
    const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari, ...body })
    assert.equal(reply.status, status, `${of}: ${reply.text}`)
    assert.deepEqual(problemsOf(reply), problems, of)
    assert.equal(reply.body['message'], problems[0]?.[2], of)
    assert.equal(reply.body['code'], String(status), of)
  }
  assert.deepEqual(await stored(supplier), [2, []])
}

/** The revision and all ARI; if nothing was applied, as right after pushing the hotel and its products. */
async function stored(supplier: TestClient): Promise<unknown[]> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-02-01', endDate: '2029-04-10' }),
  )
  return [body['revision'], body['ari']]
}

test('pricing models: exactly unit or guest, and required when a price is sent', async () => {
  const message = 'pricingModel must be unit or guest'
  const required: Problem = [
    '/pricingModel',
    'PRICING_MODEL_REQUIRED',
    'pricingModel is required when a price is sent',
  ]
  await refuse([
    ...['Daily', 'LOS', 'Unit', 'GUEST', '', 'unit ', 1, null].map((pricingModel): Refusal => ({
      of: `pricingModel ${pricingModel}`,
      item: bar({ price: 1 }),
      body: { pricingModel },
      problems: [['/pricingModel', 'PRICING_MODEL_INVALID', message]],
    })),
    {
      of: 'model of a line',
      item: bar({ price: 1, pricingModel: 'LOS' }),
      problems: [['/ari/0/rates/0/pricingModel', 'PRICING_MODEL_INVALID', message]],
    },
    {
      of: 'no model, price',
      item: bar({ price: 1 }),
      body: { pricingModel: undefined },
      problems: [required],
    },
    {
      of: 'no model, prices',
      item: bar({ prices: [{ amount: 1 }] }),
      body: { pricingModel: undefined },
      problems: [required],
    },
    {
      of: 'no model, prices null',
      item: bar({ prices: null }),
      body: { pricingModel: undefined },
      problems: [required],
    },
    {
      of: 'no model, flat amount',
      item: night({ rateId: 'BAR', amount: 1 }),
      body: { pricingModel: undefined },
      problems: [required],
    },
    {
      of: 'no model, not even beside good items',
      items: [night({ inventory: 1 }), bar({ price: 1 })],
      body: { pricingModel: undefined },
      problems: [required],
    },
  ])
})

test('currency asserts the hotel’s, and refuses the whole push', async () => {
  const message = "currency must be the hotel's currency USD"
  await refuse([
    {
      of: 'EUR',
      item: night({ inventory: 1 }),
      body: { currency: 'EUR' },
      problems: [['/currency', 'CURRENCY_MISMATCH', message]],
    },
    {
      of: 'small letters',
      item: night({ inventory: 1 }),
      body: { currency: 'usd' },
      problems: [['/currency', 'CURRENCY_MISMATCH', message]],
    },
    {
      of: 'with other problems',
      items: [night({ inventory: 1 }), { roomId: 'X', date: '2027-04-01' }],
      body: { currency: 'EUR' },
      problems: [
        ['/currency', 'CURRENCY_MISMATCH', message],
        ['/ari/1/roomId', 'ROOM_NOT_FOUND', 'RoomID not found'],
      ],
    },
  ])
})

test('unknown rooms and rates: 404 when they are the only cause, else 400', async () => {
  const room: Problem = ['/ari/0/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']
  const rate = (path: string): Problem => [path, 'RATE_NOT_FOUND', 'RateID not found']
  const supplier = await gateway.supplier('with a second room')
  await pushStoryHotel(supplier)
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('SGL', 'BAR')] }))
  const unsold = await supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'SGL', date: '2027-04-01', rates: [{ rateId: 'NRF', closed: true }] }],
  })
  assert.equal(unsold.status, 404)
  assert.deepEqual(problemsOf(unsold), [rate('/ari/0/rates/0/rateId')])
  await refuse([
    { of: 'room', item: { roomId: 'X', date: '2027-04-01', inventory: 1 }, status: 404, problems: [room] },
    {
      of: 'room in other letters',
      item: { roomId: 'dbl', date: '2027-04-01', inventory: 1 },
      status: 404,
      problems: [room],
    },
    {
      of: 'rate',
      item: night({ rates: [{ rateId: 'X', closed: true }] }),
      status: 404,
      problems: [rate('/ari/0/rates/0/rateId')],
    },
    {
      of: 'flat rate',
      item: night({ rateId: 'bar', closed: true }),
      status: 404,
      problems: [rate('/ari/0/rateId')],
    },
    {
      of: 'room and rate',
      items: [{ roomId: 'X', date: '2027-04-01' }, night({ rateId: 'X', closed: true })],
      status: 404,
      problems: [room, rate('/ari/1/rateId')],
    },
    {
      of: 'room and something else',
      items: [{ roomId: 'X', date: '2027-04-01' }, night({ inventory: -1 })],
      problems: [room, ['/ari/1/inventory', 'OUT_OF_RANGE', 'inventory must be greater than or equal to 0']],
    },
  ])
})

test('dates: valid, in order, in one form, with at least one night', async () => {
  const ranged = (dates: Fields): Fields => ({ roomId: 'DBL', inventory: 1, ...dates })
  const required = (name: string): Problem => [`/ari/0/${name}`, 'REQUIRED', `${name} is required`]
  const ambiguous: Problem = [
    '/ari/0/date',
    'AMBIGUOUS_DATES',
    'date cannot be sent together with startDate or endDate',
  ]
  await refuse([
    { of: 'none', item: ranged({}), problems: [required('startDate')] },
    { of: 'no end', item: ranged({ startDate: '2027-04-01' }), problems: [required('endDate')] },
    { of: 'no start', item: ranged({ endDate: '2027-04-01' }), problems: [required('startDate')] },
    {
      of: 'date and start',
      item: ranged({ date: '2027-04-01', startDate: '2027-04-01' }),
      problems: [ambiguous],
    },
    {
      of: 'date and end',
      item: ranged({ date: '2027-04-01', endDate: '2027-04-01' }),
      problems: [ambiguous],
    },
    {
      of: 'reversed',
      item: ranged({ startDate: '2027-04-02', endDate: '2027-04-01' }),
      problems: [['/ari/0/startDate', 'DATES_REVERSED', 'startDate must not be later than endDate']],
    },
    ...['2027-02-29', 'infinity', '-infinity', 'now', '2027-4-1', '20270401', '2027-04-01T00:00:00Z'].map(
      (date): Refusal => ({
        of: `date ${date}`,
        item: ranged({ date }),
        problems: [['/ari/0/date', 'INVALID_DATE', 'date must be a date in the form YYYY-MM-DD']],
      }),
    ),
    {
      of: 'a number',
      item: ranged({ date: 20270401 }),
      problems: [['/ari/0/date', 'WRONG_TYPE', 'date must be a string']],
    },
    {
      of: 'no night left',
      item: ranged({ startDate: '2027-04-05', endDate: '2027-04-09', daysOfWeek: ['SAT', 'SUN'] }),
      problems: [['/ari/0/daysOfWeek', 'NO_NIGHTS', 'daysOfWeek matches no night of the range']],
    },
    {
      of: 'no weekday',
      item: ranged({ date: '2027-04-05', daysOfWeek: [] }),
      problems: [['/ari/0/daysOfWeek', 'TOO_FEW', 'daysOfWeek must have at least 1 element']],
    },
    {
      of: 'another language',
      item: ranged({ date: '2027-04-05', daysOfWeek: ['Mon'] }),
      problems: [
        [
          '/ari/0/daysOfWeek/0',
          'NOT_ALLOWED',
          'An element of daysOfWeek must be one of MON, TUE, WED, THU, FRI, SAT, SUN',
        ],
      ],
    },
  ])
})

test('the nights that may be pushed: from yesterday to 760 days ahead, by the date in the hotel’s zone', async () => {
  const zones = [
    // 12:00 UTC on March 1st; in Kiritimati it is already the 2nd.
    { timezone: 'Pacific/Pago_Pago', first: '2027-02-28', last: '2029-03-30' },
    { timezone: 'Pacific/Kiritimati', first: '2027-03-01', last: '2029-03-31' },
  ]
  for (const { timezone, first, last } of zones) {
    const supplier = await gateway.supplier(timezone)
    await pushStoryHotel(supplier, { timezone })
    const send = (startDate: string, endDate: string): Promise<Reply> =>
      supplier.post('/push/ari', {
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', startDate, endDate, inventory: 1 }],
      })
    expectOk(await send(first, last))
    const past: Problem = ['/ari/0/startDate', 'DATE_IN_PAST', 'startDate must not be earlier than yesterday']
    const far: Problem = ['/ari/0/endDate', 'DATE_TOO_FAR', 'endDate must be at most 760 days ahead']
    const [dayBefore, dayAfter] = [shifted(first, -1), shifted(last, 1)]
    assert.deepEqual(problemsOf(await send(dayBefore, last)), [past])
    assert.deepEqual(problemsOf(await send(first, dayAfter)), [far])
    assert.deepEqual(problemsOf(await send(dayBefore, dayAfter)), [past, far])
    const single = await supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: dayBefore, inventory: 1 }],
    })
    assert.deepEqual(problemsOf(single), [
      ['/ari/0/date', 'DATE_IN_PAST', 'date must not be earlier than yesterday'],
    ])
  }
})

test('the day changes at the hotel’s midnight, even when its clocks change', async () => {
  const own = await gatewayForTests({ now: '2027-03-28T21:59:59Z' })
  const supplier = await own.supplier('midnight')
  await pushStoryHotel(supplier)
  const send = (date: string): Promise<Reply> =>
    supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'DBL', date, inventory: 1 }] })
  // Summer time began that morning: midnight in Paris is now 22:00 UTC.
  expectOk(await send('2027-03-27'))
  assert.equal((await send('2029-04-27')).status, 400)
  own.clock.set('2027-03-28T22:00:00Z')
  assert.equal((await send('2027-03-27')).status, 400)
  expectOk(await send('2029-04-27'))
})

function shifted(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

test('amounts: above zero for units and adults, from zero for children and infants, never rounded', async () => {
  const path = '/ari/0/rates/0/prices/0/amount'
  const above: Problem = [path, 'INVALID_AMOUNT', 'Amount must be greater than zero']
  const atLeast: Problem = [path, 'INVALID_AMOUNT', 'Amount must be greater than or equal to zero']
  const decimals: Problem = [path, 'INVALID_AMOUNT', 'Amount must have at most 2 decimals in USD']
  const shape: Problem = [path, 'INVALID_AMOUNT', 'amount must be a number or a decimal string']
  await refuse([
    ...[0, '0', '0.00', -0, -1, '-0.01'].map((amount): Refusal => ({
      of: `adult ${amount}`,
      item: guest({ amount }),
      problems: [above],
    })),
    {
      of: 'unit 0',
      item: bar({ prices: [{ amount: 0 }] }),
      body: { pricingModel: 'unit' },
      problems: [above],
    },
    {
      of: 'unit 0 for children',
      item: bar({ prices: [{ amount: 0, ageCategory: 'child', guests: 1 }] }),
      body: { pricingModel: 'unit' },
      problems: [above],
    },
    ...['child', 'infant'].map((ageCategory): Refusal => ({
      of: ageCategory,
      item: guest({ ageCategory, amount: -0.01 }),
      problems: [atLeast],
    })),
    ...[1.005, '1.005', 0.001, 10_000_000_000, '10000000000', '0.005', 1e300].map((amount): Refusal => ({
      of: `amount ${amount}`,
      item: guest({ amount }),
      problems: [decimals],
    })),
    ...['', 'abc', '1e3', '0x10', '1,5', ' 1', '1 ', '00', '.5', '5.', '+5', 'NaN', 'Infinity', '１'].map(
      (amount): Refusal => ({
        of: `text ${amount}`,
        item: guest({ amount }),
        problems: [shape],
      }),
    ),
    {
      of: 'a list',
      item: guest({ amount: [5] }),
      problems: [[path, 'WRONG_TYPE', 'amount must be a number or a string or null']],
    },
    {
      of: 'true',
      item: guest({ amount: true }),
      problems: [[path, 'WRONG_TYPE', 'amount must be a number or a string or null']],
    },
    { of: 'none', item: guest({ amount: undefined }), problems: [[path, 'REQUIRED', 'amount is required']] },
    {
      of: 'flat',
      item: night({ rateId: 'BAR', price: 0 }),
      body: { pricingModel: 'unit' },
      problems: [['/ari/0/price', 'INVALID_AMOUNT', 'Amount must be greater than zero']],
    },
  ])
})

test('guest lines need guests and ageCategory, within the product’s occupancy, each combination once', async () => {
  const at = (name: string): string => `/ari/0/rates/0/prices/0/${name}`
  const occupancy: Problem = [at('guests'), 'OCCUPANCY_EXCEEDED', "guests exceeds the product's occupancy"]
  const line = { ageCategory: 'adult', guests: 1, amount: 90 }
  await refuse([
    { of: '3 adults of 2', item: guest({ guests: 3 }), problems: [occupancy] },
    { of: '3 children of 2', item: guest({ ageCategory: 'child', guests: 3 }), problems: [occupancy] },
    { of: '4 infants of 3', item: guest({ ageCategory: 'infant', guests: 4 }), problems: [occupancy] },
    {
      of: '0 guests',
      item: guest({ guests: 0 }),
      problems: [[at('guests'), 'OUT_OF_RANGE', 'guests must be greater than or equal to 1']],
    },
    {
      of: '100 guests',
      item: guest({ guests: 100 }),
      problems: [[at('guests'), 'OUT_OF_RANGE', 'guests must be less than or equal to 99']],
    },
    {
      of: 'half a guest',
      item: guest({ guests: 1.5 }),
      problems: [[at('guests'), 'WRONG_TYPE', 'guests must be an integer']],
    },
    {
      of: 'guests as text',
      item: guest({ guests: '1' }),
      problems: [[at('guests'), 'WRONG_TYPE', 'guests must be an integer']],
    },
    {
      of: 'category',
      item: guest({ ageCategory: 'Adult' }),
      problems: [[at('ageCategory'), 'NOT_ALLOWED', 'ageCategory must be one of adult, child, infant']],
    },
    {
      of: 'nobody',
      item: bar({ prices: [{ amount: 5 }] }),
      problems: [
        [at('guests'), 'REQUIRED', 'guests is required when pricingModel is guest'],
        [at('ageCategory'), 'REQUIRED', 'ageCategory is required when pricingModel is guest'],
      ],
    },
    {
      of: 'flat without category',
      item: night({ rateId: 'BAR', amount: 5, guests: 1 }),
      problems: [['/ari/0/ageCategory', 'REQUIRED', 'ageCategory is required when pricingModel is guest']],
    },
    {
      of: 'the same line twice',
      item: bar({ prices: [line, { ...line, guests: 2 }, line] }),
      problems: [
        ['/ari/0/rates/0/prices/2', 'DUPLICATE_PRICE', 'The same price appears twice in one rate line'],
      ],
    },
    {
      of: 'two units',
      item: bar({ prices: [{ amount: 1 }, { amount: 1 }] }),
      body: { pricingModel: 'unit' },
      problems: [
        ['/ari/0/rates/0/prices/1', 'DUPLICATE_PRICE', 'The same price appears twice in one rate line'],
      ],
    },
  ])
})

test('inventory, restrictions and switches: integers in their ranges, true or false, no coercion', async () => {
  const at = (name: string): string => `/ari/0/rates/0/${name}`
  const limits = [
    'minLengthStay',
    'maxLengthStay',
    'minStayArrival',
    'maxStayArrival',
    'minAdvanceDays',
    'maxAdvanceDays',
  ]
  await refuse([
    ...limits.flatMap((name): Refusal[] => [
      {
        of: name,
        item: bar({ [name]: 1000 }),
        problems: [[at(name), 'OUT_OF_RANGE', `${name} must be less than or equal to 999`]],
      },
      {
        of: name,
        item: bar({ [name]: -1 }),
        problems: [[at(name), 'OUT_OF_RANGE', `${name} must be greater than or equal to 0`]],
      },
      {
        of: name,
        item: bar({ [name]: '5' }),
        problems: [[at(name), 'WRONG_TYPE', `${name} must be an integer or null`]],
      },
      {
        of: name,
        item: bar({ [name]: 1.5 }),
        problems: [[at(name), 'WRONG_TYPE', `${name} must be an integer or null`]],
      },
    ]),
    ...['closed', 'closedToArrival', 'closedToDeparture'].flatMap((name): Refusal[] =>
      [1, 'true', []].map((value) => ({
        of: name,
        item: bar({ [name]: value }),
        problems: [[at(name), 'WRONG_TYPE', `${name} must be true or false or null`]],
      })),
    ),
    {
      of: 'inventory',
      item: night({ inventory: 100_000 }),
      problems: [['/ari/0/inventory', 'OUT_OF_RANGE', 'inventory must be less than or equal to 99999']],
    },
    {
      of: 'inventory',
      item: night({ inventory: '6' }),
      problems: [['/ari/0/inventory', 'WRONG_TYPE', 'inventory must be an integer or null']],
    },
    {
      of: 'of a rate',
      item: bar({ inventory: -1 }),
      problems: [[at('inventory'), 'OUT_OF_RANGE', 'inventory must be greater than or equal to 0']],
    },
  ])
})

test('an item has one form, contains each rate once, and drops nothing silently', async () => {
  await refuse([
    {
      of: 'both forms',
      item: night({ rateId: 'BAR', rates: [{ rateId: 'NRF', closed: true }] }),
      problems: [['/ari/0/rateId', 'AMBIGUOUS_ITEM', 'rateId and rates cannot both be sent in one item']],
    },
    {
      of: 'a price of no rate',
      item: night({ price: 5 }),
      body: { pricingModel: 'unit' },
      problems: [['/ari/0/rateId', 'RATE_ID_REQUIRED', 'rateId is required']],
    },
    {
      of: 'a restriction of no rate',
      item: night({ inventory: 1, minLengthStay: 2 }),
      problems: [['/ari/0/rateId', 'RATE_ID_REQUIRED', 'rateId is required']],
    },
    {
      of: 'members of a rate beside rates',
      item: night({ rates: [{ rateId: 'BAR', closed: true }], closedToArrival: true, price: null }),
      problems: [
        ['/ari/0/price', 'AMBIGUOUS_ITEM', 'price cannot be sent together with rates'],
        ['/ari/0/closedToArrival', 'AMBIGUOUS_ITEM', 'closedToArrival cannot be sent together with rates'],
      ],
    },
    {
      of: 'a line without rate',
      item: night({ rates: [{ closed: true }] }),
      problems: [['/ari/0/rates/0/rateId', 'RATE_ID_REQUIRED', 'rateId is required']],
    },
    {
      of: 'no room',
      item: without(night({ inventory: 1 }), 'roomId'),
      problems: [['/ari/0/roomId', 'ROOM_ID_REQUIRED', 'roomId is required']],
    },
    {
      of: 'price and prices',
      item: bar({ price: 5, prices: [{ amount: 5 }] }),
      body: { pricingModel: 'unit' },
      problems: [['/ari/0/rates/0/price', 'AMBIGUOUS_PRICE', 'prices and price cannot be sent together']],
    },
    {
      of: 'price and amount',
      item: night({ rateId: 'BAR', price: 5, amount: 5 }),
      body: { pricingModel: 'unit' },
      problems: [['/ari/0/amount', 'AMBIGUOUS_PRICE', 'price and amount cannot be sent together']],
    },
  ])
})

test('a rate that appears twice in one item: the second is refused, the first applied', async () => {
  const supplier = await gateway.supplier('twice')
  await pushStoryHotel(supplier)
  const rates = [
    { rateId: 'BAR', minLengthStay: 2 },
    { rateId: 'BAR', minLengthStay: 3 },
  ]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', ari: [night({ rates })] })
  assert.equal(reply.status, 207)
  assert.deepEqual(reply.body['results'], [
    {
      index: 0,
      status: 'partial',
      cellsChanged: 1,
      errors: [
        {
          type: 'DUPLICATE_RATE',
          message: 'rateId appears twice in one item',
          path: '/ari/0/rates/1/rateId',
          value: 'BAR',
          hint: 'It already appears at /ari/0/rates/0',
        },
      ],
    },
  ])
})

test('the request as a whole: members of the wrong type, missing members', async () => {
  const item = night({ inventory: 1 })
  await refuse([
    {
      of: 'no hotel',
      item,
      body: { hotelId: undefined },
      problems: [['/hotelId', 'HOTEL_ID_REQUIRED', 'hotelId is required']],
    },
    {
      of: 'hotel as number',
      item,
      body: { hotelId: 1 },
      problems: [['/hotelId', 'WRONG_TYPE', 'hotelId must be a string']],
    },
    {
      of: 'items as object',
      items: [],
      body: { ari: {} },
      problems: [['/ari', 'WRONG_TYPE', 'ari must be an array']],
    },
    {
      of: 'an item of no kind',
      items: [],
      body: { ari: [7] },
      problems: [['/ari/0', 'WRONG_TYPE', 'An element of ari must be an object']],
    },
    {
      of: 'mode',
      item,
      body: { mode: 'Overlay' },
      problems: [['/mode', 'NOT_ALLOWED', 'mode must be one of delta, overlay']],
    },
    {
      of: 'atomic',
      item,
      body: { atomic: 1 },
      problems: [['/atomic', 'WRONG_TYPE', 'atomic must be true or false']],
    },
    {
      of: 'dryRun',
      item,
      body: { dryRun: 'yes' },
      problems: [['/dryRun', 'WRONG_TYPE', 'dryRun must be true or false']],
    },
    {
      of: 'sequence as text',
      item,
      body: { sequence: '5' },
      problems: [['/sequence', 'WRONG_TYPE', 'sequence must be an integer']],
    },
    {
      of: 'sequence below 0',
      item,
      body: { sequence: -1 },
      problems: [['/sequence', 'OUT_OF_RANGE', 'sequence must be greater than or equal to 0']],
    },
    {
      of: 'half a sequence',
      item,
      body: { sequence: 1.5 },
      problems: [['/sequence', 'WRONG_TYPE', 'sequence must be an integer']],
    },
  ])
})

test('limits of the key: items and nights of one push', async () => {
  const supplier = await gateway.supplier('limited', { ariItemsMax: 2, ariCellsMax: 62 })
  await pushStoryHotel(supplier)
  const send = (ari: Fields[]): Promise<Reply> => supplier.post('/push/ari', { hotelId: 'H1', ari })
  const item = (endDate: string): Fields => ({
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate,
    inventory: 1,
    rates: [{ rateId: 'BAR', closed: true }],
  })
  expectOk(await send([item('2027-04-30'), night({ inventory: 1 })]))
  assert.deepEqual(problemsOf(await send([night({}), night({}), night({})])), [
    ['/ari', 'TOO_MANY_ITEMS', 'ari must have at most 2 elements'],
  ])
  expectOk(await send([item('2027-05-01')]))
  assert.deepEqual(problemsOf(await send([item('2027-05-02')])), [
    ['/ari', 'TOO_MANY_CELLS', 'The push covers 64 nights of rooms and rates; at most 62 are allowed'],
  ])
})
