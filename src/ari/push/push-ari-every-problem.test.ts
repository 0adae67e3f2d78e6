import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

/** One answer names every problem of a push, so that nobody has to correct it twice. */

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>
type Case = { of: string; item?: Fields; body?: Fields; status?: number; problems: [string, string][] }

const night = (item: Fields): Fields => ({ roomId: 'DBL', date: '2027-04-01', ...item })
const adult = (amount: unknown, guests: unknown = 1): Fields => ({ ageCategory: 'adult', guests, amount })

/** Runs each case as a supplier with only hotel H1; the model is `guest` unless the body says otherwise. */
async function expectProblems(cases: readonly Case[]): Promise<void> {
  const supplier = await gateway.supplier(`every problem: ${cases[0]?.of}`)
  await pushStoryHotel(supplier)
  for (const { of, item, body, status = 400, problems } of cases) {
    const sent = { hotelId: 'H1', pricingModel: 'guest', ari: [item], ...body }
    const reply = await supplier.post('/push/ari', sent)
    assert.equal(reply.status, status, `${of}: ${reply.text}`)
    const told = problemsOf(reply).map((problem) => (Array.isArray(problem) ? problem.slice(0, 2) : []))
    assert.deepEqual(told, problems, of)
  }
}

test('an item: malformed members are reported together with broken rules', async () => {
  await expectProblems([
    {
      of: 'inventory, rate',
      item: night({ inventory: 100_000, rates: [{ rateId: 'X', closed: true }] }),
      problems: [
        ['/ari/0/inventory', 'OUT_OF_RANGE'],
        ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
      ],
    },
    {
      of: 'inventory, room, range, rate',
      item: {
        roomId: 'X',
        startDate: '2027-04-02',
        endDate: '2027-04-01',
        inventory: 'many',
        rates: [{ rateId: 'X', closed: true }],
      },
      problems: [
        ['/ari/0/inventory', 'WRONG_TYPE'],
        ['/ari/0/startDate', 'DATES_REVERSED'],
        ['/ari/0/roomId', 'ROOM_NOT_FOUND'],
        ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
      ],
    },
    {
      of: 'range, amount',
      item: {
        roomId: 'DBL',
        startDate: '2027-04-02',
        endDate: '2027-04-01',
        rates: [{ rateId: 'BAR', prices: [adult('x'), adult(1.005, 2), adult(-1, 9)] }],
      },
      problems: [
        ['/ari/0/startDate', 'DATES_REVERSED'],
        ['/ari/0/rates/0/prices/0/amount', 'INVALID_AMOUNT'],
        ['/ari/0/rates/0/prices/1/amount', 'INVALID_AMOUNT'],
        ['/ari/0/rates/0/prices/2/guests', 'OCCUPANCY_EXCEEDED'],
        ['/ari/0/rates/0/prices/2/amount', 'INVALID_AMOUNT'],
      ],
    },
    {
      of: 'the flat form',
      item: night({ rateId: 'X', price: 1.005, minLengthStay: 1_000, closedToArrival: 1 }),
      problems: [
        ['/ari/0/closedToArrival', 'WRONG_TYPE'],
        ['/ari/0/minLengthStay', 'OUT_OF_RANGE'],
        ['/ari/0/rateId', 'RATE_NOT_FOUND'],
        ['/ari/0/guests', 'REQUIRED'],
        ['/ari/0/ageCategory', 'REQUIRED'],
        ['/ari/0/price', 'INVALID_AMOUNT'],
      ],
    },
    {
      of: 'a line of its own, and one that names its rate again',
      item: night({
        rates: [
          { rateId: 'BAR', minLengthStay: 'two', prices: [adult(0)] },
          { rateId: 'BAR', prices: [adult(1), adult(1)] },
        ],
      }),
      problems: [
        ['/ari/0/rates/0/minLengthStay', 'WRONG_TYPE'],
        ['/ari/0/rates/0/prices/0/amount', 'INVALID_AMOUNT'],
        ['/ari/0/rates/1/rateId', 'DUPLICATE_RATE'],
        ['/ari/0/rates/1/prices/1', 'DUPLICATE_PRICE'],
      ],
    },
    {
      of: 'both forms, both wrong',
      item: night({ inventory: 1.5, rateId: 'X', price: -1, rates: [{ rateId: 'Y', closed: true }] }),
      body: { pricingModel: 'unit' },
      problems: [
        ['/ari/0/inventory', 'WRONG_TYPE'],
        ['/ari/0/rateId', 'AMBIGUOUS_ITEM'],
        ['/ari/0/rateId', 'RATE_NOT_FOUND'],
        ['/ari/0/price', 'INVALID_AMOUNT'],
        ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
      ],
    },
    {
      of: 'one date is none, the other is past',
      item: { roomId: 'DBL', startDate: '2027-01-01', endDate: '2027-02-30', inventory: 1 },
      problems: [
        ['/ari/0/endDate', 'INVALID_DATE'],
        ['/ari/0/startDate', 'DATE_IN_PAST'],
      ],
    },
    {
      of: 'reversed, past and too far',
      item: { roomId: 'DBL', startDate: '2030-01-01', endDate: '2027-01-01', inventory: 1 },
      problems: [
        ['/ari/0/startDate', 'DATES_REVERSED'],
        ['/ari/0/endDate', 'DATE_IN_PAST'],
        ['/ari/0/startDate', 'DATE_TOO_FAR'],
      ],
    },
    {
      of: 'past, and no night is left',
      item: { roomId: 'DBL', startDate: '2027-01-04', endDate: '2027-01-05', daysOfWeek: ['SUN'] },
      problems: [
        ['/ari/0/startDate', 'DATE_IN_PAST'],
        ['/ari/0/daysOfWeek', 'NO_NIGHTS'],
      ],
    },
    {
      of: 'two prices, one of them too fine',
      item: night({ rates: [{ rateId: 'BAR', price: 1.005, prices: [adult(5)] }] }),
      problems: [
        ['/ari/0/rates/0/price', 'AMBIGUOUS_PRICE'],
        ['/ari/0/rates/0/price', 'INVALID_AMOUNT'],
      ],
    },
  ])
})

