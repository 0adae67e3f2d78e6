import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  ada,
  bookingBody,
  bookingBy,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  unitsLeft,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(() => pushNights(shop.supplier))

test('a restriction: NOT_BOOKABLE with the rule, its dates and the push that set it', async () => {
  expectOk(
    await shop.supplier.post(
      '/push/ari',
      {
        hotelId: 'H1',
        ari: [{ roomId: 'DBL', date: '2027-04-20', rates: [{ rateId: 'BAR', minStayArrival: 3 }] }],
      },
      { 'x-request-id': 'three-nights' },
    ),
  )
  const reply = await expectRefusal(gateway, () => shop.book())
  const { body } = reply
  assert.deepEqual([body['code'], body['message']], ['409', 'The stay cannot be booked'])
  assert.deepEqual(problemsOf(reply), [['/rooms/0', 'NOT_BOOKABLE', 'The stay cannot be booked']])
  assert.deepEqual(body['rules'], [
    {
      rooms: [0],
      roomId: 'DBL',
      rateId: 'BAR',
      rule: 'minStayArrival',
      pass: false,
      dates: ['2027-04-20'],
      held: 3,
      asked: 2,
      setBy: { requestId: 'three-nights', at: '2027-03-01T12:00:00.000Z', item: 0 },
    },
  ])
  expectOk(
    await shop.supplier.post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: '2027-04-20', rates: [{ rateId: 'BAR', minStayArrival: null }] }],
    }),
  )
})

test('no units left: SOLD_OUT, also where two room-rates share the last unit', async () => {
  await pushNights(shop.supplier, { inventory: 1, endDate: '2027-04-20' })
  const rooms = [room(), room({ rateId: 'NRF' })]
  const { body } = await expectRefusal(gateway, () => shop.book({ rooms }))
  assert.equal(body['message'], 'Sold out')
  assert.deepEqual(
    Object.values(Object(body['rules'])).map((rule) => {
      const { rooms: places, rateId, rule: name, of, dates, held, asked } = Object(rule)
      return [places, rateId, name, of, dates, held, asked]
    }),
    [
      [[0], 'BAR', 'inventory', 'room', ['2027-04-20'], 1, 2],
      [[1], 'NRF', 'inventory', 'room', ['2027-04-20'], 1, 2],
    ],
  )
})

test("a rate's own inventory counts beside the room's, and both are lowered", async () => {
  await pushNights(shop.supplier, {
    inventory: 9,
    rates: [
      { rateId: 'BAR', price: 100, inventory: 1 },
      { rateId: 'NRF', price: 80 },
    ],
  })
  const id = idOf(await shop.book())
  assert.deepEqual(await unitsLeft(gateway), [8, 8, 9])
  const { body } = await expectRefusal(gateway, () => shop.book())
  assert.equal(body['message'], 'Sold out')
  const [{ setBy }] = Object(body['rules'])
  assert.deepEqual(setBy, { reservationId: id, at: '2027-03-01T12:00:00.000Z' })
  expectStatus(await shop.book({ rooms: [room({ rateId: 'NRF' })] }), 201)
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', inventory: null }] })
})

test('no units ever pushed: NOT_BOOKABLE, not sold out', async () => {
  const { body } = await expectRefusal(gateway, () =>
    shop.book({ checkin: '2027-06-01', checkout: '2027-06-02' }),
  )
  assert.equal(body['message'], 'The stay cannot be booked')
})

test('a price other than expected: PRICE_CHANGED with the new total; the expected one is booked', async () => {
  const { body } = await expectRefusal(gateway, () => shop.book({ expectedTotal: { afterTax: '219.99' } }))
  assert.deepEqual(
    [body['message'], body['total'], body['currency']],
    [
      'The price has changed',
      {
        beforeTax: '200.00',
        tax: '20.00',
        afterTax: '220.00',
        dueAtProperty: '0.00',
        feesAtProperty: '0.00',
        allIn: '220.00',
      },
      'USD',
    ],
  )
  expectStatus(await shop.book({ expectedTotal: { afterTax: 220 } }), 201)
})

