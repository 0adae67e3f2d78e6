import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  adults,
  bar,
  bodyOf,
  family,
  gatewayUnderWay,
  pushAri,
  pushHotel,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { alertsOf, deliveryOf, offerOf, stateOf } from '../stage/under-way/state.ts'

/** A hotel that takes no bookings for a while, and then again, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const closed = { isAvailable: false }

test('a hotel closes and comes back: nothing is sold meanwhile, and all else stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushHotel(way, closed)
  assert.deepEqual(await stateOf(way), {
    ...before,
    offer: ['hotelAvailable'],
    priceCheck: ['supplier_error', false, 'USD', ['137.50', '137.50']],
    alerts: [],
    feed: ['hotel'],
  })
  await pushHotel(way)
  assert.deepEqual(await stateOf(way), { ...before, feed: ['hotel', 'hotel'] })
})

test('what is pushed, released and undone while a hotel is closed counts when it comes back', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, closed)
  expectOk(await pushAri(way, { date: '2027-04-20', ...bar(adults(2, 115)) }, { sequence: 13 }))
  expectOk(await way.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [way.holdId] }))
  expectOk(await way.supplier.post('/push/undo', { hotelId: 'H1', revision: way.mistake }))
  await pushHotel(way)
  const totals = async (checkin: string, checkout: string): Promise<unknown> =>
    Object(await offerOf(way, { checkin, checkout, rooms: [{ adults: 2 }] }))[0]
  assert.deepEqual(await totals('2027-04-20', '2027-04-22'), '247.50')
  assert.deepEqual(await totals('2027-04-25', '2027-04-27'), '133.10')
})

test('a reservation of a closed hotel is changed to less, delivered and cancelled, and not to more', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, closed)
  const path = `/booking/reservations/${way.reservationId}`
  const put = (more: Fields) => way.platform.put(path, bodyOf(way.supplier, { rooms: [family], ...more }))
  expectOk(await put({ checkout: '2027-04-21' }))
  const { body: refused } = expectStatus(await put({ checkout: '2027-04-23' }), 409)
  assert.deepEqual(
    Object(refused['rules']).map(({ rule }: Fields) => rule),
    ['hotelAvailable'],
  )
  gateway.clock.set('2027-04-19T12:00:00Z')
  const { body } = expectOk(await way.platform.post(`${path}/cancel`, {}))
  gateway.clock.set('2027-03-01T12:00:00Z')
  assert.equal(Object(body['penalty']).amount, '137.50')
  const [, sent] = Object(await deliveryOf(way))
  assert.equal(sent.status, 'Cancel')
})

test('while the supplier is asked about a booking the hotel closes: nothing is booked', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushHotel(way, closed)
    return [404, {}]
  }
  const refused = await way.platform.post('/booking/reservations', bodyOf(way.supplier))
  const { errors, rules } = Object(expectStatus(refused, 409).body)
  assert.deepEqual(
    [errors[0].type, rules.map(({ rule }: Fields) => rule)],
    ['NOT_BOOKABLE', ['hotelAvailable']],
  )
})

test('alerts about the sales of a hotel end when it closes, and open again where they are still true', async () => {
  const way = await underWay(gateway)
  await alertsOf(way)
  expectOk(await pushAri(way, { startDate: '2027-04-05', endDate: '2027-04-30', closed: true }))
  assert.deepEqual(await alertsOf(way), ['coverage.low', 'drift.high', 'mass.closed'])
  await pushHotel(way, closed)
  assert.deepEqual(await alertsOf(way), [])
  await pushHotel(way)
  assert.deepEqual(await alertsOf(way), ['coverage.low', 'drift.high'])
})

test('a hotel that comes back with old prices is told to be stale at once', async () => {
  const way = await underWay(gateway)
  await pushHotel(way, closed)
  gateway.clock.set('2027-03-20T12:00:00Z')
  assert.deepEqual(await alertsOf(way), ['booking.undelivered'])
  await pushHotel(way)
  assert.deepEqual(await alertsOf(way), ['ari.stale', 'booking.undelivered', 'drift.high'])
  gateway.clock.set('2027-03-01T12:00:00Z')
})
