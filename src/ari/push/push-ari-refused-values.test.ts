import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import {
  bar,
  guest,
  night,
  refuse,
  type Fields,
  type Problem,
  type Refusal,
} from '../../../test/stage/scenes/refused-ari.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

const gateway = await gatewayForTests()

test('dates: valid, in order, in one form, with at least one night', async () => {
  const ranged = (dates: Fields): Fields => ({ roomId: 'DBL', inventory: 1, ...dates })
  const required = (name: string): Problem => [`/ari/0/${name}`, 'REQUIRED', `${name} is required`]
  const ambiguous: Problem = [
    '/ari/0/date',
    'AMBIGUOUS_DATES',
    'date cannot be sent together with startDate or endDate',
  ]
  await refuse(gateway, [
    ['none', ranged({}), [required('startDate')]],
    ['no end', ranged({ startDate: '2027-04-01' }), [required('endDate')]],
    ['no start', ranged({ endDate: '2027-04-01' }), [required('startDate')]],
    ['date and start', ranged({ date: '2027-04-01', startDate: '2027-04-01' }), [ambiguous]],
    ['date and end', ranged({ date: '2027-04-01', endDate: '2027-04-01' }), [ambiguous]],
    [
      'reversed',
      ranged({ startDate: '2027-04-02', endDate: '2027-04-01' }),
      [['/ari/0/startDate', 'DATES_REVERSED', 'startDate must not be later than endDate']],
    ],
    ...['2027-02-29', 'infinity', '-infinity', 'now', '2027-4-1', '20270401', '2027-04-01T00:00:00Z'].map(
      (date): Refusal => [
        `date ${date}`,
        ranged({ date }),
        [['/ari/0/date', 'INVALID_DATE', 'date must be a date in the form YYYY-MM-DD']],
      ],
    ),
    ['a number', ranged({ date: 20270401 }), [['/ari/0/date', 'WRONG_TYPE', 'date must be a string']]],
    [
      'no night left',
      ranged({ startDate: '2027-04-05', endDate: '2027-04-09', daysOfWeek: ['SAT', 'SUN'] }),
      [['/ari/0/daysOfWeek', 'NO_NIGHTS', 'daysOfWeek matches no night of the range']],
    ],
    [
      'no weekday',
      ranged({ date: '2027-04-05', daysOfWeek: [] }),
      [['/ari/0/daysOfWeek', 'TOO_FEW', 'daysOfWeek must have at least 1 element']],
    ],
    [
      'another language',
      ranged({ date: '2027-04-05', daysOfWeek: ['Mon'] }),
      [
        [
          '/ari/0/daysOfWeek/0',
          'NOT_ALLOWED',
          'An element of daysOfWeek must be one of MON, TUE, WED, THU, FRI, SAT, SUN',
        ],
      ],
    ],
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

test('amounts: above zero for units and adults, from zero for children and infants, never rounded', async () => {
  const path = '/ari/0/rates/0/prices/0/amount'
  const above: Problem = [path, 'INVALID_AMOUNT', 'Amount must be greater than zero']
  const atLeast: Problem = [path, 'INVALID_AMOUNT', 'Amount must be greater than or equal to zero']
  const decimals: Problem = [path, 'INVALID_AMOUNT', 'Amount must have at most 2 decimals in USD']
  const tooLarge: Problem = [path, 'INVALID_AMOUNT', 'Amount must be at most 9999999999.99 in USD']
  const shape: Problem = [path, 'INVALID_AMOUNT', 'amount must be a number or a decimal string']
  await refuse(gateway, [
    ...[0, '0', '0.00', -0, -1, '-0.01'].map((amount): Refusal => [
      `adult ${amount}`,
      guest({ amount }),
      [above],
    ]),
    ['unit 0', bar({ prices: [{ amount: 0 }] }), [above], { pricingModel: 'unit' }],
    [
      'unit 0 for children',
      bar({ prices: [{ amount: 0, ageCategory: 'child', guests: 1 }] }),
      [above],
      { pricingModel: 'unit' },
    ],
    ...['child', 'infant'].map((ageCategory): Refusal => [
      ageCategory,
      guest({ ageCategory, amount: -0.01 }),
      [atLeast],
    ]),
    ...[1.005, '1.005', 0.001, '0.005'].map((amount): Refusal => [
      `amount ${amount}`,
      guest({ amount }),
      [decimals],
    ]),
    ...[10_000_000_000, '10000000000', 1e300].map((amount): Refusal => [
      `amount ${amount}`,
      guest({ amount }),
      [tooLarge],
    ]),
    ...['', 'abc', '1e3', '0x10', '1,5', ' 1', '1 ', '00', '.5', '5.', '+5', 'NaN', 'Infinity', '１'].map(
      (amount): Refusal => [`text ${amount}`, guest({ amount }), [shape]],
    ),
    ['a list', guest({ amount: [5] }), [[path, 'WRONG_TYPE', 'amount must be a number or a string or null']]],
    ['true', guest({ amount: true }), [[path, 'WRONG_TYPE', 'amount must be a number or a string or null']]],
    ['none', guest({ amount: undefined }), [[path, 'REQUIRED', 'amount is required']]],
    [
      'flat',
      night({ rateId: 'BAR', price: 0 }),
      [['/ari/0/price', 'INVALID_AMOUNT', 'Amount must be greater than zero']],
      { pricingModel: 'unit' },
    ],
  ])
})

test('guest lines need guests and ageCategory, within the product’s occupancy, each combination once', async () => {
  const at = (name: string): string => `/ari/0/rates/0/prices/0/${name}`
  const twice = (path: string): Problem => [
    path,
    'DUPLICATE_PRICE',
    'The same price appears twice in one rate line',
  ]
  const occupancy: Problem = [at('guests'), 'OCCUPANCY_EXCEEDED', "guests exceeds the product's occupancy"]
  const line = { ageCategory: 'adult', guests: 1, amount: 90 }
  await refuse(gateway, [
    ['3 adults of 2', guest({ guests: 3 }), [occupancy]],
    ['3 children of 2', guest({ ageCategory: 'child', guests: 3 }), [occupancy]],
    ['4 infants of 3', guest({ ageCategory: 'infant', guests: 4 }), [occupancy]],
    [
      '0 guests',
      guest({ guests: 0 }),
      [[at('guests'), 'OUT_OF_RANGE', 'guests must be greater than or equal to 1']],
    ],
    [
      '100 guests',
      guest({ guests: 100 }),
      [[at('guests'), 'OUT_OF_RANGE', 'guests must be less than or equal to 99']],
    ],
    ['half a guest', guest({ guests: 1.5 }), [[at('guests'), 'WRONG_TYPE', 'guests must be an integer']]],
    ['guests as text', guest({ guests: '1' }), [[at('guests'), 'WRONG_TYPE', 'guests must be an integer']]],
    [
      'category',
      guest({ ageCategory: 'Adult' }),
      [[at('ageCategory'), 'NOT_ALLOWED', 'ageCategory must be one of adult, child, infant']],
    ],
    [
      'nobody',
      bar({ prices: [{ amount: 5 }] }),
      [
        [at('guests'), 'REQUIRED', 'guests is required when pricingModel is guest'],
        [at('ageCategory'), 'REQUIRED', 'ageCategory is required when pricingModel is guest'],
      ],
    ],
    [
      'flat without category',
      night({ rateId: 'BAR', amount: 5, guests: 1 }),
      [['/ari/0/ageCategory', 'REQUIRED', 'ageCategory is required when pricingModel is guest']],
    ],
    [
      'the same line twice',
      bar({ prices: [line, { ...line, guests: 2 }, line] }),
      [twice('/ari/0/rates/0/prices/2')],
    ],
    [
      'two units',
      bar({ prices: [{ amount: 1 }, { amount: 1 }] }),
      [twice('/ari/0/rates/0/prices/1')],
      { pricingModel: 'unit' },
    ],
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
  await refuse(gateway, [
    ...limits.flatMap((name): Refusal[] => [
      [
        name,
        bar({ [name]: 1000 }),
        [[at(name), 'OUT_OF_RANGE', `${name} must be less than or equal to 999`]],
      ],
      [name, bar({ [name]: -1 }), [[at(name), 'OUT_OF_RANGE', `${name} must be greater than or equal to 0`]]],
      [name, bar({ [name]: '5' }), [[at(name), 'WRONG_TYPE', `${name} must be an integer or null`]]],
      [name, bar({ [name]: 1.5 }), [[at(name), 'WRONG_TYPE', `${name} must be an integer or null`]]],
    ]),
    ...['closed', 'closedToArrival', 'closedToDeparture'].flatMap((name): Refusal[] =>
      [1, 'true', []].map((value) => [
        name,
        bar({ [name]: value }),
        [[at(name), 'WRONG_TYPE', `${name} must be true or false or null`]],
      ]),
    ),
    [
      'inventory',
      night({ inventory: 100_000 }),
      [['/ari/0/inventory', 'OUT_OF_RANGE', 'inventory must be less than or equal to 99999']],
    ],
    [
      'inventory',
      night({ inventory: '6' }),
      [['/ari/0/inventory', 'WRONG_TYPE', 'inventory must be an integer or null']],
    ],
    [
      'of a rate',
      bar({ inventory: 100_000 }),
      [[at('inventory'), 'OUT_OF_RANGE', 'inventory must be less than or equal to 99999']],
    ],
  ])
})

function shifted(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}
