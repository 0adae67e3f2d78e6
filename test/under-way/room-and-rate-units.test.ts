import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '../../src/base/log.ts'
import { telemetry } from '../../src/base/telemetry.ts'
import { watchOnce } from '../../src/alerts/watch/watch.ts'
import {
  changeAsAsked,
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  type Shop,
} from '../stage/scenes/booking.ts'
import { gatewayForCalls, liveUrl, type Fields } from '../stage/under-way/calls.ts'
import type { Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** A room's number of units comes beside those of its rates, or goes: what that meets. */

const gateway = await gatewayForCalls()

const nights = { startDate: '2027-04-20', endDate: '2027-04-22' }

let shops = 0
/** DBL with BAR and NRF, whose numbers are in the order room, BAR, NRF; null: none. */
async function counted(...units: (number | null)[]): Promise<Shop> {
  const shop = await openShop(gateway, `units ${++shops}`)
  await push(shop, units)
  return shop
}

type Units = readonly (number | null | undefined)[]

/** Absent numbers stay. Returns the revision. */
async function push({ supplier }: Shop, [room, bar, nrf]: Units, more: Fields = {}): Promise<number> {
  const rates = [
    { rateId: 'BAR', inventory: bar },
    { rateId: 'NRF', inventory: nrf },
  ].filter(({ inventory }) => inventory !== undefined)
  const ari = [{ roomId: 'DBL', ...nights, inventory: room, ...(rates.length > 0 ? { rates } : {}) }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari, ...more }))
  return Number(body['revision'])
}

/** The units that each rate can be booked with. */
async function forSale({ supplier, platform }: Shop): Promise<Fields> {
  const { hotel, checkin, checkout } = bookingBody(supplier.name)
  const search = { hotels: [hotel], checkin, checkout, rooms: [{ adults: 2 }] }
  const { body } = expectOk(await platform.post('/booking/offers', search))
  const offers: Fields[] = Object(body['hotels'])[0].offers
  return Object.fromEntries(offers.map(({ rateId, unitsLeft }) => [rateId, unitsLeft]))
}

const undo = ({ supplier }: Shop, revision: number): Promise<Reply> =>
  supplier.post('/push/undo', { hotelId: 'H1', revision, fields: ['inventory'] })

async function undone(shop: Shop, revision: number): Promise<[changed: unknown, leftOut: unknown]> {
  const { summary } = expectOk(await undo(shop, revision)).body
  const { cellsChanged, inventoryLeftOut } = Object(summary)
  return [cellsChanged, inventoryLeftOut]
}

test('an undo takes no number away where that lets more be sold', async () => {
  const room = await counted(null, 9, 5)
  const limited = await push(room, [2])
  assert.deepEqual(await forSale(room), { BAR: 2, NRF: 2 })
  assert.deepEqual([await undone(room, limited), await forSale(room)], [[0, 3], { BAR: 2, NRF: 2 }])

  const rate = await counted(9, null, null)
  const share = await push(rate, [undefined, 2])
  assert.deepEqual(await forSale(rate), { BAR: 2, NRF: 9 })
  assert.deepEqual([await undone(rate, share), await forSale(rate)], [[0, 3], { BAR: 2, NRF: 9 }])
})

test('an undo takes a number away where nothing more is sold then', async () => {
  const first = await counted(null, null, null)
  const both = await push(first, [2, 5])
  assert.deepEqual([await undone(first, both), await forSale(first)], [[6, 0], {}])

  const above = await counted(null, 3, null)
  const more = await push(above, [7])
  assert.deepEqual(await forSale(above), { BAR: 3, NRF: 7 })
  assert.deepEqual([await undone(above, more), await forSale(above)], [[3, 0], { BAR: 3 }])
})

test('each number has the sequence of its own pushes, cleared or set', async () => {
  const shop = await counted(9, 9, 9)
  await push(shop, [null], { sequence: 5 })
  await push(shop, [3, 4, 5], { sequence: 4 })
  assert.deepEqual(await forSale(shop), { BAR: 4, NRF: 5 })
})