test('an item: no rule that depends on a malformed member is reported, and no problem twice', async () => {
  await expectProblems([
    { of: 'a date', item: { roomId: 'DBL', date: 'x' }, problems: [['/ari/0/date', 'INVALID_DATE']] },
    {
      of: 'a date beside another',
      item: night({ startDate: 'x', inventory: 1 }),
      problems: [
        ['/ari/0/startDate', 'INVALID_DATE'],
        ['/ari/0/date', 'AMBIGUOUS_DATES'],
      ],
    },
    {
      of: 'a start date of no type',
      item: { roomId: 'DBL', startDate: 20270401, endDate: '2027-04-02', inventory: 1 },
      problems: [['/ari/0/startDate', 'WRONG_TYPE']],
    },
    {
      of: 'a weekday',
      item: { roomId: 'DBL', startDate: '2027-04-05', endDate: '2027-04-05', daysOfWeek: ['Mon', 'SUN'] },
      problems: [['/ari/0/daysOfWeek/0', 'NOT_ALLOWED']],
    },
    {
      of: 'the room',
      item: night({ roomId: 5, rates: [{ rateId: 'BAR', prices: [adult(5, 9)] }] }),
      problems: [['/ari/0/roomId', 'WRONG_TYPE']],
    },
    {
      of: 'the rate of a flat item',
      item: night({ rateId: '', ...adult(5, 9), minLengthStay: 2 }),
      problems: [['/ari/0/rateId', 'TOO_SHORT']],
    },
    {
      of: 'a rate of a list, twice',
      item: night({ rates: [{ rateId: 1, closed: true }, { rateId: 1, closed: true }, {}] }),
      problems: [
        ['/ari/0/rates/0/rateId', 'WRONG_TYPE'],
        ['/ari/0/rates/1/rateId', 'WRONG_TYPE'],
        ['/ari/0/rates/2/rateId', 'RATE_ID_REQUIRED'],
      ],
    },
    {
      of: 'the rates',
      item: night({ rates: {}, inventory: 1 }),
      problems: [['/ari/0/rates', 'WRONG_TYPE']],
    },
    {
      of: 'a line that is none, and a price that is none',
      item: night({ rates: [null, { rateId: 'BAR', prices: [5, adult(5)] }] }),
      problems: [
        ['/ari/0/rates/0', 'WRONG_TYPE'],
        ['/ari/0/rates/1/prices/0', 'WRONG_TYPE'],
      ],
    },
    {
      of: 'guests and category',
      item: night({ rateId: 'BAR', price: 0, guests: '1', ageCategory: 'Adult' }),
      problems: [
        ['/ari/0/guests', 'WRONG_TYPE'],
        ['/ari/0/ageCategory', 'NOT_ALLOWED'],
      ],
    },
    {
      of: 'the model of a line',
      item: night({ rates: [{ rateId: 'BAR', pricingModel: 'LOS', price: 0 }] }),
      body: { pricingModel: 'unit' },
      problems: [['/ari/0/rates/0/pricingModel', 'PRICING_MODEL_INVALID']],
    },
    {
      of: 'the model of the push',
      item: night({ rateId: 'BAR', price: 0 }),
      body: { pricingModel: 'LOS' },
      problems: [['/pricingModel', 'PRICING_MODEL_INVALID']],
    },
    {
      of: 'the room is unknown, the rate is not',
      item: night({ roomId: 'X', rates: [{ rateId: 'BAR', prices: [adult(5, 9)] }] }),
      status: 404,
      problems: [['/ari/0/roomId', 'ROOM_NOT_FOUND']],
    },
  ])
})

