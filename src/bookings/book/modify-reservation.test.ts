import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  pushNights,
  room,
  unitsLeft,
  type Shop,
  notSent,
} from '../../../test/stage/scenes/booking.ts'
import { client, gatewayForTests, type Reply, type TestClient } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
})
beforeEach(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  await pushNights(shop.supplier)
})

const grace = { firstName: 'Grace', lastName: 'Hopper' }

function modify(id: string, more: Record<string, unknown> = {}, headers = {}): Promise<Reply> {
  return shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more), headers)
}

function cancel(id: string, headers = {}): Promise<Reply> {
  return shop.platform.post(`/booking/reservations/${id}/cancel`, {}, headers)
}

function pathsOf(reply: Reply): string[] {
  return problemsOf(reply)
    .map((problem) => String(Object(problem)[0]))
    .sort()
}

/** The parts of the answer that change from version to version. */
function said({ body }: Reply): unknown[] {
  return [body['message'], body['version'], body['status'], Object(body['total']).afterTax]
}

async function deliveriesOf(id: string): Promise<unknown[]> {
  const { rows } = await gateway.db.query<{ version: number; as: string; status: string }>(
    `select version, reservation_status as as, status from delivery where reservation_id = $1 order by version`,
    [id],
  )
  return rows.map(({ version, as, status }) => [version, as, status])
}

test('a new guest makes a new version at the old price, whatever the hotel asks now, and takes no unit', async () => {
  const id = idOf(await shop.book())
  await pushNights(shop.supplier, { inventory: 0, closed: true, rates: [{ rateId: 'BAR', price: 999 }] })
  const reply = expectStatus(await modify(id, { rooms: [room({ guest: grace })] }), 200)
  assert.deepEqual(said(reply), ['Reservation modified', 2, 'Confirm', '220.00'])
  assert.deepEqual(reply.body['priceChecks'], [])
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 0])
  assert.deepEqual(await deliveriesOf(id), [
    [1, 'Confirm', 'superseded'],
    [2, 'Confirm', 'queued'],
  ])
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  assert.deepEqual(Object(body['reservation']).rooms[0].guest, grace)
  assert.deepEqual(
    Object.values(Object(body['versions'])).map((version) => Object(version).version),
    [1, 2],
  )
  await pushNights(shop.supplier, { closed: false })
})

test('a longer stay takes units of the nights that are new only, at the prices of now for all', async () => {
  const id = idOf(await shop.book())
  await pushNights(shop.supplier, { inventory: 0, endDate: '2027-04-21' })
  await pushNights(shop.supplier, {
    startDate: '2027-04-22',
    inventory: 1,
    rates: [{ rateId: 'BAR', price: 50 }],
  })
  const longer = { checkout: '2027-04-23' }
  assert.deepEqual(
    problemsOf(expectStatus(await modify(id, longer), 409)).map((problem) => Object(problem)[1]),
    ['PRICE_CHANGED'],
  )
  const reply = expectStatus(await modify(id, { ...longer, expectedTotal: { afterTax: '275.00' } }), 200)
  assert.deepEqual(said(reply), ['Reservation modified', 2, 'Confirm', '275.00'])
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 0])
})

test('an additional room is priced and booked beside the unchanged ones; a shorter stay gives nothing back', async () => {
  const id = idOf(await shop.book())
  await pushNights(shop.supplier, {
    inventory: 1,
    rates: [
      { rateId: 'NRF', price: 60 },
      { rateId: 'BAR', price: 70 },
    ],
  })
  const rooms = [room(), room({ rateId: 'NRF' })]
  const expectedTotal = { afterTax: '352.00' }
  assert.deepEqual(said(expectStatus(await modify(id, { rooms, expectedTotal }), 200)), [
    'Reservation modified',
    2,
    'Confirm',
    '352.00',
  ])
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 1])
  expectStatus(await modify(id, { checkout: '2027-04-21' }), 200)
  assert.deepEqual(await unitsLeft(gateway), [0, 0, 1])
})