test('what is held of one number stays while the other comes or goes, and ends with its own', async () => {
  const shop = await counted(2, null, null)
  const { supplier } = shop
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  const raise = { hotelId: 'H1', ari: [{ roomId: 'DBL', ...nights, inventory: 50 }] }
  const open = async (): Promise<number> =>
    Object(expectOk(await supplier.post('/push/guard/holds', { hotelId: 'H1' })).body['holds']).length
  expectStatus(await supplier.post('/push/ari', raise), 207)
  await push(shop, [undefined, 1])
  assert.deepEqual([await open(), await forSale(shop)], [1, { BAR: 1, NRF: 2 }])
  expectOk(await supplier.post('/push/guard/release', { hotelId: 'H1' }))
  assert.deepEqual(await forSale(shop), { BAR: 1, NRF: 50 })
  await push(shop, [2])
  expectStatus(await supplier.post('/push/ari', raise), 207)
  await push(shop, [null])
  assert.deepEqual([await open(), await forSale(shop)], [0, { BAR: 1 }])
})

test('a number that goes is never held, and the guard warns where more is sold then than a rule allows', async () => {
  const shop = await counted(2, 50, null)
  const { supplier } = shop
  const rules = [{ kind: 'inventoryJump', units: 5, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  const warningsOf = ({ body }: Reply): unknown[] =>
    Object.values<Fields>(Object(Object(Object(body['results'])[0])['warnings'])).map(
      ({ type, message }) => `${String(type)}: ${String(message)}`,
    )
  const send = (sent: Fields) =>
    supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'DBL', ...nights, ...sent }] })
  assert.deepEqual(warningsOf(expectOk(await send({ inventory: null }))), [
    'GUARD_WARNING: 3 nights: inventoryJump, for example from 2 to 50 (bound 7)',
  ])
  assert.deepEqual(await forSale(shop), { BAR: 50 })
  await push(shop, [20, 18])
  assert.deepEqual(warningsOf(expectOk(await send({ rates: [{ rateId: 'BAR', inventory: null }] }))), [])
  await push(shop, [20, 3])
  const own = expectOk(await send({ rates: [{ rateId: 'BAR', inventory: null }] }))
  assert.deepEqual(warningsOf(own), [
    'GUARD_WARNING: 3 nights: inventoryJump, for example from 3 to 20 (bound 8)',
  ])
})

test('a number that goes during a price check is judged by what counts when it is booked', async () => {
  const shop = await counted(2, 0, null)
  const url = await liveUrl(shop)
  await push(shop, [undefined, null])
  const { answer, letGo } = await url.held(() => shop.book())
  await push(shop, [null, 0])
  letGo()
  assert.equal(expectStatus(await answer, 409).body['message'], 'Sold out')
  await push(shop, [null, 1])
  idOf(await shop.book())
  assert.deepEqual(await forSale(shop), {})
})

test('a reservation keeps its unit when the number that it was taken from goes, and gives none back', async () => {
  const shop = await counted(1, null, null)
  const id = idOf(await shop.book())
  await push(shop, [null, 1, 1])
  const body = bookingBody(shop.supplier.name, { customer: { firstName: 'Grace', lastName: 'Hopper' } })
  expectOk(await shop.platform.put(`/booking/reservations/${id}`, body))
  assert.deepEqual(await forSale(shop), { BAR: 1, NRF: 1 })
  const longer = { ...body, checkout: '2027-04-23' }
  expectOk(await changeAsAsked(shop.platform, id, longer))
  assert.deepEqual(await forSale(shop), { BAR: 1, NRF: 1 })
  const third = { checkin: '2027-04-22', checkout: '2027-04-23' }
  assert.equal(expectStatus(await shop.book(third), 409).body['message'], 'Sold out')
  expectOk(await shop.platform.post(`/booking/reservations/${id}/cancel`, {}))
  assert.equal(expectStatus(await shop.book(third), 409).body['message'], 'Sold out')
})

test('the alert of too few nights for sale goes by the smaller number', async () => {
  const shop = await counted(1, null, null)
  const { supplier } = shop
  const range = { startDate: '2027-04-01', endDate: '2027-05-20' }
  const rates = (inventory: number | null) => [
    { rateId: 'BAR', price: 100, inventory },
    { rateId: 'NRF', closed: true },
  ]
  const pushed = async (room: number | null, bar: number | null): Promise<unknown[]> => {
    const ari = [{ roomId: 'DBL', ...range, inventory: room, rates: rates(bar) }]
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
    const { db, clock } = gateway
    await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
    const kinds = { kinds: ['coverage.low'], states: ['open'], hotelId: 'H1' }
    return Object(expectOk(await supplier.post('/push/alerts', kinds)).body)['alerts']
  }
  const found: number[] = []
  for (const [room, bar] of [
    [null, null],
    [1, null],
    [1, 0],
    [null, 1],
  ])
    found.push((await pushed(room ?? null, bar ?? null)).length)
  assert.deepEqual(found, [1, 0, 1, 0])
})
