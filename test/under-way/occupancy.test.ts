import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, room } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  gatewayUnderWay,
  pushAri,
  pushProduct,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { alertsOf, offerOf, stateOf } from '../stage/under-way/state.ts'

/** A product that took two adults and takes one, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const single = { occupancy: { maxOccupancy: 2, maxAdult: 1, maxChild: 1 } }

test('a product takes fewer guests: prices for more are kept out of sight until it takes them again', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushProduct(way, single)
  const after = await stateOf(way)
  const { inv, res } = Object(before.digest)
  assert.deepEqual(after, {
    ...before,
    prices: after.prices,
    pastSequence: 'rejected',
    offer: ['occupancy'],
    priceCheck: ['supplier_error', false, 'USD', ['137.50', '137.50']],
    digest: { inv, res, pri: Object(after.digest).pri },
    exported: after.exported,
    feed: ['products'],
  })
  for (const text of [JSON.stringify(after.prices), String(after.exported)])
    assert.deepEqual([text.includes('"guests":2'), text.includes('"amount":90')], [false, true])
  assert.notEqual(Object(after.digest).pri, Object(before.digest).pri)
  await pushProduct(way)
  assert.deepEqual(await stateOf(way), { ...before, feed: ['products', 'products'] })
})

test('a price that is held for more guests than the product takes by now is not released', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, single)
  const released = await way.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [way.holdId] })
  const { cellsChanged, skipped } = Object(expectStatus(released, 207).body)
  assert.deepEqual([cellsChanged, skipped.map(({ reason }: Fields) => reason)], [0, ['product']])
})

test('an undo puts prices for more guests back where they are: out of sight until the product takes them', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, single)
  const couple = { checkin: '2027-04-24', checkout: '2027-04-26', rooms: [{ adults: 2 }] }
  expectOk(await way.supplier.post('/push/undo', { hotelId: 'H1', revision: way.mistake }))
  assert.deepEqual(await offerOf(way, couple), ['occupancy'])
  await pushProduct(way)
  assert.equal(Object(await offerOf(way, couple))[0], '242.00')
})

test('a reservation of more guests gives up what it likes, and adds nothing', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, single)
  const put = (more: Fields) =>
    way.platform.put(`/booking/reservations/${way.reservationId}`, bodyOf(way.supplier, more))
  expectOk(await put({ checkout: '2027-04-21' }))
  expectOk(await put({ checkout: '2027-04-21', rooms: [room({ adults: 2 })] }))
  const refused = expectStatus(await put({ checkout: '2027-04-22', rooms: [room({ adults: 2 })] }), 409)
  assert.deepEqual(
    Object(refused.body['rules']).map(({ rule }: Fields) => rule),
    ['occupancy'],
  )
})

test('a reservation of more guests is cancelled at the penalty that was booked', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, single)
  gateway.clock.set('2027-04-19T12:00:00Z')
  const { body } = expectOk(await way.platform.post(`/booking/reservations/${way.reservationId}/cancel`, {}))
  gateway.clock.set('2027-03-01T12:00:00Z')
  assert.deepEqual([body['status'], Object(body['penalty']).amount], ['Cancel', '137.50'])
})

test('while the supplier is asked about a booking the occupancy falls: nothing is booked', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushProduct(way, single)
    return [404, {}]
  }
  const refused = await way.platform.post('/booking/reservations', bodyOf(way.supplier))
  const { errors, rules } = Object(expectStatus(refused, 409).body)
  assert.deepEqual([errors[0].type, rules.map(({ rule }: Fields) => rule)], ['NOT_BOOKABLE', ['occupancy']])
})

test('nights with prices for more guests than the product takes are none that can be sold, and the alert says so', async () => {
  const way = await underWay(gateway)
  expectOk(await pushAri(way, { ...april, ...bar(adults(1, null)) }))
  assert.deepEqual(await alertsOf(way), ['drift.high'])
  await pushProduct(way, single)
  assert.deepEqual(await alertsOf(way), ['coverage.low', 'drift.high', 'mass.closed'])
  await pushProduct(way)
  assert.deepEqual(await alertsOf(way), ['drift.high'])
})