describe('after the hotel has changed its currency', () => {
  let quay: Shop
  let id: string
  const put = (more: Record<string, unknown>) =>
    quay.platform.put(`/booking/reservations/${id}`, bookingBody('Quay', more))
  const state = async (): Promise<unknown[]> => {
    const { body } = expectOk(await quay.platform.get(`/booking/reservations/${id}`))
    const { version, currency, total } = Object(body['reservation'])
    return [version, currency, total.afterTax]
  }
  before(async () => {
    quay = await openShop(gateway, 'Quay')
    id = idOf(await quay.book())
    const [hotel] = Object.values(
      Object(expectOk(await quay.supplier.post('/push/getHotels', { hotelIds: ['H1'] })).body['hotels']),
    )
    expectOk(await quay.supplier.post('/push/hotels', [{ ...Object(hotel), currency: 'JPY' }]))
    const rates = [
      { rateId: 'BAR', price: 15_000 },
      { rateId: 'NRF', price: 12_000 },
    ]
    await pushNights(quay.supplier, { rates })
  })

  test('the same state is unchanged, and rooms that stay keep price and currency', async () => {
    assert.deepEqual(said(await put({})), ['Reservation unchanged', 1, 'Confirm', '220.00'])
    assert.deepEqual(said(await put({ rooms: [room({ guest: grace })] })), [
      'Reservation modified',
      2,
      'Confirm',
      '220.00',
    ])
    assert.equal((await put({ expectedTotal: { afterTax: '220.00' } })).status, 200)
    assert.deepEqual(await state(), [3, 'USD', '220.00'])
  })

  test('with another room all are priced anew, and only when that total is expected', async () => {
    const rooms = [room(), room({ rateId: 'NRF' })]
    const refused = expectStatus(await put({ rooms }), 409)
    assert.deepEqual(
      [Object(Object(refused.body['errors'])[0]).type, refused.body['total'], refused.body['currency']],
      [
        'PRICE_CHANGED',
        {
          beforeTax: '54000',
          tax: '5400',
          afterTax: '59400',
          dueAtProperty: '0',
          feesAtProperty: '0',
          allIn: '59400',
        },
        'JPY',
      ],
    )
    assert.deepEqual(await state(), [3, 'USD', '220.00'])
    expectOk(await put({ rooms, expectedTotal: { afterTax: '59400', currency: 'JPY' } }))
    assert.deepEqual(await state(), [4, 'JPY', '59400'])
  })
})

test('the same state is unchanged when the hotel has another name by now; a new one has that name', async () => {
  const id = idOf(await shop.book())
  await pushStoryHotel(shop.supplier, { hotelName: 'Sea View Grand' })
  const same = await modify(id)
  const other = await modify(id, { rooms: [room({ guest: grace })] })
  await pushStoryHotel(shop.supplier)
  assert.deepEqual([same, other].map(said), [
    ['Reservation unchanged', 1, 'Confirm', '220.00'],
    ['Reservation modified', 2, 'Confirm', '220.00'],
  ])
  assert.deepEqual(await deliveriesOf(id), [
    [1, 'Confirm', 'superseded'],
    [2, 'Confirm', 'queued'],
  ])
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  assert.equal(Object(reservation).hotelName, 'Sea View Grand')
})

test('a modification that cannot be booked leaves the reservation unchanged', async () => {
  const id = idOf(await shop.book())
  const held = (await shop.platform.get(`/booking/reservations/${id}`)).body
  const third = [room(), room(), room()]
  assert.equal(expectStatus(await modify(id, { rooms: third }), 409).body['message'], 'Sold out')
  const priced = await modify(id, { checkout: '2027-04-21', expectedTotal: { afterTax: '1.00' } })
  assert.equal(expectStatus(priced, 409).body['message'], 'The price has changed')
  assert.deepEqual((await shop.platform.get(`/booking/reservations/${id}`)).body, held)
})

test('the same state again changes nothing and delivers nothing', async () => {
  const id = idOf(await shop.book())
  assert.deepEqual(said(expectStatus(await modify(id), 200)), [
    'Reservation unchanged',
    1,
    'Confirm',
    '220.00',
  ])
  assert.deepEqual(await deliveriesOf(id), [[1, 'Confirm', 'queued']])
})

test('a cancellation is a separate version and is delivered; inventory is not raised; cancelling again changes nothing', async () => {
  const id = idOf(await shop.book())
  const { body: whole } = expectStatus(await cancel(id), 200)
  const { reservation, ...body } = whole
  assert.equal(Object(reservation).status, 'Cancel')
  assert.deepEqual(body, {
    code: '200',
    message: 'Reservation cancelled',
    reservationId: id,
    version: 2,
    status: 'Cancel',
    penalty: null,
    delivery: notSent,
  })
  assert.deepEqual(expectStatus(await cancel(id), 200).body, whole)
  assert.deepEqual(await deliveriesOf(id), [
    [1, 'Confirm', 'superseded'],
    [2, 'Cancel', 'queued'],
  ])
  assert.deepEqual(await unitsLeft(gateway), [1, 1, 2])
})

