import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, room, vat } from '../../../test/stage/scenes/booking.ts'
import {
  gatewayForLiveAnswers,
  liveShop,
  platformAt,
  type LiveShop,
} from '../../../test/stage/scenes/live-answers.ts'
import { cityTax } from '../../../test/stage/scenes/offers.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, product } from '../../../test/stage/story.ts'

/** Another price that a supplier answered is shown with the offer. */

const gateway = await gatewayForLiveAnswers()
const dearer = { amountBeforeTax: [104, 104], amountAfterTax: [114.4, 114.4] }
const at = '2027-03-01T12:00:00.000Z'

const liveOf = async (shop: LiveShop, more = {}, by = shop.platform): Promise<unknown> =>
  (await shop.offers(more, by))['DBL/BAR']?.['live']

test('an offer shows the total of another live price, with all that is due at the property, as it is booked', async () => {
  const shop = await liveShop(gateway, 'dearer')
  const fees = [{ name: 'Linen', valueType: 'fixed', value: 3, appliedPer: 'per_room_per_stay' }]
  const cancelPolicies = [{ code: 'FREE', fees }]
  const products = [product('DBL', 'BAR', { cancelPolicies })]
  expectOk(await shop.supplier.post('/push/products', { hotelId: 'H1', products }))
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [vat, cityTax] }))
  const stored = (await shop.offers())['DBL/BAR']
  assert.equal(stored?.['live'], undefined)
  shop.says(dearer)
  assert.equal((await shop.check()).body['outcome'], 'price_changed')
  await until(async () => (await liveOf(shop)) !== undefined)
  const total = {
    beforeTax: '208.00',
    tax: '20.80',
    afterTax: '228.80',
    dueAtProperty: '10.00',
    feesAtProperty: '3.00',
    allIn: '241.80',
  }
  // The offer itself stays as it is pushed.
  assert.deepEqual((await shop.offers())['DBL/BAR'], {
    ...stored,
    live: { outcome: 'price_changed', total, at },
  })
  assert.equal(await liveOf(shop, { rooms: [{ adults: 1 }] }), undefined)
  assert.equal(await liveOf(shop, { rooms: [{ adults: 2 }, { adults: 2 }] }), undefined)
  const asked = shop.asked()
  const expectedTotal = { afterTax: total.afterTax, currency: 'USD' }
  const { body } = expectStatus(await shop.book({ expectedTotal }), 201)
  assert.deepEqual(body['total'], total)
  assert.equal(shop.asked(), asked + 1)
})

test('the total of rooms with different guests is that of their answers together', async () => {
  const shop = await liveShop(gateway, 'together')
  shop.says(dearer)
  expectStatus(await shop.book({ rooms: [room(), room({ adults: 1 })] }), 409)
  const rooms = [{ adults: 1 }, { adults: 2 }]
  await until(async () => (await liveOf(shop, { rooms })) !== undefined)
  const { outcome, total } = Object(await liveOf(shop, { rooms }))
  assert.deepEqual([outcome, total.afterTax, total.allIn], ['price_changed', '457.60', '457.60'])
})

test('it is shown at every process, until an answer at the stored price or a push of the nights', async () => {
  const shop = await liveShop(gateway, 'until then')
  const elsewhere = await platformAt(gateway, await gateway.second())
  shop.says(dearer)
  await shop.check()
  await until(async () => (await liveOf(shop, {}, elsewhere)) !== undefined)
  shop.says({})
  await shop.check({}, elsewhere)
  await until(async () => (await liveOf(shop)) === undefined)

  shop.says(dearer)
  await shop.check()
  await until(async () => (await liveOf(shop)) !== undefined)
  shop.says({ ...dearer, inventory: 0 })
  await shop.check()
  await shop.untilForgone()
  shop.says(dearer)
  await shop.check()
  await until(async () => (await liveOf(shop, {}, elsewhere)) !== undefined)
  const ari = [{ roomId: 'DBL', date: '2027-04-20', rates: [{ rateId: 'BAR', price: 104 }] }]
  expectOk(await shop.supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  assert.equal(await liveOf(shop), undefined)
})
