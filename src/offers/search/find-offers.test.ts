import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client, gatewayForTests } from '../../../test/stage/harness.ts'
import {
  adults2,
  april,
  cityTax,
  offersStage,
  push,
  pushApril,
  threeNights,
  vat,
  type Fields,
} from '../../../test/stage/scenes/offers.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'
import { offersAnswerMax } from '../contract.ts'

/** The offers of a search: prices, taxes, policies and what forbids a stay. */

const gateway = await gatewayForTests()
const { platform, storySupplier, find, pricesOf } = await offersStage(gateway)

test('an offer has its room-rate, prices, taxes and cancellation policy', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [vat, cityTax] }))
  const cancelPolicies = [
    { code: 'NRF', startDate: '2027-01-01', endDate: '2027-03-31' },
    {
      code: 'FLEX2',
      description: 'Free until two days before',
      startDate: '2027-04-01',
      endDate: '2027-04-20',
      cancelPenalties: [
        { noShow: true, penaltyCharge: { chargeBase: 'FullStay' } },
        {
          cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
          penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
        },
        {
          cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 24 },
          penaltyCharge: { chargeBase: 'FullStay', percent: 12.5 },
        },
      ],
    },
  ]
  const flexible = product('DBL', 'BAR', { cancelPolicies })
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [flexible] }))
  const hotel = await find(supplier, { rooms: [{ adults: 2, childAges: [1] }, { adults: 2 }] })
  const nights = ['2027-04-20', '2027-04-21', '2027-04-22'].map((date) => ({ date, amount: '110.00' }))
  const id = hotel.platformHotelId
  assert.deepEqual(hotel, {
    platformHotelId: id,
    supplier: supplier.name,
    hotelId: 'H1',
    currency: 'USD',
    revision: 5,
    offers: [
      {
        roomId: 'DBL',
        platformRoomId: `${id}-R1`,
        roomName: 'Room DBL',
        rateId: 'BAR',
        platformRateId: `${id}-P1`,
        rateName: 'Rate BAR',
        mealPlan: 'RO',
        unitsLeft: 5,
        rooms: [{ nights }, { nights }],
        taxes: [
          { type: 'VAT', included: true, payNow: true, amount: '60.00' },
          { type: 'CITY_TAX', included: false, payNow: false, amount: '30.00' },
        ],
        total: {
          beforeTax: '600.00',
          tax: '60.00',
          afterTax: '660.00',
          dueAtProperty: '30.00',
          feesAtProperty: '0.00',
          allIn: '690.00',
        },
        cancellation: 'until',
        freeUntil: '2027-03-27T00:00:00+01:00',
        termsDigest: Object(hotel.offers[0]).termsDigest,
        cancelPolicy: {
          code: 'FLEX2',
          description: 'Free until two days before',
          // Summer time begins on 28 March.
          penalties: [
            { from: '2027-03-27T00:00:00+01:00', amount: '82.50' },
            { from: '2027-04-18T18:00:00+02:00', amount: '220.00' },
            { from: '2027-04-21T00:00:00+02:00', amount: '660.00', noShow: true },
          ],
        },
        fees: [],
      },
    ],
  })
})

test('penalties are nights, a percentage or an amount per room', async () => {
  const supplier = await storySupplier({ currency: 'KWD' })
  await push(supplier, [
    {
      roomId: 'DBL',
      ...april,
      inventory: 5,
      rates: [{ rateId: 'BAR', pricingModel: 'unit', price: '33.335' }],
    },
  ])
  const charges = [
    [{ chargeBase: 'NightBase', nights: 2 }, '133.340'],
    [{ chargeBase: 'NightBase', nights: 9 }, '200.010'],
    [{ chargeBase: 'FullStay' }, '200.010'],
    // Half of a room's 100.005 is 50.0025: half a fils rounds up, for each room.
    [{ chargeBase: 'FullStay', percent: 50 }, '100.006'],
    [{ chargeBase: 'FullStay', percent: 12.35 }, '24.702'],
    [{ chargeBase: 'FullStay', percent: 0 }, '0.000'],
    [{ chargeBase: 'FullStay', amount: '7.5' }, '15.000'],
    [{ chargeBase: 'FullStay', amount: 0, percent: 100 }, '200.010'],
    [{ chargeBase: 'FullStay', amount: 0 }, '0.000'],
  ] as const
  // One after the other: of several at one instant the highest alone is listed.
  const cancelPenalties = charges.map(([penaltyCharge], index) => ({
    cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: charges.length - index },
    penaltyCharge,
  }))
  const products = [product('DBL', 'BAR', { cancelPolicies: [{ cancelPenalties }] })]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const { offers } = await find(supplier, { rooms: [{ adults: 1 }, { adults: 1 }] })
  const { penalties } = Object(offers[0]?.cancelPolicy)
  assert.deepEqual(
    penalties.map(({ amount }: { amount: string }) => amount),
    charges.map(([, amount]) => amount),
  )
})

