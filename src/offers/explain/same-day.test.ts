import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  pushNights,
  room,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import type { Hotel } from '../../../test/stage/scenes/offers.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** Guests who arrive today, by the hotel's date. */

const today = '2027-03-01'
const tomorrow = '2027-03-02'
const gateway = await gatewayForTests({ now: `${today}T12:00:00Z` })
const shop = await openShop(gateway)
await pushNights(shop.supplier, { startDate: today, endDate: '2027-03-31' })
const { hotel } = bookingBody('Acme')

async function find(stay: object): Promise<Hotel> {
  const body = { hotels: [hotel], rooms: [{ adults: 2 }], explain: true, ...stay }
  return Object(expectOk(await shop.platform.post('/booking/offers', body)).body)['hotels'][0]
}

test('a stay from today on is offered, booked, changed and cancelled', async () => {
  const stay = { checkin: today, checkout: tomorrow }
  const { offers, unavailable } = await find(stay)
  assert.deepEqual([offers.map(({ rateId }) => rateId), unavailable], [['BAR', 'NRF'], []])
  const path = `/booking/reservations/${idOf(await shop.book(stay))}`
  expectStatus(
    await shop.platform.put(path, bookingBody('Acme', { ...stay, rooms: [room({ adults: 1 })] })),
    200,
  )
  expectOk(await shop.platform.post(`${path}/cancel`, {}))
})

test('of a stay from today on that is refused, the date of arrival isn’t the reason', async () => {
  const stay = { checkin: today, checkout: '2027-03-04' }
  const { unavailable } = await find({ ...stay, rooms: [{ adults: 2 }, { adults: 2 }, { adults: 2 }] })
  const rules = unavailable.map((one) => one.rules.filter(({ rule }) => rule === 'arrivalDate'))
  const kept = { rule: 'arrivalDate', pass: true, dates: [today], held: today, asked: today }
  assert.deepEqual(rules, [[kept], [kept]])
})

test('the nearest stay may be one from today on', async () => {
  const closed = { startDate: tomorrow, endDate: '2027-03-31', inventory: undefined, closed: true }
  await pushNights(shop.supplier, closed)
  const { unavailable } = await find({ checkin: tomorrow, checkout: '2027-03-03' })
  assert.deepEqual(
    unavailable.map(({ nearest }) => [nearest?.['checkin'], nearest?.['checkout']]),
    [
      [today, tomorrow],
      [today, tomorrow],
    ],
  )
})
