import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { idOf, openShop, pushNights, room } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'
import { numbersRowsMax, type Numbers } from './contract.ts'

const gateway = await gatewayForTests()
let viewer: TestOperator
before(async () => {
  const acme = await openShop(gateway, 'Acme', { inventory: 99 })
  const beta = await openShop(gateway, 'Beta', { inventory: 99 })
  await pushStoryHotel(acme.supplier, { hotelId: 'H2', currency: 'JPY' })
  const nights = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 9 }
  const ari = [{ ...nights, rates: [{ rateId: 'BAR', price: 15_000 }] }]
  expectOk(await acme.supplier.post('/push/ari', { hotelId: 'H2', pricingModel: 'unit', ari }))
  await pushNights(beta.supplier, { startDate: '2027-05-01', endDate: '2027-05-03' })

  gateway.clock.set('2027-03-01T00:00:00Z')
  idOf(await acme.book())
  idOf(await acme.book({ checkin: '2027-04-02', checkout: '2027-04-05', rooms: [room(), room()] }))
  idOf(await acme.book({ hotel: { supplier: 'Acme', hotelId: 'H2' } }))
  const cancelled = idOf(await acme.book())
  expectOk(await acme.platform.post(`/booking/reservations/${cancelled}/cancel`, {}))
  gateway.clock.set('2027-03-31T23:30:00Z')
  idOf(await beta.book({ checkin: '2027-05-01', checkout: '2027-05-03' }))
  gateway.clock.set('2027-04-01T00:00:00Z')
  const onlyCancelled = idOf(await beta.book({ checkin: '2027-04-30', checkout: '2027-05-01' }))
  expectOk(await beta.platform.post(`/booking/reservations/${onlyCancelled}/cancel`, {}))
  viewer = await gateway.operator('viewer')
})

const numbers = async (query = ''): Promise<Numbers> =>
  Object(expectOk(await viewer.get(`/numbers${query}`)).body)['numbers']

/** Supplier, currency, bookings, cancelled ones, room nights, value. */
async function rowsOf(query: string): Promise<unknown[]> {
  const { rows } = await numbers(query)
  return rows.map((row) => [
    row.supplier,
    row.currency,
    row.bookings,
    row.cancelled,
    row.roomNights,
    row.afterTax,
  ])
}

const acmeRows = [
  ['Acme', 'JPY', 1, 0, 2, '30000'],
  ['Acme', 'USD', 2, 1, 8, '880.00'],
]

test('a month counts what was booked in it, in UTC, by supplier and currency', async () => {
  assert.deepEqual(await rowsOf('?month=2027-03'), [...acmeRows, ['Beta', 'USD', 1, 0, 2, '220.00']])
  assert.deepEqual(await rowsOf('?month=2027-04&by=booked'), [['Beta', 'USD', 0, 1, 0, '0.00']])
})

test('it also counts by the month of arrival', async () => {
  assert.deepEqual(await rowsOf('?month=2027-04&by=arrival'), [...acmeRows, ['Beta', 'USD', 0, 1, 0, '0.00']])
  assert.deepEqual(await rowsOf('?month=2027-05&by=arrival'), [['Beta', 'USD', 1, 0, 2, '220.00']])
  assert.deepEqual(await rowsOf('?month=2027-03&by=arrival'), [])
})

test('without a month it is the last complete one, by booking', async () => {
  const { rows, ...rest } = await numbers()
  assert.equal(rows.length, 3)
  assert.deepEqual(rest, { month: '2027-03', by: 'booked', hasMore: false, firstMonth: null })
})

test('a month without reservations has no rows and names the first month that has some', async () => {
  const none = { rows: [], hasMore: false }
  assert.deepEqual(await numbers('?month=2027-01'), {
    ...none,
    month: '2027-01',
    by: 'booked',
    firstMonth: '2027-03',
  })
  assert.deepEqual(await numbers('?month=2027-01&by=arrival'), {
    ...none,
    month: '2027-01',
    by: 'arrival',
    firstMonth: '2027-04',
  })
})

test('one supplier is counted alone, and its rows lead to the same reservations', async () => {
  const { rows } = await numbers('?month=2027-03')
  const { supplierId = 0 } = rows.find(({ supplier }) => supplier === 'Beta') ?? {}
  assert.deepEqual(await rowsOf(`?month=2027-03&supplierId=${supplierId}`), [
    ['Beta', 'USD', 1, 0, 2, '220.00'],
  ])
  const inMonth = `supplierId=${supplierId}&createdSince=2027-03-01&createdUntil=2027-03-31`
  const { body } = expectOk(await viewer.get(`/reservations?${inMonth}`))
  const listed: readonly { checkin: string }[] = Object(body)['reservations']
  assert.deepEqual(
    listed.map(({ checkin }) => checkin),
    ['2027-05-01'],
  )
})

test('a list beyond its limit says that it is cut, and no sum is rounded', async () => {
  await gateway.db.query(
    `with booked as (
       insert into reservation (supplier_id, hotel_id, status, version, arrival, departure, rooms, currency,
         total_after_tax, created_at, modified_at)
       select supplier_id, hotel_id, 'Confirm', 1, '2028-01-31', '2028-02-01', 1, to_char(place, 'FM0000'),
         9007199254740993, '2028-01-01', '2028-01-01'
       from (select * from reservation order by id limit 1) as one, generate_series(0, $1) as place, generate_series(1, 2)
       returning id, hotel_id
     )
     insert into reservation_version (reservation_id, hotel_id, version, status, content, at)
     select booked.id, booked.hotel_id, 1, 'Confirm', '{"minorDigits": 3}', '2028-01-01' from booked`,
    [numbersRowsMax],
  )
  const { rows, hasMore } = await numbers('?month=2028-01&by=arrival')
  assert.deepEqual([rows.length, hasMore], [numbersRowsMax, true])
  assert.deepEqual(
    [rows.at(-1)?.currency, rows.at(-1)?.afterTax],
    [String(numbersRowsMax - 1).padStart(4, '0'), '18014398509481.986'],
  )
})

test('what is no month, and what is nothing to count by, is refused', async () => {
  for (const month of ['2027-13', '2027-3', '2027', '2027-03-01', 'x']) {
    const reply = await viewer.get(`/numbers?month=${month}`)
    assert.deepEqual([month, reply.status], [month, 400])
    const message = 'month must be a month in the form YYYY-MM'
    assert.deepEqual(problemsOf(reply), [['?month', 'INVALID_PARAMETER', message]])
  }
  assert.equal((await viewer.get('/numbers?by=departure')).status, 400)
})
