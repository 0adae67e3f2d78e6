import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Reports about stays that owe something since a change. NRF is non-refundable, at 100.00 a night without taxes. */

const gateway = await gatewayForTests()
let shop: Shop
before(async () => {
  shop = await openShop(gateway)
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  const cancelPolicies = [
    { code: 'CUSTOM', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] },
  ]
  const products = [product('DBL', 'NRF', { cancelPolicies })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const rates = [{ rateId: 'NRF', price: 100 }]
  await pushNights(shop.supplier, { endDate: '2027-05-31', inventory: 99, rates })
})
beforeEach(() => gateway.clock.set('2027-03-01T12:00:00Z'))

const fixed = room({ rateId: 'NRF' })
const four = { checkin: '2027-04-20', checkout: '2027-04-24' }
const bodyOf = (more: Record<string, unknown>) => bookingBody('Acme', { ...four, rooms: [fixed], ...more })

async function bookedAndChanged(rooms: unknown[], change: Record<string, unknown>): Promise<string> {
  const id = idOf(await shop.platform.post('/booking/reservations', bodyOf({ rooms })))
  expectOk(await changeAsAsked(shop.platform, id, bodyOf(change)))
  return id
}

/** Four nights, three of which were given up. */
const shortened = (): Promise<string> => bookedAndChanged([fixed], { checkout: '2027-04-21' })

const report = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.supplier.post('/push/reservations/report', { hotelId: 'H1', reservation_id: id, ...more })

/** Charged beside its price, what each room owes at least, and the penalty. */
async function owed(id: string): Promise<unknown[]> {
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const { forfeited, rooms, penalty } = Object(reservation)
  const listed = expectOk(await shop.platform.get('/booking/reservations?limit=1')).body['reservations']
  assert.deepEqual(Object(listed)[0], reservation)
  const least = Array.from(rooms, (one) => Object(one).owedAtLeast)
  return [forfeited, least, penalty && [penalty.amount, penalty.by.length]]
}

test('a no-show owes what an earlier change left due, also for a room that went', async () => {
  const id = await shortened()
  assert.deepEqual(await owed(id), ['300.00', ['400.00'], null])
  gateway.clock.set('2027-04-21T06:00:00Z')
  const { penalty } = expectOk(await report(id, { report: 'no_show' })).body
  assert.deepEqual(penalty, { amount: '400.00', currency: 'USD' })
  assert.deepEqual(await owed(id), ['300.00', ['400.00'], ['400.00', 1]])
  gateway.clock.set('2027-03-01T12:00:00Z')
  const fewer = await bookedAndChanged([fixed, fixed, fixed], {})
  assert.deepEqual(await owed(fewer), ['800.00', ['400.00'], null])
  gateway.clock.set('2027-04-21T06:00:00Z')
  expectOk(await report(fewer, { report: 'no_show' }))
  assert.deepEqual(await owed(fewer), ['800.00', ['400.00'], ['1200.00', 3]])
})

test('with waivePenalty a no-show owes nothing, forfeited included, until the last report says otherwise', async () => {
  const id = await shortened()
  gateway.clock.set('2027-04-21T06:00:00Z')
  expectOk(await report(id, { report: 'no_show', waivePenalty: true }))
  assert.deepEqual(await owed(id), ['0.00', ['0.00'], ['0.00', 0]])
  expectOk(await report(id, { report: 'no_show' }))
  assert.deepEqual(await owed(id), ['300.00', ['400.00'], ['400.00', 1]])
})

