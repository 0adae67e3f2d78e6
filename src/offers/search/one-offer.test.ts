import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { expectStatus, idOf, openShop, pushNights, room, vat } from '../../../test/stage/scenes/booking.ts'
import { gatewayForCalls, liveUrl, type Fields } from '../../../test/stage/under-way/calls.ts'
import { expectOk, product, pushStoryHotel } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/**
 * The offer in the answer of a price check. Two nights at 100.00 USD, with 10 % VAT on top, a town's tax of 1.50 a person
 * and night at the property, a fee of 5 %, and half of the stay as the penalty from two days before.
 */

const gateway = await gatewayForCalls()
gateway.clock.set('2027-03-01T12:00:00Z')
const shop = await openShop(gateway)
const url = await liveUrl(shop)
const town = {
  ...vat,
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 1.5,
  appliedPer: 'per_person_per_night',
  payNow: false,
}
const penalty = {
  cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2 },
  penaltyCharge: { chargeBase: 'FullStay', percent: 50 },
}
const fee = { name: 'Resort', valueType: '%', value: 5, appliedPer: 'per_room_per_stay' }
const open = [
  { rateId: 'BAR', price: 100, closed: false },
  { rateId: 'NRF', price: 80 },
]
/** Ten per cent more than pushed. */
const dearer = { before: [110, 110], after: [121, 121] }

beforeEach(async () => {
  url.answers({})
  await setAccount(gateway.db, 'Acme', { onFailure: 'reject', onTermsDiffer: 'warn', priceTolerance: '0' })
  await pushStoryHotel(shop.supplier)
  await sell(penalty)
  await taxed(vat, town)
  await pushNights(shop.supplier, { inventory: 7, rates: open })
})

async function sell(...cancelPenalties: Fields[]): Promise<void> {
  const sold = { cancelPolicies: [{ code: 'CUSTOM', cancelPenalties, fees: [fee] }] }
  const products = [product('DBL', 'BAR', sold), product('DBL', 'NRF', sold)]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
}

async function taxed(...taxes: Fields[]): Promise<void> {
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
}

const dates = { checkin: '2027-04-20', checkout: '2027-04-22' }
const hotel = { supplier: 'Acme', hotelId: 'H1' }

async function checked(more: Fields = {}): Promise<{ outcome: unknown; bookable: unknown; offer: unknown }> {
  const stay = { hotel, roomId: 'DBL', rateId: 'BAR', ...dates, adultCount: 2, ...more }
  const { outcome, bookable, offer } = Object(
    expectOk(await shop.platform.post('/booking/priceCheck', stay)).body,
  )
  return { outcome, bookable, offer }
}

/** What a search offers of the same rooms. */
async function found(rooms: Fields[] = [{ adults: 2 }]): Promise<unknown> {
  const { body } = expectOk(await shop.platform.post('/booking/offers', { hotels: [hotel], ...dates, rooms }))
  return Object(body['hotels'])[0].offers.find(({ rateId }: Fields) => rateId === 'BAR')
}

/** What a booking at the total of an offer has of what the offer said. */
async function booked(offer: unknown, rooms = [room()]): Promise<Fields> {
  const { afterTax, dueAtProperty } = Object(offer).total
  const expectedTotal = { afterTax }
  const id = idOf(await shop.book({ rooms, expectedTotal }))
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  const { total, cancellation, freeUntil, rooms: ofRooms } = Object(body['reservation'])
  assert.equal(total.dueAtProperty, dueAtProperty)
  const [{ taxes, cancelPolicy, fees, termsDigest }] = ofRooms
  return { total, cancellation, freeUntil, taxes, cancelPolicy, fees, termsDigest }
}

function saidOf(offer: unknown): Fields {
  const { total, cancellation, freeUntil, taxes, cancelPolicy, fees, termsDigest } = Object(offer)
  return { total, cancellation, freeUntil, taxes, cancelPolicy, fees, termsDigest }
}

test('at the stored price the check has the offer of a search, word for word', async () => {
  const { outcome, offer } = await checked()
  assert.equal(outcome, 'available')
  assert.deepEqual(offer, await found())
  assert.deepEqual(Object(offer).total, {
    beforeTax: '200.00',
    tax: '20.00',
    afterTax: '220.00',
    dueAtProperty: '6.00',
    feesAtProperty: '11.00',
    allIn: '237.00',
  })
  const three = await checked({ roomCount: 3, childAges: [5] })
  assert.deepEqual(three.offer, await found(Array.from({ length: 3 }, () => ({ adults: 2, childAges: [5] }))))
})

