import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** What hotels report about stays, from 20 to 22 April in Paris. */

const gateway = await gatewayForTests()
let shop: Shop
let operator: TestOperator
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
  operator = await gateway.operator('operator')
  const cancelPenalties = [
    {
      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2 },
      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
    },
    { noShow: true, penaltyCharge: { chargeBase: 'FullStay' } },
  ]
  const nonrefundable = [{ penaltyCharge: { chargeBase: 'FullStay' } }]
  expectOk(
    await shop.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [
        product('DBL', 'BAR', { cancelPolicies: [{ code: 'OURS', cancelPenalties }] }),
        product('DBL', 'NRF', { cancelPolicies: [{ code: 'NR', cancelPenalties: nonrefundable }] }),
      ],
    }),
  )
})

const bookedAt = '2027-03-01T12:00:00Z'
const onArrival = '2027-04-20T14:00:00Z'
const dayAfter = '2027-04-21T06:00:00Z'

const two = [room(), room({ rateId: 'NRF' })]

async function booked(rooms: unknown[] = [room()]): Promise<string> {
  gateway.clock.set(bookedAt)
  return idOf(await shop.book({ rooms }))
}

const report = (id: string, more: Record<string, unknown>, headers = {}): Promise<Reply> =>
  shop.supplier.post('/push/reservations/report', { hotelId: 'H1', reservation_id: id, ...more }, headers)
const reservation = async (id: string) =>
  Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation'])
const cancel = (id: string): Promise<Reply> => shop.platform.post(`/booking/reservations/${id}/cancel`, {})
const change = (id: string): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', { checkout: '2027-04-21' }))
const typesOf = (reply: Reply): unknown[] => problemsOf(reply).map((problem) => Object(problem)[1])

