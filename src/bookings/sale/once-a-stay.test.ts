import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  idOf,
  openShop,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** BAR at 100.00 a night, with 30.00 for cleaning once a stay. */

const gateway = await gatewayForTests()
let shop: Shop
const cleaning = {
  type: 'OTHER_TAX',
  valueType: 'fixed',
  value: 30,
  appliedOn: 'net',
  appliedPer: 'per_room_per_stay',
  included: false,
  payNow: true,
}
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 9 })
  expectOk(await shop.supplier.post('/push/taxes', { hotelId: 'H1', taxes: [cleaning] }))
})

test('what is charged once a stay stays charged, whichever of its nights are kept and added', async () => {
  const dates = [
    ['2027-04-20', '2027-04-22', '230.00'],
    ['2027-04-20', '2027-04-24', '430.00'],
    ['2027-04-22', '2027-04-24', '230.00'],
    ['2027-04-23', '2027-04-26', '330.00'],
  ] as const
  const rooms = [room()]
  const [first, ...others] = dates
  const id = idOf(await shop.book({ checkin: first[0], checkout: first[1], rooms }))
  const charged: unknown[] = [first[2]]
  for (const [checkin, checkout] of others) {
    const { body } = expectOk(
      await changeAsAsked(shop.platform, id, bookingBody('Acme', { checkin, checkout, rooms })),
    )
    charged.push(Object(body['total']).afterTax)
  }
  assert.deepEqual(
    charged,
    dates.map(([, , afterTax]) => afterTax),
  )
})
