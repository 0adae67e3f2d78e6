import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import type { Reply } from '../../../test/stage/harness.ts'
import { gatewayForCalls, liveUrl, type Fields } from '../../../test/stage/under-way/calls.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Nights that are added to two booked ones at 100.00, 110.00 with tax: what the supplier is asked, and what is judged. */

const gateway = await gatewayForCalls()
gateway.clock.set('2027-03-01T12:00:00Z')
const live = await openShop(gateway, 'Live', { inventory: 9 })
const url = await liveUrl(live)
let shop: Shop
before(async () => {
  shop = await openShop(gateway)
})
const cleared = {
  minLengthStay: null,
  maxLengthStay: null,
  minStayArrival: null,
  closedToArrival: null,
  closedToDeparture: null,
  minAdvanceDays: null,
}
beforeEach(() =>
  pushNights(shop.supplier, { inventory: 9, rates: [{ rateId: 'BAR', price: 100, ...cleared }] }),
)

const put = ({ platform }: Shop, id: string, body: Fields): Promise<Reply> =>
  platform.put(`/booking/reservations/${id}`, body)
const stay = (checkin: number, checkout: number) => ({
  checkin: `2027-04-${checkin}`,
  checkout: `2027-04-${checkout}`,
})

test('the supplier is asked about the added nights alone, and they have its price within its tolerance, also as delivered', async () => {
  const id = idOf(await live.book())
  const from = url.receiver.calls.length
  url.answers({ before: [100], after: [110] })
  const body = bookingBody('Live', stay(19, 23))
  const expectedTotal = { afterTax: '440.00' }
  expectOk(await put(live, id, { ...body, expectedTotal }))
  const asked = url.receiver.calls.slice(from).map(({ body: sent }) => {
    const { checkin, checkout } = JSON.parse(sent.toString())
    return `${checkin} ${checkout}`
  })
  assert.deepEqual(asked.sort(), ['2027-04-19 2027-04-20', '2027-04-22 2027-04-23'])
  expectOk(await put(live, id, bookingBody('Live')))

  const longer = bookingBody('Live', stay(20, 23))
  await setAccount(gateway.db, 'Live', { priceTolerance: '5' })
  url.answers({ before: [105], after: [115.5] })
  const within = expectOk(await put(live, id, { ...longer, expectedTotal: { afterTax: '330.00' } })).body
  assert.equal(Object(within['total']).afterTax, '330.00')
  expectOk(await put(live, id, bookingBody('Live')))
  url.answers({ before: [106], after: [116.6] })
  const refused = expectStatus(await put(live, id, { ...longer, expectedTotal: { afterTax: '330.00' } }), 409)
  const { total, expected, errors } = Object(refused.body)
  const sent = { afterTax: '330.00', currency: 'USD' }
  assert.deepEqual([errors[0].type, total.afterTax, expected], ['PRICE_CHANGED', '336.60', sent])
  const booked = { afterTax: '220.00', dueAtProperty: '0.00', currency: 'USD' }
  assert.deepEqual(expectStatus(await put(live, id, longer), 409).body['expected'], booked)
  const agreed = expectOk(await put(live, id, { ...longer, expectedTotal: { afterTax: '336.60' } })).body
  assert.deepEqual(
    Object(agreed['reservation']).rooms[0].nights.map(({ afterTax }: Fields) => afterTax),
    ['110.00', '110.00', '116.60'],
  )
  const fetched = await live.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`)
  const [reservation] = Object(expectOk(fetched).body['data'])[0].reservations.reservation
  assert.deepEqual(
    reservation.room[0].price.map(({ amount }: Fields) => amount),
    ['100.00', '100.00', '106.00'],
  )
})

test('length, arrival, departure and advance rules are judged on the whole stay, also where its dates are booked', async () => {
  const id = idOf(await shop.book())
  const rule = (more: Fields) =>
    pushNights(shop.supplier, { rates: [{ rateId: 'BAR', ...cleared, ...more }] })
  const day = (of: string, more: Fields) =>
    pushNights(shop.supplier, { startDate: of, endDate: of, rates: [{ rateId: 'BAR', ...more }] })
  const failing: [string, () => Promise<void>][] = [
    ['minLengthStay', () => rule({ minLengthStay: 4 })],
    ['maxLengthStay', () => rule({ maxLengthStay: 2 })],
    ['minStayArrival', () => day('2027-04-20', { minStayArrival: 4 })],
    ['closedToArrival', () => day('2027-04-20', { closedToArrival: true })],
    ['closedToDeparture', () => day('2027-04-23', { closedToDeparture: true })],
    ['minAdvanceDays', () => rule({ minAdvanceDays: 300 })],
  ]
  const longer = bookingBody('Acme', stay(20, 23))
  for (const [name, push] of failing) {
    await rule({})
    await push()
    const { rules } = Object(expectStatus(await put(shop, id, { ...longer, dryRun: true }), 409).body)
    assert.deepEqual([name, rules.map(({ rule: failed }: Fields) => failed)], [name, [name]])
  }
  await rule({ minLengthStay: 3 })
  await day('2027-04-22', { closedToArrival: true, closedToDeparture: true })
  expectOk(await changeAsAsked(shop.platform, id, longer))
})
