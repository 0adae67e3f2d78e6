import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** What rooms owe since a change. Each rate is named by the code of its policy; all cost 100.00 a night without taxes. */

let shop: Shop
const gateway = await gatewayForTests()
const rateIds = ['NRF', 'FLEX2', 'NOBODY_KNOWS']
before(async () => {
  shop = await openShop(gateway)
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  const products = rateIds.map((rateId) => product('DBL', rateId, { cancelPolicies: [{ code: rateId }] }))
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const rates = rateIds.map((rateId) => ({ rateId, price: 100 }))
  await pushNights(shop.supplier, { endDate: '2027-05-31', inventory: 99, rates })
})
beforeEach(() => gateway.clock.set('2027-03-01T12:00:00Z'))

const sold = (rateId: string, checkin: string, checkout: string) => ({
  checkin,
  checkout,
  rooms: [room({ rateId })],
})
const inApril = (rateId: string) => sold(rateId, '2027-04-20', '2027-04-24')

const booked = async (more: object): Promise<string> => idOf(await shop.book({ ...more }))
/** The change, and what it asked of the guest. */
async function changed(id: string, more: object): Promise<unknown> {
  const body = bookingBody('Acme', { ...more })
  const dry = expectOk(await shop.platform.put(`/booking/reservations/${id}`, { ...body, dryRun: true }))
  expectOk(await changeAsAsked(shop.platform, id, body))
  return dry.body['asks']
}
/** What is owed and forfeited, and what cancelling costs and of which rooms nobody knows it. */
async function owed(id: string): Promise<unknown[]> {
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const { penalty } = expectOk(await shop.platform.get(`/booking/reservations/${id}/cancellation`)).body
  const { rooms, forfeited } = Object(reservation)
  const least = Array.from(rooms, (one) => Object(one).owedAtLeast)
  return [least, forfeited, penalty && [Object(penalty).amount, Object(penalty).unknown]]
}

test('unknown terms add nothing to what is owed, and take nothing of it', async () => {
  const id = await booked(inApril('NOBODY_KNOWS'))
  assert.deepEqual(await owed(id), [['0.00'], '0.00', null])
  assert.deepEqual(await changed(id, sold('NOBODY_KNOWS', '2027-04-20', '2027-04-21')), {})
  assert.deepEqual(await owed(id), [['0.00'], '0.00', null])
  await changed(id, sold('NRF', '2027-04-20', '2027-04-22'))
  assert.deepEqual(await owed(id), [['0.00'], '0.00', ['200.00', undefined]])
  const asked = await changed(id, sold('NOBODY_KNOWS', '2027-04-20', '2027-04-21'))
  assert.deepEqual(asked, { acceptForfeit: '100.00' })
  assert.deepEqual(await owed(id), [['200.00'], '100.00', ['200.00', [`${id}-1`]]])
})

test('what is due of dates that were given up is due beside what the new ones cost', async () => {
  const id = await booked(inApril('NRF'))
  assert.deepEqual(await changed(id, sold('NRF', '2027-05-10', '2027-05-12')), { acceptForfeit: '400.00' })
  assert.deepEqual(await owed(id), [['400.00'], '400.00', ['600.00', undefined]])
  // Moved once more, the second dates are due as well.
  assert.deepEqual(await changed(id, sold('NRF', '2027-05-20', '2027-05-21')), { acceptForfeit: '600.00' })
  assert.deepEqual(await owed(id), [['600.00'], '600.00', ['700.00', undefined]])
  const { penalty } = expectOk(await shop.platform.post(`/booking/reservations/${id}/cancel`, {})).body
  assert.equal(Object(penalty).amount, '700.00')
})

test('a deadline that passes at the new dates is due beside the one that had passed before', async () => {
  const id = await booked(inApril('FLEX2'))
  gateway.clock.set('2027-04-19T12:00:00Z')
  const later = sold('FLEX2', '2027-05-10', '2027-05-12')
  assert.deepEqual(await changed(id, later), { acceptForfeit: '100.00' })
  assert.deepEqual(await owed(id), [['100.00'], '100.00', ['100.00', undefined]])
  gateway.clock.set('2027-05-09T12:00:00Z')
  assert.deepEqual(await owed(id), [['100.00'], '100.00', ['200.00', undefined]])
})
