import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** A room that has no units of its own on some nights: each of its rates counts them alone. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF'), product('TWN', 'BAR')]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
})
beforeEach(() => pushUnits({ bar: 1, nrf: 1 }))

async function pushUnits(units: { bar?: number; nrf?: number }, more: object = {}): Promise<void> {
  const dates = { startDate: '2027-04-01', endDate: '2027-05-31' }
  const rates = (some: { bar?: number; nrf?: number }) => [
    { rateId: 'BAR', price: 100, inventory: some.bar },
    { rateId: 'NRF', price: 80, inventory: some.nrf },
  ]
  const ari = [
    { roomId: 'DBL', ...dates, inventory: null, ...more, rates: rates(units) },
    { roomId: 'TWN', ...dates, inventory: null, rates: rates({ bar: 1 }).slice(0, 1) },
  ]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
}

/** What a search offers of the room, as rate and units left. */
async function offered(stay: object = {}): Promise<string[]> {
  const { hotel, checkin, checkout } = bookingBody('Acme', { ...stay })
  const search = { hotels: [hotel], checkin, checkout, rooms: [{ adults: 2 }] }
  const { body } = expectOk(await shop.platform.post('/booking/offers', search))
  const offers: Record<string, unknown>[] = Object(body['hotels'])[0].offers
  return offers.map(({ roomId, rateId, unitsLeft }) => [roomId, rateId, unitsLeft].join(' ')).sort()
}

/** What is stored of the room's rates on a night, by default that of the arrival. */
async function storedUnits(date = '2027-04-20'): Promise<Record<string, unknown>> {
  const range = { hotelId: 'H1', startDate: date, endDate: date }
  const { body } = expectOk(await shop.supplier.post('/push/getAri', range))
  const items: { roomId: string; rates: Record<string, unknown>[] }[] = Object(body['ari'])
  const rates = items.find(({ roomId }) => roomId === 'DBL')?.rates ?? []
  return Object.fromEntries(rates.map(({ rateId, inventory }) => [rateId, inventory]))
}

const messageOf = ({ body }: Reply): unknown => body['message']

test('its last unit is sold with one rate, and with no other one then', async () => {
  assert.deepEqual(await offered(), ['DBL BAR 1', 'DBL NRF 1', 'TWN BAR 1'])
  const id = idOf(await shop.book())
  assert.deepEqual(await offered(), ['TWN BAR 1'])
  const { body } = await expectRefusal(gateway, () => shop.book({ rooms: [room({ rateId: 'NRF' })] }))
  assert.equal(body['message'], 'Sold out')
  const [{ of, held, asked, setBy }] = Object(body['rules'])
  assert.deepEqual([of, held, asked, setBy.reservationId], ['rate', 0, 1, id])
  assert.deepEqual(await offered({ checkin: '2027-04-22', checkout: '2027-04-24' }), [
    'DBL BAR 1',
    'DBL NRF 1',
    'TWN BAR 1',
  ])
})

test('each rate loses the units that are sold, but never more than it has', async () => {
  await pushUnits({ bar: 5, nrf: 1 })
  idOf(await shop.book({ rooms: [room(), room()] }))
  assert.deepEqual(await offered(), ['DBL BAR 3', 'TWN BAR 1'])
  // None left, which is not the same as no number.
  assert.deepEqual(await storedUnits(), { BAR: 3, NRF: 0 })
})

test('rooms that are booked at once with several rates take the same units', async () => {
  const rooms = [room(), room({ rateId: 'NRF' })]
  assert.equal(messageOf(await expectRefusal(gateway, () => shop.book({ rooms }))), 'Sold out')
  await pushUnits({ bar: 3, nrf: 2 })
  idOf(await shop.book({ rooms }))
  assert.deepEqual(await offered(), ['DBL BAR 1', 'TWN BAR 1'])
})

