import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openShop } from '../../../test/stage/scenes/booking.ts'
import { operatorOf, type OperatorCall } from '../../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'
import type { CalendarColumn, CalendarOfHotels } from './contract.ts'

let operator: OperatorCall
const gateway = await gatewayForTests()
before(async () => {
  operator = await operatorOf(gateway)
})

async function read(query: string): Promise<CalendarOfHotels> {
  return JSON.parse(expectOk(await operator('GET', `/calendars?${query}`)).text)
}

const nightOf = ({ from }: CalendarOfHotels, date: string): number =>
  (Date.parse(date) - Date.parse(from)) / 86_400_000

function valueAt(column: CalendarColumn | undefined, night: number): number | undefined {
  if (column === undefined) return undefined
  if (!('runs' in column)) return column[night]
  let end = 0
  for (let at = 0; at + 1 < column.runs.length; at += 2) {
    end += column.runs[at + 1] ?? 0
    if (night < end) return column.runs[at]
  }
  return undefined
}

test('hotels are folded to a line each: how many room-rates can be sold, from what price, and what is against the others', async () => {
  const { supplier } = await openShop(gateway, 'folded')
  const item = { roomId: 'DBL', date: '2027-04-02', rates: [{ rateId: 'BAR', closed: true }] }
  const soldOut = { roomId: 'DBL', date: '2027-04-03', inventory: 0 }
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: [item, soldOut] }))
  const answer = await read('search=folded')
  const [hotel] = answer.hotels
  assert.ok(hotel)
  const on = (date: string) => {
    const night = nightOf(answer, date)
    return [hotel.sellable, hotel.price, hotel.unsellable].map((column) => valueAt(column, night))
  }
  assert.deepEqual([answer.hotels.length, hotel.code, hotel.roomRates, answer.nextCursor], [1, 'H1', 2, null])
  assert.deepEqual(on('2027-04-01'), [2, 8000, 0])
  assert.deepEqual(on('2027-04-02'), [1, 8000, 32])
  assert.deepEqual(on('2027-04-03'), [0, -1, 2])
})

test('pages follow the names of hotels, a chosen set has no others, and an unchanged page is not sent again', async () => {
  const supplier = await gateway.supplier('paged')
  const hotels = Array.from({ length: 30 }, (_, index) => ({
    hotelId: `P${index}`,
    hotelName: `Hotel ${String(index).padStart(2, '0')}`,
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }))
  for (const hotel of hotels) expectOk(await supplier.post('/push/hotels', [hotel]))
  const first = await read('search=paged')
  const second = await read(`search=paged&cursor=${first.nextCursor}`)
  const names = [...first.hotels, ...second.hotels].map(({ name }) => name)
  assert.deepEqual([first.hotels.length, second.nextCursor], [25, null])
  assert.deepEqual(
    names,
    hotels.map(({ hotelName }) => hotelName),
  )
  const chosen = [second.hotels[1], first.hotels[3]].map((hotel) => hotel?.hotelId)
  const path = `hotelIds=${chosen.join(',')}`
  const set = await read(path)
  assert.deepEqual(
    set.hotels.map(({ name }) => name),
    ['Hotel 03', 'Hotel 26'],
  )
  const again = await operator('GET', `/calendars?${path}&since=${set.version}`)
  assert.deepEqual(again.body, { isUnchanged: true, version: set.version })
  expectOk(await supplier.post('/push/hotels', [{ ...hotels[3], hotelName: 'Hotel 03b' }]))
  const changed = await operator('GET', `/calendars?${path}&since=${set.version}`)
  assert.equal(changed.body['isUnchanged'], false)
})

test('a hotel with many room-rates ends its page sooner, and every hotel is on one', async () => {
  const supplier = await gateway.supplier('wide')
  const codes = ['W1', 'W2', 'W3']
  for (const code of codes) {
    const hotel = {
      hotelId: code,
      hotelName: `Wide ${code}`,
      currency: 'EUR',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'Europe/Paris',
    }
    expectOk(await supplier.post('/push/hotels', [hotel]))
    const products = Array.from({ length: 500 }, (_, index) => ({
      roomId: `R${index % 25}`,
      rateId: `P${Math.floor(index / 25)}`,
      roomType: 'Double',
      roomName: `R${index % 25}`,
      rateName: `P${Math.floor(index / 25)}`,
      isAvailable: true,
      occupancy: { maxOccupancy: 2 },
    }))
    expectOk(await supplier.post('/push/products', { hotelId: code, products }))
  }
  const first = await read('search=wide')
  const second = await read(`search=wide&cursor=${first.nextCursor}`)
  assert.deepEqual(
    [first, second].map(({ hotels }) => hotels.map(({ code }) => code)),
    [['W1', 'W2'], ['W3']],
  )
})

test('a wrong supplier, set, party or cursor is named, and no other hotel is shown instead', async () => {
  const cases: [string, string][] = [
    ['supplierId=x', 'INVALID_PARAMETER'],
    ['hotelIds=7,x', 'INVALID_PARAMETER'],
    [`hotelIds=${Array.from({ length: 26 }, (_, index) => index + 1).join(',')}`, 'INVALID_PARAMETER'],
    ['adults=0', 'INVALID_PARTY'],
    ['cursor=x', 'INVALID_CURSOR'],
  ]
  for (const [query, type] of cases) {
    const { status, body } = await operator('GET', `/calendars?${query}`)
    assert.deepEqual([status, Object(body['errors'])[0].type], [400, type], query)
  }
  assert.deepEqual((await read('hotelIds=2000000000')).hotels, [])
  assert.deepEqual((await read('search=...')).hotels, [])
})
