import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  openShop,
  platformOf,
  pushNights,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { until } from '../../../test/stage/scenes/deliveries.ts'
import { gatewayForTests, changesSettled } from '../../../test/stage/harness.ts'
import { meetingInLine } from '../../../test/stage/locks.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import { calendarOf, operatorOf, pushUnits, type OperatorCall } from '../../../test/stage/scenes/calendar.ts'

let operator: OperatorCall
const gateway = await gatewayForTests()
before(async () => {
  operator = await operatorOf(gateway)
})

type Scene = Shop & { name: string; hotel: number }

async function scene(name: string): Promise<Scene> {
  const shop = await openShop(gateway, name)
  return { ...shop, name, hotel: await hotelOf(name) }
}

async function hotelOf(supplier: string): Promise<number> {
  const { rows } = await gateway.db.query<{ id: number }>(
    'select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = $1',
    [supplier],
  )
  return rows[0]?.id ?? 0
}

const nights = { from: '2027-04-20', to: '2027-04-22' }
const dbl = { roomId: 'DBL' }

async function offered({ name, platform }: Scene, checkin = '2027-04-20', checkout = '2027-04-21') {
  const asked = { hotels: [{ supplier: name, hotelId: 'H1' }], checkin, checkout, rooms: [{ adults: 2 }] }
  const { body } = expectOk(await platform.post('/booking/offers', { ...asked, explain: true }))
  const [hotel] = Object(body['hotels'])
  return {
    rates: hotel.offers.map(({ rateId }: { rateId: string }) => rateId),
    forbidden: hotel.unavailable.map(({ rateId, rules }: { rateId: string; rules: { pass: boolean }[] }) => ({
      rateId,
      failing: rules.filter(({ pass }) => !pass),
    })),
  }
}

test('a stopped room is sold at no rate, whatever is pushed, until an operator resumes sales', async () => {
  const stage = await scene('stopped')
  const atFirst = await offered(stage)
  const stopped = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, {
    action: 'stop',
    targets: [dbl],
    ...nights,
    reason: 'Burst pipe',
  })
  assert.deepEqual([atFirst.rates, stopped.status], [['BAR', 'NRF'], 200])
  assert.deepEqual(
    { ...stopped.body, requestId: '', revision: 0 },
    {
      isPreview: false,
      revision: 0,
      requestId: '',
      rows: [{ roomId: 'DBL', rateId: null, nights: 3, changed: 3 }],
      nightsChanged: 3,
      affected: null,
    },
  )
  const rule = {
    rule: 'stopSell',
    pass: false,
    of: 'room',
    dates: ['2027-04-20'],
    held: true,
    asked: false,
    setBy: {
      operator: operator.id,
      requestId: stopped.body['requestId'],
      at: '2027-03-01T12:00:00.000Z',
    },
  }
  const forbidden = ['BAR', 'NRF'].map((rateId) => ({ rateId, failing: [rule] }))
  assert.deepEqual(await offered(stage), { rates: [], forbidden })

  // A push that opens, one with new prices, and one that clears the members it does not send.
  await pushNights(stage.supplier, { closed: false })
  await pushNights(stage.supplier, { rates: [{ rateId: 'BAR', price: 120, closed: false }] })
  const item = {
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate: '2027-04-30',
    inventory: 5,
    rates: [{ rateId: 'BAR', price: 130 }],
  }
  const overlay = { hotelId: 'H1', mode: 'overlay', pricingModel: 'unit', ari: [item] }
  expectOk(await stage.supplier.post('/push/ari', overlay))
  assert.deepEqual(await offered(stage), { rates: [], forbidden })
  assert.deepEqual((await offered(stage, '2027-04-23', '2027-04-24')).rates, ['BAR', 'NRF'])

  const refused = await stage.platform.post('/booking/reservations', bookingBody(stage.name))
  assert.deepEqual([refused.status, JSON.stringify(refused.body).includes('stopSell')], [409, true])

  const opened = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, {
    action: 'open',
    targets: [dbl],
    ...nights,
  })
  assert.equal(opened.body['nightsChanged'], 3)
  assert.deepEqual((await offered(stage)).rates, ['BAR', 'NRF'])
})

test('stopping one rate leaves the others on sale; stopping it again changes nothing and is not logged', async () => {
  const stage = await scene('rate')
  const order = { action: 'stop', targets: [{ ...dbl, rateId: 'NRF' }], ...nights, reason: 'Flood' }
  const first = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order)
  const again = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order)
  assert.deepEqual((await offered(stage)).rates, ['BAR'])
  assert.deepEqual([again.body['nightsChanged'], again.body['revision']], [0, first.body['revision']])
  const logged = await stage.supplier.get('/push/log?kind=stopSell')
  assert.equal(Object(logged.body['pushes']).length, 1)
})

