import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushGuestNights,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Changes of rooms that were booked at a price for each number of guests, without taxes. */

let shop: Shop
const gateway = await gatewayForTests()
const pushProduct = async (more: Record<string, unknown> = {}): Promise<void> => {
  const occupancy = { maxOccupancy: 3, maxAdult: 3, maxChild: 2 }
  const products = [product('DBL', 'BAR', { occupancy, cancelPolicies: [{ code: 'FLEX' }], ...more })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
}
const pushGuests = (...amounts: number[]): Promise<void> => pushGuestNights(shop.supplier, amounts)
const pushUnit = (price: number): Promise<void> =>
  pushNights(shop.supplier, { inventory: 9, rates: [{ rateId: 'BAR', price }] })

before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 9 })
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
})
beforeEach(async () => {
  await pushProduct()
  await pushGuests(80, 100, 130)
})

const three = { checkout: '2027-04-23' }
const put = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))
/** The total after a change with all consents, and the meal plan. */
async function changed(id: string, more: Record<string, unknown>): Promise<unknown[]> {
  const { body } = expectOk(await changeAsAsked(shop.platform, id, bookingBody('Acme', more)))
  const { total, rooms } = Object(body['reservation'])
  return [total.afterTax, rooms[0].mealPlan]
}
const one = [room({ adults: 1 })]
const grown = [room({ adults: 3 })]

test('a dry run of fewer guests has the price of now that the call has, and asks for what it forfeits', async () => {
  await pushProduct({ cancelPolicies: [{ code: 'NRF' }] })
  await pushGuests(90, 110)
  const four = { checkout: '2027-04-24' }
  const id = idOf(await shop.book(four))
  await pushGuests(77, 110)
  const dry = expectOk(await put(id, { ...four, rooms: one, dryRun: true })).body
  const refused = expectStatus(await put(id, { ...four, rooms: one }), 409).body
  const forfeited = { before: '0.00', amount: '132.00', currency: 'USD' }
  assert.deepEqual(
    [Object(refused['errors'])[0].type, Object(refused['total']).afterTax, refused['forfeited']],
    ['PENALTY_DUE', '308.00', forfeited],
  )
  assert.deepEqual(
    [Object(dry['total']).afterTax, dry['forfeited'], dry['asks']],
    ['308.00', '132.00', { acceptForfeit: '132.00' }],
  )
  assert.deepEqual(await changed(id, { ...four, rooms: one }), ['308.00', 'RO'])
})

test('a growing party pays the price of now for all nights; other guests at the same lines keep theirs', async () => {
  const id = idOf(await shop.book())
  await pushGuests(90, 120, 150)
  assert.deepEqual(await changed(id, { rooms: [room({ adults: 1, childAges: [13] })] }), ['200.00', 'RO'])
  const { asks } = expectOk(await put(id, { rooms: grown, dryRun: true })).body
  assert.deepEqual(asks, {
    expectedTotal: { afterTax: '300.00', dueAtProperty: '0.00', currency: 'USD' },
  })
  assert.deepEqual(await changed(id, { ...three, rooms: grown }), ['450.00', 'RO'])
})

test('fewer guests with a night more pay the lower of both prices for the nights that stay, and that of now for the other', async () => {
  const [cheaper, dearer] = [idOf(await shop.book()), idOf(await shop.book())]
  await pushGuests(70, 90, 110)
  assert.deepEqual(await changed(cheaper, { ...three, rooms: one }), ['210.00', 'RO'])
  await pushGuests(120, 150, 180)
  assert.deepEqual(await changed(dearer, { ...three, rooms: one }), ['320.00', 'RO'])
})

test('fewer guests with a night more don’t get the meal plan that was booked at the price of another', async () => {
  await pushProduct({ mealPlan: 'BB' })
  const [without, withIt] = [idOf(await shop.book()), idOf(await shop.book())]
  await pushGuests(70, 90, 110)
  await pushProduct({ mealPlan: 'RO' })
  assert.deepEqual(await changed(without, { ...three, rooms: one }), ['270.00', 'BB'])
  await pushProduct({ mealPlan: 'BB' })
  assert.deepEqual(await changed(withIt, { ...three, rooms: one }), ['210.00', 'BB'])
})

test('nights booked for guests stay so when nights for the unit are added: a third adult pays the price of now for them', async () => {
  const id = idOf(await shop.book())
  await pushUnit(200)
  assert.deepEqual(await changed(id, three), ['400.00', 'RO'])
  await pushUnit(250)
  assert.deepEqual(await changed(id, { ...three, rooms: grown }), ['700.00', 'RO'])
})

test('nights booked for the unit stay so when nights for guests are added: a third adult pays for those alone', async () => {
  await pushUnit(110)
  const id = idOf(await shop.book())
  await pushGuests(80, 100, 130)
  assert.deepEqual(await changed(id, three), ['320.00', 'RO'])
  assert.deepEqual(await changed(id, { ...three, rooms: grown }), ['350.00', 'RO'])
  assert.deepEqual(await changed(id, { ...three, rooms: one }), ['300.00', 'RO'])
})

test('a price of now for the unit, taken with fewer guests, stays when they are more again', async () => {
  const id = idOf(await shop.book())
  await pushUnit(70)
  assert.deepEqual(await changed(id, { rooms: one }), ['140.00', 'RO'])
  await pushUnit(90)
  assert.deepEqual(await changed(id, { rooms: grown }), ['140.00', 'RO'])
})
