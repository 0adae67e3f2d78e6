import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClosure, restrictionNames } from '../../ari/restrictions.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
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
  type Hotel,
} from '../../../test/stage/scenes/offers.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Why a stay is not on offer, or costs what it does. */

const gateway = await gatewayForTests()
const { platform, storySupplier, find, pricesOf } = await offersStage(gateway)

test('unavailable room-rates are explained: each rule, the stored value, the push that set it, and the nearest bookable stay', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  const restricted = [
    { roomId: 'DBL', ...april, rates: [{ rateId: 'NRF', prices: adults2 }] },
    { roomId: 'DBL', ...april, daysOfWeek: ['TUE'], rates: [{ rateId: 'BAR', minStayArrival: 5 }] },
    { roomId: 'DBL', ...april, rates: [{ rateId: 'BAR', minLengthStay: 4 }] },
    { roomId: 'DBL', date: '2027-04-22', rates: [{ rateId: 'NRF', closed: true }] },
  ]
  const body = { hotelId: 'H1', pricingModel: 'guest', ari: restricted }
  expectOk(await supplier.post('/push/ari', body, { 'x-request-id': 'restricted' }))
  const { offers, unavailable } = await find(supplier, { explain: true })
  assert.deepEqual(offers, [])
  const failing = unavailable.map(({ rateId, rules, nearest }) => ({
    rateId,
    failing: rules.filter(({ pass }) => !pass),
    nearest,
  }))
  const nights = ['2027-04-20', '2027-04-21', '2027-04-22']
  const at = '2027-03-01T12:00:00.000Z'
  assert.deepEqual(failing, [
    {
      rateId: 'BAR',
      failing: [
        {
          rule: 'minStayArrival',
          pass: false,
          dates: ['2027-04-20'],
          held: 5,
          asked: 3,
          setBy: { requestId: 'restricted', at, item: 1 },
        },
        {
          rule: 'minLengthStay',
          pass: false,
          dates: nights,
          held: 4,
          asked: 3,
          setBy: { requestId: 'restricted', at, item: 2 },
        },
      ],
      nearest: {
        checkin: '2027-04-20',
        checkout: '2027-04-25',
        rooms: [{ adults: 2, childAges: [] }],
        change: '5 nights instead of 3',
      },
    },
    {
      rateId: 'NRF',
      failing: [
        {
          rule: 'closed',
          of: 'rate',
          pass: false,
          dates: ['2027-04-22'],
          held: true,
          asked: false,
          setBy: { requestId: 'restricted', at, item: 3 },
        },
      ],
      nearest: {
        checkin: '2027-04-20',
        checkout: '2027-04-22',
        rooms: [{ adults: 2, childAges: [] }],
        change: '2 nights instead of 3',
      },
    },
  ])
  const rules = unavailable[0]?.rules.map(({ rule, of }) => (of ? `${rule} of ${of}` : rule))
  const failed = ['minStayArrival', 'minLengthStay']
  assert.deepEqual(rules, [
    ...failed,
    'hotelAvailable',
    'productAvailable',
    'arrivalDate',
    'occupancy',
    'inventory of room',
    'price',
    ...restrictionNames
      .filter((name) => !failed.includes(name))
      .flatMap((name) => (isClosure(name) ? [`${name} of room`, `${name} of rate`] : [name])),
  ])
})

test('a cleared price, an archived product and a closed hotel are traced to the push that caused them', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  const overlay = {
    hotelId: 'H1',
    mode: 'overlay',
    ari: [
      { roomId: 'DBL', date: '2027-04-02', inventory: 4 },
      { roomId: 'DBL', ...april, rates: [{ rateId: 'BAR', minLengthStay: 1 }] },
    ],
  }
  expectOk(await supplier.post('/push/ari', overlay, { 'x-request-id': 'overlay' }))
  const archived = [product('DBL', 'NRF'), product('DBL', 'BAR', { isAvailable: false })]
  const products = { hotelId: 'H1', products: archived }
  expectOk(await supplier.post('/push/products', products, { 'x-request-id': 'archived' }))
  const hotels = ['H0', 'H1'].map((hotelId) => ({
    hotelId,
    hotelName: 'Sea View',
    currency: 'USD',
    isAvailable: false,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }))
  expectOk(await supplier.post('/push/hotels', hotels, { 'x-request-id': 'shut' }))
  const { unavailable } = await find(supplier, { explain: true })
  const at = '2027-03-01T12:00:00.000Z'
  const setBy = unavailable[0]?.rules
    .filter(({ pass }) => !pass)
    .map((rule) => [rule.rule, rule.held, rule.missing, rule.setBy])
  assert.deepEqual(setBy, [
    ['hotelAvailable', false, undefined, { requestId: 'shut', at, item: 1 }],
    ['productAvailable', false, undefined, { requestId: 'archived', at, item: 1 }],
    ['price', null, { ageCategory: 'adult', guests: 2 }, { requestId: 'overlay', at, item: 1 }],
  ])
  assert.equal(unavailable[0]?.nearest, undefined)
})