test('a party too large, a day that is past, a closed hotel', async () => {
  const rulesOf = ({ body }: Reply) => Object.values(Object(body['rules'])).map((rule) => Object(rule).rule)
  assert.deepEqual(rulesOf(await expectRefusal(gateway, () => shop.book({ rooms: [room({ adults: 3 })] }))), [
    'occupancy',
  ])
  const past = { checkin: '2027-02-27', checkout: '2027-02-28' }
  assert.ok(rulesOf(await expectRefusal(gateway, () => shop.book(past))).includes('arrivalDate'))
  await pushStoryHotel(shop.supplier, { isAvailable: false })
  assert.deepEqual(rulesOf(await expectRefusal(gateway, () => shop.book())), ['hotelAvailable'])
  await pushStoryHotel(shop.supplier)
})

test('more adults than any price line has: NOT_BOOKABLE, for a booking and for its modification', async () => {
  const supplier = await gateway.supplier('Per guest')
  await pushStoryHotel(supplier)
  const prices = [{ ageCategory: 'adult', guests: 2, amount: 110 }]
  const nights = { startDate: '2027-04-01', endDate: '2027-04-30', inventory: 5 }
  const ari = [{ roomId: 'DBL', ...nights, rates: [{ rateId: 'BAR', prices }] }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }))
  const book = bookingBy(shop.platform, 'Per guest')
  const path = `/booking/reservations/${idOf(await book())}`
  const rooms = [room({ adults: 99, childAges: [99] })]
  const modify = () => shop.platform.put(path, bookingBody('Per guest', { rooms }))
  for (const ask of [() => book({ rooms }), modify]) {
    const { body } = await expectRefusal(gateway, ask)
    const rules = Object.values(Object(body['rules'])).map((rule) => Object(rule).rule)
    assert.deepEqual([body['message'], rules], ['The stay cannot be booked', ['occupancy', 'price']])
  }
})

test('unknown hotels, rooms and rates: 404, with every one of them', async () => {
  const hotel = await expectRefusal(
    gateway,
    () => shop.book({ hotel: { supplier: 'Nobody', hotelId: 'H1' } }),
    404,
  )
  assert.deepEqual(problemsOf(hotel), [['/hotel', 'HOTEL_NOT_FOUND', 'Hotel not found']])
  const number = await expectRefusal(gateway, () => shop.book({ hotel: { platformHotelId: '999' } }), 404)
  assert.deepEqual(problemsOf(number), [['/hotel', 'HOTEL_NOT_FOUND', 'Hotel not found']])
  const rooms = [room({ roomId: 'SUI' }), room({ rateId: 'XXX' }), room()]
  assert.deepEqual(problemsOf(await expectRefusal(gateway, () => shop.book({ rooms }), 404)), [
    ['/rooms/0/roomId', 'ROOM_NOT_FOUND', 'RoomID not found'],
    ['/rooms/1/rateId', 'RATE_NOT_FOUND', 'RateID not found'],
  ])
})

test('a wrong body: 400 with every problem', async () => {
  const body = {
    ...bookingBody('Acme'),
    hotel: { supplier: 'Acme' },
    checkout: '2027-04-20',
    rooms: [room({ adults: 0, guest: { firstName: '' } })],
    customer: { ...ada, email: 'ada', countryCode: 'XX' },
    payment: { type: 'Cash' },
    expectedTotal: { afterTax: '-1' },
  }
  const reply = await expectRefusal(gateway, () => shop.platform.post('/booking/reservations', body), 400)
  assert.deepEqual(
    problemsOf(reply)
      .map((problem) => String(Object(problem)[0]))
      .sort(),
    [
      '/checkout',
      '/customer/countryCode',
      '/customer/email',
      '/expectedTotal/afterTax',
      '/hotel',
      '/payment/type',
      '/rooms/0/adults',
      '/rooms/0/guest/lastName',
    ],
  )
  const digits = await expectRefusal(
    gateway,
    () => shop.book({ expectedTotal: { afterTax: '220.001' } }),
    400,
  )
  assert.deepEqual(problemsOf(digits), [
    [
      '/expectedTotal/afterTax',
      'INVALID_AMOUNT',
      'expectedTotal has more decimals than USD, or is too large',
    ],
  ])
})