test('a stop-sell is in the supplier’s push log, the audit log and the change feed', async () => {
  const stage = await scene('told')
  await changesSettled(gateway.db)
  const { body: now } = await stage.platform.get('/booking/changes')
  const { cursor } = Object(now)
  const order = { action: 'stop', targets: [dbl], ...nights, reason: 'Wrong price' }
  const stopped = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order)
  const { requestId, revision } = stopped.body
  const { body } = expectOk(await stage.supplier.get(`/push/log/${String(requestId)}`))
  const { durationMs, bodyBytes, ...push } = Object(body['push'])
  assert.ok(durationMs >= 0 && bodyBytes > 0)
  assert.deepEqual(push, {
    requestId,
    at: '2027-03-01T12:00:00.000Z',
    kind: 'stopSell',
    hotelId: 'H1',
    outcome: 'applied',
    problems: null,
    warnings: null,
    status: 200,
    revision,
    cellsChanged: 3,
    keyId: null,
    bodyEncoding: 'json',
    body: {
      hotelId: 'H1',
      action: 'stop',
      reason: 'Wrong price',
      ari: [{ roomId: 'DBL', startDate: '2027-04-20', endDate: '2027-04-22', stopSell: true }],
    },
    answer: { code: '200', message: 'Sale stopped by the platform', hotelId: 'H1', revision, requestId },
  })
  const { rows: audited } = await gateway.db.query(
    `select operator_name, action, subject, after from audit_log where request_id = $1`,
    [requestId],
  )
  assert.deepEqual(audited, [
    {
      operator_name: operator.id,
      action: 'ari.stop-sell',
      subject: `hotel ${stage.hotel} "H1"`,
      after: {
        nights: [{ roomId: 'DBL', startDate: nights.from, endDate: nights.to }],
        reason: 'Wrong price',
        nightsChanged: 3,
        revision,
      },
    },
  ])
  let told: { kind: string; revision: number; nights: object[] }[] = []
  await until('the feed tells of it', async () => {
    const changes = await stage.platform.get(`/booking/changes?after=${cursor}&wait=5`)
    told = Object(changes.body['changes']).filter((one: { kind: string }) => one.kind === 'stopSell')
    return told.length > 0
  })
  assert.deepEqual(
    told.map((one) => [one.revision, one.nights.length]),
    [[revision, 1]],
  )
})

