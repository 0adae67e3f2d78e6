import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  ada,
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  pushNights,
  room,
  unitsLeft,
  vat,
  type Shop,
} from '../../test/booking.ts'
import { gatewayForTests, type Reply } from '../../test/harness.ts'
import { meetingAtLock } from '../../test/locks.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../test/story.ts'
import type { Queryable } from '../postgres/postgres.ts'

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(() => pushNights(shop.supplier))

async function reservationsHeld(): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>(
    'select count(*)::int as count from reservation_version',
  )
  return rows[0]?.count ?? 0
}

/** Returns the refusal, and asserts that it left everything unchanged. */
async function refused(ask: () => Promise<Reply>, status = 409): Promise<Reply> {
  const held = [await reservationsHeld(), await unitsLeft(gateway)]
  const reply = expectStatus(await ask(), status)
  assert.deepEqual([await reservationsHeld(), await unitsLeft(gateway)], held)
  return reply
}

test('a booking is confirmed with its total, lowers the inventory of its nights, and is queued for the supplier', async () => {
  const reply = expectStatus(await shop.book(), 201)
  const { reservationId, ...said } = reply.body
  const [{ priceCheckId }] = Object(said['priceChecks'])
  assert.deepEqual(said, {
    code: '201',
    message: 'Reservation confirmed',
    version: 1,
    status: 'Confirm',
    currency: 'USD',
    total: { beforeTax: '200.00', tax: '20.00', afterTax: '220.00', dueAtProperty: '0.00' },
    priceChecks: [{ priceCheckId, roomId: 'DBL', rateId: 'BAR', outcome: 'not_registered' }],
    delivery: { status: 'queued' },
    warnings: [],
  })
  assert.deepEqual(await unitsLeft(gateway), [1, 1, 2])
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${String(reservationId)}`))
  assert.deepEqual(body, {
    code: '200',
    message: 'Reservation retrieved successfully',
    reservation: {
      reservationId,
      version: 1,
      status: 'Confirm',
      platformHotelId: '1',
      supplier: 'Acme',
      hotelId: 'H1',
      hotelName: 'Sea View',
      checkin: '2027-04-20',
      checkout: '2027-04-22',
      currency: 'USD',
      rooms: [
        {
          roomId: 'DBL',
          roomName: 'Room DBL',
          rateId: 'BAR',
          rateName: 'Rate BAR',
          mealPlan: 'RO',
          adults: 2,
          childAges: [],
          guest: ada,
          nights: [
            { date: '2027-04-20', beforeTax: '100.00', afterTax: '110.00' },
            { date: '2027-04-21', beforeTax: '100.00', afterTax: '110.00' },
          ],
          taxes: [{ type: 'VAT', included: false, payNow: true, amount: '20.00' }],
          total: { beforeTax: '200.00', tax: '20.00', afterTax: '220.00', dueAtProperty: '0.00' },
          cancelPolicy: null,
          fees: [],
        },
      ],
      customer: ada,
      payment: { type: 'Channel Collect' },
      total: { beforeTax: '200.00', tax: '20.00', afterTax: '220.00', dueAtProperty: '0.00' },
      penalty: null,
      priceChecks: [{ priceCheckId, roomId: 'DBL', rateId: 'BAR', outcome: 'not_registered' }],
      createdAt: '2027-03-01T12:00:00.000Z',
      modifiedAt: '2027-03-01T12:00:00.000Z',
      delivery: { status: 'queued' },
    },
    versions: [
      {
        version: 1,
        status: 'Confirm',
        at: '2027-03-01T12:00:00.000Z',
        total: { beforeTax: '200.00', tax: '20.00', afterTax: '220.00', dueAtProperty: '0.00' },
      },
    ],
  })
})

test('the fees of the policy are stored with the room, displayed and delivered, and are in no total', async () => {
  const fees = [
    { name: 'Linen', valueType: 'fixed', value: 5, appliedPer: 'per_person_per_stay' },
    { name: 'Service', valueType: '%', value: '2.5', appliedPer: 'per_room_per_stay' },
  ]
  const withPolicies = (more: object) => ({
    hotelId: 'H1',
    products: [
      {
        roomId: 'DBL',
        roomType: 'Double',
        roomName: 'Room DBL',
        rateId: 'BAR',
        rateName: 'Rate BAR',
        isAvailable: true,
        mealPlan: 'RO',
        occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
        ...more,
      },
    ],
  })
  expectOk(await shop.supplier.post('/push/products', withPolicies({ cancelPolicies: [{ fees }] })))
  const { body } = expectStatus(await shop.book(), 201)
  // A booking does not change with the product.
  expectOk(await shop.supplier.post('/push/products', withPolicies({})))
  const path = `/booking/reservations/${String(body['reservationId'])}`
  const { reservation } = expectOk(await shop.platform.get(path)).body
  const [shown] = Object(reservation).rooms
  assert.deepEqual(
    [shown.fees, shown.total.afterTax, shown.total.dueAtProperty],
    [
      [
        { name: 'Linen', amount: '10.00', appliedPer: 'per_person_per_stay', payNow: false },
        { name: 'Service', amount: '5.50', appliedPer: 'per_room_per_stay', payNow: false },
      ],
      '220.00',
      '0.00',
    ],
  )
  const retrieved = expectOk(
    await shop.supplier.get(
      `/push/webhook/pushbook/retrieve?reservation_id=${String(body['reservationId'])}`,
    ),
  )
  const [{ reservations }] = Object(retrieved.body['data'])
  assert.deepEqual(reservations.reservation[0].room[0].fees, [
    { name: 'Linen', value: '10.00', applied_per: 'per_person_per_stay', pay_now: '0' },
    { name: 'Service', value: '5.50', applied_per: 'per_room_per_stay', pay_now: '0' },
  ])
})

test('the change feed names the nights that a booking lowered', async () => {
  let { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  expectStatus(await shop.book(), 201)
  let told: unknown[] = []
  // Other transactions on the server delay changes for a moment, including those of the earlier pushes.
  while (told.length === 0) {
    const { body } = expectOk(await shop.platform.get(`/booking/changes?after=${String(cursor)}&wait=10`))
    const changes = Object.values<{ kind: string; hotelId: string; nights: unknown }>(Object(body['changes']))
    assert.notEqual(changes.length, 0)
    cursor = body['cursor']
    told = changes
      .filter(({ kind }) => kind === 'reservation')
      .map(({ hotelId, nights }) => ({ hotelId, nights }))
  }
  const nights = [{ roomId: 'DBL', platformRoomId: '1-R1', startDate: '2027-04-20', endDate: '2027-04-21' }]
  assert.deepEqual(told, [{ hotelId: 'H1', nights }])
})

test('rooms of several room-rates are one reservation, priced each by its own, and sums hold to the last digit', async () => {
  await gateway.supplier('Kelp')
  const sums = await openShop(gateway, 'Sums', {
    inventory: 5,
    rates: [
      { rateId: 'BAR', price: '33.33' },
      { rateId: 'NRF', price: '0.07' },
    ],
  })
  expectOk(
    await sums.supplier.post('/push/taxes', {
      hotelId: 'H1',
      taxes: [
        { ...vat, value: 7.7, included: true },
        {
          ...vat,
          type: 'CITY_TAX',
          valueType: 'fixed',
          value: 1.25,
          appliedPer: 'per_person_per_night',
          payNow: false,
        },
        { ...vat, type: 'GOV_TAX', value: 3.33, appliedOn: 'net+vat' },
      ],
    }),
  )
  const rooms = [
    room(),
    room({ rateId: 'NRF', adults: 1 }),
    room({ childAges: [5], guest: { firstName: 'Grace', lastName: 'Hopper' } }),
  ]
  const id = idOf(await sums.book({ rooms, checkout: '2027-04-23' }))
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const held = Object(reservation)
  const cents = (text: string): number => Math.round(Number(text) * 100)
  const sum = (list: { [name: string]: string }[], name: string): number =>
    list.reduce((total, one) => total + cents(one[name] ?? ''), 0)
  assert.equal(held.rooms.length, 3)
  for (const one of held.rooms) {
    assert.equal(sum(one.nights, 'afterTax'), cents(one.total.afterTax))
    assert.equal(sum(one.nights, 'beforeTax'), cents(one.total.beforeTax))
    const charged = one.taxes.filter((tax: { payNow: boolean }) => tax.payNow)
    assert.equal(sum(charged, 'amount'), cents(one.total.tax))
    assert.equal(cents(one.total.beforeTax) + cents(one.total.tax), cents(one.total.afterTax))
  }
  const totals = held.rooms.map((one: { total: unknown }) => one.total)
  for (const name of ['beforeTax', 'tax', 'afterTax', 'dueAtProperty'])
    assert.equal(sum(totals, name), cents(held.total[name]), name)
  assert.equal(held.total.dueAtProperty, String((1.25 * 3 * (2 + 1 + 3)).toFixed(2)))
  const offered = expectOk(
    await sums.platform.post('/booking/offers', {
      hotels: [{ supplier: 'Sums', hotelId: 'H1' }],
      checkin: '2027-04-20',
      checkout: '2027-04-23',
      rooms: [{ adults: 2, childAges: [] }],
    }),
  )
  const [offer] = Object(offered.body['hotels'])[0].offers
  assert.deepEqual(held.rooms[0].total, offer.total)
})

describe('reasons that forbid a booking', () => {
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
    const reply = await refused(() => shop.book())
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
    const { body } = await refused(() => shop.book({ rooms }))
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
    const { body } = await refused(() => shop.book())
    assert.equal(body['message'], 'Sold out')
    const [{ setBy }] = Object(body['rules'])
    assert.deepEqual(setBy, { reservationId: id, at: '2027-03-01T12:00:00.000Z' })
    expectStatus(await shop.book({ rooms: [room({ rateId: 'NRF' })] }), 201)
    await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', inventory: null }] })
  })

  test('no units ever pushed: NOT_BOOKABLE, not sold out', async () => {
    const { body } = await refused(() => shop.book({ checkin: '2027-06-01', checkout: '2027-06-02' }))
    assert.equal(body['message'], 'The stay cannot be booked')
  })

  test('a price other than expected: PRICE_CHANGED with the new total; the expected one is booked', async () => {
    const { body } = await refused(() => shop.book({ expectedTotal: { afterTax: '219.99' } }))
    assert.deepEqual(
      [body['message'], body['total'], body['currency']],
      [
        'The price has changed',
        { beforeTax: '200.00', tax: '20.00', afterTax: '220.00', dueAtProperty: '0.00' },
        'USD',
      ],
    )
    expectStatus(await shop.book({ expectedTotal: { afterTax: 220 } }), 201)
  })

  test('a party too large, a day that is past, a closed hotel', async () => {
    const rulesOf = ({ body }: Reply) => Object.values(Object(body['rules'])).map((rule) => Object(rule).rule)
    assert.deepEqual(rulesOf(await refused(() => shop.book({ rooms: [room({ adults: 3 })] }))), ['occupancy'])
    const past = { checkin: '2027-02-27', checkout: '2027-02-28' }
    assert.ok(rulesOf(await refused(() => shop.book(past))).includes('arrivalDate'))
    await pushStoryHotel(shop.supplier, { isAvailable: false })
    assert.deepEqual(rulesOf(await refused(() => shop.book())), ['hotelAvailable'])
    await pushStoryHotel(shop.supplier)
  })

  test('unknown hotels, rooms and rates: 404, with every one of them', async () => {
    const hotel = await refused(() => shop.book({ hotel: { supplier: 'Nobody', hotelId: 'H1' } }), 404)
    assert.deepEqual(problemsOf(hotel), [['/hotel', 'HOTEL_NOT_FOUND', 'Hotel not found']])
    const number = await refused(() => shop.book({ hotel: { platformHotelId: '999' } }), 404)
    assert.deepEqual(problemsOf(number), [['/hotel', 'HOTEL_NOT_FOUND', 'Hotel not found']])
    const rooms = [room({ roomId: 'SUI' }), room({ rateId: 'XXX' }), room()]
    assert.deepEqual(problemsOf(await refused(() => shop.book({ rooms }), 404)), [
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
    const reply = await refused(() => shop.platform.post('/booking/reservations', body), 400)
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
        '/rooms/0/guest/firstName',
        '/rooms/0/guest/lastName',
      ],
    )
    const digits = await refused(() => shop.book({ expectedTotal: { afterTax: '220.001' } }), 400)
    assert.deepEqual(problemsOf(digits), [
      [
        '/expectedTotal/afterTax',
        'INVALID_AMOUNT',
        'expectedTotal has more decimals than USD, or is too large',
      ],
    ])
  })
})

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' }

  test('makes one reservation of a call that comes again, also at the same moment, and answers alike', async () => {
    const same = { 'idempotency-key': 'five-at-once' }
    const replies = await Promise.all(Array.from({ length: 5 }, () => shop.book({}, same)))
    const again = await shop.book({}, same)
    assert.equal(new Set([...replies, again].map(idOf)).size, 1)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(replies.filter((reply) => reply.headers.get('idempotency-replayed') === null).length, 1)
    assert.deepEqual(await unitsLeft(gateway), [1, 1, 2])
  })

  test('is refused with another body or for another call, and is another with another token', async () => {
    const id = idOf(await shop.book({}, headers))
    const other = await refused(() => shop.book({ checkout: '2027-04-21' }, headers), 422)
    assert.deepEqual(problemsOf(other), [
      ['idempotency-key', 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another body'],
    ])
    expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}, headers), 422)
    const elsewhere = await platformOf(gateway)
    assert.notEqual(idOf(await elsewhere.post('/booking/reservations', bookingBody('Acme'), headers)), id)
    const invalid = await shop.book({}, { 'idempotency-key': 'x'.repeat(65) })
    assert.deepEqual([invalid.status, Object(problemsOf(invalid)[0])[1]], [400, 'INVALID_IDEMPOTENCY_KEY'])
  })

  test('stores no refusal: a sold-out stay can be booked under the same key later', async () => {
    const later = { 'idempotency-key': 'later' }
    await pushNights(shop.supplier, { inventory: 0 })
    await refused(() => shop.book({}, later))
    await pushNights(shop.supplier)
    idOf(await shop.book({}, later))
  })

  test('that another call answers at the same moment is refused, and nothing is booked', async () => {
    const answering = (connection: Queryable): Promise<unknown> =>
      connection.query(
        `insert into booking_answer (token_id, idempotency_key, request_hash, at, status, answer)
         select id, 'at-once', '', to_timestamp($1::float8 / 1000), 201, '{}' from access_token order by id limit 1`,
        [gateway.clock.now()],
      )
    const reply = await refused(async () => {
      const ask = (): Promise<Reply> => shop.book({}, { 'idempotency-key': 'at-once' })
      const [answer] = await meetingAtLock(gateway.db, answering, [ask])
      assert.ok(answer)
      return answer
    })
    assert.deepEqual(problemsOf(reply), [
      ['idempotency-key', 'IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is being processed'],
    ])
  })

  test('is forgotten after 24 hours', async () => {
    const daily = { 'idempotency-key': 'daily' }
    const first = idOf(await shop.book({}, daily))
    gateway.clock.set('2027-03-02T12:00:01Z')
    try {
      assert.notEqual(idOf(await shop.book({}, daily)), first)
    } finally {
      gateway.clock.set('2027-03-01T12:00:00Z')
    }
  })
})

test('200 bookings at once for the last 10 units: exactly 10 are confirmed and queued, no more', async () => {
  const busy = await openShop(gateway, 'Busy', { inventory: 10 })
  const other = await gateway.second()
  const platforms = [busy.platform, await platformOf(other)]
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const platform = platforms[index % platforms.length] ?? busy.platform
      return platform.post('/booking/reservations', bookingBody('Busy'))
    }),
  )
  const byAnswer = Map.groupBy(replies, ({ status, body }) => `${status} ${String(body['message'])}`)
  assert.deepEqual([...byAnswer].map(([answer, some]) => `${answer}: ${some.length}`).sort(), [
    '201 Reservation confirmed: 10',
    '409 Sold out: 190',
  ])
  const { rows } = await gateway.db.query(
    `select (select count(*)::int from reservation join supplier on supplier.id = supplier_id where name = 'Busy') as reservations,
       (select count(*)::int from delivery join supplier on supplier.id = supplier_id where name = 'Busy') as deliveries,
       (select min(inventory)::int from ari_night join hotel on hotel.id = hotel_id join supplier on supplier.id = supplier_id
        where supplier.name = 'Busy' and rate_no = 0) as least`,
  )
  assert.deepEqual(rows, [{ reservations: 10, deliveries: 10, least: 0 }])
})

test('two suppliers with the same codes: a booking touches the one that it names', async () => {
  const twin = await openShop(gateway, 'Twin')
  const left = async (name: string) => {
    const { body } = expectOk(
      await shop.platform.post('/booking/offers', {
        hotels: [{ supplier: name, hotelId: 'H1' }],
        checkin: '2027-04-20',
        checkout: '2027-04-22',
        rooms: [{ adults: 2, childAges: [] }],
      }),
    )
    return Object(body['hotels'])[0].offers.map((offer: { unitsLeft: number }) => offer.unitsLeft)
  }
  const [acme, twins] = [await left('Acme'), await left('Twin')]
  idOf(await twin.book())
  assert.deepEqual(await left('Acme'), acme)
  assert.deepEqual(
    await left('Twin'),
    twins.map((units: number) => units - 1),
  )
  const listed = async (name: string) => {
    const { body } = expectOk(
      await shop.platform.get(`/booking/reservations?supplier=${name}&hotelId=H1&limit=500`),
    )
    return Object.values(Object(body['reservations'])).map((one) => Object(one).supplier)
  }
  assert.deepEqual(await listed('Twin'), ['Twin'])
  assert.ok(!(await listed('Acme')).includes('Twin'))
})

test('the guests of a room are classified by the hotel’s age categories', async () => {
  expectOk(
    await shop.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', { occupancy: { maxOccupancy: 6 } }), product('DBL', 'NRF')],
    }),
  )
  const id = idOf(await shop.book({ rooms: [room({ adults: 1, childAges: [13, 1, 5, 5] })] }))
  const { rows } = await gateway.db.query<{ party: unknown }>(
    `select content->'rooms'->0->'party' as party from reservation_version where reservation_id = $1`,
    [id],
  )
  assert.deepEqual(rows, [{ party: { adults: 2, childAges: [5, 5], infantAges: [1] } }])
})