describe('nothing follows a cancellation', () => {
  test('a modification is refused', async () => {
    const id = idOf(await shop.book())
    expectStatus(await cancel(id), 200)
    assert.deepEqual(problemsOf(expectStatus(await modify(id), 409)), [
      [undefined, 'RESERVATION_CANCELLED', 'The reservation is cancelled'],
    ])
  })

  test('also if both arrive at once: the first one decides, and the last version is the cancellation', async () => {
    for (let round = 0; round < 10; round++) {
      await pushNights(shop.supplier)
      const id = idOf(await shop.book())
      const [changed, cancelled] = await Promise.all([
        modify(id, { rooms: [room({ guest: grace })] }),
        cancel(id),
      ])
      expectStatus(cancelled, 200)
      assert.ok([200, 409].includes(changed.status), changed.text)
      const { rows } = await gateway.db.query<{ status: string }>(
        'select status from reservation_version where reservation_id = $1 order by version',
        [id],
      )
      const expected = changed.status === 200 ? ['Confirm', 'Confirm', 'Cancel'] : ['Confirm', 'Cancel']
      assert.deepEqual(
        rows.map(({ status }) => status),
        expected,
      )
    }
  })

  test('not even in the database', async () => {
    const id = idOf(await shop.book())
    expectStatus(await cancel(id), 200)
    await assert.rejects(
      gateway.db.query(
        `insert into reservation_version (reservation_id, version, hotel_id, status, at, content)
         select reservation_id, 3, hotel_id, 'Cancel', at, content from reservation_version where reservation_id = $1 and version = 2`,
        [id],
      ),
      /reservation_cancelled_once/,
    )
  })
})

test('a stay is modified and cancelled until its day of arrival, by the hotel’s calendar', async () => {
  const id = idOf(await shop.book())
  gateway.clock.set('2027-04-20T21:59:00Z')
  expectStatus(await modify(id, { rooms: [room({ guest: grace })] }), 200)
  gateway.clock.set('2027-04-20T22:01:00Z')
  const begun = [
    undefined,
    'STAY_BEGUN',
    'The stay has begun: the reservation cannot be changed or cancelled any more',
  ]
  assert.deepEqual(problemsOf(expectStatus(await modify(id), 409)), [begun])
  assert.deepEqual(problemsOf(expectStatus(await cancel(id), 409)), [begun])
  gateway.clock.set('2027-04-20T21:59:00Z')
  expectStatus(await cancel(id), 200)
  gateway.clock.set('2027-04-22T22:01:00Z')
  assert.equal(expectStatus(await cancel(id), 200).body['message'], 'Reservation cancelled')
})

test('a reservation stays in its hotel', async () => {
  await openShop(gateway, 'Other')
  const id = idOf(await shop.book())
  const reply = await modify(id, { hotel: { supplier: 'Other', hotelId: 'H1' } })
  assert.deepEqual(problemsOf(expectStatus(reply, 400)), [
    ['/hotel', 'HOTEL_CHANGED', 'A reservation cannot be moved to another hotel'],
  ])
})

test('the Idempotency-Key of a modification or a cancellation gives the stored answer', async () => {
  const id = idOf(await shop.book())
  const key = { 'idempotency-key': 'modify-once' }
  const first = expectStatus(await modify(id, { rooms: [room({ guest: grace })] }, key), 200)
  const again = expectStatus(await modify(id, { rooms: [room({ guest: grace })] }, key), 200)
  assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true'])
  const cancelKey = { 'idempotency-key': 'cancel-once' }
  const done = expectStatus(await cancel(id, cancelKey), 200)
  const doneAgain = expectStatus(await cancel(id, cancelKey), 200)
  assert.deepEqual([doneAgain.body, doneAgain.headers.get('idempotency-replayed')], [done.body, 'true'])
})

test('an id that is none is unknown', async () => {
  for (const id of ['0', '999999', '1e3', '99999999999999999999', 'x', '1%2F2', '-1']) {
    const replies = [
      await shop.platform.get(`/booking/reservations/${id}`),
      await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme')),
      await shop.platform.post(`/booking/reservations/${id}/cancel`, {}),
    ]
    for (const reply of replies)
      assert.deepEqual([id, reply.status, reply.body['message']], [id, 404, 'Reservation not found'])
  }
})