test('suppliers’ read-backs and the time of their last push do not change', async () => {
  const stage = await scene('read-back')
  const asked = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-05-31' }
  const read = async () => {
    const { body } = expectOk(await stage.supplier.post('/push/getAri', asked))
    const hotels = expectOk(await stage.supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
    const mappings = expectOk(await stage.supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' }))
    const [mapping] = Object(mappings.body['mappings'])
    const known = await operator('GET', `/suppliers?search=${stage.name}`)
    const { ariFrom, ariTo, lastAriAt } = mapping
    return {
      ari: body['ari'],
      hotel: Object(hotels.body['hotels'])[0].lastAriAt,
      mapping: { ariFrom, ariTo, lastAriAt },
      pushes: Object(known.body['suppliers'])[0].pushes,
    }
  }
  const atFirst = await read()
  gateway.clock.set('2027-03-01T13:00:00Z')
  // Also beyond the pushed nights.
  const order = {
    action: 'stop',
    reason: 'Flood',
    targets: [dbl, { ...dbl, rateId: 'BAR' }],
    from: '2027-04-29',
    to: '2027-05-20',
  }
  expectOk(await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order))
  assert.deepEqual(await read(), atFirst)
  gateway.clock.set('2027-03-01T12:00:00Z')
})

test('a stop-sell uses the catalog as it is under the lock', async () => {
  const stage = await scene('met')
  const single = { roomId: 'SGL', rateId: 'BAR' }
  const products = { hotelId: 'H1', products: [product(single.roomId, single.rateId)] }
  const order = { action: 'stop', targets: [single], ...nights, reason: 'Flood' }
  const [pushed, stopped] = await meetingInLine(
    gateway.db,
    (connection) => connection.query('select from hotel where id = $1 for update', [stage.hotel]),
    [
      () => stage.supplier.post('/push/products', products),
      () => operator('POST', `/hotels/${stage.hotel}/stop-sell`, order),
    ],
  )
  assert.deepEqual([pushed?.status, stopped?.status, stopped?.body['nightsChanged']], [200, 200, 3])
  const rates = [{ rateId: single.rateId, price: 60 }]
  await pushNights(stage.supplier, { roomId: single.roomId, rates })
  const { forbidden } = await offered(stage)
  const [{ failing }] = forbidden
  assert.deepEqual(
    [forbidden.length, failing.map(({ rule }: { rule: string }) => rule)],
    [1, ['stopSell']],
    JSON.stringify(forbidden),
  )
})

test('a preview reports what would change and changes nothing', async () => {
  const stage = await scene('preview')
  const order = { action: 'stop', targets: [dbl], ...nights, preview: true }
  const told = await operator('POST', `/hotels/${stage.hotel}/stop-sell`, order)
  assert.deepEqual(
    [told.body['isPreview'], told.body['nightsChanged'], (await offered(stage)).rates],
    [true, 3, ['BAR', 'NRF']],
  )
  const { rows } = await gateway.db.query('select from stop_sell where hotel_id = $1', [stage.hotel])
  assert.equal(rows.length, 0)
})

test('a price check reports that a stopped night cannot be booked', async () => {
  const stage = await scene('checked')
  expectOk(
    await operator('POST', `/hotels/${stage.hotel}/stop-sell`, {
      action: 'stop',
      targets: [dbl],
      ...nights,
      reason: 'Flood',
    }),
  )
  const asked = {
    hotel: { supplier: stage.name, hotelId: 'H1' },
    roomId: 'DBL',
    rateId: 'BAR',
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    roomCount: 1,
    adultCount: 2,
    childAges: [],
  }
  const platform = await platformOf(gateway)
  const { body } = expectOk(await platform.post('/booking/priceCheck', asked))
  assert.equal(body['bookable'], false)
})

test('unknown hotels, rooms and rates, reversed and far dates, a missing reason and a past end are refused', async () => {
  const stage = await scene('refused')
  const order = { action: 'stop', targets: [dbl], ...nights, reason: 'Flood' }
  const cases: [string, object, number, string][] = [
    [`/hotels/999999/stop-sell`, order, 404, 'HOTEL_NOT_FOUND'],
    [`/hotels/x/stop-sell`, order, 404, 'HOTEL_NOT_FOUND'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, targets: [{ roomId: 'X' }] }, 404, 'ROOM_NOT_FOUND'],
    [
      `/hotels/${stage.hotel}/stop-sell`,
      { ...order, targets: [{ ...dbl, rateId: 'X' }] },
      404,
      'RATE_NOT_FOUND',
    ],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, targets: [dbl, dbl] }, 400, 'DUPLICATE_TARGET'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, to: '2027-04-19' }, 400, 'DATES_REVERSED'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, to: '2030-04-19' }, 400, 'DATE_TOO_FAR'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, from: '2027-02-01' }, 400, 'DATE_PAST'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, reason: ' ' }, 400, 'REASON_REQUIRED'],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, reason: undefined }, 400, 'REASON_REQUIRED'],
    [
      `/hotels/${stage.hotel}/stop-sell`,
      { ...order, reason: 'card 4111 1111 1111 1111' },
      400,
      'CARD_IN_NOTE',
    ],
    [`/hotels/${stage.hotel}/stop-sell`, { ...order, until: '2027-03-01T12:00:00Z' }, 400, 'END_IN_THE_PAST'],
  ]
  for (const [path, body, status, type] of cases) {
    const reply = await operator('POST', path, body)
    assert.deepEqual([reply.status, Object(reply.body['errors'])[0]?.type], [status, type], path)
  }
})

test('a calendar marks stopped nights and gives the reason', async () => {
  const stage = await scene('marked')
  expectOk(
    await operator('POST', `/hotels/${stage.hotel}/stop-sell`, {
      action: 'stop',
      targets: [dbl],
      ...nights,
      reason: 'Flood',
    }),
  )
  const { rooms } = await calendarOf(operator, stage.hotel, '2027-04-19', '2027-04-23')
  assert.deepEqual(
    [rooms[0]?.stopSell, rooms[0]?.rates[0]?.unsellable],
    [
      [-1, 1, 1, 1, -1],
      [0, 64, 64, 64, 0],
    ],
  )
})

test('concurrent pushes and stop-sells for one hotel all take effect', async () => {
  const stage = await scene('at-once')
  const order = (action: string, night: string) => ({
    action,
    reason: 'Flood',
    targets: [dbl],
    from: night,
    to: night,
  })
  const replies = await Promise.all([
    ...['2027-04-20', '2027-04-21', '2027-04-22'].map((night) =>
      operator('POST', `/hotels/${stage.hotel}/stop-sell`, order('stop', night)),
    ),
    ...[3, 4, 5, 6].map((inventory) => pushUnits(stage.supplier, inventory)),
  ])
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map(() => 200),
  )
  const { rooms, revision } = await calendarOf(operator, stage.hotel, '2027-04-20', '2027-04-22')
  const { rows } = await gateway.db.query<{ revision: number }>('select revision from hotel where id = $1', [
    stage.hotel,
  ])
  assert.deepEqual([rooms[0]?.stopSell, revision], [{ runs: [1, 3] }, rows[0]?.revision])
})
