import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookingBody, openShop, type Shop } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'

/** A room's number of units comes beside those of its rates, or goes: what that meets. */

const gateway = await gatewayForTests()

type Fields = Record<string, unknown>
const nights = { startDate: '2027-04-20', endDate: '2027-04-22' }

let shops = 0
/** DBL with BAR and NRF, whose numbers are in the order room, BAR, NRF; null: none. */
async function counted(...units: (number | null)[]): Promise<Shop> {
  const shop = await openShop(gateway, `units ${++shops}`)
  await push(shop, units)
  return shop
}

/** Absent numbers stay. Returns the revision. */
async function push({ supplier }: Shop, [room, bar, nrf]: (number | null | undefined)[]): Promise<number> {
  const rates = [
    { rateId: 'BAR', inventory: bar },
    { rateId: 'NRF', inventory: nrf },
  ].filter(({ inventory }) => inventory !== undefined)
  const ari = [{ roomId: 'DBL', ...nights, inventory: room, ...(rates.length > 0 ? { rates } : {}) }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
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
