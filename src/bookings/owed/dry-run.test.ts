import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  pushGuestNights,
  room,
  unitsLeft,
} from '../../../test/stage/scenes/booking.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import { gatewayForCalls, liveUrl, type Fields } from '../../../test/stage/under-way/calls.ts'

/** Dry runs at a supplier with a URL: it would answer 110.00 a night, where 100.00 is pushed, each with 10 % tax. */

const gateway = await gatewayForCalls()
gateway.clock.set('2027-03-01T12:00:00Z')
const shop = await openShop(gateway)

async function stored(): Promise<unknown> {
  const { rows } = await gateway.db.query(
    `select (select count(*) from reservation_version) as versions, (select count(*) from delivery) as deliveries,
            (select count(*) from change) as changes, (select count(*) from price_check) as checks,
            (select max(ari_version) from hotel) as ari`,
  )
  return rows[0]
}

const priced = ({ total, priceChecks }: Fields): unknown[] => [Object(total).afterTax, priceChecks]

test('a dry run takes, asks and sends nothing: it answers at stored prices, and says that nobody was asked', async () => {
  await pushGuestNights(shop.supplier, [90, 100], { inventory: 2 })
  const id = idOf(await shop.book())
  const url = await liveUrl(shop)
  url.answers({ before: [110, 110], after: [121, 121] })
  const left = async () => [await stored(), await unitsLeft(gateway), url.receiver.calls.length]
  const dry = async (
    call: (body: Fields) => Promise<Reply>,
    status: number,
    more: Fields,
  ): Promise<Fields> => {
    const before = await left()
    const { body } = expectStatus(await call(bookingBody('Acme', { ...more, dryRun: true })), status)
    assert.deepEqual(await left(), before)
    return body
  }
  const book = (more: Fields) => dry((body) => shop.platform.post('/booking/reservations', body), 201, more)
  const path = `/booking/reservations/${id}`
  const change = (more: Fields) => dry((body) => shop.platform.put(path, body), 200, more)
  assert.deepEqual(priced(await book({})), ['220.00', []])
  const longer = await change({ checkout: '2027-04-23' })
  const expectedTotal = { afterTax: '330.00', dueAtProperty: '0.00', currency: 'USD' }
  assert.deepEqual([...priced(longer), longer['asks']], ['330.00', [], { expectedTotal }])
  assert.deepEqual(priced(await change({ rooms: [room({ adults: 1 })] })), ['198.00', []])
  assert.deepEqual(priced(await change({ rooms: [room(), room()] })), ['440.00', []])
})