test('a push: problems outside the items are reported together with all problems of the items', async () => {
  const wrong = night({ inventory: 100_000, rates: [{ rateId: 'X', price: 1.005 }] })
  const inside: [string, string][] = [
    ['/ari/0/inventory', 'OUT_OF_RANGE'],
    ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
    ['/ari/0/rates/0/price', 'INVALID_AMOUNT'],
  ]
  const model: [string, string] = ['/pricingModel', 'PRICING_MODEL_REQUIRED']
  await expectProblems([
    { of: 'no model', item: wrong, body: { pricingModel: undefined }, problems: [model, ...inside] },
    {
      of: 'no model, the price is none',
      item: night({ rateId: 'BAR', price: 'x' }),
      body: { pricingModel: undefined },
      problems: [model, ['/ari/0/price', 'INVALID_AMOUNT']],
    },
    {
      of: 'mode and currency',
      item: wrong,
      body: { pricingModel: 'unit', mode: 'all', currency: 'EUR' },
      problems: [['/mode', 'NOT_ALLOWED'], ['/currency', 'CURRENCY_MISMATCH'], ...inside],
    },
    {
      of: 'no hotel: rules that need none',
      body: {
        hotelId: undefined,
        ari: [{ ...wrong, date: undefined }, night({ rateId: 'BAR', amount: -1 })],
      },
      problems: [
        ['/hotelId', 'HOTEL_ID_REQUIRED'],
        ['/ari/0/inventory', 'OUT_OF_RANGE'],
        ['/ari/0/startDate', 'REQUIRED'],
        ['/ari/0/rates/0/guests', 'REQUIRED'],
        ['/ari/0/rates/0/ageCategory', 'REQUIRED'],
        ['/ari/1/guests', 'REQUIRED'],
        ['/ari/1/ageCategory', 'REQUIRED'],
        ['/ari/1/amount', 'INVALID_AMOUNT'],
      ],
    },
    {
      of: 'an unknown hotel: rules that need none',
      item: { roomId: 'DBL', startDate: '2027-01-02', endDate: '2027-01-01' },
      body: { hotelId: 'H9' },
      problems: [
        ['/hotelId', 'HOTEL_NOT_FOUND'],
        ['/ari/0/startDate', 'DATES_REVERSED'],
      ],
    },
    {
      of: 'an unknown hotel alone',
      item: night({ inventory: 1 }),
      body: { hotelId: 'H9' },
      status: 404,
      problems: [['/hotelId', 'HOTEL_NOT_FOUND']],
    },
  ])
})

test('more nights than the key may push are reported together with all other problems', async () => {
  const supplier = await gateway.supplier('narrow', { ariCellsMax: 1 })
  await pushStoryHotel(supplier)
  const range = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-02', inventory: 1 }
  const body = { hotelId: 'H1', currency: 'EUR', ari: [range, night({ roomId: 'X' })] }
  const reply = await supplier.post('/push/ari', body)
  assert.equal(reply.status, 400)
  assert.deepEqual(problemsOf(reply), [
    ['/ari', 'TOO_MANY_CELLS', 'The push covers 2 nights of rooms and rates; at most 1 are allowed'],
    ['/currency', 'CURRENCY_MISMATCH', "currency must be the hotel's currency USD"],
    ['/ari/1/roomId', 'ROOM_NOT_FOUND', 'RoomID not found'],
  ])
})

