import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'

const gateway = await gatewayForTests()

const hotel = {
  hotelId: 'H1',
  hotelName: 'Sea View Resort',
  currency: 'USD',
  isAvailable: true,
  minChildAge: 3,
  maxChildAge: 12,
  timezone: 'Europe/Paris',
}
const products = [
  {
    roomId: 'DBL',
    roomType: 'Double',
    roomName: 'Double Room',
    rateId: 'BAR',
    rateName: 'Best Available Rate',
    isAvailable: true,
    mealPlan: 'BB',
    occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 0, maxInfant: 0 },
    cancelPolicies: [
      {
        code: 'FLEX2',
        startDate: '2027-01-01',
        endDate: '2027-12-31',
        cancelPenalties: [
          {
            noShow: false,
            cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
            penaltyCharge: { chargeBase: 'NightBase', nights: 1, percent: 100, amount: 0 },
          },
          { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 80.5 } },
        ],
        fees: [
          { name: 'Handling', valueType: 'fixed', value: '5.50', appliedPer: 'per_room_per_stay' },
          { name: 'Resort', valueType: '%', value: 2.5, appliedPer: 'per_person_per_night' },
        ],
      },
      { fees: [] },
    ],
  },
  {
    roomId: 'DBL',
    roomType: 'Double',
    roomName: 'Double Room',
    rateId: 'NRF',
    rateName: 'Non-refundable',
    isAvailable: false,
    occupancy: { maxOccupancy: 3 },
  },
  {
    roomId: 'SGL',
    roomType: 'Single',
    roomName: 'Single Room',
    rateId: 'BAR',
    rateName: 'Best Available Rate',
    isAvailable: true,
    occupancy: { maxOccupancy: 1, maxAdult: 1 },
  },
]

let suppliers = 0
async function newSupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`read-products-${++suppliers}`)
  await supplier.post('/push/hotels', [hotel])
  await supplier.post('/push/products', { hotelId: 'H1', products })
  return supplier
}

test('products are read back as pushed, including policies, fees and archived products', async () => {
  const supplier = await newSupplier()
  const { status, body } = await supplier.post('/push/getProducts', { hotelId: 'H1' })
  assert.deepEqual(
    [status, body],
    [200, { code: '200', message: 'Products retrieved successfully', hotelId: 'H1', revision: 2, products }],
  )
})

test('posting the answer back changes nothing', async () => {
  const supplier = await newSupplier()
  const { body: read } = await supplier.post('/push/getProducts', { hotelId: 'H1' })
  const { body: pushed } = await supplier.post('/push/products', {
    hotelId: read['hotelId'],
    products: read['products'],
  })
  const warned = Object(pushed['warnings']).map(({ type }: { type: string }) => type)
  assert.deepEqual(
    [pushed['created'], pushed['updated'], pushed['unchanged'], pushed['revision'], warned],
    [0, 0, 3, 2, ['POLICY_GAP']],
  )
  assert.deepEqual((await supplier.post('/push/getProducts', { hotelId: 'H1' })).body, read)
})

test('only the requested rooms and rates are read', async () => {
  const supplier = await newSupplier()
  const [bar, nonRefundable, single] = products
  const read = async (codes: object) =>
    (await supplier.post('/push/getProducts', { hotelId: 'H1', ...codes })).body['products']
  assert.deepEqual(await read({ roomIds: ['SGL'] }), [single])
  assert.deepEqual(await read({ rateIds: ['BAR'] }), [bar, single])
  assert.deepEqual(await read({ roomIds: ['DBL'], rateIds: ['NRF'] }), [nonRefundable])
  assert.deepEqual(await read({ roomIds: ['SGL'], rateIds: ['NRF'] }), [])
})

test('unknown codes are listed, each with its path', async () => {
  const supplier = await newSupplier()
  const { status, body } = await supplier.post('/push/getProducts', {
    hotelId: 'H1',
    roomIds: ['DBL', 'dbl'],
    rateIds: ['X'],
  })
  const hint = 'Use a code pushed with POST /push/products'
  assert.deepEqual(
    [status, body['message'], body['errors']],
    [
      404,
      'RoomID not found',
      [
        {
          type: 'ROOM_NOT_FOUND',
          message: 'RoomID not found',
          path: '/roomIds/1',
          value: 'dbl',
          hint,
          docUrl: '/docs/guides/errors#ROOM_NOT_FOUND',
        },
        {
          type: 'RATE_NOT_FOUND',
          message: 'RateID not found',
          path: '/rateIds/0',
          value: 'X',
          hint,
          docUrl: '/docs/guides/errors#RATE_NOT_FOUND',
        },
      ],
    ],
  )
})

test('a hotel without products returns none, and an unknown hotel is not found', async () => {
  const supplier = await gateway.supplier('read-products-none')
  await supplier.post('/push/hotels', [hotel])
  assert.deepEqual((await supplier.post('/push/getProducts', { hotelId: 'H1' })).body, {
    code: '200',
    message: 'Products retrieved successfully',
    hotelId: 'H1',
    revision: 1,
    products: [],
  })
  const { status, body } = await supplier.post('/push/getProducts', { hotelId: 'H2' })
  assert.deepEqual([status, body['message']], [404, 'Hotel ID is not found'])
})
