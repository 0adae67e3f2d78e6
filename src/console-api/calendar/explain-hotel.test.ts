import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk, product } from '../../../test/stage/story.ts'
import type { ExplainedHotel } from './explain-contract.ts'

const gateway = await gatewayForTests()

test('one stay is explained at every room-rate: totals of those that can be booked, failed rules with their push of the others', async () => {
  const operator = await operatorOf(gateway)
  const { supplier } = await openShop(gateway, 'whole hotel')
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF'), product('TWN', 'BAR')]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const ari = [
    { roomId: 'DBL', date: '2027-04-10', rates: [{ rateId: 'BAR', minStayArrival: 3 }] },
    { roomId: 'TWN', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 1 },
    { roomId: 'TWN', date: '2027-04-11', closed: true },
  ]
  const sent = { hotelId: 'H1', pricingModel: 'unit', ari }
  expectOk(await supplier.post('/push/ari', sent, { 'x-request-id': 'narrowed' }))
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const hotel = Number(Object(body['hotels'])[0].platformHotelId)

  const stay = { checkin: '2027-04-10', checkout: '2027-04-12', rooms: [{ adults: 2 }] }
  const reply = expectOk(await operator('POST', `/hotels/${hotel}/explain-all`, stay))
  const explained: ExplainedHotel = JSON.parse(reply.text)
  assert.deepEqual(
    explained.roomRates.map(({ roomId, rateId, total, unitsLeft, rules, nearest }) => ({
      roomRate: `${roomId}/${rateId}`,
      total,
      unitsLeft,
      rules: rules.map(({ rule, of, dates, setBy }) => ({
        rule,
        of,
        dates,
        setBy: setBy?.by === 'push' ? [setBy.requestId, setBy.item] : setBy,
      })),
      nearest: nearest?.change ?? null,
    })),
    [
      {
        roomRate: 'DBL/BAR',
        total: null,
        unitsLeft: null,
        rules: [{ rule: 'minStayArrival', of: undefined, dates: ['2027-04-10'], setBy: ['narrowed', 0] }],
        nearest: '3 nights instead of 2',
      },
      { roomRate: 'DBL/NRF', total: '176.00', unitsLeft: 2, rules: [], nearest: null },
      {
        roomRate: 'TWN/BAR',
        total: null,
        unitsLeft: null,
        rules: [
          { rule: 'price', of: undefined, dates: ['2027-04-10', '2027-04-11'], setBy: null },
          { rule: 'closed', of: 'room', dates: ['2027-04-11'], setBy: ['narrowed', 2] },
        ],
        nearest: null,
      },
    ],
  )
  assert.deepEqual([explained.currency, explained.roomRateCount], ['USD', 3])
})

test('a wrong stay is refused with the member at fault, and an unknown hotel is not found', async () => {
  const operator = await operatorOf(gateway)
  const stay = { checkin: '2027-04-12', checkout: '2027-04-12', rooms: [{ adults: 2 }] }
  const wrong = await operator('POST', '/hotels/1/explain-all', stay)
  assert.deepEqual([wrong.status, Object(wrong.body['errors'])[0].type], [400, 'DATES_REVERSED'])
  const unknown = await operator('POST', '/hotels/77777/explain-all', { ...stay, checkout: '2027-04-13' })
  assert.deepEqual([unknown.status, Object(unknown.body['errors'])[0].type], [404, 'HOTEL_NOT_FOUND'])
})
