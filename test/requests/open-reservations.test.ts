import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expectStatus, idOf, openShop, room, type Shop } from '../stage/scenes/booking.ts'
import { operatorOf, type OperatorCall } from '../stage/scenes/calendar.ts'
import { gatewayForTests } from '../stage/harness.ts'
import { expectOk, product, storyHotel } from '../stage/story.ts'

/** What is taken off sale cancels no reservation, and says how many there are and from when: RESERVATIONS_AFFECTED. */

const gateway = await gatewayForTests({ now: '2027-04-10T10:00:00Z' })
let operator: OperatorCall
before(async () => {
  operator = await operatorOf(gateway)
})

const days = { startDate: '2027-04-10', endDate: '2027-04-30', inventory: 9 }

/**
 * Open: one of BAR from 20 April, one of two rooms (BAR, NRF) from 15 April, and one of NRF whose guest leaves tomorrow.
 * Besides, one that was cancelled.
 */
async function booked(name: string): Promise<Shop> {
  const shop = await openShop(gateway, name, days)
  const stay = async (checkin: string, checkout: string, ...rates: string[]) =>
    idOf(await shop.book({ checkin, checkout, rooms: rates.map((rateId) => room({ rateId })) }))
  await stay('2027-04-20', '2027-04-22', 'BAR')
  await stay('2027-04-15', '2027-04-16', 'BAR', 'NRF')
  await stay('2027-04-10', '2027-04-11', 'NRF')
  const given = await stay('2027-04-12', '2027-04-13', 'BAR')
  expectOk(await shop.platform.post(`/booking/reservations/${given}/cancel`, undefined))
  return shop
}

async function warned({ supplier }: Shop, path: string, body: object): Promise<string[][]> {
  const { body: told } = expectOk(await supplier.post(path, body))
  return Object(told['warnings'])
    .filter(({ type }: Record<string, string>) => type === 'RESERVATIONS_AFFECTED')
    .map(({ path: at, message }: Record<string, string>) => [at, message])
}

const products = (...all: object[]) => ({ hotelId: 'H1', products: all })
const archived = (rateId: string) => product('DBL', rateId, { isAvailable: false })

test('a hotel that is closed by isAvailable says how many reservations stand, and from when', async () => {
  const shop = await booked('Closed hotel')
  const push = (more: object) => warned(shop, '/push/hotels', [storyHotel({ ...more })])
  assert.deepEqual(await push({ isAvailable: false }), [
    ['/0/isAvailable', '3 open reservations stand, the first arrival on 2027-04-10'],
  ])
  // It is closed already, and opening it takes nothing off sale.
  assert.deepEqual(await push({ isAvailable: false, hotelName: 'Sea' }), [])
  assert.deepEqual(await push({ hotelName: 'Sea' }), [])
  const { body } = expectOk(await shop.supplier.get('/push/log?problem=RESERVATIONS_AFFECTED'))
  assert.equal(Object(body['pushes']).length, 1)
})

test('a hotel whose currency changes says how many reservations keep the former one', async () => {
  const shop = await booked('Other currency')
  assert.deepEqual(await warned(shop, '/push/hotels', [storyHotel({ currency: 'EUR' })]), [
    ['/0/currency', '3 open reservations stand, the first arrival on 2027-04-10'],
  ])
})

test('a product that is archived says how many reservations of its room and rate stand, and from when', async () => {
  const shop = await booked('Archived')
  const both = products(archived('BAR'), archived('NRF'))
  assert.deepEqual(await warned(shop, '/push/products', both), [
    ['/products/0/isAvailable', '2 open reservations stand, the first arrival on 2027-04-15'],
    ['/products/1/isAvailable', '2 open reservations stand, the first arrival on 2027-04-10'],
  ])
  assert.deepEqual(await warned(shop, '/push/products', both), [])
})

test('guests who have left are none, and where nobody is booked nothing is said', async () => {
  const shop = await booked('Over')
  gateway.clock.set('2027-04-20T10:00:00Z')
  assert.deepEqual(await warned(shop, '/push/products', products(archived('NRF'))), [])
  assert.deepEqual(await warned(shop, '/push/products', products(archived('BAR'))), [
    ['/products/0/isAvailable', '1 open reservation stands, the first arrival on 2027-04-20'],
  ])
  gateway.clock.set('2027-04-10T10:00:00Z')
})

