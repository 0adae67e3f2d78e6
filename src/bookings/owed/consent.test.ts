import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  pushGuestNights,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { typesOf } from '../../../test/stage/under-way/calls.ts'
import { expectOk, problemsOf, product } from '../../../test/stage/story.ts'

/** What a guest has to agree to. DBL is sold by the unit, 200.00 for two nights; guests pay a tax at the property. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 9 })
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
const put = (id: string, more: object): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', { ...more }))

test('a change that raises what is due at the property alone needs the guest’s consent', async () => {
  const id = idOf(await shop.book({ rooms: [room({ adults: 1 })] }))
  const couple = { rooms: [room({ adults: 2 })] }
  const refused = await expectRefusal(gateway, () => put(id, couple))
  const { afterTax, dueAtProperty } = Object(refused.body['total'])
  const named = [['/expectedTotal/dueAtProperty', 'PRICE_CHANGED', 'The price has changed']]
  assert.deepEqual([problemsOf(refused), afterTax, dueAtProperty], [named, '200.00', '16.00'])
  const { asks } = expectOk(await put(id, { ...couple, dryRun: true })).body
  assert.deepEqual(asks, { expectedTotal: { afterTax: '200.00', dueAtProperty: '16.00', currency: 'USD' } })
  const other = { expectedTotal: { afterTax: '200.00', dueAtProperty: '8.00' } }
  assert.deepEqual(problemsOf(await expectRefusal(gateway, () => put(id, { ...couple, ...other }))), named)
  expectOk(await put(id, { ...couple, ...Object(asks) }))
  // Less needs nobody's.
  expectOk(await put(id, { rooms: [room({ adults: 1 })] }))
})

test('expectedTerms has one digest for each room', async () => {
  const rooms = [room(), room()]
  const id = idOf(await shop.book({ rooms }))
  const { reservation } = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body
  const digests = Array.from(Object(reservation).rooms, (one) => Object(one).termsDigest)
  const refused = async (call: () => Promise<Reply>): Promise<void> =>
    assert.deepEqual(problemsOf(await expectRefusal(gateway, call, 400)), [
      ['/expectedTerms', 'EXPECTED_TERMS_COUNT', 'expectedTerms must have one digest for each of rooms'],
    ])
  const [one, three] = [digests.slice(1), [...digests, digests[0]]]
  await refused(() => shop.book({ rooms, expectedTerms: one }))
  await refused(() => shop.book({ rooms, expectedTerms: three }))
  await refused(() => put(id, { rooms, expectedTerms: one }))
  expectStatus(await shop.book({ rooms, expectedTerms: digests }), 201)
})

/** BAR has a price for each number of guests, NRF one for the unit; breakfast is included. */
async function openHouse(name: string) {
  const { supplier, book } = await openShop(gateway, name, { inventory: 9 })
  const pushPlan = async (mealPlan: string): Promise<void> => {
    const occupancy = { maxOccupancy: 3, maxAdult: 3, maxChild: 2 }
    const products = ['BAR', 'NRF'].map((rateId) =>
      product('DBL', rateId, { occupancy, mealPlan, cancelPolicies: [{ code: 'FLEX' }] }),
    )
    expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  }
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes: [] }))
  await pushPlan('BB')
  await pushGuestNights(supplier, [80, 100, 130])
  const change = (id: string, more: object): Promise<Reply> =>
    shop.platform.put(`/booking/reservations/${id}`, bookingBody(name, { ...more }))
  const planOf = ({ body }: Reply): unknown => Object(body['reservation']).rooms[0].mealPlan
  const asksOf = async (id: string, more: object): Promise<string[]> =>
    Object.keys(Object(expectOk(await change(id, { ...more, dryRun: true })).body['asks']))
  return { supplier, book, pushPlan, change, planOf, asksOf }
}

const grown = { rooms: [room({ adults: 3 })] }
const moved = { checkin: '2027-04-25', checkout: '2027-04-27' }

test('a party that grows, or moves, into another meal plan than was booked needs the guest’s consent', async () => {
  const { book, pushPlan, change, planOf } = await openHouse('House')
  const ids = [idOf(await book()), idOf(await book())]
  await pushPlan('RO')
  for (const [index, other] of [grown, moved].entries()) {
    const id = ids[index] ?? ''
    const expectedTotal = { afterTax: index === 0 ? '260.00' : '200.00' }
    const dry = expectOk(await change(id, { ...other, dryRun: true }))
    const { rooms } = Object(dry.body['reservation'])
    const { expectedTerms } = Object(dry.body['asks'])
    assert.deepEqual([planOf(dry), expectedTerms], ['RO', [rooms[0].termsDigest]])
    const refused = await expectRefusal(gateway, () => change(id, { ...other, expectedTotal }))
    const [{ room: position, mealPlan, termsDigest, expected }] = Object(refused.body['terms'])
    assert.deepEqual(
      [typesOf(refused), position, mealPlan, termsDigest],
      [['TERMS_CHANGED'], 0, 'RO', expectedTerms[0]],
    )
    const booked = expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation']
    assert.equal(expected, Object(booked).rooms[0].termsDigest)
    await expectRefusal(gateway, () => change(id, { ...other, expectedTotal, expectedTerms: [expected] }))
    const agreed = expectOk(await change(id, { ...other, expectedTotal, expectedTerms }))
    assert.equal(planOf(agreed), 'RO')
  }
})

test('who keeps the meal plan, or chooses another rate, is not asked about it', async () => {
  const { supplier, book, pushPlan, change, planOf, asksOf } = await openHouse('Inn')
  const id = idOf(await book())
  const unit = { rooms: [room({ rateId: 'NRF' })] }
  const ofUnit = idOf(await book(unit))
  await pushPlan('RO')
  const longer = { checkout: '2027-04-23' }
  assert.deepEqual(await asksOf(id, longer), ['expectedTotal'])
  assert.deepEqual(await asksOf(id, { rooms: [room({ adults: 1 })] }), [])
  assert.deepEqual(await asksOf(id, unit), [])
  assert.equal(planOf(expectOk(await change(id, { ...unit, dryRun: true }))), 'RO')
  const three = { rooms: [room({ rateId: 'NRF', adults: 3 })] }
  assert.equal(planOf(expectOk(await change(ofUnit, three))), 'BB')
  // Where a night keeps its price, the others have its plan.
  await pushNights(supplier, { inventory: 9, rates: [{ rateId: 'BAR', price: 110 }] })
  expectOk(await change(id, { ...longer, expectedTotal: { afterTax: '310.00' } }))
  assert.deepEqual(await asksOf(id, { ...longer, ...grown }), ['expectedTotal'])
  await pushPlan('BB')
  assert.deepEqual(await asksOf(id, grown), [])
})
