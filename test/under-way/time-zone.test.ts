import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { changeAsAsked, expectStatus, idOf, room } from '../stage/scenes/booking.ts'
import { expectOk, problemsOf } from '../stage/story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  family,
  gatewayUnderWay,
  pushAri,
  pushHotel,
  underWay,
} from '../stage/under-way/hotel.ts'
import { offerOf, penaltiesOf, stateOf } from '../stage/under-way/state.ts'

/** A hotel in Paris that corrects its time zone, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()
beforeEach(() => gateway.clock.set('2027-03-01T12:00:00Z'))

const tokyo = { timezone: 'Asia/Tokyo' }
const inParis = [{ from: '2027-04-18T18:00:00+02:00', amount: '137.50' }]
const inTokyo = [{ from: '2027-04-18T18:00:00+09:00', amount: '137.50' }]

test('a hotel changes its time zone: new offers have their deadlines in it, and all else stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  assert.deepEqual([before.offer, before.penalties], [['275.00', 'RO', inParis], inParis])
  await pushHotel(way, tokyo)
  assert.deepEqual(await stateOf(way), { ...before, offer: ['275.00', 'RO', inTokyo], feed: ['hotel'] })
})

test('a reservation keeps the deadlines that it was booked with: in a cancellation, and when it gives something up', async () => {
  const way = await underWay(gateway)
  const { platform, supplier, reservationId } = way
  await pushHotel(way, tokyo)
  const put = async (more: Record<string, unknown>): Promise<unknown> => {
    expectOk(await platform.put(`/booking/reservations/${reservationId}`, bodyOf(supplier, more)))
    return penaltiesOf(way)
  }
  assert.deepEqual(await put({ rooms: [room({ adults: 2 })] }), [{ ...inParis[0], amount: '121.00' }])
  expectOk(await pushAri(way, { ...april, ...bar(adults(1, 80)) }))
  assert.deepEqual(await put({ rooms: [room({ adults: 1 })] }), [{ ...inParis[0], amount: '88.00' }])
  const fewer = { checkout: '2027-04-21', rooms: [room({ adults: 1 })] }
  assert.deepEqual(await put(fewer), [{ ...inParis[0], amount: '88.00' }])
  // The deadline in Tokyo is over, the one in Paris is not.
  gateway.clock.set('2027-04-18T12:00:00Z')
  const { body } = expectOk(await platform.post(`/booking/reservations/${reservationId}/cancel`, {}))
  assert.equal(Object(body['penalty']).amount, '0.00')
})

test('a booking whose price check is on its way has its deadlines in the new zone; of a reservation, dates that keep no night of those booked', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushHotel(way, tokyo)
    return [404, {}]
  }
  const reservationId = idOf(await way.platform.post('/booking/reservations', bodyOf(way.supplier)))
  assert.deepEqual(await penaltiesOf({ ...way, reservationId }), inTokyo)
  const moved = async (checkin: string, checkout: string): Promise<unknown> => {
    const body = bodyOf(way.supplier, { checkin, checkout, rooms: [family] })
    expectOk(await changeAsAsked(way.platform, way.reservationId, body))
    return penaltiesOf(way)
  }
  assert.deepEqual(await moved('2027-04-21', '2027-04-23'), [
    { from: '2027-04-19T18:00:00+02:00', amount: '137.50' },
  ])
  assert.deepEqual(await moved('2027-04-23', '2027-04-25'), [
    { from: '2027-04-21T18:00:00+09:00', amount: '137.50' },
  ])
})

test('which nights are past, for pushes, undos, releases and bookings, is judged by the zone of now', async () => {
  const way = await underWay(gateway)
  const { supplier } = way
  const past = async (): Promise<unknown> => {
    const undo = await supplier.post('/push/undo', { hotelId: 'H1', revision: way.mistake, dryRun: true })
    const push = await pushAri(way, { date: '2027-04-25', inventory: 7 }, { dryRun: true })
    const today = { checkin: '2027-04-26', checkout: '2027-04-28' }
    return [
      Object(undo.body['summary']).pastNights,
      problemsOf(push).map((problem) => Object(problem)[1]),
      Object(await offerOf(way, today))[0],
    ]
  }
  gateway.clock.set('2027-04-26T16:00:00Z')
  assert.deepEqual(await past(), [0, [], '275.00'])
  const held = await pushAri(way, { date: '2027-04-26', ...bar(adults(2, 11)) }, { sequence: 13 })
  const [{ holds }] = Object(expectStatus(held, 207).body['results'])
  await pushHotel(way, tokyo)
  assert.deepEqual(await past(), [1, ['DATE_IN_PAST'], 'arrivalDate'])
  gateway.clock.set('2027-04-27T16:00:00Z')
  const released = await supplier.post('/push/guard/release', { hotelId: 'H1', holdIds: [holds[0].holdId] })
  const { cellsChanged, skipped } = Object(expectStatus(released, 207).body)
  assert.deepEqual([cellsChanged, skipped[0].reason], [0, 'past'])
})
