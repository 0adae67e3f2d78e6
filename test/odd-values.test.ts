import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startGateway, type TestGateway, type TestSupplier } from './harness.ts'
import { expectOk, product, pushStoryHotel } from './story.ts'

/** What is applied as it was sent, and is hardly meant, is told of. */

let gateway: TestGateway
let supplier: TestSupplier

before(async () => {
  gateway = await startGateway()
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
})
after(() => gateway.stop())

const april = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-03' }

/** The warnings of the only item, as [type, message]. */
async function told(rate: object, more: object = {}): Promise<string[][]> {
  const ari = [{ ...april, rates: [{ rateId: 'BAR', ...rate }] }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, ...more }))
  const [{ status, warnings = [] }] = Object(body['results'])
  assert.notEqual(status, 'rejected')
  return warnings.map(({ type, message, path }: Record<string, string>) => {
    assert.equal(path, '/ari/0')
    return [type, message]
  })
}

const never = (nights: number, min: string, max: string): string[][] => [
  ['NEVER_BOOKABLE', `${nights} nights cannot be booked: ${min} is above ${max}`],
]

test('a least stay above the longest, by values of one push or of two, can never be booked', async () => {
  const lengths = ['minLengthStay', 'maxLengthStay']
  assert.deepEqual(
    await told({ minLengthStay: 5, maxLengthStay: 3 }),
    never(3, 'minLengthStay', 'maxLengthStay'),
  )
  assert.deepEqual(await told({ maxLengthStay: 5 }), [])
  assert.deepEqual(
    await told({ maxLengthStay: 4 }, { dryRun: true }),
    never(3, lengths[0] ?? '', 'maxLengthStay'),
  )
  assert.deepEqual(await told({ minLengthStay: null, maxLengthStay: null }), [])
  assert.deepEqual(await told({ minStayArrival: 3 }), [])
  assert.deepEqual(await told({ maxStayArrival: 2 }), never(3, 'minStayArrival', 'maxStayArrival'))
  assert.deepEqual(await told({ minStayArrival: null }), [])
  assert.deepEqual(
    await told({ minAdvanceDays: 30, maxAdvanceDays: 7 }),
    never(3, 'minAdvanceDays', 'maxAdvanceDays'),
  )
})

const adult = (guests: number, amount: number) => ({ ageCategory: 'adult', guests, amount })
const guest = { pricingModel: 'guest' }
const singleAbove = [['SINGLE_ABOVE_DOUBLE', 'On 3 nights one adult pays more than two']]

test('one adult that pays more than two is told of, whichever was pushed last', async () => {
  assert.deepEqual(await told({ prices: [adult(1, 90), adult(2, 110)] }, guest), [])
  assert.deepEqual(await told({ prices: [adult(2, 80)] }, guest), singleAbove)
  assert.deepEqual(await told({ prices: [adult(1, 85)] }, guest), singleAbove)
  assert.deepEqual(await told({ prices: [adult(1, 80)] }, guest), [])
})

test('a price of ten times, or a tenth of, the one before is told of, and of no other factor', async () => {
  const tenfold = (nights: string) => [
    ['ROUND_NUMBER_X10', `${nights} got a price ten times, or a tenth of, the one before`],
  ]
  const unit = { pricingModel: 'unit' }
  assert.deepEqual(await told({ rateId: 'NRF', price: 110 }, unit), [])
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_100 }, unit), tenfold('3 nights'))
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_100 }, unit), [])
  assert.deepEqual(await told({ rateId: 'NRF', price: '110.00' }, unit), tenfold('3 nights'))
  assert.deepEqual(await told({ rateId: 'NRF', price: 1_101 }, unit), [])
  const found = expectOk(await supplier.get('/push/log?problem=ROUND_NUMBER_X10'))
  assert.equal(Object(found.body['pushes']).length, 2)
})

test('of many such items 100 warnings are listed and the others counted', async () => {
  const ari = Array.from({ length: 130 }, () => ({
    ...april,
    rates: [{ rateId: 'BAR', minLengthStay: 5, maxLengthStay: 3 }],
  }))
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, note: 'x' }))
  const listed = Object(body['results']).filter(({ warnings }: { warnings?: unknown }) => warnings)
  assert.deepEqual([listed.length, body['moreWarnings']], [99, 31])
})

test('a product that is pushed without the policies that it had is told that they were cleared', async () => {
  const cancelPolicies = [
    {
      code: 'NR',
      cancelPenalties: [{ noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }],
    },
  ]
  const push = async (more: object) => {
    const products = [product('DBL', 'BAR', { ...more })]
    const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
    return Object(body['warnings']).map(({ type, path }: Record<string, string>) => [type, path])
  }
  assert.deepEqual(await push({ cancelPolicies }), [])
  assert.deepEqual(await push({}), [['POLICIES_CLEARED', '/products/0/cancelPolicies']])
  assert.deepEqual(await push({}), [])
  await push({ cancelPolicies })
  assert.deepEqual(await push({ cancelPolicies: [] }), [])
})