test('more adults than any price line has are too many, and no price of a child is taken for theirs', async () => {
  const supplier = await storySupplier()
  const prices = [{ ageCategory: 'child', guests: 1, amount: 20 }]
  await push(supplier, [{ roomId: 'DBL', ...april, inventory: 5, rates: [{ rateId: 'BAR', prices }] }])
  for (const adults of [100, 101, 198]) {
    const rooms = [{ adults: 99, childAges: Array.from({ length: adults - 99 }, () => 99) }]
    const { unavailable } = await find(supplier, { rooms, explain: true })
    const asked = { adults, children: 0, infants: 0 }
    assert.deepEqual(
      unavailable[0]?.rules.filter(({ pass }) => !pass),
      [
        {
          rule: 'occupancy',
          pass: false,
          dates: [],
          held: { maxOccupancy: 3, maxAdult: 2, maxChild: 2 },
          asked,
          setBy: unavailable[0]?.rules[0]?.['setBy'],
        },
        {
          rule: 'price',
          pass: false,
          dates: ['2027-04-20', '2027-04-21', '2027-04-22'],
          held: null,
          asked,
        },
      ],
    )
  }
})

test('many hotels are explained with as many statements as one, and each has the pushes of its own', async (context) => {
  const supplier = await storySupplier()
  const hotelIds = ['E0', 'E1', 'E2', 'E3', 'E4']
  const pushShut = (ids: readonly string[], hotelName: string, requestId: string) =>
    supplier.post(
      '/push/hotels',
      ids.map((hotelId) => ({
        hotelId,
        hotelName,
        currency: 'USD',
        isAvailable: false,
        minChildAge: 2,
        maxChildAge: 12,
        timezone: 'Europe/Paris',
      })),
      { 'x-request-id': requestId },
    )
  expectOk(await pushShut(hotelIds, 'Sea View', 'shut'))
  for (const hotelId of hotelIds) {
    const products = [product('DBL', 'BAR', { isAvailable: false })]
    const sent = { hotelId, products }
    expectOk(await supplier.post('/push/products', sent, { 'x-request-id': `archived-${hotelId}` }))
  }
  expectOk(await pushShut(['E3'], 'Sea View Resort', 'shut-again'))
  const explained = async (ids: readonly string[]) => {
    const { body } = expectOk(
      await platform.post('/booking/offers', {
        hotels: ids.map((hotelId) => ({ supplier: supplier.name, hotelId })),
        checkin: '2027-04-20',
        checkout: '2027-04-21',
        rooms: [{ adults: 2 }],
        explain: true,
      }),
    )
    const found: Hotel[] = Object(body).hotels
    return found.map(({ unavailable }) =>
      unavailable[0]?.rules
        .filter(({ rule }) => rule === 'hotelAvailable' || rule === 'productAvailable')
        .map(({ setBy }) => [Object(setBy).requestId, Object(setBy).item]),
    )
  }
  await explained(hotelIds)
  const { mock } = context.mock.method(gateway.db, 'query')
  await explained(hotelIds.slice(0, 1))
  // All but those that note, by the clock, when keys and tokens were used.
  const statements = (): number =>
    mock.calls.filter(({ arguments: sent }) => !/last_used_at/.test(JSON.stringify(sent))).length
  const statementsForOne = statements()
  mock.resetCalls()
  assert.deepEqual(await explained(hotelIds), [
    [
      ['shut', 0],
      ['archived-E0', 0],
    ],
    [
      ['shut', 1],
      ['archived-E1', 0],
    ],
    [
      ['shut', 2],
      ['archived-E2', 0],
    ],
    [
      ['shut-again', 0],
      ['archived-E3', 0],
    ],
    [
      ['shut', 4],
      ['archived-E4', 0],
    ],
  ])
  assert.equal(statements(), statementsForOne)
})

