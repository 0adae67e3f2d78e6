import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
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
  notSent,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(() => pushNights(shop.supplier))

test('a booking is confirmed with its total, lowers the inventory of its nights, and is queued for the supplier', async () => {
  const reply = expectStatus(await shop.book(), 201)
  const { reservationId, reservation, ...members } = reply.body
  const [{ priceCheckId }] = Object(members['priceChecks'])
  assert.deepEqual(members, {
    code: '201',
    message: 'Reservation confirmed',
    version: 1,
    status: 'Confirm',
    currency: 'USD',
    total: {
      beforeTax: '200.00',
      tax: '20.00',
      afterTax: '220.00',
      dueAtProperty: '0.00',
      feesAtProperty: '0.00',
      allIn: '220.00',
    },
    forfeited: '0.00',
    rooms: [{ roomReservationId: `${String(reservationId)}-1`, matchedBy: 'new' }],
    roomsGone: [],
    priceChecks: [{ priceCheckId, roomId: 'DBL', rateId: 'BAR', outcome: 'not_registered' }],
    delivery: notSent,
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
          roomReservationId: `${String(reservationId)}-1`,
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
          total: {
            beforeTax: '200.00',
            tax: '20.00',
            afterTax: '220.00',
            dueAtProperty: '0.00',
            feesAtProperty: '0.00',
            allIn: '220.00',
          },
          owedAtLeast: '0.00',
          forfeited: '0.00',
          cancellation: 'unknown',
          freeUntil: null,
          cancelPolicy: null,
          termsDigest: Object(body['reservation']).rooms[0].termsDigest,
          fees: [],
        },
      ],
      customer: ada,
      payment: { type: 'Channel Collect' },
      pricesAre: 'sell',
      commissionPercent: '0',
      commission: '0.00',
      amountPayable: '220.00',
      total: {
        beforeTax: '200.00',
        tax: '20.00',
        afterTax: '220.00',
        dueAtProperty: '0.00',
        feesAtProperty: '0.00',
        allIn: '220.00',
      },
      forfeited: '0.00',
      cancellation: 'unknown',
      freeUntil: null,
      penalty: null,
      confirmations: [],
      reports: [],
      priceChecks: [{ priceCheckId, roomId: 'DBL', rateId: 'BAR', outcome: 'not_registered' }],
      createdAt: '2027-03-01T12:00:00.000Z',
      modifiedAt: '2027-03-01T12:00:00.000Z',
      delivery: notSent,
    },
    versions: [
      {
        version: 1,
        status: 'Confirm',
        at: '2027-03-01T12:00:00.000Z',
        total: {
          beforeTax: '200.00',
          tax: '20.00',
          afterTax: '220.00',
          dueAtProperty: '0.00',
          feesAtProperty: '0.00',
          allIn: '220.00',
        },
        forfeited: '0.00',
      },
    ],
  })
  assert.deepEqual(reservation, body['reservation'])
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
  const [displayed] = Object(reservation).rooms
  assert.deepEqual(
    [displayed.fees, displayed.total.afterTax, displayed.total.dueAtProperty],
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
  let reported: unknown[] = []
  // Other transactions on the server delay changes for a moment, including those of the earlier pushes.
  while (reported.length === 0) {
    const { body } = expectOk(await shop.platform.get(`/booking/changes?after=${String(cursor)}&wait=10`))
    const changes = Object.values<{ kind: string; hotelId: string; nights: unknown }>(Object(body['changes']))
    assert.notEqual(changes.length, 0)
    cursor = body['cursor']
    reported = changes
      .filter(({ kind }) => kind === 'reservation')
      .map(({ hotelId, nights }) => ({ hotelId, nights }))
  }
  const nights = [{ roomId: 'DBL', platformRoomId: '1-R1', startDate: '2027-04-20', endDate: '2027-04-21' }]
  assert.deepEqual(reported, [{ hotelId: 'H1', nights }])
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
  const stored = Object(reservation)
  const cents = (text: string): number => Math.round(Number(text) * 100)
  const sum = (list: { [name: string]: string }[], name: string): number =>
    list.reduce((total, one) => total + cents(one[name] ?? ''), 0)
  assert.equal(stored.rooms.length, 3)
  for (const one of stored.rooms) {
    assert.equal(sum(one.nights, 'afterTax'), cents(one.total.afterTax))
    assert.equal(sum(one.nights, 'beforeTax'), cents(one.total.beforeTax))
    const charged = one.taxes.filter((tax: { payNow: boolean }) => tax.payNow)
    assert.equal(sum(charged, 'amount'), cents(one.total.tax))
    assert.equal(cents(one.total.beforeTax) + cents(one.total.tax), cents(one.total.afterTax))
  }
  const totals = stored.rooms.map((one: { total: unknown }) => one.total)
  for (const name of ['beforeTax', 'tax', 'afterTax', 'dueAtProperty'])
    assert.equal(sum(totals, name), cents(stored.total[name]), name)
  assert.equal(stored.total.dueAtProperty, String((1.25 * 3 * (2 + 1 + 3)).toFixed(2)))
  const offered = expectOk(
    await sums.platform.post('/booking/offers', {
      hotels: [{ supplier: 'Sums', hotelId: 'H1' }],
      checkin: '2027-04-20',
      checkout: '2027-04-23',
      rooms: [{ adults: 2, childAges: [] }],
    }),
  )
  const [offer] = Object(offered.body['hotels'])[0].offers
  assert.deepEqual(stored.rooms[0].total, offer.total)
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
