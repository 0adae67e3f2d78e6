import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import {
  bookingBy,
  expectStatus,
  idOf,
  openShop,
  platformOf,
  pushNights,
} from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { client, gatewayForTests, type Reply, type TestClient } from '../../test/stage/harness.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../test/stage/servers/receiver.ts'
import { supplierDigests } from '../../test/stage/stored-state.ts'
import { expectOk, pushStoryHotel, storyHotel } from '../../test/stage/story.ts'
import { untilWaiting } from '../../test/stage/locks.ts'
import { transaction } from '../../src/postgres/transaction.ts'

/** A sandbox reset of an account, alone and beside every kind of concurrent work. */

const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
const other = await gateway.second()
gateway.app.startDeliveries()
const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

const reset = (supplier: TestClient): Promise<Reply> => supplier.post('/push/sandbox/reset', {})

/** An account's stored rows, by table; only tables that have any. */
async function rowsOf(name: string): Promise<Record<string, number>> {
  const { rows } = await gateway.db.query<{ name: string; count: number }>(
    `with account as (select id from supplier where name = $1),
       of_hotel as (select id from hotel where supplier_id in (select id from account)
         union select id from removed_hotel where supplier_id in (select id from account)),
       of_delivery as (select id from delivery where supplier_id in (select id from account)),
       of_reservation as (select id from reservation where supplier_id in (select id from account)),
       keys as (select id from api_key where supplier_id in (select id from account))
     select * from (
       select 'hotel' as name, count(*)::int as count from hotel where supplier_id in (select id from account)
       union all select 'room', count(*)::int from room where hotel_id in (select id from of_hotel)
       union all select 'rate', count(*)::int from rate where hotel_id in (select id from of_hotel)
       union all select 'room_rate', count(*)::int from room_rate where hotel_id in (select id from of_hotel)
       union all select 'tax', count(*)::int from tax where hotel_id in (select id from of_hotel)
       union all select 'ari_month', count(*)::int from ari_month where hotel_id in (select id from of_hotel)
       union all select 'hotel_search', count(*)::int from hotel_search where hotel_id in (select id from of_hotel)
       union all select 'reservation', count(*)::int from of_reservation
       union all select 'version', count(*)::int from reservation_version where hotel_id in (select id from of_hotel)
       union all select 'delivery', count(*)::int from of_delivery
       union all select 'fault', count(*)::int from sandbox_fault where supplier_id in (select id from account)
       union all select 'idempotency', count(*)::int from idempotency where key_id in (select id from keys)
       union all select 'kept booking', count(*)::int from booking_answer where token_id in (select -id from keys)
     ) as counted where count > 0`,
    [name],
  )
  return Object.fromEntries(rows.map((row) => [row.name, row.count]))
}

/** Rows of any account whose parent is missing. */
async function orphans(): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>(
    `select (select count(*) from ari_month where hotel_id not in (select id from hotel))
       + (select count(*) from delivery where hotel_id not in (select id from hotel))
       + (select count(*) from reservation_version where hotel_id not in (select id from hotel))
       + (select count(*) from delivery_alert where reservation_id not in (select id from reservation)) as count`,
  )
  return Number(rows[0]?.count)
}

async function digestOf(name: string): Promise<string | undefined> {
  const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
  const id = rows[0]?.id ?? 0
  return (await supplierDigests(gateway.db, [id])).get(id)
}

const hotelOf = async (supplier: TestClient): Promise<Record<string, unknown>> =>
  Object(expectOk(await supplier.post('/push/getHotels', ['H1'])).body['hotels'])[0]

type Change = { kind: string; hotelId: string; supplier: string; platformHotelId: string; revision: number }

async function follow(platform: TestClient, from?: string): Promise<{ changes: Change[]; cursor: string }> {
  const changes: Change[] = []
  let cursor = from
  for (;;) {
    const { body } = expectOk(
      await platform.get(`/booking/changes?limit=3${cursor === undefined ? '' : `&after=${cursor}`}`),
    )
    if (Array.isArray(body['changes'])) changes.push(...body['changes'])
    cursor = String(body['cursor'])
    if (body['hasMore'] !== true) return { changes, cursor }
  }
}

/**
 * Follows until every awaited change is reported: a change is reported once nothing that began before it is
 * in progress, even work of another test.
 */
async function followUntil(
  platform: TestClient,
  from: string,
  isAll: (changes: readonly Change[]) => boolean,
): Promise<{ changes: Change[]; cursor: string }> {
  const told: Change[] = []
  let cursor = from
  await until('all is told', async () => {
    const more = await follow(platform, cursor)
    told.push(...more.changes)
    cursor = more.cursor
    return isAll(told)
  })
  return { changes: told, cursor }
}

