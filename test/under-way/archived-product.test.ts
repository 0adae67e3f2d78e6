import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, idOf, room } from '../stage/scenes/booking.ts'
import { expectOk, product } from '../stage/story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  family,
  gatewayUnderWay,
  pushAri,
  pushProduct,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { deliveryOf, offerOf, stateOf } from '../stage/under-way/state.ts'

/** A product that is archived, and comes back, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const archived = { isAvailable: false }

test('a product is archived and comes back: it is not sold meanwhile, and all else stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushProduct(way, archived)
  assert.deepEqual(await stateOf(way), {
    ...before,
    offer: ['productAvailable'],
    priceCheck: ['supplier_error', false, 'USD', ['137.50', '137.50']],
    alerts: ['coverage.low', 'mass.closed'],
    feed: ['products'],
  })
  await pushProduct(way)
  assert.deepEqual(await stateOf(way), { ...before, feed: ['products', 'products'] })
})

test('what is held of an archived product is not released; what is pushed and undone counts when it comes back', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, archived)
  const released = await way.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [way.holdId] })
  const { cellsChanged, skipped } = Object(expectStatus(released, 207).body)
  assert.deepEqual([cellsChanged, skipped.map(({ reason }: Fields) => reason)], [0, ['product']])
  expectOk(await pushAri(way, { date: '2027-04-20', ...bar(adults(2, 115)) }, { sequence: 13 }))
  expectOk(await way.supplier.post('/push/undo', { hotelId: 'H1', revision: way.mistake }))
  await pushProduct(way)
  const totals = async (checkin: string, checkout: string): Promise<unknown> =>
    Object(await offerOf(way, { checkin, checkout, rooms: [{ adults: 2 }] }))[0]
  assert.deepEqual(await totals('2027-04-20', '2027-04-22'), '247.50')
  assert.deepEqual(await totals('2027-04-25', '2027-04-27'), '242.00')
})

test('a reservation of an archived product is changed to less, delivered and cancelled, and not to more', async () => {
  const way = await underWay(gateway)
  await pushProduct(way, archived)
  const path = `/booking/reservations/${way.reservationId}`
  const put = (more: Fields) => way.platform.put(path, bodyOf(way.supplier, { rooms: [family], ...more }))
  expectOk(await put({ checkout: '2027-04-21' }))
  const { body: refused } = expectStatus(await put({ checkout: '2027-04-23' }), 409)
  assert.deepEqual(
    Object(refused['rules']).map(({ rule }: Fields) => rule),
    ['productAvailable'],
  )
  gateway.clock.set('2027-04-19T12:00:00Z')
  const { body } = expectOk(await way.platform.post(`${path}/cancel`, {}))
  gateway.clock.set('2027-03-01T12:00:00Z')
  assert.equal(Object(body['penalty']).amount, '137.50')
  const [, sent] = Object(await deliveryOf(way))
  assert.equal(sent.status, 'Cancel')
})

test('while the supplier is asked about a booking the product is archived: nothing is booked', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushProduct(way, archived)
    return [404, {}]
  }
  const refused = await way.platform.post('/booking/reservations', bodyOf(way.supplier))
  const { errors, rules } = Object(expectStatus(refused, 409).body)
  assert.deepEqual(
    [errors[0].type, rules.map(({ rule }: Fields) => rule)],
    ['NOT_BOOKABLE', ['productAvailable']],
  )
})

test('units that other rates of the room take are taken of an archived one too, so that it comes back with what is left', async () => {
  const way = await underWay(gateway)
  const both = (units: number): Fields => ({
    ...april,
    inventory: null,
    rates: ['BAR', 'NRF'].map((rateId) => ({ rateId, inventory: units, prices: [adults(2, 110)] })),
  })
  const products = [product('DBL', 'NRF')]
  expectOk(await way.supplier.post('/push/products', { hotelId: 'H1', products }))
  expectOk(await pushAri(way, both(1), { sequence: 13 }))
  await pushProduct(way, archived)
  const rooms = [room({ rateId: 'NRF', adults: 2 })]
  idOf(await way.platform.post('/booking/reservations', bodyOf(way.supplier, { rooms })))
  await pushProduct(way)
  assert.deepEqual(await offerOf(way, { rooms: [{ adults: 2 }] }), ['inventory'])
})
