import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, room } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import { bodyOf, family, gatewayUnderWay, pushHotel, underWay } from '../stage/under-way/hotel.ts'
import { deliveryOf, offerOf, reservationOf, stateOf } from '../stage/under-way/state.ts'

/** A hotel whose children are from 2 to 12 changes the ages, while everything is under way. A child of 5 is booked. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const infantsBelow6 = { minChildAge: 6 }
const adultsFrom5 = { minChildAge: 1, maxChildAge: 4 }
const deadline = { from: '2027-04-18T18:00:00+02:00' }

test('a hotel changes its child ages: new parties are sorted by them, and all else stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushHotel(way, infantsBelow6)
  assert.deepEqual(await stateOf(way), {
    ...before,
    offer: ['242.00', 'RO', [{ ...deadline, amount: '121.00' }]],
    priceCheck: ['supplier_error', true, 'USD', ['121.00', '121.00']],
    feed: ['hotel'],
  })
  await pushHotel(way, adultsFrom5)
  assert.deepEqual(await offerOf(way), ['occupancy', 'price'])
  assert.deepEqual((await reservationOf(way)).reservation, before.reservation)
})

test('guests of a reservation keep the age categories they were booked in, and what adds to it is judged by those of now', async () => {
  const way = await underWay(gateway)
  const { platform, supplier, reservationId } = way
  const put = (more: Record<string, unknown>) =>
    platform.put(`/booking/reservations/${reservationId}`, bodyOf(supplier, more))
  await pushHotel(way, adultsFrom5)
  expectOk(await put({ checkout: '2027-04-21' }))
  const more = expectStatus(await put({ checkout: '2027-04-23' }), 409)
  assert.deepEqual(
    Object(more.body['rules']).map(({ rule }: { rule: string }) => rule),
    ['occupancy', 'price'],
  )
  expectOk(await put({ checkout: '2027-04-21', rooms: [room({ adults: 1, childAges: [5] })] }))
  const [, sent] = Object(await deliveryOf(way))
  const [{ totalamountaftertax, room: rooms }] = sent.reservations.reservation
  assert.deepEqual(
    [totalamountaftertax, rooms[0].GuestCount],
    [
      '121.00',
      [
        { AgeQualifyingCode: '10', Count: '1' },
        { AgeQualifyingCode: '8', Count: '1', Age: '5' },
      ],
    ],
  )
})

test('while the supplier is asked about a booking the child ages change: its price is asked of the guest again', async () => {
  const way = await underWay(gateway)
  way.live.answer = async () => {
    await pushHotel(way, infantsBelow6)
    const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
    return [200, { roomRate: { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, ...amounts } }]
  }
  const book = (more: Record<string, unknown> = {}) =>
    way.platform.post('/booking/reservations', bodyOf(way.supplier, { rooms: [family], ...more }))
  const refused = expectStatus(await book(), 409)
  const { errors, total } = Object(refused.body)
  assert.deepEqual([errors[0].type, total.afterTax], ['PRICE_CHANGED', '242.00'])
  await pushHotel(way)
  way.live.answer = async () => {
    await pushHotel(way, adultsFrom5)
    return [404, {}]
  }
  const { errors: others } = Object(expectStatus(await book(), 409).body)
  assert.equal(others[0].type, 'NOT_BOOKABLE')
})