test('the fees of the applicable policy are listed for all rooms, outside every total', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cityTax] }))
  const fixed = { valueType: 'fixed', value: '2.50' }
  const fees = [
    { name: 'Linen', ...fixed, appliedPer: 'per_room_per_stay' },
    { name: 'Towels', ...fixed, appliedPer: 'per_person_per_stay' },
    { name: 'Parking', ...fixed, appliedPer: 'per_room_per_night' },
    { name: 'Breakfast', ...fixed, appliedPer: 'per_person_per_night' },
    // 12.505 % of 330.00 per room: 41.2665, regardless of `appliedPer`.
    { name: 'Service', valueType: '%', value: 12.505, appliedPer: 'per_person_per_night' },
  ]
  const cancelPolicies = [
    { endDate: '2027-03-31', fees: [{ name: 'Winter', ...fixed, appliedPer: 'per_room_per_stay' }] },
    { startDate: '2027-04-01', fees },
  ]
  const products = [product('DBL', 'BAR', { cancelPolicies })]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  // No per-person charge for the infant in the first room.
  const { offers } = await find(supplier, {
    rooms: [{ adults: 2, childAges: [1] }, { adults: 2 }],
    trace: true,
  })
  const amounts = ['5.00', '10.00', '15.00', '30.00', '82.54']
  assert.deepEqual(
    offers[0]?.fees,
    fees.map(({ name, appliedPer }, index) => ({ name, amount: amounts[index], appliedPer, payNow: false })),
  )
  assert.deepEqual(offers[0].total, {
    beforeTax: '660.00',
    tax: '0.00',
    afterTax: '660.00',
    dueAtProperty: '30.00',
    feesAtProperty: '142.54',
    allIn: '832.54',
  })
  const traced = [
    { name: 'Linen', exact: '2.5', amount: '2.50' },
    { name: 'Towels', exact: '5', amount: '5.00' },
    { name: 'Parking', exact: '7.5', amount: '7.50' },
    { name: 'Breakfast', exact: '15', amount: '15.00' },
    { name: 'Service', exact: '41.2665', amount: '41.27' },
  ]
  assert.deepEqual(
    Array.from(Object(offers[0].trace), (room) => Object(room)['fees']),
    [traced, traced],
  )
})

test('hours before arrival are counted across a clock change', async () => {
  const supplier = await storySupplier()
  await push(supplier, [
    {
      roomId: 'DBL',
      startDate: '2027-03-28',
      endDate: '2027-03-31',
      inventory: 1,
      rates: [{ rateId: 'BAR', prices: adults2 }],
    },
  ])
  const cancelPenalties = [
    {
      cancelDeadline: { offsetTimeUnit: 'H', offsetTimeValue: 24, deadline: '12:00' },
      penaltyCharge: { chargeBase: 'FullStay' },
    },
  ]
  const products = [product('DBL', 'BAR', { cancelPolicies: [{ cancelPenalties }] })]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const { offers } = await find(supplier, { checkin: '2027-03-28', checkout: '2027-03-30' })
  assert.deepEqual(offers[0]?.cancelPolicy.penalties, [
    { from: '2027-03-27T11:00:00+01:00', amount: '220.00' },
  ])
})

test('ages sort children into the price lines of the guest model; nothing is interpolated, and infants without a line are free', async () => {
  // Infants are below 2, children up to 12.
  const supplier = await storySupplier()
  const line = (ageCategory: string, guests: number, amount: number) => ({ ageCategory, guests, amount })
  const prices = [line('adult', 1, 90), line('adult', 2, 110), line('child', 1, 15)]
  await push(supplier, [
    { roomId: 'DBL', ...april, inventory: 5, rates: [{ rateId: 'BAR', prices }] },
    { roomId: 'DBL', ...april, rates: [{ rateId: 'NRF', pricingModel: 'unit', price: 70 }] },
  ])
  const night = { checkin: '2027-04-20', checkout: '2027-04-21' }
  const asked: [room: Fields, expected: Fields][] = [
    [{ adults: 1 }, { BAR: '90.00', NRF: '70.00' }],
    [{ adults: 2 }, { BAR: '110.00', NRF: '70.00' }],
    [
      { adults: 1, childAges: [2] },
      { BAR: '105.00', NRF: '70.00' },
    ],
    [
      { adults: 1, childAges: [12] },
      { BAR: '105.00', NRF: '70.00' },
    ],
    [
      { adults: 1, childAges: [13] },
      { BAR: '110.00', NRF: '70.00' },
    ],
    [
      { adults: 1, childAges: [1, 0] },
      { BAR: '90.00', NRF: '70.00' },
    ],
    // No line for two children; the unit price applies to any party.
    [{ adults: 1, childAges: [5, 6] }, { NRF: '70.00' }],
    // Three adults, three children, four guests: each more than the product accepts.
    [{ adults: 3 }, {}],
    [{ adults: 2, childAges: [5, 6] }, {}],
    [{ adults: 1, childAges: [14, 15] }, {}],
  ]
  for (const [room, expected] of asked)
    assert.deepEqual([room, await pricesOf(supplier, { ...night, rooms: [room] })], [room, expected])
})

