import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'

/** A hotel at 100.00 USD a night, with 10 % VAT on top, that moves to yen. */

let shop: Shop
const gateway = await gatewayForTests()
before(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  shop = await openShop(gateway)
})
beforeEach(async () => {
  await pushStoryHotel(shop.supplier)
  await pushNights(shop.supplier, { inventory: 20 })
})

const put = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more))

async function moveTo(currency: string, price: number): Promise<void> {
  await pushStoryHotel(shop.supplier, { currency })
  const rates = [
    { rateId: 'BAR', price },
    { rateId: 'NRF', price },
  ]
  await pushNights(shop.supplier, { inventory: 20, rates })
}

async function state(id: string): Promise<unknown[]> {
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const { version, currency, total } = Object(body['reservation'])
  return [version, currency, total.afterTax]
}

function refusal({ status, body }: Reply): unknown[] {
  const [problem] = Object.values(Object(body['errors'] ?? {}))
  return [status, Object(problem).type, Object(body['total']).afterTax, body['currency']]
}

const parties = [room(), room({ childAges: [5] })]

describe('a change that is priced in another currency needs an expectedTotal in it', () => {
  const changes: [string, Record<string, unknown>, string][] = [
    ['moved dates', { checkin: '2027-04-21', checkout: '2027-04-23' }, '33000'],
    ['one night more', { checkout: '2027-04-23' }, '49500'],
    ['another rate', { rooms: [room({ rateId: 'NRF' })] }, '33000'],
    ['more guests', { rooms: [room({ childAges: [5] })] }, '33000'],
    ['another room beside it', { rooms: parties }, '66000'],
    ['fewer nights and another rate', { checkout: '2027-04-21', rooms: [room({ rateId: 'NRF' })] }, '16500'],
  ]
  const isRefused = async (change: Record<string, unknown>, total: string): Promise<void> => {
    const id = idOf(await shop.book())
    await moveTo('JPY', 15_000)
    const needed = [409, 'PRICE_CHANGED', total, 'JPY']
    assert.deepEqual(refusal(await put(id, change)), needed)
    for (const expectedTotal of [
      { afterTax: total },
      { afterTax: total, currency: 'USD' },
      { afterTax: '220.00', currency: 'USD' },
      { afterTax: '1', currency: 'JPY' },
    ])
      assert.deepEqual(refusal(await put(id, { ...change, expectedTotal })), needed)
    assert.deepEqual(await state(id), [1, 'USD', '220.00'])
    expectOk(await put(id, { ...change, expectedTotal: { afterTax: total, currency: 'JPY' } }))
    assert.deepEqual(await state(id), [2, 'JPY', total])
  }
  for (const [what, change, total] of changes) test(what, () => isRefused(change, total))
})

test('what only gives up stays in the booked currency, also before prices in the new one are pushed', async () => {
  const id = idOf(await shop.book({ checkout: '2027-04-24', rooms: [room(), room({ adults: 1 })] }))
  await pushStoryHotel(shop.supplier, { currency: 'JPY' })
  const rooms = [room(), room({ adults: 1 })]
  expectOk(await put(id, { checkout: '2027-04-23', rooms }))
  assert.deepEqual(await state(id), [2, 'USD', '660.00'])
  await moveTo('JPY', 10)
  expectOk(await put(id, { checkin: '2027-04-21', checkout: '2027-04-23', rooms }))
  expectOk(await put(id, { checkin: '2027-04-21', checkout: '2027-04-23', rooms: [room({ adults: 1 })] }))
  assert.deepEqual(await state(id), [4, 'USD', '220.00'])
})

test('an amount without a currency is in the booked one: the same number in another is not agreed to', async () => {
  const id = idOf(await shop.book())
  await moveTo('EUR', 100)
  const moved = { checkin: '2027-04-21', checkout: '2027-04-23' }
  const expectedTotal = { afterTax: '220.00' }
  assert.deepEqual(refusal(await put(id, { ...moved, expectedTotal })), [
    409,
    'PRICE_CHANGED',
    '220.00',
    'EUR',
  ])
  expectOk(await put(id, { ...moved, expectedTotal: { ...expectedTotal, currency: 'EUR' } }))
  assert.deepEqual(await state(id), [2, 'EUR', '220.00'])
})

test('a booking at a total that was seen in another currency is refused with the total in its own', async () => {
  await moveTo('EUR', 100)
  const seen = { afterTax: '220.00', currency: 'USD' }
  assert.deepEqual(problemsOf(await shop.book({ expectedTotal: seen })), [
    ['/expectedTotal/currency', 'PRICE_CHANGED', 'The price has changed'],
  ])
  assert.deepEqual(refusal(await shop.book({ expectedTotal: seen })), [409, 'PRICE_CHANGED', '220.00', 'EUR'])
  idOf(await shop.book({ expectedTotal: { ...seen, currency: 'EUR' } }))
  idOf(await shop.book({ expectedTotal: { afterTax: '220.00' } }))
})

test('a currency that is none is refused', async () => {
  const reply = expectStatus(await shop.book({ expectedTotal: { afterTax: '220.00', currency: 'usd' } }), 400)
  assert.deepEqual(problemsOf(reply), [
    ['/expectedTotal/currency', 'CURRENCY_INVALID', 'Currency is not valid'],
  ])
})

test('while a cancellation costs a penalty, nothing is priced in another currency', async () => {
  const cancelPolicies = [{ code: 'NRF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] }]
  expectOk(
    await shop.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', { cancelPolicies })],
    }),
  )
  const id = idOf(await shop.book({ checkout: '2027-04-24' }))
  await moveTo('JPY', 15_000)
  const expectedTotal = { afterTax: '33000', currency: 'JPY' }
  const refused = expectStatus(
    await put(id, { checkin: '2027-04-25', checkout: '2027-04-27', expectedTotal }),
    409,
  )
  assert.deepEqual(
    [Object(Object(refused.body['errors'])[0]).type, refused.body['penalty']],
    ['PENALTY_DUE', { amount: '440.00', currency: 'USD' }],
  )
  expectOk(await put(id, { acceptForfeit: '220.00' }))
  assert.deepEqual(await state(id), [2, 'USD', '220.00'])
  expectOk(
    await shop.supplier.post('/push/products', {
      hotelId: 'H1',
      products: [product('DBL', 'BAR', { cancelPolicies: [] })],
    }),
  )
})