test('a reset removes all hotels with their data, and reports it; keys, URLs and the log stay, and other accounts are untouched', async () => {
  const shop = await openShop(gateway, 'All')
  await openShop(gateway, 'Beside')
  const beside = await digestOf('Beside')
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook: 'https://pms.example.com/book' }))
  expectOk(
    await shop.supplier.post('/push/sandbox/faults', {
      faults: [{ calls: 'pushBooking', fault: 'timeout', hotelId: 'H1' }],
    }),
  )
  const wanted = {
    hotelId: 'H1',
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2 }],
  }
  const key = { 'idempotency-key': 'the-same' }
  const made = expectStatus(await shop.supplier.post('/push/sandbox/booking', wanted, key), 201)
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }, key))
  expectOk(await shop.supplier.post('/push/sandbox/clock', { advanceBy: 'P1D' }))
  const webhooks = (await shop.supplier.get('/push/webhook')).body
  const logged = expectOk(await shop.supplier.get('/push/log')).body['pushes']

  const { body } = expectOk(await reset(shop.supplier))
  assert.deepEqual(body, {
    code: '200',
    message: 'Sandbox reset',
    removed: { hotels: 1, roomRates: 2, reservations: 1, deliveries: 1 },
    clock: { now: '2027-03-01T12:00:00.000Z', aheadBy: 'PT0S' },
  })
  assert.deepEqual(await rowsOf('All'), {})
  assert.deepEqual((await shop.supplier.get('/push/webhook')).body, webhooks)
  assert.deepEqual(expectOk(await shop.supplier.get('/push/log')).body['pushes'], logged)
  assert.equal(await digestOf('Beside'), beside)
  assert.equal(
    (await shop.platform.get(`/booking/reservations/${String(made.body['reservationId'])}`)).status,
    404,
  )
  // The same key counts as new, and a second reset finds nothing.
  await openShop(gateway, 'All')
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }, key))
  const again = expectStatus(await shop.supplier.post('/push/sandbox/booking', wanted, key), 201)
  assert.equal(again.headers.get('idempotency-replayed'), null)
  expectOk(await reset(shop.supplier))
  const none = { hotels: 0, roomRates: 0, reservations: 0, deliveries: 0 }
  assert.deepEqual(expectOk(await reset(shop.supplier)).body['removed'], none)
})

test('a hotel that is pushed again is the same, empty hotel to the platform; no process answers from its caches', async () => {
  const shop = await openShop(gateway, 'Again')
  const second = await platformOf(other)
  const through = { ...shop.supplier, ...client(other.url, { 'x-api-key': shop.supplier.apiKey }) }
  const night = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-20', inventory: 7 }] }
  const offers = async (platform: TestClient): Promise<unknown> => {
    const hotels = [{ supplier: 'Again', hotelId: 'H1' }]
    const search = { hotels, checkin: '2027-04-20', checkout: '2027-04-21', rooms: [{ adults: 2 }] }
    const { body } = expectOk(await platform.post('/booking/offers', search))
    return [Object(body['hotels'])[0]?.offers.length, Object(body['notFound']).length]
  }
  const all = async () => [await offers(shop.platform), await offers(second)]
  const bothPush = async () =>
    [await shop.supplier.post('/push/ari', night), await through.post('/push/ari', night)].map((reply) => [
      reply.status,
      reply.body['message'],
    ])
  const first = await hotelOf(shop.supplier)
  assert.deepEqual(await all(), [
    [2, 0],
    [2, 0],
  ])
  for (const [status] of await bothPush()) assert.equal(status, 200)
  const { cursor } = await follow(shop.platform)

  expectOk(await reset(shop.supplier))
  assert.deepEqual(await all(), [
    [undefined, 1],
    [undefined, 1],
  ])
  const unknown = [404, 'Hotel ID is not found']
  assert.deepEqual(await bothPush(), [unknown, unknown])
  const booked = await bookingBy(second, 'Again')()
  assert.deepEqual([booked.status, booked.body['message']], [404, 'Hotel not found'])

  await pushStoryHotel(shop.supplier)
  const now = await hotelOf(shop.supplier)
  assert.equal(now['platformHotelId'], first['platformHotelId'])
  assert.deepEqual(await all(), [
    [0, 0],
    [0, 0],
  ])
  const ari = expectOk(
    await shop.supplier.post('/push/getAri', {
      hotelId: 'H1',
      startDate: '2027-04-01',
      endDate: '2027-04-30',
    }),
  )
  assert.deepEqual(ari.body['ari'], [])
  for (const [status] of await bothPush()) assert.equal(status, 200)
  await pushNights(through)
  assert.deepEqual(await all(), [
    [2, 0],
    [2, 0],
  ])
  idOf(await bookingBy(second, 'Again')())

  const sinceReset = (changes: readonly Change[]): Change[] => {
    const mine = changes.filter(({ supplier }) => supplier === 'Again')
    const removed = mine.findIndex(({ kind }) => kind === 'removed')
    return removed === -1 ? [] : mine.slice(removed)
  }
  const { changes } = await followUntil(shop.platform, cursor, (told) => sinceReset(told).length >= 3)
  const ours = sinceReset(changes)
  assert.deepEqual(ours.map(({ kind }) => kind).slice(0, 3), ['removed', 'hotel', 'products'])
  assert.deepEqual(
    new Set(ours.map(({ hotelId, platformHotelId }) => `${hotelId} ${platformHotelId}`)),
    new Set([`H1 ${String(first['platformHotelId'])}`]),
  )
  const revisions = ours.map(({ revision }) => revision)
  assert.deepEqual(
    revisions,
    revisions.toSorted((left, right) => left - right),
  )
})