test('waived lets go of what is owed and forfeited so far; a later change owes anew', async () => {
  const id = await shortened()
  expectOk(await report(id, { report: 'waived' }))
  assert.deepEqual(await owed(id), ['0.00', ['0.00'], null])
  const quote = expectOk(await shop.platform.get(`/booking/reservations/${id}/cancellation`)).body
  assert.equal(Object(quote['penalty']).amount, '100.00')
  // A name changes nothing of it.
  const named = { checkout: '2027-04-21', customer: { firstName: 'Grace', lastName: 'Hopper' } }
  expectOk(await shop.platform.put(`/booking/reservations/${id}`, bodyOf(named)))
  assert.deepEqual(await owed(id), ['0.00', ['0.00'], null])
  expectOk(
    await changeAsAsked(
      shop.platform,
      id,
      bodyOf({ ...named, checkin: '2027-05-04', checkout: '2027-05-05' }),
    ),
  )
  assert.equal((await owed(id))[0], '100.00')
  assert.equal(
    expectOk(await shop.platform.get(`/booking/reservations/${id}/cancellation`)).body['refund'],
    '0.00',
  )
})

test('what a room that went owes can be let go of by its id, and nothing else be said of it', async () => {
  const id = await bookedAndChanged([fixed, fixed], {})
  const { roomReservationId } = Object(
    Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation']).rooms[0],
  )
  const gone = [`${id}-1`, `${id}-2`].find((one) => one !== roomReservationId)
  assert.deepEqual(await owed(id), ['400.00', ['400.00'], null])
  expectStatus(await report(id, { report: 'card_invalid', room_reservation_id: gone }), 404)
  expectOk(await report(id, { report: 'waived', room_reservation_id: gone }))
  assert.deepEqual(await owed(id), ['0.00', ['400.00'], null])
})

async function sums(of: 'cancelled' | 'noShows'): Promise<{ reservations: number; penalties: number }> {
  const { totals } = expectOk(await shop.platform.get('/booking/reservations/summary?by=day')).body
  const { reservations, penalties } = Object(totals)[0][of]
  return { reservations, penalties: Number(penalties) }
}

/** As the hotel fetches it: what is due, and what it gets. */
async function fetched(id: string): Promise<unknown[]> {
  const path = `/push/webhook/pushbook/retrieve?reservation_id=${id}`
  const { data } = expectOk(await shop.supplier.get(path)).body
  const { penalty, forfeited, amountpayable } = Object(data)[0].reservations.reservation[0]
  return [penalty?.amount, forfeited, amountpayable]
}

test('a cancelled reservation that was waived owes nothing: repeats, sums and what the hotel fetches say so too', async () => {
  const id = await shortened()
  const cancel = () => shop.platform.post(`/booking/reservations/${id}/cancel`, {})
  expectOk(await cancel())
  assert.deepEqual(await fetched(id), ['400.00', '300.00', '400.00'])
  const earlier = await sums('cancelled')
  expectOk(await report(id, { report: 'waived' }))
  assert.deepEqual(await owed(id), ['0.00', ['0.00'], ['0.00', 0]])
  assert.deepEqual(await sums('cancelled'), { ...earlier, penalties: earlier.penalties - 400 })
  assert.deepEqual(await fetched(id), ['0.00', '0.00', '0.00'])
  const { penalty, reservation } = expectOk(await cancel()).body
  assert.deepEqual(Object(penalty).amount, '0.00')
  assert.deepEqual(Object(reservation).amountPayable, '0.00')
})

test('what is due for no-shows is summed, as the last report says', async () => {
  const id = await shortened()
  const earlier = await sums('noShows')
  gateway.clock.set('2027-04-21T06:00:00Z')
  expectOk(await report(id, { report: 'no_show' }))
  const after = { reservations: earlier.reservations + 1, penalties: earlier.penalties + 400 }
  assert.deepEqual(await sums('noShows'), after)
  assert.deepEqual(await fetched(id), ['400.00', '300.00', '100.00'])
  expectOk(await report(id, { report: 'no_show', waivePenalty: true }))
  assert.deepEqual(await sums('noShows'), { ...after, penalties: earlier.penalties })
  expectOk(await report(id, { report: 'arrived' }))
  assert.deepEqual(await sums('noShows'), earlier)
})