test('more items than the key may push are reported together with the other problems of the push, and none is judged', async () => {
  const supplier = await gateway.supplier('few items', { ariItemsMax: 1 })
  await pushStoryHotel(supplier)
  const ari = [night({ inventory: 1 }), night({ roomId: 'X' })]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', currency: 'EUR', ari })
  assert.equal(reply.status, 400)
  assert.deepEqual(problemsOf(reply), [
    ['/ari', 'TOO_MANY_ITEMS', 'ari must have at most 1 elements'],
    ['/currency', 'CURRENCY_MISMATCH', "currency must be the hotel's currency USD"],
  ])
})

test('unknown rooms and rates: no 404 if a rule is broken too', async () => {
  await expectProblems([
    {
      of: 'a price too fine for an unknown rate',
      item: night({ rates: [{ rateId: 'X', prices: [adult(1.005)] }] }),
      problems: [
        ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
        ['/ari/0/rates/0/prices/0/amount', 'INVALID_AMOUNT'],
      ],
    },
    {
      of: 'both unknown',
      item: night({ roomId: 'X', rates: [{ rateId: 'X', closed: true }] }),
      status: 404,
      problems: [
        ['/ari/0/roomId', 'ROOM_NOT_FOUND'],
        ['/ari/0/rates/0/rateId', 'RATE_NOT_FOUND'],
      ],
    },
  ])
})

test('an invalid line counts as the first of its rate, and the other lines are applied', async () => {
  const supplier = await gateway.supplier('lines')
  await pushStoryHotel(supplier)
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'ADV')] }))
  const rates = [
    { rateId: 'BAR', minLengthStay: -1 },
    { rateId: 'BAR', minLengthStay: 2 },
    { rateId: 'NRF', minLengthStay: 2, price: 1.005 },
    { rateId: 'ADV', minLengthStay: 2 },
  ]
  const reply = await supplier.post('/push/ari', {
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [night({ rates })],
  })
  const { results, summary } = reply.body
  const [result]: Fields[] = Array.isArray(results) ? results : []
  assert.deepEqual(
    [reply.status, summary, result?.['status'], problemsOf({ ...reply, body: result ?? {} })],
    [
      207,
      { items: 1, applied: 0, partial: 1, rejected: 0, superseded: 0, unchanged: 0, cellsChanged: 1 },
      'partial',
      [
        ['/ari/0/rates/0/minLengthStay', 'OUT_OF_RANGE', 'minLengthStay must be greater than or equal to 0'],
        ['/ari/0/rates/1/rateId', 'DUPLICATE_RATE', 'rateId appears twice in one item'],
        ['/ari/0/rates/2/price', 'INVALID_AMOUNT', 'Amount must have at most 2 decimals in USD'],
      ],
    ],
  )
})

test('any number of invalid prices is counted exactly, and 100 are listed', async () => {
  const supplier = await gateway.supplier('many', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
  const item = night({ rates: [{ rateId: 'BAR', prices: Array(200).fill({ amount: -1 }) }] })
  const body = {
    hotelId: 'H1',
    pricingModel: 'guest',
    ari: [night({ inventory: 1 }), ...Array(300).fill(item)],
  }
  const problems = 300 * 200 * 3
  for (const [more, status] of [
    [{}, 207],
    [{ atomic: true }, 400],
    [{ mode: 'x' }, 400],
  ] as const) {
    const reply = await supplier.post('/push/ari', { ...body, ...more })
    assert.equal(reply.status, status)
    const { results, errors, moreErrors } = reply.body
    const head = 'mode' in more ? 1 : 0
    if (Array.isArray(errors)) assert.equal(errors.length, 100)
    assert.equal(moreErrors, problems + head - 100)
    if (!Array.isArray(results)) continue
    assert.equal(results[2].moreErrors, 600)
    assert.equal(results[2].errors, undefined)
  }
})

test('amount, guests and ageCategory are the flat form’s: in a line of rates they are unknown, and set nothing', async () => {
  const supplier = await gateway.supplier('unknown members')
  await pushStoryHotel(supplier)
  const line = { rateId: 'BAR', amount: ' 5', guests: 1.5, ageCategory: 'adult' }
  const reply = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: [night({ rates: [line] })] }))
  assert.deepEqual(reply.body['results'], [
    {
      index: 0,
      status: 'unchanged',
      cellsChanged: 0,
      warnings: [
        {
          type: 'NOTHING_SENT',
          message: 'Nothing was changed: no value was sent',
          path: '/ari/0/rates/0',
          hint: 'Unknown and ignored: amount, guests, ageCategory',
        },
      ],
    },
  ])
})
