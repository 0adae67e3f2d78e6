import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, pushNights, room } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { meetingInLine } from '../../../test/stage/locks.ts'

/** A push that comes between the first look at the price and the booking, at a supplier that is asked for none. */

const gateway = await gatewayForTests()

test('without an expected total, and without a price check, the price is that of the moment of the booking', async () => {
  const shop = await openShop(gateway)
  const rates = [{ rateId: 'BAR', price: 120 }]
  const booked = Promise.withResolvers<Reply>()
  await meetingInLine(gateway.db, (connection) => connection.query('select from hotel for update'), [
    () => pushNights(shop.supplier, { rates }),
    async () => booked.resolve(await shop.book({ rooms: [room()] })),
  ])
  const reply = await booked.promise
  assert.deepEqual([reply.status, Object(reply.body['total']).afterTax], [201, '264.00'], reply.text)
})
