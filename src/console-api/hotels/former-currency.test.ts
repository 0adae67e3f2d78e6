import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { cityTax } from '../../../test/stage/scenes/offers.ts'
import { expectOk, storyHotel } from '../../../test/stage/story.ts'
import type { CalendarCell } from '../calendar/contract.ts'
import type { HotelPage } from './contract.ts'

/** What operators see of a hotel that has changed its currency. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })

test('amounts of a former currency are marked on the page of the hotel, in its checklist and in its calendar', async () => {
  const { supplier } = await openShop(gateway, 'Acme')
  const viewer = await gateway.operator('viewer')
  const taxes = [{ ...cityTax, value: 3.5, appliedPer: 'per_room_per_night', payNow: true }]
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const { body: listed } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const id = String(Object(listed['hotels'])[0].platformHotelId)
  const seen = async (): Promise<unknown> => {
    const page: HotelPage = JSON.parse(expectOk(await viewer.get(`/hotels/${id}`)).text)
    const path = `/hotels/${id}/calendar/cell?room=DBL&rate=BAR&night=2027-04-20`
    const cell: CalendarCell = JSON.parse(expectOk(await viewer.get(path)).text)
    return {
      steps: page.checklist.flatMap(({ step, status, reason }) => (reason ? [[step, status, reason]] : [])),
      taxes: page.taxes.flatMap((scope) =>
        scope.taxes.map(({ value, formerCurrency }) => [Number(value), formerCurrency]),
      ),
      prices: cell.values.flatMap(({ field, value, isFormerCurrency }) =>
        field === 'price' && value !== null ? [[value, isFormerCurrency]] : [],
      ),
    }
  }
  assert.deepEqual(await seen(), {
    steps: [],
    taxes: [[3.5, undefined]],
    prices: [['100.00', undefined]],
  })
  expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'EUR' })]))
  assert.deepEqual(await seen(), {
    steps: [['taxes', 'missing', 'FORMER_CURRENCY']],
    taxes: [[3.5, 'USD']],
    prices: [['100.00', true]],
  })
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
  const rates = [{ rateId: 'BAR', price: 90 }]
  const ari = [{ roomId: 'DBL', date: '2027-04-20', rates }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  assert.deepEqual(await seen(), {
    steps: [],
    taxes: [[3.5, undefined]],
    prices: [['90.00', undefined]],
  })
})