test('a guest who changes the rate keeps the unit; one comes back with the next push only', async () => {
  const id = idOf(await shop.book())
  const path = `/booking/reservations/${id}`
  const change = (rooms: unknown[]) => shop.platform.put(path, bookingBody('Acme', { rooms }))
  const agreed = (rooms: unknown[]) => changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms }))
  const other = room({ rateId: 'NRF' })
  assert.equal(messageOf(await expectRefusal(gateway, () => change([other]))), 'Sold out')
  await pushUnits({ bar: 1, nrf: 1 })
  expectStatus(await agreed([other]), 200)
  assert.deepEqual(await offered(), ['DBL BAR 1', 'DBL NRF 1', 'TWN BAR 1'])
  expectStatus(await agreed([other, room()]), 200)
  assert.deepEqual(await offered(), ['TWN BAR 1'])
  expectOk(await shop.platform.post(`${path}/cancel`, {}))
  assert.deepEqual(await offered(), ['TWN BAR 1'])
})

test('a rate’s units that were given up are taken back without another, until a push sets those of one of the room’s rates', async () => {
  const rooms = [room(), room()]
  await pushUnits({ bar: 2, nrf: 3 })
  const id = idOf(await shop.book({ rooms }))
  const change = (more: object) => changeAsAsked(shop.platform, id, bookingBody('Acme', { rooms, ...more }))
  const shorter = { checkout: '2027-04-21' }
  const night = { startDate: '2027-04-21', endDate: '2027-04-21' }
  /** Of 21 April. */
  const unitsOfNight = () => storedUnits('2027-04-21')
  // A night, then a room.
  for (const fewer of [shorter, { rooms: [room()] }]) {
    expectOk(await change(fewer))
    expectOk(await change({}))
    assert.deepEqual(await unitsOfNight(), { BAR: 0, NRF: 1 })
  }
  for (const [units, left] of [
    [{ bar: 2 }, { BAR: 0, NRF: 0 }],
    [
      { bar: 2, nrf: 2 },
      { BAR: 0, NRF: 0 },
    ],
  ] as const) {
    expectOk(await change(shorter))
    await pushUnits(units, night)
    expectOk(await change({}))
    assert.deepEqual(await unitsOfNight(), left)
  }
  expectOk(await change(shorter))
  await pushUnits({ nrf: 2 }, night)
  const longer = bookingBody('Acme', { rooms, dryRun: true })
  const refused = await shop.platform.put(`/booking/reservations/${id}`, longer)
  assert.equal(messageOf(expectStatus(refused, 409)), 'Sold out')
})

test('where the room has units on some nights of a stay, its rates count alone on the others', async () => {
  await pushUnits({ bar: 1 }, { startDate: '2027-05-01', inventory: 3 })
  const stay = { checkin: '2027-04-29', checkout: '2027-05-03' }
  idOf(await shop.book(stay))
  assert.deepEqual(await offered(stay), ['TWN BAR 1'])
  const april = { checkin: '2027-04-29', checkout: '2027-05-01' }
  assert.deepEqual(await offered(april), ['TWN BAR 1'])
  const may = { checkin: '2027-05-01', checkout: '2027-05-03' }
  assert.deepEqual(await offered(may), ['DBL NRF 1', 'TWN BAR 1'])
})

test('the change feed names the nights of every rate that a booking lowered', async () => {
  let { cursor } = expectOk(await shop.platform.get('/booking/changes')).body
  idOf(await shop.book())
  let reported: unknown[] = []
  while (reported.length === 0) {
    const { body } = expectOk(await shop.platform.get(`/booking/changes?after=${String(cursor)}&wait=10`))
    const changes = Object.values<{ kind: string; nights: object[] }>(Object(body['changes']))
    assert.notEqual(changes.length, 0)
    cursor = body['cursor']
    reported = changes.filter(({ kind }) => kind === 'reservation').flatMap(({ nights }) => nights)
  }
  const named = reported.map((nights) => {
    const { roomId, rateId, startDate, endDate } = Object(nights)
    return [roomId, rateId, startDate, endDate].join(' ')
  })
  assert.deepEqual(named.sort(), ['DBL BAR 2027-04-20 2027-04-21', 'DBL NRF 2027-04-20 2027-04-21'])
})
