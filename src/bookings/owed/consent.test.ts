import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  expectRefusal,
  expectStatus,
  idOf,
  openShop,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { typesOf } from '../../../test/stage/under-way/calls.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'

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
  assert.deepEqual([typesOf(refused), afterTax, dueAtProperty], [['PRICE_CHANGED'], '200.00', '16.00'])
  const { asks } = expectOk(await put(id, { ...couple, dryRun: true })).body
  assert.deepEqual(asks, { expectedTotal: { afterTax: '200.00', dueAtProperty: '16.00', currency: 'USD' } })
  const other = { expectedTotal: { afterTax: '200.00', dueAtProperty: '8.00' } }
  await expectRefusal(gateway, () => put(id, { ...couple, ...other }))
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
