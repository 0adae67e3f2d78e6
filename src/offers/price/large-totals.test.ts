import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { bookingBy, idOf, room } from '../../../test/stage/scenes/booking.ts'
import { offersStage, vat, type Fields, type OffersStage } from '../../../test/stage/scenes/offers.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Totals at and beyond the largest integer that numbers hold exactly, 2^53 minor units. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
let stage: OffersStage
before(async () => {
  stage = await offersStage(gateway)
})

const arrival = '2027-04-01'
const afterNights = (nights: number): string =>
  new Date(Date.parse(arrival) + nights * 86_400_000).toISOString().slice(0, 10)

async function soldAt(
  price: string,
  { currency = 'JPY', taxes = [], fees = [] }: { currency?: string; taxes?: Fields[]; fees?: Fields[] } = {},
): Promise<TestSupplier> {
  const supplier = await stage.storySupplier({ currency })
  const cancelPolicies = [
    { code: 'NONREF', cancelPenalties: [{ penaltyCharge: { chargeBase: 'FullStay' } }], fees },
  ]
  const products = [product('DBL', 'BAR', { cancelPolicies })]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const nights = { startDate: arrival, endDate: afterNights(120) }
  const ari = [{ roomId: 'DBL', ...nights, inventory: 20, rates: [{ rateId: 'BAR', price }] }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  return supplier
}

/** What a stay costs, or why it isn't sold. */
async function asked(supplier: TestSupplier, nights: number, rooms = [{ adults: 2 }]): Promise<unknown> {
  const stay = { checkin: arrival, checkout: afterNights(nights), rooms, explain: true }
  const { offers, unavailable } = await stage.find(supplier, stay)
  const [offer] = offers
  if (offer) return { total: offer.total, fees: offer.fees }
  const refused = unavailable.find(({ rateId }) => rateId === 'BAR')
  return refused?.rules.filter(({ pass }) => !pass).map(({ rule, reason }) => ({ rule, reason }))
}

const tooLarge = [{ rule: 'total', reason: 'TOTAL_TOO_LARGE' }]
const tenfold = { ...vat, value: 1_000, included: false }
const most = 999_999_999_999

test('a total with taxes on top is exact up to 2^53 minor units, and beyond it not offered for that reason', async () => {
  // Eight taxes of ten times the price each.
  const supplier = await soldAt(String(most), { taxes: Array<Fields>(8).fill(tenfold) })
  const afterTax = BigInt(most) * 100n * 81n
  assert.deepEqual(await asked(supplier, 100), {
    total: {
      beforeTax: String(most * 100),
      tax: String(BigInt(most) * 100n * 80n),
      afterTax: String(afterTax),
      dueAtProperty: '0',
      feesAtProperty: '0',
      allIn: '8099999999991900',
    },
    fees: [],
  })
  assert.deepEqual(await asked(supplier, 112), tooLarge)
  const rooms = [{ adults: 2 }, { adults: 2 }]
  assert.deepEqual(await asked(supplier, 100, rooms), tooLarge)
  assert.deepEqual(await asked(supplier, 100, [{ adults: 2 }, { adults: 1 }]), tooLarge)
})

test('taxes due at the property count, too: what guests pay in all is exact', async () => {
  const atProperty = { ...tenfold, payNow: false }
  const supplier = await soldAt(String(most), {
    taxes: [...Array<Fields>(4).fill(tenfold), ...Array<Fields>(5).fill(atProperty)],
  })
  assert.deepEqual(await asked(supplier, 100), tooLarge)
})

test('a stay whose fees are too large to be exact is not offered', async () => {
  const fee = { name: 'Club', valueType: 'fixed', value: most, appliedPer: 'per_person_per_night' }
  const supplier = await soldAt('100', { fees: [fee] })
  assert.deepEqual(await asked(supplier, 1), {
    total: {
      beforeTax: '100',
      tax: '0',
      afterTax: '100',
      dueAtProperty: '0',
      feesAtProperty: '1999999999998',
      allIn: '2000000000098',
    },
    fees: [{ name: 'Club', amount: String(most * 2), appliedPer: 'per_person_per_night', payNow: false }],
  })
  const crowd = Array.from({ length: 20 }, () => ({ adults: 2 }))
  assert.deepEqual(await asked(supplier, 119, crowd), tooLarge)
  const share = { name: 'Share', valueType: '%', value: 100, appliedPer: 'per_room_per_stay' }
  const shares = await soldAt(String(most), { fees: Array<Fields>(50).fill(share) })
  assert.deepEqual(await asked(shares, 100), tooLarge)
})

test('a reservation of a total above a single amount’s limit is agreed on, and its cancellation is not free', async () => {
  const supplier = await soldAt(String(most), { taxes: [tenfold] })
  const checkout = afterNights(20)
  const total = String(BigInt(most) * 20n * 11n)
  const book = bookingBy(stage.platform, supplier.name)
  const stay = { checkin: arrival, checkout, rooms: [room()], expectedTotal: { afterTax: total } }
  const id = idOf(await book(stay))
  const { body } = expectOk(await stage.platform.post(`/booking/reservations/${id}/cancel`, {}))
  assert.equal(Object(body['penalty']).amount, total)
})

test('a fixed tax is exact in currencies of three digits and of none', async () => {
  const appliedPer = 'per_person_per_night'
  const fixed = { ...vat, type: 'CITY_TAX', valueType: 'fixed', included: false, appliedPer }
  const dinars = await soldAt('0.001', { currency: 'KWD', taxes: [{ ...fixed, value: '999999998.999' }] })
  const yen = await soldAt('1', { taxes: [{ ...fixed, value: 999_999_999 }] })
  const totals = [await asked(dinars, 3), await asked(yen, 3)].map((found) => Object(found).total)
  assert.deepEqual(totals, [
    {
      beforeTax: '0.003',
      tax: '5999999993.994',
      afterTax: '5999999993.997',
      dueAtProperty: '0.000',
      feesAtProperty: '0.000',
      allIn: '5999999993.997',
    },
    {
      beforeTax: '3',
      tax: '5999999994',
      afterTax: '5999999997',
      dueAtProperty: '0',
      feesAtProperty: '0',
      allIn: '5999999997',
    },
  ])
})