test('a pushed closure warns of nothing: it is how “full” is said', async () => {
  const { supplier } = await booked('Full')
  const ari = [{ roomId: 'DBL', startDate: '2027-04-10', endDate: '2027-04-30', closed: true }]
  const { body } = expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
  assert.deepEqual([body['warnings'], Object(body['results'])[0].warnings], [undefined, undefined])
})

test('a stop-sell of an operator says how many reservations have its nights, and from when', async () => {
  await booked('Stopped')
  const { rows } = await gateway.db.query<{ id: number }>(
    `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Stopped'`,
  )
  const order = async (more: object) => {
    const body = { action: 'stop', targets: [{ roomId: 'DBL' }], reason: 'Flood', ...more }
    const told = expectOk(await operator('POST', `/hotels/${rows[0]?.id}/stop-sell`, body))
    return told.body['affected']
  }
  const whole = { from: '2027-04-10', to: '2027-04-30' }
  const three = { reservations: 3, firstArrival: '2027-04-10' }
  assert.deepEqual(await order({ ...whole, preview: true }), three)
  assert.deepEqual(await order(whole), three)
  // The guest who arrives on the 20th sleeps on the 20th and 21st.
  const one = { reservations: 1, firstArrival: '2027-04-20' }
  assert.deepEqual(await order({ from: '2027-04-21', to: '2027-04-25' }), one)
  assert.equal(await order({ from: '2027-04-22', to: '2027-04-25' }), null)
  const nrf = [{ roomId: 'DBL', rateId: 'NRF' }]
  assert.deepEqual(await order({ ...whole, targets: nrf }), { ...three, reservations: 2 })
  assert.equal(await order({ ...whole, action: 'open' }), null)
})

const priced = async ({ supplier }: Shop, line: object): Promise<void> => {
  const item = { roomId: 'DBL', startDate: '2027-04-20', endDate: '2027-04-30', ...line }
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: [item] }))
}

async function backOnSale({ supplier }: Shop, ...rates: string[]): Promise<string[][]> {
  const sold = rates.map((rateId) => product('DBL', rateId))
  const { body } = expectOk(await supplier.post('/push/products', products(...sold)))
  return Object(body['warnings']).map(({ type, path, message }: Record<string, string>) => [
    type,
    path,
    message,
  ])
}

test('an archived product that comes back says when the newest of its prices was pushed', async () => {
  gateway.clock.set('2027-04-01T10:00:00Z')
  const shop = await openShop(gateway, 'Back', { startDate: '2027-04-10', endDate: '2027-04-19' })
  gateway.clock.set('2027-04-04T10:00:00Z')
  await priced(shop, { rates: [{ rateId: 'BAR', price: 120 }] })
  gateway.clock.set('2027-04-10T10:00:00Z')
  await priced(shop, { inventory: 3, rates: [{ rateId: 'BAR', minLengthStay: 2 }] })
  expectStatus(await shop.supplier.post('/push/products', products(archived('BAR'), archived('NRF'))), 200)
  const old = (path: string, day: string, ago: number) => [
    'PRICES_OLD',
    path,
    `On sale again at the stored prices: the newest was pushed on ${day}, ${ago} days ago`,
  ]
  assert.deepEqual(await backOnSale(shop, 'BAR', 'NRF'), [
    old('/products/0/isAvailable', '2027-04-04', 6),
    old('/products/1/isAvailable', '2027-04-01', 9),
  ])
  assert.deepEqual(await backOnSale(shop, 'BAR', 'NRF'), [], 'they are on sale')
  expectOk(await shop.supplier.post('/push/products', products(archived('NRF'))))
  gateway.clock.set('2027-04-20T10:00:00Z')
  assert.deepEqual(await backOnSale(shop, 'NRF'), [], 'its prices are of nights that are past')
  gateway.clock.set('2027-04-10T10:00:00Z')
})
