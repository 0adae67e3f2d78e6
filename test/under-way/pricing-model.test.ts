import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../stage/harness.ts'
import { expectStatus, idOf, room } from '../stage/scenes/booking.ts'
import { expectOk } from '../stage/story.ts'
import {
  adults,
  bar,
  bodyOf,
  gatewayUnderWay,
  pushAri,
  underWay,
  type Fields,
  type UnderWay,
} from '../stage/under-way/hotel.ts'
import { offerOf, stateOf } from '../stage/under-way/state.ts'

/** Prices for guests that are replaced by a price for the room from 20 April on, while everything is under way. */

const gateway = await gatewayUnderWay()
gateway.app.startBulk()

const nights = { startDate: '2027-04-20', endDate: '2027-04-30' }
const pushUnit = async (way: UnderWay, price: number, more: Fields = {}): Promise<Reply> =>
  pushAri(
    way,
    { ...nights, rates: [{ rateId: 'BAR', price }] },
    { pricingModel: 'unit', sequence: 13, ...more },
  )

test('the prices of some nights change their model: they are replaced whole, and what was booked stays as it was', async () => {
  const way = await underWay(gateway)
  const before = await stateOf(way)
  expectOk(await pushUnit(way, 100))
  const after = await stateOf(way)
  const later = Object(after.prices).filter(
    ({ startDate, rates }: Fields) => rates !== undefined && String(startDate) >= '2027-04-20',
  )
  assert.deepEqual(
    later.map(({ startDate, endDate, rates }: Fields) => [startDate, endDate, Object(rates)[0]]),
    [
      [
        '2027-04-20',
        '2027-04-30',
        { rateId: 'BAR', minLengthStay: 2, pricingModel: 'unit', prices: [{ amount: 100 }] },
      ],
    ],
  )
  const { inv, res, pri } = Object(before.digest)
  assert.notEqual(Object(after.digest).pri, pri)
  assert.deepEqual(after, {
    ...before,
    prices: after.prices,
    holds: [],
    undo: [409, { cellsChanged: 0, conflicts: 1, inventoryLeftOut: 0, pastNights: 0 }],
    offer: ['220.00', 'RO', [{ from: '2027-04-18T18:00:00+02:00', amount: '110.00' }]],
    priceCheck: ['supplier_error', true, 'USD', ['110.00', '110.00']],
    digest: { inv, res, pri: Object(after.digest).pri },
    exported: after.exported,
    history: [200, ...Object(after.history).slice(1)],
    feed: ['ari'],
  })
  assert.match(String(after.exported), /"pricingModel":"unit"/)
  const changes = Object(after.history).slice(1, 5)
  assert.deepEqual(changes.map((values: unknown) => JSON.stringify(values)).sort(), [
    '[111,null]',
    '[15,null]',
    '[90,null]',
    '[null,100]',
  ])
  assert.deepEqual(await offerOf(way, { checkin: '2027-04-18', checkout: '2027-04-20' }), [
    '275.00',
    'RO',
    [{ from: '2027-04-16T18:00:00+02:00', amount: '137.50' }],
  ])
})

test('an older push in the former model is superseded, and an undo of the change brings the former prices back', async () => {
  const way = await underWay(gateway)
  const before = Object(await stateOf(way))
  const { revision } = Object(expectOk(await pushUnit(way, 100)).body)
  const older = expectOk(await pushAri(way, { date: '2027-04-20', ...bar(adults(2, 120)) }, { sequence: 12 }))
  assert.equal(Object(older.body['results'])[0].status, 'superseded')
  expectOk(await way.supplier.post('/push/undo', { hotelId: 'H1', revision }))
  const { prices, digest, offer, exported } = await stateOf(way)
  assert.deepEqual(
    { prices, digest, offer, exported },
    { prices: before.prices, digest: before.digest, offer: before.offer, exported: before.exported },
  )
})

test('a reservation that gives up a guest pays the lower price of the new model, and what it keeps is as booked', async () => {
  const way = await underWay(gateway)
  expectOk(await pushUnit(way, 100))
  const put = async (more: Fields): Promise<unknown> => {
    const path = `/booking/reservations/${way.reservationId}`
    expectOk(await way.platform.put(path, bodyOf(way.supplier, more)))
    return Object(expectOk(await way.platform.get(path)).body['reservation']).total.afterTax
  }
  assert.equal(await put({ checkout: '2027-04-21' }), '137.50')
  assert.equal(await put({ checkout: '2027-04-21', rooms: [room({ adults: 2 })] }), '110.00')
})

test('while the supplier is asked about a booking the model changes: the same total is booked, another is not', async () => {
  const way = await underWay(gateway)
  const amounts = { amountBeforeTax: [125, 125], amountAfterTax: [137.5, 137.5] }
  const answering = (price: number, sequence: number) => async (): Promise<[number, unknown]> => {
    expectOk(await pushUnit(way, price, { sequence }))
    return [200, { roomRate: { roomId: 'DBL', rateId: 'BAR', currency: 'USD', inventory: 9, ...amounts } }]
  }
  const book = () => way.platform.post('/booking/reservations', bodyOf(way.supplier))
  way.live.answer = answering(125, 13)
  idOf(await book())
  way.live.answer = answering(124, 14)
  const { errors, total } = Object(expectStatus(await book(), 409).body)
  assert.deepEqual([errors[0].type, total.afterTax], ['PRICE_CHANGED', '272.80'])
})