test('the smaller inventory counts, a night without any is not sold, and all rooms must fit', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  await push(supplier, [
    { roomId: 'DBL', ...april, rates: [{ rateId: 'NRF', inventory: 2, prices: adults2 }] },
    { roomId: 'DBL', date: '2027-04-25', inventory: null },
  ])
  const unitsLeft = async (rooms: number, stay: Fields = {}) => {
    const asked = Array.from({ length: rooms }, () => ({ adults: 2 }))
    const { offers } = await find(supplier, { rooms: asked, ...stay })
    return offers.map((offer) => [offer.rateId, offer.unitsLeft])
  }
  assert.deepEqual(await unitsLeft(1), [
    ['BAR', 5],
    ['NRF', 2],
  ])
  assert.deepEqual(await unitsLeft(3), [['BAR', 5]])
  assert.deepEqual(await unitsLeft(6), [])
  // The room has none that night, but the rate has its own.
  assert.deepEqual(await unitsLeft(1, { checkin: '2027-04-25', checkout: '2027-04-26' }), [['NRF', 2]])
})

test('each restriction forbids exactly the stays that the contract states', async () => {
  const restrictions: [restriction: Fields, date: string, forbids: string[]][] = [
    [{ closed: true }, '2027-04-22', ['20-23', '22-23', '22-24']],
    [{ closedToArrival: true }, '2027-04-20', ['20-21', '20-23']],
    [{ closedToDeparture: true }, '2027-04-23', ['20-23', '22-23']],
    [{ minStayArrival: 3 }, '2027-04-20', ['20-21']],
    [{ maxStayArrival: 2 }, '2027-04-20', ['20-23']],
    [{ minLengthStay: 3 }, '2027-04-22', ['22-23', '22-24']],
    [{ maxLengthStay: 2 }, '2027-04-22', ['20-23']],
    [{ minAdvanceDays: 51 }, '2027-04-20', ['20-21', '20-23']],
    [{ minAdvanceDays: 50 }, '2027-04-20', []],
    [{ maxAdvanceDays: 49 }, '2027-04-20', ['20-21', '20-23']],
    [{ maxAdvanceDays: 50 }, '2027-04-20', []],
  ]
  for (const [restriction, date, forbids] of restrictions) {
    const supplier = await storySupplier()
    await pushApril(supplier)
    await push(supplier, [{ roomId: 'DBL', date, rates: [{ rateId: 'BAR', ...restriction }] }])
    const forbidden: string[] = []
    for (const stay of ['20-21', '20-23', '22-23', '22-24']) {
      const [first, last] = stay.split('-')
      const dates = { checkin: `2027-04-${first}`, checkout: `2027-04-${last}` }
      if ((await find(supplier, dates)).offers.length === 0) forbidden.push(stay)
    }
    assert.deepEqual([restriction, forbidden], [restriction, forbids])
  }
})

test('the room’s own closure is not tested on the day of departure', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  await push(supplier, [{ roomId: 'DBL', date: '2027-04-23', closed: true }])
  assert.deepEqual(await pricesOf(supplier), { BAR: '330.00' })
  assert.deepEqual(await pricesOf(supplier, { checkout: '2027-04-24' }), {})
})

test('every acknowledged change is visible in the next search of every process', async () => {
  const supplier = await storySupplier()
  const second = await gateway.second()
  const elsewhere = client(second.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const both = async (expected: Fields) => {
    assert.deepEqual(await pricesOf(supplier), expected)
    assert.deepEqual(await pricesOf(supplier, {}, elsewhere), expected)
  }
  await both({})
  await pushApril(supplier)
  await both({ BAR: '330.00' })
  await push(supplier, [
    {
      roomId: 'DBL',
      date: '2027-04-21',
      rates: [{ rateId: 'BAR', prices: [{ ...adults2[0], amount: 100 }] }],
    },
  ])
  await both({ BAR: '320.00' })
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [{ ...vat, included: false }] }))
  await both({ BAR: '352.00' })
  const archived = product('DBL', 'BAR', { isAvailable: false })
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [archived] }))
  await both({})
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] }))
  await both({ BAR: '352.00' })
  await pushStoryHotel(supplier, { isAvailable: false })
  await both({})
  // After a change of currency, the same price pushed again is in the new currency.
  await pushStoryHotel(supplier, { currency: 'EUR' })
  await both({})
  await pushApril(supplier)
  await both({ BAR: '363.00' })
})