describe('the list', () => {
  test('is searched by hotel, status and arrival, newest first, page by page', async () => {
    const list = await openShop(gateway, 'Listed', { inventory: 20 })
    const made: string[] = []
    for (const day of [1, 2, 3, 4, 5]) {
      const stay = { checkin: `2027-04-0${day}`, checkout: `2027-04-0${day + 1}` }
      made.push(idOf(await list.book(stay)))
    }
    expectStatus(await cancel(made[1] ?? ''), 200)
    const ids = async (query: string): Promise<unknown[]> => {
      const { body } = expectOk(
        await shop.platform.get(`/booking/reservations?supplier=Listed&hotelId=H1${query}`),
      )
      return Object.values(Object(body['reservations'])).map((one) => made.indexOf(Object(one).reservationId))
    }
    assert.deepEqual(await ids(''), [4, 3, 2, 1, 0])
    assert.deepEqual(await ids('&status=Cancel'), [1])
    assert.deepEqual(await ids('&status=Confirm&arrivalFrom=2027-04-02&arrivalTo=2027-04-04'), [3, 2])
    const first = (await shop.platform.get('/booking/reservations?supplier=Listed&hotelId=H1&limit=3')).body
    assert.equal(Object.values(Object(first['reservations'])).length, 3)
    assert.deepEqual(await ids(`&cursor=${String(first['nextCursor'])}`), [1, 0])
  })

  test('takes a supplier alone: the reservations of all its hotels and of no other supplier, page by page', async () => {
    const [grove, orchard] = await Promise.all([
      openShop(gateway, 'Grove', { inventory: 50 }),
      openShop(gateway, 'Orchard', { inventory: 50 }),
    ])
    await pushStoryHotel(grove.supplier, { hotelId: 'H2' })
    const night = { roomId: 'DBL', startDate: '2027-04-20', endDate: '2027-04-21', inventory: 50 }
    const ari = [{ ...night, rates: [{ rateId: 'BAR', price: 70 }] }]
    expectOk(await grove.supplier.post('/push/ari', { hotelId: 'H2', pricingModel: 'unit', ari }))
    const made: string[] = []
    for (let count = 0; count < 12; count++) {
      made.push(idOf(await grove.book()))
      made.push(idOf(await grove.book({ hotel: { supplier: 'Grove', hotelId: 'H2' } })))
      idOf(await orchard.book())
    }
    expectStatus(await cancel(made[3] ?? ''), 200)
    const ids = async (reader: TestClient, query: string): Promise<string[]> => {
      const found: string[] = []
      for (let cursor = ''; ;) {
        const { body } = expectOk(await reader.get(`/booking/reservations?supplier=Grove${query}${cursor}`))
        const { reservations, nextCursor } = Object(body)
        for (const { supplier, reservationId } of reservations) {
          assert.equal(supplier, 'Grove')
          found.push(reservationId)
        }
        if (nextCursor === null) return found
        cursor = `&cursor=${nextCursor}`
      }
    }
    const newest = made.toReversed()
    // A cursor marks a place in the list and isn't tied to the token that received it.
    for (const reader of [shop.platform, await platformOf(gateway)])
      assert.deepEqual(await ids(reader, '&limit=5'), newest)
    assert.deepEqual(await ids(shop.platform, '&status=Cancel'), [made[3]])
    assert.deepEqual(
      await ids(shop.platform, '&hotelId=H2&limit=7'),
      newest.filter((_id, index) => index % 2 === 0),
    )
    // Only the platform may list by supplier: neither the supplier's own key nor an operator's token may.
    const operator = client(gateway.url, { authorization: `Bearer ${await gateway.token('operator')}` })
    for (const stranger of [grove.supplier, orchard.supplier, operator]) {
      const refused = await stranger.get('/booking/reservations?supplier=Grove')
      assert.deepEqual([refused.status, refused.body['reservations']], [401, undefined])
    }
    const unknown = await shop.platform.get('/booking/reservations?supplier=Nobody')
    assert.deepEqual(problemsOf(unknown), [['?supplier', 'SUPPLIER_NOT_FOUND', 'Supplier not found']])
    assert.equal(unknown.status, 404)
    const codeAlone = await shop.platform.get('/booking/reservations?hotelId=H1')
    assert.deepEqual([codeAlone.status, pathsOf(codeAlone)], [400, ['?hotel']])
  })

  test('refuses unreadable parameters, all at once', async () => {
    const query = 'hotel=1&supplier=x&status=confirm&arrivalFrom=2027-02-30&arrivalTo=x&cursor=x&limit=0'
    const reply = await shop.platform.get(`/booking/reservations?${query}`)
    assert.deepEqual(
      [reply.status, pathsOf(reply)],
      [400, ['?arrivalFrom', '?arrivalTo', '?cursor', '?hotel', '?limit', '?status']],
    )
    const reversed = await shop.platform.get(
      '/booking/reservations?arrivalFrom=2027-04-02&arrivalTo=2027-04-01',
    )
    assert.deepEqual([reversed.status, Object(problemsOf(reversed)[0])[1]], [400, 'EMPTY_RANGE'])
    for (const hotel of ['hotel=999', 'hotel=x', 'supplier=Nobody&hotelId=H1']) {
      const unknown = await shop.platform.get(`/booking/reservations?${hotel}`)
      assert.deepEqual([unknown.status, unknown.body['message']], [404, 'Hotel not found'])
    }
  })
})