test('a hotel is removed and pushed again as often as anybody likes: the numbers of its rooms and rates do not run out', async () => {
  const supplier = await gateway.supplier('Tireless')
  await pushStoryHotel(supplier)
  // As after some ten thousand resets.
  await gateway.db.query(
    `update hotel set numbers_after = 32764
     where supplier_id = (select id from supplier where name = 'Tireless')`,
  )
  for (let round = 0; round < 3; round++) {
    expectOk(await reset(supplier))
    await pushStoryHotel(supplier)
    await pushNights(supplier)
    const { body } = expectOk(await supplier.post('/push/getRoomRateMappings', { hotelId: 'H1' }))
    assert.equal(Array.from(Object(body)['mappings']).length, 2)
  }
})

test('the change feed reports every removed hotel and reaches its end', async () => {
  const supplier = await gateway.supplier('Many')
  const platform = await platformOf(gateway)
  const { cursor } = await follow(platform)
  const codes = Array.from({ length: 10 }, (_, index) => `H${index}`)
  for (const hotelId of codes) await pushStoryHotel(supplier, { hotelId })
  expectOk(await reset(supplier))
  // Changes of the tests before may be told only now.
  const removedOf = (changes: readonly Change[]): string[] =>
    changes
      .filter(({ kind, supplier: of }) => kind === 'removed' && of === 'Many')
      .map(({ hotelId }) => hotelId)
  const { changes, cursor: end } = await followUntil(
    platform,
    cursor,
    (told) => removedOf(told).length >= codes.length,
  )
  assert.deepEqual(removedOf(changes).toSorted(), codes)
  const later = await follow(platform, end)
  assert.deepEqual(
    later.changes.filter(({ supplier: of }) => of === 'Many'),
    [],
  )
})

test('a reset with a body, such as one hotel, is refused and removes nothing', async () => {
  const shop = await openShop(gateway, 'Of one hotel')
  const digest = await digestOf('Of one hotel')
  const unknown = (path: string) => ({
    type: 'UNKNOWN_FIELD',
    message: 'hotelId is not known',
    path,
    value: 'H2',
    docUrl: '/docs/guides/errors#UNKNOWN_FIELD',
  })
  const refused = [
    await shop.supplier.post('/push/sandbox/reset', { hotelId: 'H2' }),
    await shop.supplier.post('/push/sandbox/reset?hotelId=H2', {}),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body['errors']]),
    [
      [400, [unknown('/hotelId')]],
      [400, [unknown('?hotelId')]],
    ],
  )
  for (const body of [['H2'], [{ hotelId: 'H2' }], 7, null]) {
    const { status, body: said } = await shop.supplier.post('/push/sandbox/reset', body)
    assert.deepEqual([status, Object(said['errors'])[0].type], [400, 'WRONG_TYPE'])
  }
  const torn = await fetch(`${gateway.url}/v1/push/sandbox/reset`, {
    method: 'POST',
    headers: { 'x-api-key': shop.supplier.apiKey, 'content-type': 'application/json' },
    body: '{ "hotelId": ',
  })
  assert.deepEqual([torn.status, Object(await torn.json()).errors[0].type], [400, 'MALFORMED_JSON'])
  assert.equal(await digestOf('Of one hotel'), digest)
  expectOk(await shop.supplier.post('/push/sandbox/reset', {}, { 'x-unknown-fields': 'warn' }))
})