test('the nearest stay has other dates for all rooms, or else fewer rooms; never a past date', async () => {
  const supplier = await storySupplier()
  await push(supplier, [
    { roomId: 'DBL', ...april, inventory: 1, rates: [{ rateId: 'BAR', prices: adults2 }] },
    { roomId: 'DBL', startDate: '2027-04-24', endDate: '2027-04-25', inventory: 2 },
  ])
  const nearest = async (more: Fields) => {
    const { unavailable } = await find(supplier, { explain: true, ...more })
    return unavailable.find(({ rateId }) => rateId === 'BAR')?.nearest
  }
  const rooms = [
    { adults: 1, childAges: [20] },
    { adults: 2, childAges: [] },
  ]
  assert.deepEqual(await nearest({ rooms }), {
    checkin: '2027-04-24',
    checkout: '2027-04-26',
    rooms,
    change: '2 nights instead of 3, arrive on Saturday 2027-04-24',
  })
  const early = { checkin: '2027-04-05', checkout: '2027-04-06', rooms }
  assert.deepEqual(await nearest(early), {
    checkin: '2027-04-05',
    checkout: '2027-04-06',
    rooms: [rooms[0]],
    change: '1 room instead of 2',
  })
  assert.equal(await nearest({ rooms: [{ adults: 3 }] }), undefined)
  assert.deepEqual(await nearest({ rooms: [{ adults: 3 }, { adults: 2 }] }), {
    ...threeNights,
    rooms: [{ adults: 2, childAges: [] }],
    change: '1 room instead of 2',
  })
  const past = { checkin: '2027-02-27', checkout: '2027-03-01' }
  assert.deepEqual(await find(supplier, past).then(({ offers }) => offers), [])
  const { unavailable } = await find(supplier, { ...past, explain: true })
  const rule = unavailable[0]?.rules.find(({ rule: name }) => name === 'arrivalDate')
  assert.deepEqual(rule, {
    rule: 'arrivalDate',
    pass: false,
    dates: ['2027-02-27'],
    held: '2027-03-01',
    asked: '2027-02-27',
  })
})

test('included taxes that exceed the price withhold an offer, with the reason', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  const tooMuch = { ...cityTax, type: 'GOV_TAX', included: true, payNow: true, value: 60 }
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tooMuch] }))
  assert.deepEqual(await pricesOf(supplier), {})
  const { unavailable } = await find(supplier, { explain: true })
  const failing = unavailable[0]?.rules.filter(({ pass }) => !pass)
  assert.deepEqual(failing, [
    {
      rule: 'taxes',
      pass: false,
      dates: ['2027-04-20', '2027-04-21', '2027-04-22'],
      held: null,
      asked: null,
      reason: 'TAXES_EXCEED_PRICE',
    },
  ])
})

test('the trace leads from the pushed price to the rounded tax', async () => {
  const supplier = await storySupplier()
  await pushApril(supplier)
  const taxes = [
    { ...vat, value: 7 },
    { ...cityTax, payNow: true },
  ]
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const { offers } = await find(supplier, { checkout: '2027-04-21', trace: true })
  assert.deepEqual(offers[0]?.trace, [
    {
      persons: 2,
      nights: [
        {
          date: '2027-04-20',
          price: '110',
          includedAmounts: '0',
          divisor: '1.07',
          net: '11000/107',
          taxes: [
            { type: 'VAT', rate: '0.07', constant: '0', amount: '770/107' },
            { type: 'CITY_TAX', rate: '0', constant: '5', amount: '5' },
          ],
        },
      ],
      taxes: [
        { type: 'VAT', exact: '770/107', amount: '7.20' },
        { type: 'CITY_TAX', exact: '5', amount: '5.00' },
      ],
      fees: [],
    },
  ])
  assert.deepEqual(offers[0].total, {
    beforeTax: '102.80',
    tax: '12.20',
    afterTax: '115.00',
    dueAtProperty: '0.00',
    feesAtProperty: '0.00',
    allIn: '115.00',
  })
})
