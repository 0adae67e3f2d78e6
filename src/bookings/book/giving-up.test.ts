import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  idOf,
  openShop,
  pushGuestNights,
  pushNights,
  room,
  unitsLeft,
  vat,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../../test/stage/story.ts'

/**
 * Changes that only give up nights, rooms or guests, at a hotel that has said "full" by now. It sold at 100.00
 * a night, with 10 % VAT on top and 4.00 a person and night at the property.
 */

let shop: Shop
const gateway = await gatewayForTests()
const cityTax = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 4,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: false,
}
const pushProduct = async (more: Record<string, unknown> = {}): Promise<void> => {
  expectOk(
    await shop.supplier.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR', more)] }),
  )
}
const taxes = async (...some: unknown[]): Promise<void> => {
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: some }))
}
before(async () => {
  gateway.clock.set('2027-03-01T12:00:00Z')
  shop = await openShop(gateway)
})
beforeEach(async () => {
  await pushStoryHotel(shop.supplier)
  await pushProduct({ cancelPolicies: [] })
  await taxes(vat, cityTax)
  const rate = { rateId: 'BAR', price: 100, closed: false, minLengthStay: null, minAdvanceDays: null }
  await pushNights(shop.supplier, { inventory: 9, closed: false, rates: [rate] })
})

const stay = { checkin: '2027-04-20', checkout: '2027-04-24', rooms: [room(), room({ childAges: [5] })] }
const put = (id: string, more: Record<string, unknown>): Promise<Reply> =>
  shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', { ...stay, ...more }))

async function total(id: string): Promise<unknown[]> {
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const { version, total: all } = Object(body['reservation'])
  return [version, all.afterTax, all.dueAtProperty]
}

const nights = (more: Record<string, unknown>) => pushNights(shop.supplier, more)
const rate = (more: Record<string, unknown>) => nights({ rates: [{ rateId: 'BAR', ...more }] })
const causes: [string, () => Promise<unknown>][] = [
  ['no units are left', () => nights({ inventory: 0 })],
  ['the inventory is cleared', () => nights({ inventory: null })],
  ['the room is closed', () => nights({ closed: true })],
  ['the rate is closed', () => rate({ closed: true })],
  ['stays are longer', () => rate({ minLengthStay: 14 })],
  ['bookings are earlier', () => rate({ minAdvanceDays: 300 })],
  ['there is no price', () => rate({ price: null })],
  ['there is another price', () => rate({ price: 900 })],
  ['the product is not available', () => pushProduct({ isAvailable: false })],
  ['the hotel is not available', () => pushStoryHotel(shop.supplier, { isAvailable: false })],
  ['taxes exceed the price', () => taxes({ ...vat, valueType: 'fixed', value: 5_000, included: true })],
]
async function giveUpAfter(push: () => Promise<unknown>): Promise<void> {
  const id = idOf(await shop.book(stay))
  assert.deepEqual(await total(id), [1, '880.00', '80.00'])
  await push()
  const left = await unitsLeft(gateway)
  const changes: [Record<string, unknown>, string, string][] = [
    [{ checkout: '2027-04-23' }, '660.00', '60.00'],
    [{ checkin: '2027-04-21', checkout: '2027-04-23' }, '440.00', '40.00'],
    [{ checkin: '2027-04-21', checkout: '2027-04-23', rooms: [room(), room()] }, '440.00', '32.00'],
    [{ checkin: '2027-04-21', checkout: '2027-04-23', rooms: [room({ adults: 1 })] }, '220.00', '8.00'],
    [{ checkin: '2027-04-22', checkout: '2027-04-23', rooms: [room({ adults: 1 })] }, '110.00', '4.00'],
  ]
  for (const [index, [change, afterTax, due]] of changes.entries()) {
    expectOk(await put(id, change))
    assert.deepEqual(await total(id), [index + 2, afterTax, due])
  }
  assert.deepEqual(await unitsLeft(gateway), left)
}
for (const [cause, push] of causes)
  test(`nights, rooms and guests can be given up, at the booked price, when ${cause}`, () =>
    giveUpAfter(push))

