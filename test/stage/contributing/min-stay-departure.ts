import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../scenes/booking.ts'
import { calendarOf, operatorOf } from '../scenes/calendar.ts'
import { gatewayForTests } from '../harness.ts'
import { expectOk } from '../story.ts'

/**
 * Runs in a copy of the project whose table of restrictions has an additional line, `minStayDeparture`, and
 * whose view has a column for it (proofs/packages/contributing.proof.ts). Here it fails: there is no such
 * restriction.
 */

const gateway = await gatewayForTests()

const day = { roomId: 'DBL', date: '2027-04-22', rates: [{ rateId: 'BAR', minStayDeparture: 3 }] }
/** Two nights that end on that day, then three. */
const short = { checkin: '2027-04-20', checkout: '2027-04-22' }
const long = { ...short, checkin: '2027-04-19' }

test('the restriction is pushed, read back, sold by, explained, put into words, suggested around, booked by, listed in the calendar and seen in SQL', async () => {
  const { supplier, platform, book } = await openShop(gateway)
  const pushed = expectOk(
    await supplier.post(
      '/push/ari',
      { hotelId: 'H1', echo: true, ari: [day] },
      { 'x-unknown-fields': 'reject' },
    ),
  )
  assert.match(pushed.text, /day 22 Apr 2027: guests departing on this day stay at least 3 nights;/)
  assert.equal(pushed.body['warnings'], undefined, pushed.text)

  const asked = { hotelId: 'H1', startDate: day.date, endDate: day.date }
  const read = expectOk(await supplier.post('/push/getAri', asked))
  assert.match(read.text, /"minStayDeparture":3/)

  const search = { hotels: [{ supplier: 'Acme', hotelId: 'H1' }], rooms: [{ adults: 2 }], explain: true }
  const [refused, sold] = await Promise.all(
    [short, long].map(async (stay) => {
      const { body } = expectOk(await platform.post('/booking/offers', { ...search, ...stay }))
      return Object(body['hotels'])[0]
    }),
  )
  const isBar = ({ rateId }: { rateId: string }) => rateId === 'BAR'
  const { rules, nearest } = refused.unavailable.find(isBar)
  const { setBy, ...rule } = rules[0]
  assert.deepEqual(rule, {
    rule: 'minStayDeparture',
    pass: false,
    dates: [day.date],
    held: 3,
    asked: 2,
  })
  assert.equal(setBy.requestId, pushed.body['requestId'])
  assert.match(nearest.change, /\S/)
  assert.ok(sold.offers.some(isBar))

  const refusal = await book(short)
  assert.equal(refusal.status, 409, refusal.text)
  assert.match(refusal.text, /"minStayDeparture"/)
  assert.equal((await book(long)).status, 201)

  const operator = await operatorOf(gateway)
  const hotels = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const hotelId = Number(/"platformHotelId":"(\d+)"/.exec(hotels.text)?.[1])
  const calendar = await calendarOf(operator, hotelId, day.date, day.date)
  assert.match(JSON.stringify(calendar), /"minStayDeparture":\[3\]/)

  const { rows } = await gateway.db.query(
    'select min_stay_departure from ari_night where night = $1 and rate_no > 0 and min_stay_departure is not null',
    [day.date],
  )
  assert.deepEqual(rows, [{ min_stay_departure: 3 }])
})
