import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests, type Reply, type TestSupplier } from '../../test/stage/harness.ts'

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
const product = {
  roomId: 'DBL',
  roomType: 'Double',
  rateId: 'BAR',
  roomName: 'Double Room',
  rateName: 'Best Available Rate',
  isAvailable: true,
  mealPlan: 'BB',
  occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
}
const deadline = { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' }
const fee = { name: 'Handling', valueType: 'fixed', value: 5, appliedPer: 'per_room_per_stay' }

let suppliers = 0
/** A supplier with only hotel H1 and product TWN/BAR. */
async function newSupplier(): Promise<TestSupplier> {
  const supplier = await gateway.supplier(`refused-${++suppliers}`)
  await supplier.post('/push/hotels', [hotel])
  await supplier.post('/push/products', { hotelId: 'H1', products: [{ ...product, roomId: 'TWN' }] })
  return supplier
}

/** Everything that a refused push must leave unchanged. */
async function stored(): Promise<unknown> {
  const { rows } = await gateway.db.query(
    `select (select json_agg(hotel order by id) from hotel) as hotels,
       (select json_agg(room order by hotel_id, room_no) from room) as rooms,
       (select json_agg(rate order by hotel_id, rate_no) from rate) as rates,
       (select json_agg(room_rate order by hotel_id, room_no, rate_no) from room_rate) as "roomRates"`,
  )
  return rows
}

async function refused(supplier: TestSupplier, body: unknown, status = 400): Promise<Reply> {
  const before = await stored()
  const reply = await supplier.post('/push/products', body)
  assert.deepEqual([reply.status, reply.body['code']], [status, String(status)], reply.text)
  assert.deepEqual(await stored(), before)
  return reply
}

function problems({ body }: Reply): { type: string; message: string; path: string }[] {
  assert.ok(Array.isArray(body['errors']))
  const listed: { type: string; message: string; path: string }[] = body['errors']
  return listed.map(({ type, message, path }) => ({ type, message, path }))
}

const policy = (members: object) => ({ cancelPolicies: [members] })
const charge = (chargeBase: string | undefined, penaltyCharge: object = {}) =>
  policy({
    cancelPenalties: [
      { noShow: false, cancelDeadline: deadline, penaltyCharge: { chargeBase, ...penaltyCharge } },
    ],
  })
const lastDeadline = (change: object) =>
  policy({
    cancelPenalties: [
      { cancelDeadline: { ...deadline, ...change }, penaltyCharge: { chargeBase: 'FullStay' } },
    ],
  })
const withFee = (change: object) => policy({ fees: [{ ...fee, ...change }] })
const occupancy = (change: object) => ({ occupancy: { ...product.occupancy, ...change } })

type Refusal = [why: string, change: Record<string, unknown>, type: string, message: string]

const withNights = 'nights must be greater than zero when chargeBase is NightBase'
const onlyFullStay = 'percent and amount are charged only when chargeBase is FullStay'
const digits = 'Amount has more decimals than the currency, or is too large'
const positiveAmount = 'amount must be a number or a decimal string greater than or equal to zero'
const feeMax = 'Fee value must be less than or equal to 100 when valueType is %'

const missing = (member: string): Refusal => [
  `no ${member}`,
  { [member]: undefined },
  'REQUIRED',
  `${member} is required`,
]
const roomType = (why: string, sent: unknown): Refusal => [
  why,
  { roomType: sent },
  'ROOM_TYPE_INVALID',
  'RoomType is not valid',
]
const mealPlan = (why: string, sent: unknown): Refusal => [
  why,
  { mealPlan: sent },
  'MEAL_PLAN_INVALID',
  'MealPlan is not valid',
]
const unstorable = (why: string, member: string, sent: string): Refusal => [
  why,
  { [member]: sent },
  'INVALID_CHARACTERS',
  `${member} has characters that cannot be stored`,
]
const code = (member: string): Refusal[] => [
  missing(member),
  [`${member} empty`, { [member]: '' }, 'TOO_SHORT', `${member} must not be empty`],
  [`long ${member}`, { [member]: 'x'.repeat(65) }, 'TOO_LONG', `${member} must have at most 64 characters`],
  [`${member} a number`, { [member]: 1 }, 'WRONG_TYPE', `${member} must be a string`],
  unstorable(`NUL in ${member}`, member, 'a\0'),
]
const invalidOccupancy = (name: string, sent: number, message: string): Refusal => [
  `${name} ${sent}`,
  occupancy({ [name]: sent }),
  'OCCUPANCY_INVALID',
  `${name} ${message}`,
]

/** By the path of the problem within the product. */
const refusals: Readonly<Record<string, Refusal[]>> = {
  roomId: code('roomId'),
  rateId: code('rateId'),
  roomName: [missing('roomName'), unstorable('a lone surrogate in roomName', 'roomName', '\udc00')],
  rateName: [missing('rateName')],
  isAvailable: [
    missing('isAvailable'),
    ['isAvailable as text', { isAvailable: 'false' }, 'WRONG_TYPE', 'isAvailable must be true or false'],
  ],
  roomType: [
    roomType('an unknown room type', 'Broom Cupboard'),
    roomType('a room type in another case', 'double'),
    roomType('an empty room type', ''),
    roomType('a number as room type', 5),
    roomType('NUL in a room type', 'Dou\0ble'),
    missing('roomType'),
  ],
  mealPlan: [
    mealPlan('an unknown meal plan', 'XX'),
    mealPlan('a meal plan in another case', 'bb'),
    mealPlan('null as meal plan', null),
    mealPlan('a lone surrogate in a meal plan', '\ud800'),
  ],
  occupancy: [missing('occupancy')],
  'occupancy/maxOccupancy': [
    ['no maxOccupancy', { occupancy: {} }, 'REQUIRED', 'maxOccupancy is required'],
    invalidOccupancy('maxOccupancy', 0, 'must be greater than zero'),
    invalidOccupancy('maxOccupancy', -1, 'must be greater than zero'),
    ['it as text', occupancy({ maxOccupancy: '3' }), 'WRONG_TYPE', 'maxOccupancy must be an integer'],
  ],
  'occupancy/maxAdult': [
    invalidOccupancy('maxAdult', 0, 'must be greater than zero'),
    invalidOccupancy('maxAdult', 4, 'must be less than or equal to maxOccupancy'),
  ],
  'occupancy/maxChild': [
    invalidOccupancy('maxChild', -1, 'must not be negative'),
    invalidOccupancy('maxChild', 4, 'must be less than or equal to maxOccupancy'),
  ],
  'occupancy/maxInfant': [
    invalidOccupancy('maxInfant', -1, 'must not be negative'),
    invalidOccupancy('maxInfant', 4, 'must be less than or equal to maxOccupancy'),
  ],
  'cancelPolicies/0/startDate': [
    [
      'reversed dates',
      policy({ startDate: '2027-02-02', endDate: '2027-02-01' }),
      'DATES_REVERSED',
      'startDate must not be after endDate',
    ],
    [
      '30 February',
      policy({ startDate: '2027-02-30' }),
      'INVALID_DATE',
      'startDate must be a date in the form YYYY-MM-DD',
    ],
  ],
  'cancelPolicies/0/cancelPenalties/0/penaltyCharge/chargeBase': [
    ['no chargeBase', charge(undefined), 'REQUIRED', 'chargeBase is required'],
    ['an unknown one', charge('Half'), 'NOT_ALLOWED', 'chargeBase must be one of NightBase, FullStay'],
  ],
  'cancelPolicies/0/cancelPenalties/0/penaltyCharge/nights': [
    ['NightBase without nights', charge('NightBase'), 'PENALTY_INVALID', withNights],
    ['NightBase of 0 nights', charge('NightBase', { nights: 0 }), 'PENALTY_INVALID', withNights],
    [
      'below zero',
      charge('NightBase', { nights: -1 }),
      'OUT_OF_RANGE',
      'nights must be greater than or equal to 0',
    ],
  ],
  'cancelPolicies/0/cancelPenalties/0/penaltyCharge/percent': [
    ['half of NightBase', charge('NightBase', { nights: 1, percent: 50 }), 'PENALTY_INVALID', onlyFullStay],
    [
      '101 %',
      charge('FullStay', { percent: 101 }),
      'OUT_OF_RANGE',
      'percent must be less than or equal to 100',
    ],
    [
      '-1 %',
      charge('FullStay', { percent: -1 }),
      'OUT_OF_RANGE',
      'percent must be greater than or equal to 0',
    ],
  ],
  'cancelPolicies/0/cancelPenalties/0/penaltyCharge/amount': [
    [
      'NightBase with an amount',
      charge('NightBase', { nights: 1, amount: 5 }),
      'PENALTY_INVALID',
      onlyFullStay,
    ],
    [
      'FullStay with percent and amount',
      charge('FullStay', { percent: 50, amount: 5 }),
      'PENALTY_INVALID',
      'percent and amount cannot both be charged',
    ],
    ['an amount below zero', charge('FullStay', { amount: -1 }), 'INVALID_AMOUNT', positiveAmount],
    ['finer than the currency', charge('FullStay', { amount: '1.005' }), 'INVALID_AMOUNT', digits],
  ],
  'cancelPolicies/0/cancelPenalties/0/cancelDeadline/offsetTimeUnit': [
    ['weeks', lastDeadline({ offsetTimeUnit: 'W' }), 'NOT_ALLOWED', 'offsetTimeUnit must be one of D, H'],
  ],
  'cancelPolicies/0/cancelPenalties/0/cancelDeadline/offsetTimeValue': [
    [
      'a negative offset',
      lastDeadline({ offsetTimeValue: -1 }),
      'OUT_OF_RANGE',
      'offsetTimeValue must be greater than or equal to 0',
    ],
  ],
  'cancelPolicies/0/cancelPenalties/0/cancelDeadline/deadline': [
    [
      '24:00 as deadline',
      lastDeadline({ deadline: '24:00' }),
      'INVALID_TIME',
      'deadline must be a time of day in the form HH:MM',
    ],
  ],
  'cancelPolicies/0/fees/0/value': [
    ['below zero', withFee({ value: -1 }), 'FEE_INVALID', 'Fee value must be greater than or equal to zero'],
    ['a fee of 101 %', withFee({ valueType: '%', value: '101' }), 'FEE_INVALID', feeMax],
    ['a fee finer than the currency', withFee({ value: 0.001 }), 'INVALID_AMOUNT', digits],
  ],
  'cancelPolicies/0/fees/0/valueType': [
    ['an unknown kind', withFee({ valueType: 'flat' }), 'NOT_ALLOWED', 'valueType must be one of %, fixed'],
  ],
  'cancelPolicies/0/fees/0/name': [
    ['a fee without name', withFee({ name: undefined }), 'REQUIRED', 'name is required'],
  ],
}

describe('an invalid product', () => {
  let shared: Promise<TestSupplier> | undefined
  /** One supplier for all, because refused pushes change nothing. */
  const sharedSupplier = (): Promise<TestSupplier> => (shared ??= newSupplier())

  for (const [path, ofPath] of Object.entries(refusals))
    for (const [why, change, type, message] of ofPath)
      test(`${path}: ${why}`, async () => {
        const supplier = await sharedSupplier()
        const reply = await refused(supplier, { hotelId: 'H1', products: [{ ...product, ...change }] })
        assert.equal(reply.body['message'], message)
        assert.deepEqual(problems(reply), [{ type, message, path: `/products/0/${path}` }])
      })

  test('a name that differs only in case is answered with the right one', async () => {
    const supplier = await sharedSupplier()
    const { body } = await refused(supplier, {
      hotelId: 'H1',
      products: [{ ...product, roomType: ' double' }],
    })
    assert.deepEqual(body['errors'], [
      {
        type: 'ROOM_TYPE_INVALID',
        docUrl: '/docs/guides/errors#ROOM_TYPE_INVALID',
        message: 'RoomType is not valid',
        path: '/products/0/roomType',
        value: ' double',
        hint: 'Values are case-sensitive: send Double',
      },
    ])
  })

  test('the same room and rate twice, with both paths reported', async () => {
    const supplier = await sharedSupplier()
    const { body } = await refused(supplier, {
      hotelId: 'H1',
      products: [product, { ...product, rateId: 'bar' }, { ...product, isAvailable: false }],
    })
    assert.deepEqual(body['errors'], [
      {
        type: 'DUPLICATE_PRODUCT',
        docUrl: '/docs/guides/errors#DUPLICATE_PRODUCT',
        message: 'roomId and rateId appear twice in one request',
        path: '/products/2',
        value: 'DBL BAR',
        hint: 'First at /products/0; send each room-rate once',
      },
    ])
  })

  test('refuses all, and every invalid one is listed regardless of its problem', async () => {
    const supplier = await sharedSupplier()
    const reply = await refused(supplier, {
      hotelId: 'H1',
      products: [
        { ...product, roomName: 'Renamed' },
        { ...product, rateId: 'A', roomType: 'x' },
        { ...product, rateId: 'B', rateName: undefined },
        { ...product, rateId: 'C', occupancy: { maxOccupancy: 1, maxAdult: 2 } },
        null,
      ],
    })
    assert.deepEqual(
      new Set(problems(reply).map(({ path }) => path)),
      new Set([
        '/products/1/roomType',
        '/products/2/rateName',
        '/products/3/occupancy/maxAdult',
        '/products/4',
      ]),
    )
  })

  test('a key that appears twice', async () => {
    const supplier = await sharedSupplier()
    const text = JSON.stringify({ hotelId: 'H1', products: [product] }).replace(
      '"roomId"',
      '"roomId":"A","roomId"',
    )
    const reply = await refused(supplier, text)
    assert.deepEqual(problems(reply), [
      { type: 'DUPLICATE_KEY', message: 'roomId appears twice in one object', path: '/products/0/roomId' },
    ])
  })
})

describe('an invalid push', () => {
  test('no hotelId, no products, an empty list', async () => {
    const supplier = await newSupplier()
    for (const [body, message, path] of [
      [{ products: [product] }, 'hotelId is required', '/hotelId'],
      [{ hotelId: 'H1' }, 'products is required', '/products'],
      [{ hotelId: 'H1', products: [] }, 'products must have at least 1 element', '/products'],
      [[product], 'Request body must be an object', ''],
    ]) {
      const reply = await refused(supplier, body)
      assert.equal(reply.body['message'], message)
      assert.deepEqual(
        problems(reply).map((problem) => problem.path),
        [path],
      )
    }
  })

  test('for a hotel that was not pushed: Hotel ID is not found', async () => {
    const supplier = await newSupplier()
    const { body } = await refused(supplier, { hotelId: 'H9', products: [product] }, 404)
    assert.deepEqual(body, {
      code: '404',
      message: 'Hotel ID is not found',
      requestId: body['requestId'],
      errors: [
        {
          type: 'HOTEL_NOT_FOUND',
          docUrl: '/docs/guides/errors#HOTEL_NOT_FOUND',
          message: 'Hotel ID is not found',
          path: '/hotelId',
          value: 'H9',
          hint: 'Push the hotel with POST /push/hotels first',
        },
      ],
    })
  })

  test('for a hotel that was not pushed lists the invalid products too', async () => {
    const supplier = await newSupplier()
    const reply = await refused(supplier, { hotelId: 'H9', products: [{ ...product, mealPlan: 'XX' }] }, 404)
    assert.deepEqual(
      problems(reply).map(({ message }) => message),
      ['Hotel ID is not found', 'MealPlan is not valid'],
    )
  })

  test('beyond the rooms, rates or products that a hotel may have', async () => {
    const supplier = await newSupplier()
    const many = (roomCount: number, rateCount: number) =>
      Array.from({ length: roomCount * rateCount }, (_, index) => ({
        ...product,
        roomId: `R${Math.floor(index / rateCount)}`,
        rateId: `P${index % rateCount}`,
      }))
    // One room and one rate exist already.
    const rooms = await refused(supplier, { hotelId: 'H1', products: many(2_000, 1) })
    assert.deepEqual(problems(rooms), [
      {
        type: 'TOO_MANY_ROOMS',
        message: 'Maximum 2000 rooms can be kept for a hotel',
        path: '/products/1999/roomId',
      },
    ])
    const rates = await refused(supplier, { hotelId: 'H1', products: many(1, 2_000) })
    assert.deepEqual(problems(rates), [
      {
        type: 'TOO_MANY_RATES',
        message: 'Maximum 2000 rates can be kept for a hotel',
        path: '/products/1999/rateId',
      },
    ])
    assert.equal(
      (await supplier.post('/push/products', { hotelId: 'H1', products: many(100, 100) })).status,
      200,
    )
    const more = many(200, 100).slice(10_000)
    const products = await refused(supplier, { hotelId: 'H1', products: more })
    assert.deepEqual(problems(products), [
      {
        type: 'TOO_MANY_PRODUCTS',
        message: 'Maximum 20000 products can be kept for a hotel',
        path: '/products/9999',
      },
    ])
    assert.equal(
      (await supplier.post('/push/products', { hotelId: 'H1', products: more.slice(0, 9_999) })).status,
      200,
    )
  })
})
