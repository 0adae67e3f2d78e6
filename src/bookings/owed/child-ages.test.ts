import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  idOf,
  openShop,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product, storyHotel } from '../../../test/stage/story.ts'

/**
 * By which ages guests count once the hotel has other child ages than at the booking. Guests pay by their number, and each
 * adult and child 4.00 a night at the property.
 */

let shop: Shop
const gateway = await gatewayForTests()

const pushAges = async (minChildAge: number, maxChildAge: number): Promise<void> =>
  void expectOk(await shop.supplier.post('/push/hotels', [storyHotel({ minChildAge, maxChildAge })]))

async function pushPrices(adults: readonly number[], child: number): Promise<void> {
  const forAdults = adults.map((amount, index) => ({ guests: index + 1, ageCategory: 'adult', amount }))
  const prices = [...forAdults, { guests: 1, ageCategory: 'child', amount: child }]
  const nights = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30' }
  const ari = [{ ...nights, rates: [{ rateId: 'BAR', prices }] }]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari }))
}

before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 90 })
  const occupancy = { maxOccupancy: 3, maxAdult: 3, maxChild: 2 }
  const products = [product('DBL', 'BAR', { occupancy, cancelPolicies: [{ code: 'FREE' }] })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  const cityTax = {
    type: 'CITY_TAX',
    valueType: 'fixed',
    value: 4,
    appliedOn: 'net',
    appliedPer: 'per_person_per_night',
    included: false,
    payNow: false,
  }
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cityTax] }))
})
beforeEach(async () => {
  await pushAges(2, 12)
  await pushPrices([80, 100, 130], 20)
})

type Stay = { checkout: string; rooms: Record<string, unknown>[] }
const stayOf = (adults: number, childAges: number[], checkout = '2027-04-23'): Stay => ({
  checkout,
  rooms: [room({ adults, childAges })],
})

/** The charge, what is due at the property, and the guests that the hotel is told: adults, children, infants. */
async function changed(id: string, stay: Stay): Promise<unknown[]> {
  const { body } = expectOk(await changeAsAsked(shop.platform, id, bookingBody('Acme', stay)))
  const { afterTax, dueAtProperty } = Object(body['total'])
  const query = `hotelId=H1&reservation_id=${id}`
  const { data } = expectOk(await shop.supplier.get(`/push/webhook/pushbook/retrieve?${query}`)).body
  const { GuestCount: guests } = Object(data)[0].reservations.reservation[0].room[0]
  const counts = ['10', '8', '7'].map((code) =>
    [...guests].reduce(
      (all, { AgeQualifyingCode, Count }) => all + (AgeQualifyingCode === code ? Number(Count) : 0),
      0,
    ),
  )
  return [afterTax, dueAtProperty, counts.join(' ')]
}

test('a child of 11 that is an adult by now is one for an added night, and a child for what only gives up', async () => {
  const book = async (): Promise<string> => idOf(await shop.book(stayOf(2, [11])))
  const [shorter, longer, without, alone, dearer] = [
    await book(),
    await book(),
    await book(),
    await book(),
    await book(),
  ]
  await pushAges(2, 10)
  assert.deepEqual(await changed(shorter, stayOf(2, [11], '2027-04-22')), ['240.00', '24.00', '2 1 0'])
  // The nights that stay keep their price, for the child that was booked.
  assert.deepEqual(await changed(longer, stayOf(2, [11], '2027-04-24')), ['490.00', '48.00', '3 0 0'])
  assert.deepEqual(await changed(without, stayOf(2, [])), ['300.00', '24.00', '2 0 0'])
  // The price of now is that of two adults.
  assert.deepEqual(await changed(alone, stayOf(1, [11])), ['300.00', '24.00', '1 1 0'])
  await pushPrices([80, 125, 130], 20)
  assert.deepEqual(await changed(dearer, stayOf(1, [11])), ['360.00', '24.00', '1 1 0'])
})

test('an infant that is a child by now pays for an added night, and for none that was booked', async () => {
  const book = async (): Promise<string> => idOf(await shop.book(stayOf(2, [1])))
  const [shorter, longer, alone, same] = [await book(), await book(), await book(), await book()]
  await pushAges(1, 12)
  assert.deepEqual(await changed(shorter, stayOf(2, [1], '2027-04-22')), ['200.00', '16.00', '2 0 1'])
  assert.deepEqual(await changed(longer, stayOf(2, [1], '2027-04-24')), ['420.00', '48.00', '2 1 0'])
  assert.deepEqual(await changed(same, stayOf(1, [1])), ['300.00', '12.00', '1 0 1'])
  await pushPrices([50, 100, 130], 20)
  assert.deepEqual(await changed(alone, stayOf(1, [1])), ['210.00', '12.00', '1 0 1'])
})