test('without a URL to ask it is the stored offer too', async () => {
  const other = await openShop(gateway, 'Unasked')
  const hotels = [{ supplier: 'Unasked', hotelId: 'H1' }]
  const stay = { hotel: hotels[0], roomId: 'DBL', rateId: 'BAR', ...dates, adultCount: 2 }
  const { body } = expectOk(await other.platform.post('/booking/priceCheck', stay))
  assert.equal(body['outcome'], 'not_registered')
  const search = { hotels, ...dates, rooms: [{ adults: 2 }] }
  const [{ offers }] = Object(expectOk(await other.platform.post('/booking/offers', search)).body['hotels'])
  assert.deepEqual(
    body['offer'],
    offers.find(({ rateId }: Fields) => rateId === 'BAR'),
  )
})

test('after price_changed it is the offer at the live price, with the pushed taxes and terms on it', async () => {
  const stored = Object((await checked()).offer)
  url.answers(dearer)
  const { outcome, bookable, offer } = await checked()
  assert.deepEqual([outcome, bookable], ['price_changed', false])
  const nights = ['2027-04-20', '2027-04-21'].map((date) => ({ date, amount: '110.00' }))
  assert.deepEqual(offer, {
    ...stored,
    rooms: [{ nights }],
    taxes: [
      { type: 'VAT', included: false, payNow: true, amount: '22.00' },
      { type: 'CITY_TAX', included: false, payNow: false, amount: '6.00' },
    ],
    total: {
      beforeTax: '220.00',
      tax: '22.00',
      afterTax: '242.00',
      dueAtProperty: '6.00',
      feesAtProperty: '12.10',
      allIn: '260.10',
    },
    cancelPolicy: {
      ...stored.cancelPolicy,
      penalties: [{ ...stored.cancelPolicy.penalties[0], amount: '121.00' }],
    },
    fees: [{ name: 'Resort', amount: '12.10', appliedPer: 'per_room_per_stay', payNow: false }],
  })
  assert.equal(stored.cancelPolicy.penalties[0].amount, '110.00')
})

test('what the check offers is what a booking at its total gets', async () => {
  for (const live of [{}, dearer, { before: [90, 95.55], after: [100, 105.04] }]) {
    url.answers(live)
    const { offer } = await checked()
    assert.deepEqual(await booked(offer), saidOf(offer))
  }
})

test('of several rooms the taxes and terms are those of all of them', async () => {
  url.answers(dearer)
  const { offer } = await checked({ roomCount: 2 })
  const { rooms, total, taxes, cancelPolicy, fees, unitsLeft } = Object(offer)
  assert.equal(rooms.length, 2)
  assert.deepEqual([total.afterTax, total.dueAtProperty, total.feesAtProperty], ['484.00', '12.00', '24.20'])
  assert.deepEqual(
    taxes.map(({ amount }: Fields) => amount),
    ['44.00', '12.00'],
  )
  assert.deepEqual([cancelPolicy.penalties[0].amount, fees[0].amount, unitsLeft], ['242.00', '24.20', 7])
  const id = idOf(await shop.book({ rooms: [room(), room()], expectedTotal: { afterTax: '484.00' } }))
  const { body } = expectOk(await shop.platform.get(`/booking/reservations/${id}`))
  assert.deepEqual(Object(body['reservation']).total, total)
})

test('the nights of a live price have the amounts that would be pushed: with included taxes those after tax', async () => {
  await taxed({ ...vat, included: true })
  url.answers({ before: [100, 110], after: [110, 122] })
  const { offer } = await checked()
  const { rooms, taxes, total } = Object(offer)
  assert.deepEqual(
    taxes.map(({ type, amount }: Fields) => [type, amount]),
    [
      ['VAT', '21.00'],
      ['OTHER_TAX', '1.00'],
    ],
  )
  const amounts = rooms[0].nights.map(({ amount }: Fields) => amount)
  assert.deepEqual([amounts, total.afterTax], [['109.55', '121.45'], '232.00'])
})

test('within the tolerance it is the stored offer, which is what is sold', async () => {
  await setAccount(gateway.db, 'Acme', { priceTolerance: '10' })
  const stored = await found()
  url.answers(dearer)
  const { outcome, offer } = await checked()
  assert.deepEqual([outcome, offer], ['available', stored])
})

