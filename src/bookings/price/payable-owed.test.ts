import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  idOf,
  openShop,
  pushNights,
  room,
  vat,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** What the hotel gets, at 15 %, of reservations that owe something since a change: NRF at 100.00 a night, BAR flexible. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway)
  await gateway.db.query(`update supplier set commission_percent = 15 where name = 'Acme'`)
  const products = [
    product('DBL', 'BAR', { cancelPolicies: [{ code: 'FREE' }] }),
    product('DBL', 'NRF', { cancelPolicies: [{ code: 'NRF' }] }),
  ]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const rates = ['BAR', 'NRF'].map((rateId) => ({ rateId, price: 100 }))
  await pushNights(shop.supplier, { endDate: '2027-05-31', inventory: 99, rates })
})
beforeEach(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  await taxed()
})

async function taxed(...taxes: object[]): Promise<void> {
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
}

const fixed = room({ rateId: 'NRF' })
const four = { checkin: '2027-04-20', checkout: '2027-04-24', rooms: [fixed] }
const one = { checkout: '2027-04-21' }

async function changed(more: object, change: object): Promise<string> {
  const id = idOf(await shop.book({ ...four, ...more }))
  const body = bookingBody('Acme', { ...four, ...more, ...change })
  expectOk(await changeAsAsked(shop.platform, id, body))
  return id
}

/** What is forfeited and due, the commission, and what the hotel gets: as it fetches it, which the platform reads too. */
async function payable(id: string): Promise<unknown[]> {
  const path = `/push/webhook/pushbook/retrieve?reservation_id=${id}`
  const { data } = expectOk(await shop.supplier.get(path)).body
  const { forfeited, penalty, commission, amountpayable } = Object(data)[0].reservations.reservation[0]
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const read = Object(reservation)
  assert.deepEqual([commission, amountpayable], [read.commission, read.amountPayable])
  return [forfeited, penalty?.amount, commission, amountpayable]
}
async function cancelled(id: string): Promise<unknown[]> {
  expectOk(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}))
  return payable(id)
}

test('four nights to one: a Confirm has the commission of the night that is left, a Cancel that of all that it costs', async () => {
  const id = await changed({}, one)
  assert.deepEqual(await payable(id), ['300.00', undefined, '15.00', '85.00'])
  assert.deepEqual(await cancelled(id), ['300.00', '400.00', '60.00', '340.00'])
})

test('what exceeds the present stay contains taxes as that stay does', async () => {
  await taxed(vat)
  const id = await changed({}, one)
  assert.deepEqual(await payable(id), ['330.00', undefined, '15.00', '95.00'])
  assert.deepEqual(await cancelled(id), ['330.00', '440.00', '60.00', '380.00'])
})

test('rooms that went have their part of a Cancel’s commission', async () => {
  const id = await changed({ rooms: [fixed, fixed, fixed] }, { ...one, rooms: [fixed] })
  assert.deepEqual(await payable(id), ['1100.00', undefined, '15.00', '85.00'])
  assert.deepEqual(await cancelled(id), ['1100.00', '1200.00', '180.00', '1020.00'])
  const single = idOf(await shop.book({ ...four, rooms: [fixed, room()] }))
  expectOk(await shop.platform.post(`/booking/reservations/${single}/cancel`, { rooms: [`${single}-1`] }))
  assert.deepEqual(await payable(single), ['400.00', undefined, '60.00', '340.00'])
  assert.deepEqual(await cancelled(single), ['400.00', '400.00', '60.00', '340.00'])
})

test('what is due of dates that were given up has its commission, whatever the new dates cost', async () => {
  const later = { checkin: '2027-05-04', checkout: '2027-05-05', rooms: [room()] }
  const id = await changed({}, later)
  assert.deepEqual(await payable(id), ['400.00', undefined, '15.00', '85.00'])
  assert.deepEqual(await cancelled(id), ['400.00', '400.00', '60.00', '340.00'])
})

test('where no penalty can be taken of the present stay, all that is due is taken to be without taxes', async () => {
  const id = idOf(await shop.book(four))
  await taxed({ ...vat, type: 'CITY_TAX', valueType: 'fixed', value: 100, included: true })
  const later = { checkin: '2027-05-04', checkout: '2027-05-05', rooms: [room()] }
  expectOk(await changeAsAsked(shop.platform, id, bookingBody('Acme', later)))
  assert.deepEqual(await payable(id), ['400.00', undefined, '0.00', '100.00'])
  assert.deepEqual(await cancelled(id), ['400.00', '400.00', '60.00', '340.00'])
})

test('with Hotel Collect the hotel owes the commission of all that a Cancel costs', async () => {
  const id = await changed({ payment: { type: 'Hotel Collect' } }, one)
  assert.deepEqual(await payable(id), ['300.00', undefined, '15.00', '0.00'])
  assert.deepEqual(await cancelled(id), ['300.00', '400.00', '60.00', '0.00'])
})

test('a no-show, as every report, leaves commission and what the hotel gets those of the stay', async () => {
  const id = await changed({}, one)
  gateway.clock.set('2027-04-21T06:00:00Z')
  const report = { hotelId: 'H1', reservation_id: id, report: 'no_show' }
  expectOk(await shop.supplier.post('/push/reservations/report', report))
  assert.deepEqual(await payable(id), ['300.00', '400.00', '15.00', '85.00'])
})