test('a report is kept with its time and key, shown to the platform, and leaves status and version as they are', async () => {
  const id = await booked(two)
  gateway.clock.set(onArrival)
  const told = {
    room_reservation_id: `${id}-2`,
    report: 'stay_changed',
    departure_date: '2027-04-21',
    note: 'Ill',
  }
  const { body } = expectOk(await report(id, told))
  const at = '2027-04-20T14:00:00.000Z'
  const { requestId, ...answered } = body
  assert.equal(typeof requestId, 'undefined')
  assert.deepEqual(answered, {
    code: '200',
    message: 'Report stored',
    reservation_id: id,
    room_reservation_id: `${id}-2`,
    report: 'stay_changed',
    at,
    penalty: null,
  })
  const { reports, status, version, penalty } = await reservation(id)
  const shown = {
    report: 'stay_changed',
    roomReservationId: `${id}-2`,
    departureDate: '2027-04-21',
    note: 'Ill',
  }
  assert.deepEqual(
    [reports, status, version, penalty],
    [[{ ...shown, at, by: 'supplier' }], 'Confirm', 1, null],
  )
  const { rows } = await gateway.db.query(
    'select key_id as "keyId" from reservation_report where reservation_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ keyId: shop.supplier.keyId }])
})

const cursorNow = async (): Promise<string> =>
  String(expectOk(await shop.platform.get('/booking/changes')).body['cursor'])

/** Changes as far as one that fits: those before the cursor may be told after it, as long as they are fresh. */
async function toldUntil(
  cursor: string,
  isLast: (change: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>[]> {
  const told: Record<string, unknown>[] = []
  for (let after = cursor; !told.some(isLast);) {
    const { body } = expectOk(await shop.platform.get(`/booking/changes?after=${after}&wait=30`))
    after = String(body['cursor'])
    told.push(...Object(body['changes']))
  }
  return told
}

test('the platform is told of a report in the change feed, as an event without a revision', async () => {
  const id = await booked()
  const cursor = await cursorNow()
  expectOk(await report(id, { report: 'card_invalid' }))
  const changes = await toldUntil(cursor, ({ kind }) => kind === 'report')
  assert.deepEqual(
    changes
      .filter(({ reservationId }) => reservationId === id)
      .map(({ kind, report: what, hotelId, supplier, ...rest }) => [
        kind,
        what,
        hotelId,
        supplier,
        Object.keys(rest).sort(),
      ]),
    [['report', 'card_invalid', 'H1', 'Acme', ['at', 'cursor', 'platformHotelId', 'reservationId']]],
  )
})

test('events of one reservation are all told, whatever happens later', async () => {
  const id = await booked()
  const cursor = await cursorNow()
  for (const what of ['card_invalid', 'waived', 'stay_changed']) expectOk(await report(id, { report: what }))
  await pushNights(shop.supplier, { inventory: 98 })
  await pushNights(shop.supplier, { inventory: 99 })
  const changes = await toldUntil(cursor, ({ kind }) => kind === 'ari')
  assert.deepEqual(
    changes.filter(({ reservationId }) => reservationId === id).map(({ report: what }) => what),
    ['card_invalid', 'waived', 'stay_changed'],
  )
})

test('a no-show is reported from the end of the arrival day to seven days after the departure, in the hotel’s zone', async () => {
  const id = await booked()
  const cases = [
    ['2027-04-20T21:59:59Z', 409, ['REPORT_TOO_EARLY']],
    ['2027-04-29T22:00:00Z', 409, ['REPORT_TOO_LATE']],
    ['2027-04-29T21:59:59Z', 200, []],
  ] as const
  for (const [at, status, types] of cases) {
    gateway.clock.set(at)
    const reply = await report(id, { report: 'no_show' })
    assert.deepEqual([at, reply.status, typesOf(reply)], [at, status, types])
  }
  const other = await booked()
  gateway.clock.set('2027-04-20T22:00:00Z')
  expectOk(await report(other, { report: 'no_show' }))
})

test('nobody has arrived before the day of arrival', async () => {
  const id = await booked()
  gateway.clock.set('2027-04-19T21:59:59Z')
  assert.deepEqual(typesOf(expectStatus(await report(id, { report: 'arrived' }), 409)), ['REPORT_TOO_EARLY'])
  gateway.clock.set('2027-04-19T22:00:00Z')
  expectOk(await report(id, { report: 'arrived' }))
})

test('for a no-show the highest of the no-show penalty and the last penalty is due, room by room', async () => {
  const id = await booked(two)
  gateway.clock.set(dayAfter)
  const { body } = expectOk(await report(id, { report: 'no_show' }))
  assert.deepEqual(body['penalty'], { amount: '396.00', currency: 'USD' })
  const { penalty, status } = await reservation(id)
  assert.deepEqual(
    [penalty, status],
    [
      {
        amount: '396.00',
        currency: 'USD',
        by: [
          {
            roomReservationId: `${id}-1`,
            roomId: 'DBL',
            rateId: 'BAR',
            code: 'OURS',
            from: '2027-04-21T00:00:00+02:00',
            amount: '220.00',
          },
          {
            roomReservationId: `${id}-2`,
            roomId: 'DBL',
            rateId: 'NRF',
            code: 'NR',
            from: null,
            amount: '176.00',
          },
        ],
      },
      'Confirm',
    ],
  )
})

test('one room’s no-show is due by itself', async () => {
  const id = await booked(two)
  gateway.clock.set(dayAfter)
  const one = { report: 'no_show', room_reservation_id: `${id}-2` }
  assert.deepEqual(expectOk(await report(id, one)).body['penalty'], { amount: '176.00', currency: 'USD' })
  const { penalty } = await reservation(id)
  assert.deepEqual([penalty.amount, penalty.by.length], ['176.00', 1])
})

test('with waivePenalty nothing is due for a no-show, and with waived after it neither', async () => {
  const waived = await booked()
  gateway.clock.set(dayAfter)
  expectOk(await report(waived, { report: 'no_show', waivePenalty: true }))
  const free = { amount: '0.00', currency: 'USD', by: [] }
  assert.deepEqual((await reservation(waived)).penalty, free)
  const later = await booked()
  gateway.clock.set(dayAfter)
  expectOk(await report(later, { report: 'no_show' }))
  assert.equal((await reservation(later)).penalty.amount, '220.00')
  gateway.clock.set('2027-04-21T07:00:00Z')
  expectOk(await report(later, { report: 'waived' }))
  assert.deepEqual((await reservation(later)).penalty, free)
})

test('the last report about a room counts: without its penalty, with it, and none once the guest came', async () => {
  const id = await booked()
  const due: unknown[] = []
  for (const [at, told] of [
    ['2027-04-21T06:00:00Z', { report: 'no_show', waivePenalty: true }],
    ['2027-04-21T06:01:00Z', { report: 'no_show' }],
    ['2027-04-21T06:02:00Z', { report: 'arrived' }],
  ] as const) {
    gateway.clock.set(at)
    expectOk(await report(id, told))
    due.push((await reservation(id)).penalty?.amount ?? null)
  }
  assert.deepEqual(due, ['0.00', '220.00', null])
  assert.deepEqual(typesOf(expectStatus(await report(id, { report: 'no_show' }), 409)), ['GUEST_ARRIVED'])
})

test('a no-show of all rooms is refused where one of them arrived; the other room’s is taken', async () => {
  const id = await booked(two)
  gateway.clock.set(dayAfter)
  expectOk(await report(id, { report: 'arrived', room_reservation_id: `${id}-1` }))
  assert.deepEqual(typesOf(expectStatus(await report(id, { report: 'no_show' }), 409)), ['GUEST_ARRIVED'])
  expectOk(await report(id, { report: 'no_show', room_reservation_id: `${id}-2` }))
  assert.equal((await reservation(id)).penalty.amount, '176.00')
})

test('a room with unknown terms is named, and nothing is due where nothing is known', async () => {
  gateway.clock.set(bookedAt)
  const other = await openShop(gateway, 'Silent', { inventory: 99 })
  const cancelPolicies = [{ code: 'NR', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] }]
  const products = [product('DBL', 'NRF', { cancelPolicies })]
  expectOk(await other.supplier.post('/push/products', { hotelId: 'H1', products }))
  const id = idOf(await other.book({ rooms: two }))
  gateway.clock.set(dayAfter)
  const told = { hotelId: 'H1', reservation_id: id, report: 'no_show' }
  const due = async (roomId?: string): Promise<unknown[]> => {
    const body = { ...told, ...(roomId === undefined ? {} : { room_reservation_id: roomId }) }
    const reported = expectOk(await other.supplier.post('/push/reservations/report', body))
    const read = expectOk(await other.platform.get(`/booking/reservations/${id}`))
    const { penalty } = Object(read.body['reservation'])
    return [reported.body['penalty'], penalty && [penalty.amount, penalty.unknown]]
  }
  assert.deepEqual(await due(`${id}-1`), [null, null])
  const unknown = [`${id}-1`]
  assert.deepEqual(await due(), [{ amount: '176.00', currency: 'USD', unknown }, ['176.00', unknown]])
})

test('waivePenalty with another report is 400, and so is a departure before the arrival', async () => {
  const id = await booked()
  for (const [told, problems] of [
    [
      { report: 'waived', waivePenalty: true },
      [['/waivePenalty', 'WAIVE_MISPLACED', 'waivePenalty goes with the report no_show only']],
    ],
    [
      { report: 'stay_changed', departure_date: '2027-04-19' },
      [
        [
          '/departure_date',
          'DEPARTURE_BEFORE_ARRIVAL',
          'departure_date must not be before the day of arrival',
        ],
      ],
    ],
  ] as const)
    assert.deepEqual(problemsOf(expectStatus(await report(id, told), 400)), problems)
  for (const told of [{ report: 'gone' }, { report: 'waived', note: '4111 1111 1111 1111' }, {}])
    expectStatus(await report(id, told), 400)
  assert.deepEqual((await reservation(id)).reports, [])
})

test('a report that is so already is answered as the first one and changes nothing, also after its time', async () => {
  const id = await booked()
  gateway.clock.set(dayAfter)
  const first = expectOk(await report(id, { report: 'no_show' })).body
  gateway.clock.set('2027-05-20T12:00:00Z')
  const again = expectOk(await report(id, { report: 'no_show' })).body
  assert.deepEqual(again, first)
  assert.equal((await reservation(id)).reports.length, 1)
})

test('a repeat under an Idempotency-Key undoes no later report', async () => {
  const id = await booked()
  gateway.clock.set(dayAfter)
  const key = { 'idempotency-key': `report-${id}` }
  const first = expectOk(await report(id, { report: 'no_show' }, key))
  gateway.clock.set('2027-04-21T08:00:00Z')
  expectOk(await report(id, { report: 'no_show', waivePenalty: true }))
  const again = expectOk(await report(id, { report: 'no_show' }, key))
  assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true'])
  const { reports, penalty } = await reservation(id)
  assert.deepEqual([reports.length, penalty.amount], [2, '0.00'])
  const other = await report(id, { report: 'waived' }, key)
  assert.deepEqual(typesOf(expectStatus(other, 422)), ['IDEMPOTENCY_KEY_REUSED'])
})

test('what a hotel lets go of after a cancellation is no longer owed', async () => {
  const id = await booked(two)
  expectStatus(await cancel(id), 200)
  assert.equal((await reservation(id)).penalty.amount, '176.00')
  expectOk(await report(id, { report: 'waived', room_reservation_id: `${id}-2` }))
  const { penalty, status, version } = await reservation(id)
  assert.deepEqual([penalty, status, version], [{ amount: '0.00', currency: 'USD', by: [] }, 'Cancel', 2])
  gateway.clock.set(dayAfter)
  for (const told of ['arrived', 'no_show', 'stay_changed'])
    assert.deepEqual(typesOf(expectStatus(await report(id, { report: told }), 409)), [
      'RESERVATION_CANCELLED',
    ])
})

test('once the hotel reported a guest as arrived, a change and a cancellation are refused', async () => {
  const id = await booked(two)
  gateway.clock.set(onArrival)
  expectOk(await report(id, { report: 'arrived', room_reservation_id: `${id}-1` }))
  const replies = [await change(id), await cancel(id)]
  assert.deepEqual(
    replies.map((reply) => [reply.status, typesOf(reply)]),
    [
      [409, ['STAY_BEGUN']],
      [409, ['STAY_BEGUN']],
    ],
  )
  assert.equal((await reservation(id)).version, 1)
})

test('from the day after the arrival a change and a cancellation are refused, whatever was reported', async () => {
  const id = await booked()
  gateway.clock.set('2027-04-20T22:00:00Z')
  expectOk(await report(id, { report: 'no_show' }))
  for (const reply of [await change(id), await cancel(id)])
    assert.deepEqual(typesOf(expectStatus(reply, 409)), ['STAY_BEGUN'])
})

test('another supplier’s reservation is unknown, as is one of another hotel, and an unknown room', async () => {
  const id = await booked()
  const other = await openShop(gateway, 'Other', { inventory: 99 })
  const told = { hotelId: 'H1', reservation_id: id, report: 'waived' }
  const theirs = await other.supplier.post('/push/reservations/report', told)
  const none = await other.supplier.post('/push/reservations/report', {
    ...told,
    reservation_id: '999999999',
  })
  const unknown = [['/reservation_id', 'RESERVATION_NOT_FOUND', 'Reservation not found']]
  assert.deepEqual([theirs.status, problemsOf(theirs), problemsOf(none)], [404, unknown, unknown])
  assert.deepEqual(problemsOf(await report(id, { report: 'waived', room_reservation_id: `${id}-7` })), [
    ['/room_reservation_id', 'ROOM_RESERVATION_NOT_FOUND', 'The reservation has no such room'],
  ])
  assert.deepEqual((await reservation(id)).reports, [])
})

test('an operator reports for the hotel, audited; a viewer and people of a supplier do not', async () => {
  const id = await booked(two)
  gateway.clock.set(dayAfter)
  const told = { report: 'no_show', roomReservationId: `${id}-2`, note: 'By telephone' }
  const at = '2027-04-21T06:00:00.000Z'
  // A session from March has expired.
  const present = await gateway.operator('operator')
  const done = expectOk(await present.post(`/reservations/${id}/report`, told))
  assert.deepEqual(done.body, { report: 'no_show', at })
  const { reports, penalty } = await reservation(id)
  assert.deepEqual(
    [reports, penalty.amount],
    [
      [{ report: 'no_show', roomReservationId: `${id}-2`, note: 'By telephone', at, by: 'operator' }],
      '176.00',
    ],
  )
  const [entry] = Object(expectOk(await present.get('/audit')).body['changes'])
  assert.deepEqual(
    [entry.action, entry.subject, entry.operator, entry.after],
    ['reservation.report', `reservation ${id}`, present.name, told],
  )
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Acme'`)
  const people = [await gateway.operator('viewer'), await gateway.operator('operator', rows[0]?.id)]
  for (const one of people) expectStatus(await one.post(`/reservations/${id}/report`, told), 403)
  const wrong = await present.post(`/reservations/${id}/report`, { report: 'waived', waivePenalty: true })
  assert.deepEqual(typesOf(expectStatus(wrong, 400)), ['WAIVE_MISPLACED'])
  expectStatus(await present.post('/reservations/999999999/report', told), 404)
})

test('people of the supplier read its reports and confirmations in the console', async () => {
  const id = await booked()
  expectOk(await report(id, { report: 'card_invalid' }))
  await setAccount(gateway.db, 'Acme', { mayRetrieve: true })
  const numbered = { reservation_id: id, reservation_version: '1', confirmation_number: 'A-1' }
  expectOk(await shop.supplier.post('/push/webhook/pushbook/ack', { reservations: [numbered] }))
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Acme'`)
  for (const one of [await gateway.operator('viewer', rows[0]?.id), operator]) {
    const { reports, confirmations } = Object(
      expectOk(await one.get(`/reservations/${id}`)).body['reservation'],
    )
    assert.deepEqual(
      [reports.length, confirmations],
      [1, [{ confirmationNumber: 'A-1', at: '2027-03-01T12:00:00.000Z' }]],
    )
  }
})

test('a report and a cancellation at once: whichever is first counts for the other', async () => {
  const id = await booked()
  gateway.clock.set(onArrival)
  const [reported, cancelled] = await Promise.all([report(id, { report: 'arrived' }), cancel(id)])
  const { status, reports } = await reservation(id)
  const isCancelled = status === 'Cancel'
  assert.deepEqual(
    [cancelled.status, reported.status, reports.length],
    isCancelled ? [200, 409, 0] : [409, 200, 1],
  )
})

test('a reset of the sandbox removes reports and confirmations with their reservations', async () => {
  gateway.clock.set(bookedAt)
  const gone = await openShop(gateway, 'Gone', { inventory: 99 })
  const id = idOf(await gone.book())
  const told = { hotelId: 'H1', reservation_id: id, report: 'card_invalid' }
  expectOk(await gone.supplier.post('/push/reservations/report', told))
  const numbered = { reservation_id: id, reservation_version: '1', confirmation_number: 'A-1' }
  expectOk(await gone.supplier.post('/push/webhook/pushbook/ack', { reservations: [numbered] }))
  expectOk(await gone.supplier.post('/push/sandbox/reset', {}))
  expectStatus(await gone.platform.get(`/booking/reservations/${id}`), 404)
  const { body } = expectOk(await gone.platform.get('/booking/changes'))
  assert.equal(typeof body['cursor'], 'string')
})