test('the units left are no more than the supplier has', async () => {
  url.answers({ inventory: 2 })
  assert.equal(Object((await checked()).offer).unitsLeft, 2)
  url.answers({ inventory: 50 })
  assert.equal(Object((await checked()).offer).unitsLeft, 7)
})

test('what would not be booked has no offer', async () => {
  const cases: [Fields, string][] = [
    [{ inventory: 0 }, 'sold_out'],
    [{ status: 500 }, 'supplier_error'],
    [{ more: { currency: 'EUR' } }, 'invalid_response'],
  ]
  for (const [live, outcome] of cases) {
    url.answers(live)
    assert.deepEqual(await checked(), { outcome, bookable: false, offer: null })
  }
  await setAccount(gateway.db, 'Acme', { onTermsDiffer: 'reject' })
  for (const [live, outcome] of [
    [{ more: { mealPlan: 'AI' } }, 'available'],
    [{ ...dearer, more: { mealPlan: 'AI' } }, 'price_changed'],
  ] as const) {
    url.answers(live)
    assert.deepEqual(await checked(), { outcome, bookable: false, offer: null })
  }
})

test('an account that books at the stored price after a failure has its offer', async () => {
  await setAccount(gateway.db, 'Acme', { onFailure: 'use_stored' })
  const stored = await found()
  url.answers({ status: 500 })
  assert.deepEqual(await checked(), { outcome: 'supplier_error', bookable: true, offer: stored })
})

test('what stored data forbids has no offer, whatever the supplier answers', async () => {
  await pushNights(shop.supplier, { rates: [{ rateId: 'BAR', price: 100, closed: true }] })
  for (const live of [{}, dearer]) {
    url.answers(live)
    const { bookable, offer } = await checked()
    assert.deepEqual([bookable, offer], [false, null])
    expectStatus(await shop.book({ expectedTotal: { afterTax: live === dearer ? '242.00' : '220.00' } }), 409)
  }
  await pushNights(shop.supplier, { rates: open, inventory: 1 })
  assert.equal((await checked({ roomCount: 2 })).offer, null)
})

test('its terms are as of now: a passed deadline is never free any more, and its digest is the search’s', async () => {
  url.answers(dearer)
  const { cancellation, freeUntil, termsDigest } = Object((await checked()).offer)
  assert.deepEqual([cancellation, freeUntil], ['until', '2027-04-18T00:00:00+02:00'])
  assert.equal(termsDigest, Object(await found()).termsDigest)
  await sell({ penaltyCharge: penalty.penaltyCharge })
  const now = Object((await checked()).offer)
  assert.deepEqual([now.cancellation, now.freeUntil], ['never', null])
  assert.notEqual(now.termsDigest, termsDigest)
})

test('pushed taxes beyond the tax of an answer are taken out of its amount with tax, and nothing is left over', async () => {
  const service = { ...vat, type: 'GOV_TAX', valueType: 'fixed', value: 20 }
  await taxed(vat, service, town)
  url.answers({ before: [100, 100], after: [105, 105] })
  const { offer } = await checked()
  const { taxes, total } = Object(offer)
  assert.deepEqual(
    taxes.map(({ type, amount }: Fields) => [type, amount]),
    [
      ['VAT', '15.45'],
      ['GOV_TAX', '40.00'],
      ['CITY_TAX', '6.00'],
    ],
  )
  const { beforeTax, tax, afterTax, dueAtProperty } = total
  assert.deepEqual([beforeTax, tax, afterTax, dueAtProperty], ['154.55', '55.45', '210.00', '6.00'])
  assert.deepEqual(await booked(offer), saidOf(offer))
})

test('where they exceed even its amount with tax, what is due at the property is computed still', async () => {
  await taxed({ ...vat, type: 'GOV_TAX', valueType: 'fixed', value: 60, included: true }, town)
  url.answers({ before: [40, 40], after: [44, 44] })
  const { offer } = await checked()
  const { taxes, total } = Object(offer)
  assert.deepEqual(
    taxes.map(({ type, amount }: Fields) => [type, amount]),
    [
      ['OTHER_TAX', '8.00'],
      ['CITY_TAX', '6.00'],
    ],
  )
  const { beforeTax, tax, afterTax, dueAtProperty } = total
  assert.deepEqual([beforeTax, tax, afterTax, dueAtProperty], ['80.00', '8.00', '88.00', '6.00'])
  assert.deepEqual(await booked(offer), saidOf(offer))
})
