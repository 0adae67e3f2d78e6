import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, room, vat } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  adults,
  bar,
  bodyOf,
  gatewayUnderWay,
  pushAri,
  pushTaxes,
  underWay,
  type Fields,
} from '../stage/under-way/hotel.ts'
import { offerOf, stateOf } from '../stage/under-way/state.ts'

/** A hotel with 10 % VAT on top that gets other taxes, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const city = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 3,
  appliedOn: 'net',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: true,
}
const deadline = { from: '2027-04-18T18:00:00+02:00' }

test('taxes change: offers have them, and what was booked keeps its own', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  await pushTaxes(way, [{ ...vat, value: 20 }])
  assert.deepEqual(await stateOf(way), {
    ...before,
    offer: ['300.00', 'RO', [{ ...deadline, amount: '150.00' }]],
    priceCheck: ['supplier_error', true, 'USD', ['150.00', '150.00']],
    feed: ['taxes'],
  })
  await pushTaxes(way, [
    { ...vat, value: 20 },
    { ...city, startDate: '2027-04-21', endDate: '2027-04-30' },
  ])
  assert.deepEqual(await offerOf(way), ['309.00', 'RO', [{ ...deadline, amount: '150.00' }]])
  await pushTaxes(way, [])
  assert.deepEqual(await offerOf(way), ['250.00', 'RO', [{ ...deadline, amount: '125.00' }]])
})

test('a reservation that gives up nights keeps its taxes, and cancelling costs what was booked', async () => {
  const way = await underWay(gateway)
  await pushTaxes(way, [{ ...vat, value: 20 }, city])
  const path = `/booking/reservations/${way.reservationId}`
  const totals = async (more: Fields): Promise<unknown> => {
    expectOk(await way.platform.put(path, bodyOf(way.supplier, more)))
    const { total } = Object(expectOk(await way.platform.get(path)).body['reservation'])
    return [total.beforeTax, total.tax, total.afterTax]
  }
  assert.deepEqual(await totals({ checkout: '2027-04-21' }), ['125.00', '12.50', '137.50'])
  // A guest less would cost 141.00 with the taxes of now.
  assert.deepEqual(await totals({ checkout: '2027-04-21', rooms: [room({ adults: 2 })] }), [
    '125.00',
    '12.50',
    '137.50',
  ])
  gateway.clock.set('2027-04-19T12:00:00Z')
  const { body } = expectOk(await way.platform.post(`${path}/cancel`, {}))
  gateway.clock.set('2027-03-01T12:00:00Z')
  assert.equal(Object(body['penalty']).amount, '137.50')
})

test('a guest less costs today’s price with today’s taxes where that is lower', async () => {
  const way = await underWay(gateway)
  await pushTaxes(way, [{ ...vat, value: 5 }])
  const path = `/booking/reservations/${way.reservationId}`
  const couple = bodyOf(way.supplier, { rooms: [room({ adults: 2 })] })
  expectOk(await way.platform.put(path, couple))
  const { total } = Object(expectOk(await way.platform.get(path)).body['reservation'])
  assert.deepEqual([total.beforeTax, total.tax, total.afterTax], ['220.00', '11.00', '231.00'])
})

test('while the supplier is asked about a booking the taxes change: its price is asked of the guest again', async () => {
  const way = await underWay(gateway)
  const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
  way.live.answer = async () => {
    await pushTaxes(way, [{ ...vat, value: 20 }])
    return [200, { roomRate: { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, ...amounts } }]
  }
  const refused = await way.platform.post('/booking/reservations', bodyOf(way.supplier))
  const { errors, total } = Object(expectStatus(refused, 409).body)
  assert.deepEqual([errors[0].type, total.afterTax], ['PRICE_CHANGED', '300.00'])
})

test('a held price that is below the taxes of now is released as it was pushed, and not sold', async () => {
  const way = await underWay(gateway)
  await pushTaxes(way, [{ ...city, value: 20, included: true }])
  const holdIds = [way.holdId]
  expectOk(await way.supplier.post('/push/guard/release', { hotelId: 'H1', holdIds }))
  const couple = { checkin: '2027-04-26', checkout: '2027-04-28', rooms: [{ adults: 2 }] }
  assert.deepEqual(await offerOf(way, couple), ['taxes TAXES_EXCEED_PRICE'])
})

test('a price that no guard held because its taxes forbade it is told of when they end', async () => {
  const way = await underWay(gateway)
  await pushTaxes(way, [{ ...city, value: 20, included: true }])
  expectOk(await pushAri(way, { date: '2027-04-20', ...bar(adults(2, 11)) }, { sequence: 13 }))
  const { body } = await pushTaxes(way, [vat])
  assert.deepEqual(
    Object(body['warnings']).map(({ type, message }: Fields) => [type, message]),
    [
      [
        'PRICES_ON_SALE_AGAIN',
        '1 stored night can be sold again: a price was below the taxes that it included',
      ],
    ],
  )
  assert.equal(Object(await offerOf(way, { rooms: [{ adults: 2 }] }))[0], '133.10')
})