test('a call under way while its reservation is removed ends without a trace, and holds up no other account', async () => {
  const shop = await openShop(gateway, 'Calling')
  const beside = await openShop(gateway, 'Called beside')
  const answers: (() => void)[] = []
  const receiver = await startReceiver(
    (socket) => void answers.push(() => void socket.write(httpAnswer(500, '{}'))),
  )
  receivers.push(receiver)
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  for (const { supplier } of [shop, beside])
    expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  idOf(await shop.book())
  await until('the call is under way', () => answers.length === 1)
  expectOk(await reset(shop.supplier))
  idOf(await beside.book())
  await until('the other is under way', () => answers.length === 2)
  for (const answer of answers) answer()
  const attempts = async (): Promise<unknown> => {
    const { body } = expectOk(await beside.supplier.get('/push/deliveries'))
    return Object(body['deliveries'])[0].attempts.length
  }
  await until('the other is settled', async () => (await attempts()) === 1)
  assert.deepEqual([await rowsOf('Calling'), await orphans()], [{}, 0])
})

test('beside pushes, bookings and deliveries of both processes each reset is complete or absent, and no call gets a 500', async () => {
  const receiver = await startReceiver(
    (socket, _call, index) => void socket.write(httpAnswer(index % 3 === 0 ? 500 : 200, '{}')),
  )
  receivers.push(receiver)
  const shop = await openShop(gateway, 'Racing', { inventory: 1_000 })
  await openShop(gateway, 'Not racing')
  const beside = await digestOf('Not racing')
  expectOk(
    await shop.supplier.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${receiver.port}/book` }),
  )
  const through = client(other.url, { 'x-api-key': shop.supplier.apiKey })
  const second = await platformOf(other)
  const statuses = new Map<string, Set<number>>()
  let isOver = false
  const again = async (what: string, call: () => Promise<Reply>): Promise<void> => {
    while (!isOver) {
      const { status, text } = await call()
      assert.ok(status < 500, `${what}: ${text}`)
      statuses.set(what, (statuses.get(what) ?? new Set<number>()).add(status))
    }
  }
  const item = {
    roomId: 'DBL',
    startDate: '2027-04-01',
    endDate: '2027-04-30',
    inventory: 900,
    rates: [{ rateId: 'BAR', price: 100 }],
  }
  const ari = { hotelId: 'H1', pricingModel: 'unit', ari: [item] }
  const faults = { faults: [{ calls: 'pushBooking', fault: 'status500', hotelId: 'H1' }] }
  const running = [
    again('hotel', () => shop.supplier.post('/push/hotels', [hotel('H1'), hotel('H2')])),
    again('products', () => through.post('/push/products', { hotelId: 'H1', products: products() })),
    again('ari', () => shop.supplier.post('/push/ari', ari)),
    again('ari by the other', () => through.post('/push/ari', ari)),
    again('getAri', () =>
      through.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-30' }),
    ),
    again('book', () => shop.book()),
    again('book by the other', () => bookingBy(second, 'Racing')()),
    again('offers', () => offersOf(second)),
    again('faults', () => through.post('/push/sandbox/faults', faults)),
    again('clock', () => through.post('/push/sandbox/clock', { advanceBy: 'PT1S' })),
    again('changes', () => second.get('/booking/changes')),
  ]
  const removed: number[] = []
  for (let round = 0; round < 6; round++) {
    await until('something was booked', async () => 'reservation' in (await rowsOf('Racing')))
    const { body } = expectOk(await reset(round % 2 === 0 ? shop.supplier : through))
    removed.push(Object(body['removed']).reservations)
    assert.equal(await orphans(), 0)
  }
  isOver = true
  await Promise.all(running)
  assert.ok(
    removed.every((count) => count > 0),
    String(removed),
  )
  // 409: the hotel is there again, without prices.
  for (const status of statuses.get('book') ?? []) assert.ok([201, 404, 409].includes(status), String(status))
  expectOk(await reset(shop.supplier))
  assert.deepEqual([await rowsOf('Racing'), await orphans()], [{}, 0])
  assert.equal(await digestOf('Not racing'), beside)
})

test('two pushes of a removed hotel that meet bring it back once, and both are accepted', async () => {
  const supplier = await gateway.supplier('Twice')
  await pushStoryHotel(supplier)
  const { rows } = await gateway.db.query<{ id: number; columns: unknown }>(
    "select hotel.id, to_jsonb(hotel) as columns from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Twice'",
  )
  const [{ id, columns } = assert.fail()] = rows
  expectOk(await reset(supplier))
  // Stands for the other push between its row's entry in the index of ids and that in the index of codes.
  const met = await transaction(gateway.db, async (connection) => {
    await connection.query(
      `insert into hotel overriding system value
       select (jsonb_populate_record(null::hotel, $1::jsonb || '{"code":"on its way"}')).*`,
      [columns],
    )
    const pushed = supplier.post('/push/hotels', [storyHotel()])
    await untilWaiting(gateway.db, () => 1)
    await connection.query("update hotel set code = 'H1' where id = $1", [id])
    return { pushed }
  })
  const { body } = expectOk(await met.pushed)
  assert.deepEqual([body['created'], body['updated'], body['unchanged']], [0, 0, 1])
})

test('an undo whose hotel is removed and comes back before it is applied puts nothing back', async () => {
  const { supplier } = await openShop(gateway, 'Undoing')
  const week = { roomId: 'DBL', startDate: '2027-04-05', endDate: '2027-04-11' }
  const cleared = { ...week, rates: [{ rateId: 'BAR', price: null }] }
  const push = { hotelId: 'H1', pricingModel: 'unit', ari: [cleared] }
  const { revision } = expectOk(await supplier.post('/push/ari', push)).body
  const met = await transaction(gateway.db, async (connection) => {
    const { rows } = await connection.query<{ id: number }>(
      `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Undoing'
       for update of hotel`,
    )
    const [{ id } = assert.fail()] = rows
    const undone = supplier.post('/push/undo', { hotelId: 'H1', revision })
    await untilWaiting(gateway.db, () => 1)
    // As a reset and pushes after it leave the hotel: the same one, whose rooms and rates have other numbers.
    for (const table of ['ari_month', 'room_rate'])
      await connection.query(`delete from ${table} where hotel_id = $1`, [id])
    await connection.query('update room set room_no = room_no + 10 where hotel_id = $1', [id])
    await connection.query('update rate set rate_no = rate_no + 10 where hotel_id = $1', [id])
    await connection.query(
      `update hotel set revision = revision + 2, catalog_version = catalog_version + 2, ari_version = ari_version + 1,
         cells_revision = revision + 1 where id = $1`,
      [id],
    )
    return { undone }
  })
  const { status, body } = await met.undone
  assert.deepEqual([status, Object(body['errors'])[0].type], [410, 'HISTORY_EXPIRED'])
  const all = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-30' }
  assert.deepEqual(expectOk(await supplier.post('/push/getAri', all)).body['ari'], [])
})

test('an account that had 100,000 other hotels cannot remove more, and keeps its hotels', async () => {
  const { supplier } = await openShop(gateway, 'Wornout')
  await gateway.db.query(
    `insert into removed_hotel (supplier_id, code, id, revision, catalog_version, ari_version, numbers_after, numbers_epoch)
     select supplier.id, 'OLD' || n, 1000000000 + n, 1, 1, 1, 0, 1
     from supplier, generate_series(1, 100000) as n where name = 'Wornout'`,
  )
  const refused = await reset(supplier)
  assert.equal(refused.status, 409, refused.text)
  assert.match(refused.text, /"TOO_MANY_REMOVED_HOTELS"/)
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  assert.deepEqual(body['notFound'], [])
  await gateway.db.query('delete from removed_hotel where id > 1000000000')
  expectOk(await reset(supplier))
})

function offersOf(platform: TestClient): Promise<Reply> {
  const hotels = [{ supplier: 'Racing', hotelId: 'H1' }]
  return platform.post('/booking/offers', {
    hotels,
    checkin: '2027-04-20',
    checkout: '2027-04-21',
    rooms: [{ adults: 2 }],
  })
}

function hotel(hotelId: string): object {
  const ages = { minChildAge: 2, maxChildAge: 12 }
  return {
    hotelId,
    hotelName: hotelId,
    currency: 'USD',
    isAvailable: true,
    ...ages,
    timezone: 'Europe/Paris',
  }
}

function products(): object[] {
  return ['BAR', 'NRF'].map((rateId) => ({
    roomId: 'DBL',
    roomType: 'Double',
    rateId,
    roomName: 'Double',
    rateName: rateId,
    isAvailable: true,
    occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 2 },
  }))
}