test('nights that are kept have the price of each as it was booked, and the rooms of their policy', async () => {
  await nights({ startDate: '2027-04-22', inventory: 9, rates: [{ rateId: 'BAR', price: 50.5 }] })
  const cancelPolicies = [
    {
      code: 'FLEX',
      cancelPenalties: [
        {
          cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
          penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
        },
      ],
      fees: [{ name: 'Towels', valueType: 'fixed', value: 3, appliedPer: 'per_room_per_night' }],
    },
  ]
  await pushProduct({ cancelPolicies })
  const id = idOf(await shop.book({ ...stay, rooms: [room()] }))
  await pushProduct({
    cancelPolicies: [{ code: 'NRF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }] }],
  })
  await taxes({ ...vat, value: 20 })
  expectOk(await put(id, { checkin: '2027-04-21', checkout: '2027-04-23', rooms: [room()] }))
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const [kept] = Object(body['reservation']).rooms
  assert.deepEqual(kept.nights, [
    { date: '2027-04-21', beforeTax: '100.00', afterTax: '110.00' },
    { date: '2027-04-22', beforeTax: '50.50', afterTax: '55.55' },
  ])
  assert.deepEqual(kept.taxes, [
    { type: 'VAT', included: false, payNow: true, amount: '15.05' },
    { type: 'CITY_TAX', included: false, payNow: false, amount: '16.00' },
  ])
  assert.deepEqual(kept.total, {
    beforeTax: '150.50',
    tax: '15.05',
    afterTax: '165.55',
    dueAtProperty: '16.00',
    feesAtProperty: '6.00',
    allIn: '187.55',
  })
  assert.deepEqual(kept.cancelPolicy, {
    code: 'FLEX',
    description: null,
    penalties: [{ from: '2027-04-19T18:00:00+02:00', amount: '110.00' }],
  })
  assert.deepEqual(
    kept.fees.map(({ name, amount }: Record<string, unknown>) => [name, amount]),
    [['Towels', '6.00']],
  )
})

test('fewer guests get the price of now for them, where it is lower and they need another', async () => {
  const unit = idOf(await shop.book({ ...stay, rooms: [room()] }))
  const rooms = [room({ adults: 1 })]
  await rate({ price: 70 })
  expectOk(await put(unit, { rooms }))
  assert.deepEqual(await total(unit), [2, '440.00', '16.00'])

  await pushGuestNights(shop.supplier, [90, 100])
  const id = idOf(await shop.book({ ...stay, rooms: [room()] }))
  await pushGuestNights(shop.supplier, [120, 150])
  expectOk(await put(id, { rooms }))
  assert.deepEqual(await total(id), [2, '440.00', '16.00'])

  const other = idOf(await shop.book({ ...stay, rooms: [room()] }))
  await pushGuestNights(shop.supplier, [70, 150], { rate: { closed: true } })
  expectOk(await put(other, { rooms, checkout: '2027-04-22' }))
  assert.deepEqual(await total(other), [2, '154.00', '8.00'])
  await rate({ closed: false })
})

test('a room more beside fewer nights is judged and priced, the kept one is not', async () => {
  const id = idOf(await shop.book({ ...stay, rooms: [room()] }))
  await rate({ price: 200, minLengthStay: 3 })
  const change = { checkout: '2027-04-22', rooms: [room(), room({ adults: 1 })] }
  const refused = await put(id, change)
  assert.deepEqual([refused.status, Object(Object(refused.body['rules'])[0]).rooms], [409, [1]])
  await rate({ minLengthStay: null })
  expectOk(await put(id, { ...change, expectedTotal: { afterTax: '660.00' } }))
  assert.deepEqual(await total(id), [2, '660.00', '24.00'])
})

test('rooms that were booked before their prices were stored keep the amounts of their nights', async () => {
  const id = idOf(await shop.book({ ...stay, rooms: [room()] }))
  await gateway.db.query(
    `update reservation_version set content = jsonb_set(content, '{rooms,0}', (content #> '{rooms,0}') - 'basis')
     where reservation_id = $1`,
    [id],
  )
  await nights({ closed: true })
  expectOk(await put(id, { checkout: '2027-04-23', rooms: [room()] }))
  assert.deepEqual(await total(id), [2, '330.00', '24.00'])
})
