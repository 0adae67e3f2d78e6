import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import {
  bar,
  night,
  refuse,
  type Fields,
  type Problem,
  type Refusal,
} from '../../../test/stage/scenes/refused-ari.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()

test('pricing models: exactly unit or guest, and required when a price is sent', async () => {
  const message = 'pricingModel must be unit or guest'
  const noModel = { pricingModel: undefined }
  const required: Problem = [
    '/pricingModel',
    'PRICING_MODEL_REQUIRED',
    'pricingModel is required when a price is sent',
  ]
  await refuse(gateway, [
    ...['Daily', 'LOS', 'Unit', 'GUEST', '', 'unit ', 1, null].map((pricingModel): Refusal => [
      `pricingModel ${pricingModel}`,
      bar({ price: 1 }),
      [['/pricingModel', 'PRICING_MODEL_INVALID', message]],
      { pricingModel },
    ]),
    [
      'model of a line',
      bar({ price: 1, pricingModel: 'LOS' }),
      [['/ari/0/rates/0/pricingModel', 'PRICING_MODEL_INVALID', message]],
    ],
    ['no model, price', bar({ price: 1 }), [required], noModel],
    ['no model, prices', bar({ prices: [{ amount: 1 }] }), [required], noModel],
    ['no model, prices null', bar({ prices: null }), [required], noModel],
    ['no model, flat amount', night({ rateId: 'BAR', amount: 1 }), [required], noModel],
    [
      'no model, not even beside good items',
      [night({ inventory: 1 }), bar({ price: 1 })],
      [required],
      noModel,
    ],
  ])
})

test('currency asserts the hotel’s, and refuses the whole push', async () => {
  const mismatch: Problem = ['/currency', 'CURRENCY_MISMATCH', "currency must be the hotel's currency USD"]
  await refuse(gateway, [
    ['EUR', night({ inventory: 1 }), [mismatch], { currency: 'EUR' }],
    ['small letters', night({ inventory: 1 }), [mismatch], { currency: 'usd' }],
    [
      'with other problems',
      [night({ inventory: 1 }), { roomId: 'X', date: '2027-04-01' }],
      [mismatch, ['/ari/1/roomId', 'ROOM_NOT_FOUND', 'RoomID not found']],
      { currency: 'EUR' },
    ],
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
  const unknown: Refusal[] = [
    ['room', { roomId: 'X', date: '2027-04-01', inventory: 1 }, [room]],
    ['room in other letters', { roomId: 'dbl', date: '2027-04-01', inventory: 1 }, [room]],
    ['rate', night({ rates: [{ rateId: 'X', closed: true }] }), [rate('/ari/0/rates/0/rateId')]],
    ['flat rate', night({ rateId: 'bar', closed: true }), [rate('/ari/0/rateId')]],
    [
      'room and rate',
      [{ roomId: 'X', date: '2027-04-01' }, night({ rateId: 'X', closed: true })],
      [room, rate('/ari/1/rateId')],
    ],
  ]
  await refuse(gateway, unknown, 404)
  const inventory: Problem = [
    '/ari/1/inventory',
    'OUT_OF_RANGE',
    'inventory must be less than or equal to 99999',
  ]
  const both = [{ roomId: 'X', date: '2027-04-01' }, night({ inventory: 100_000 })]
  await refuse(gateway, [['room and something else', both, [room, inventory]]])
})

test('an item has one form, contains each rate once, and drops nothing silently', async () => {
  const rateRequired: Problem = ['/ari/0/rateId', 'RATE_ID_REQUIRED', 'rateId is required']
  const unit = { pricingModel: 'unit' }
  await refuse(gateway, [
    [
      'both forms',
      night({ rateId: 'BAR', rates: [{ rateId: 'NRF', closed: true }] }),
      [['/ari/0/rateId', 'AMBIGUOUS_ITEM', 'rateId and rates cannot both be sent in one item']],
    ],
    ['a price of no rate', night({ price: 5 }), [rateRequired], unit],
    ['a restriction of no rate', night({ inventory: 1, minLengthStay: 2 }), [rateRequired]],
    [
      'members of a rate beside rates',
      night({ rates: [{ rateId: 'BAR', closed: true }], closedToArrival: true, price: null }),
      [
        ['/ari/0/price', 'AMBIGUOUS_ITEM', 'price cannot be sent together with rates'],
        ['/ari/0/closedToArrival', 'AMBIGUOUS_ITEM', 'closedToArrival cannot be sent together with rates'],
      ],
    ],
    [
      'a line without rate',
      night({ rates: [{ closed: true }] }),
      [['/ari/0/rates/0/rateId', 'RATE_ID_REQUIRED', 'rateId is required']],
    ],
    [
      'no room',
      { date: '2027-04-01', inventory: 1 },
      [['/ari/0/roomId', 'ROOM_ID_REQUIRED', 'roomId is required']],
    ],
    [
      'price and prices',
      bar({ price: 5, prices: [{ amount: 5 }] }),
      [['/ari/0/rates/0/price', 'AMBIGUOUS_PRICE', 'prices and price cannot be sent together']],
      unit,
    ],
    [
      'price and amount',
      night({ rateId: 'BAR', price: 5, amount: 5 }),
      [['/ari/0/amount', 'AMBIGUOUS_PRICE', 'price and amount cannot be sent together']],
      unit,
    ],
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
  await refuse(gateway, [
    ['no hotel', item, [['/hotelId', 'HOTEL_ID_REQUIRED', 'hotelId is required']], { hotelId: undefined }],
    ['hotel as number', item, [['/hotelId', 'WRONG_TYPE', 'hotelId must be a string']], { hotelId: 1 }],
    ['items as object', [], [['/ari', 'WRONG_TYPE', 'ari must be an array']], { ari: {} }],
    [
      'an item of no kind',
      [],
      [['/ari/0', 'WRONG_TYPE', 'An element of ari must be an object']],
      { ari: [7] },
    ],
    ['mode', item, [['/mode', 'NOT_ALLOWED', 'mode must be one of delta, overlay']], { mode: 'Overlay' }],
    ['atomic', item, [['/atomic', 'WRONG_TYPE', 'atomic must be true or false']], { atomic: 1 }],
    ['dryRun', item, [['/dryRun', 'WRONG_TYPE', 'dryRun must be true or false']], { dryRun: 'yes' }],
    [
      'sequence as text',
      item,
      [['/sequence', 'WRONG_TYPE', 'sequence must be an integer']],
      { sequence: '5' },
    ],
    [
      'sequence below 0',
      item,
      [['/sequence', 'OUT_OF_RANGE', 'sequence must be greater than or equal to 0']],
      { sequence: -1 },
    ],
    [
      'half a sequence',
      item,
      [['/sequence', 'WRONG_TYPE', 'sequence must be an integer']],
      { sequence: 1.5 },
    ],
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