test('hotels are found by either reference, in the requested order, each once; unknown ones are listed as requested', async () => {
  const [one, other] = [await storySupplier(), await storySupplier()]
  await pushStoryHotel(one, { hotelId: 'H2' })
  const { platformHotelId } = await find(one)
  const unknown = [
    { platformHotelId: '0' },
    { platformHotelId: '2147483648' },
    { platformHotelId: 'H1' },
    { supplier: one.name, hotelId: 'h1' },
    { supplier: 'nobody', hotelId: 'H1' },
  ]
  const hotels = [
    { supplier: other.name, hotelId: 'H1' },
    ...unknown,
    { platformHotelId },
    { supplier: one.name, hotelId: 'H2' },
    { supplier: one.name, hotelId: 'H1' },
  ]
  const { body } = expectOk(await platform.post('/booking/offers', { hotels, ...threeNights }))
  assert.deepEqual(
    Object(body)['hotels'].map(({ supplier, hotelId }: Fields) => [supplier, hotelId]),
    [
      [other.name, 'H1'],
      [one.name, 'H1'],
      [one.name, 'H2'],
    ],
  )
  assert.deepEqual(body['notFound'], unknown)
})

test('all problems of a search are listed', async () => {
  const reply = await platform.post('/booking/offers', {
    hotels: [{}, { supplier: 'A' }, { platformHotelId: '1', hotelId: 'H1' }],
    checkin: '2027-04-20',
    checkout: '2027-04-20',
    rooms: [{ adults: 0 }, { adults: 1, childAges: [-1, '5'] }],
  })
  assert.equal(reply.status, 400)
  assert.deepEqual(problemsOf(reply), [
    ['/rooms/0/adults', 'OUT_OF_RANGE', 'adults must be greater than or equal to 1'],
    ['/rooms/1/childAges/0', 'OUT_OF_RANGE', 'An element of childAges must be greater than or equal to 0'],
    ['/rooms/1/childAges/1', 'WRONG_TYPE', 'An element of childAges must be an integer'],
    ['/hotels/0', 'HOTEL_REFERENCE_REQUIRED', 'Each hotel requires platformHotelId, or supplier and hotelId'],
    ['/hotels/1', 'HOTEL_REFERENCE_REQUIRED', 'Each hotel requires platformHotelId, or supplier and hotelId'],
    [
      '/hotels/2',
      'HOTEL_REFERENCE_AMBIGUOUS',
      'platformHotelId cannot be sent together with supplier or hotelId',
    ],
    ['/checkout', 'DATES_REVERSED', 'checkout must be later than checkin'],
  ])
  const long = await platform.post('/booking/offers', {
    hotels: [{ platformHotelId: '1' }],
    ...threeNights,
    checkout: '2028-04-20',
  })
  assert.deepEqual(problemsOf(long), [['/checkout', 'STAY_TOO_LONG', 'A stay must have at most 365 nights']])
})

test('an answer beyond its limit is refused', async () => {
  const supplier = await storySupplier()
  const rates = Array.from({ length: 130 }, (_, index) => `R${index}`)
  const products = rates.map((rateId) => product('DBL', rateId))
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const year = { startDate: '2027-04-01', endDate: '2028-03-31' }
  await push(supplier, [
    {
      roomId: 'DBL',
      ...year,
      inventory: 50,
      rates: rates.map((rateId) => ({ rateId, pricingModel: 'unit', price: 100 })),
    },
  ])
  const stay = { checkin: year.startDate, checkout: year.endDate }
  const { offers } = await find(supplier, { ...stay, rooms: [{ adults: 2 }] })
  assert.ok(offers.length === rates.length && JSON.stringify(offers).length * 20 > offersAnswerMax)
  const reply = await platform.post('/booking/offers', {
    hotels: [{ supplier: supplier.name, hotelId: 'H1' }],
    ...stay,
    rooms: Array.from({ length: 20 }, () => ({ adults: 2 })),
  })
  assert.deepEqual(problemsOf(reply), [[undefined, 'ANSWER_TOO_LARGE', 'The answer would be too large']])
})
