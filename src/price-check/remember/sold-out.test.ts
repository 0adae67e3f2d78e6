import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus, room } from '../../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../../test/stage/scenes/calendar.ts'
import {
  gatewayForLiveAnswers,
  liveShop,
  platformAt,
  soldOut,
  twoNights,
  type Fields,
} from '../../../test/stage/scenes/live-answers.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { deletePastAnswers } from './store.ts'

/** What a supplier said is sold out is not offered to the next guest. */

const gateway = await gatewayForLiveAnswers()
const adults2 = { adults: 2 }
const minute = 60_000

test('a stay that a price check found sold out is not offered, for its room-rate, dates and rooms', async () => {
  const shop = await liveShop(gateway, 'sold out')
  shop.says(soldOut)
  assert.equal((await shop.check({ roomCount: 2 })).body['outcome'], 'sold_out')
  await shop.untilForgone({ rooms: [adults2, adults2] })
  const rates = async (more: Fields): Promise<string[]> => Object.keys(await shop.offers(more))
  // More rooms can't be had where fewer can't.
  assert.deepEqual(await rates({ rooms: [adults2, adults2] }), ['DBL/NRF'])
  assert.deepEqual(await rates({ rooms: [adults2, { adults: 1 }, adults2] }), ['DBL/NRF'])
  const others = [
    { rooms: [adults2] },
    { rooms: [adults2, { adults: 1 }] },
    { rooms: [adults2, adults2], checkout: '2027-04-23' },
    { rooms: [adults2, adults2], checkin: '2027-04-21' },
  ]
  for (const more of others) assert.deepEqual(await rates(more), ['DBL/BAR', 'DBL/NRF'], JSON.stringify(more))
})

test('why the stay can’t be booked is explained by liveSoldOut, with another stay as the nearest, in searches and in the console', async () => {
  const shop = await liveShop(gateway, 'explained')
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  const hotels = [{ supplier: shop.name, hotelId: 'H1' }]
  const asked = { ...twoNights, rooms: [adults2] }
  const { body } = expectOk(await shop.platform.post('/booking/offers', { hotels, ...asked, explain: true }))
  const [{ unavailable, platformHotelId }] = Object(body['hotels'])
  const [{ rateId, rules, nearest }] = unavailable
  const [failed, ...others] = rules
  assert.deepEqual([rateId, others.every(({ pass }: Fields) => pass)], ['BAR', true])
  const [at, until5] = ['2027-03-01T12:00:00.000Z', '2027-03-01T12:05:00.000Z']
  const held = { at, until: until5 }
  const dates = ['2027-04-20', '2027-04-21']
  assert.deepEqual(failed, { rule: 'liveSoldOut', pass: false, held, asked: 1, dates })
  assert.deepEqual([nearest.checkin, nearest.checkout], ['2027-04-20', '2027-04-23'])

  const operator = await operatorOf(gateway)
  const named = { ...asked, roomId: 'DBL', rateId: 'BAR' }
  const shown = Object(expectOk(await operator('POST', `/hotels/${platformHotelId}/explain`, named)).body)
  assert.deepEqual([shown.isBookable, shown.offer], [false, null])
  assert.deepEqual(shown.rules[0], { ...failed, setBy: null })
  const all = Object(expectOk(await operator('POST', `/hotels/${platformHotelId}/explain-all`, asked)).body)
  const [bar, nrf] = all.roomRates
  assert.deepEqual(
    [bar.rateId, bar.rules.map(({ rule }: Fields) => rule), bar.total, nrf.rules],
    ['BAR', ['liveSoldOut'], null, []],
  )
})

test('what refuses a booking as sold out is remembered for all rooms that it asked for', async () => {
  const shop = await liveShop(gateway, 'booked')
  shop.says({ inventory: 1 })
  const rooms = [room(), room({ adults: 1 })]
  const refused = expectStatus(await shop.book({ rooms }), 409)
  assert.equal(refused.body['message'], 'Sold out')
  await shop.untilForgone({ rooms: [{ adults: 1 }, adults2] })
  assert.ok('DBL/BAR' in (await shop.offers()))
  assert.ok('DBL/BAR' in (await shop.offers({ rooms: [{ adults: 1 }] })))

  shop.says(soldOut)
  expectStatus(await shop.book(), 409)
  await shop.untilForgone()
})

test('checks and bookings ask the supplier again, and an answer with units ends what is remembered', async () => {
  const shop = await liveShop(gateway, 'asked again')
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  shop.says({})
  assert.equal((await shop.check()).body['outcome'], 'available')
  assert.equal(shop.asked(), 2)
  await until(async () => 'DBL/BAR' in (await shop.offers()))

  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  shop.says({})
  expectStatus(await shop.book(), 201)
  assert.equal(shop.asked(), 4)
  await until(async () => 'DBL/BAR' in (await shop.offers()))
})

test('an answer about more rooms ends what was remembered about fewer, and one about other guests does not', async () => {
  const shop = await liveShop(gateway, 'more rooms')
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone()
  shop.says({})
  await shop.check({ adultCount: 1 })
  await shop.check({ roomCount: 2, adultCount: 1 })
  // What is heard of a hotel is written in its order.
  shop.says(soldOut)
  await shop.check({ rateId: 'NRF' })
  await until(async () => !('DBL/NRF' in (await shop.offers())))
  assert.ok(!('DBL/BAR' in (await shop.offers())))
  shop.says({})
  await shop.check({ roomCount: 2 })
  await until(async () => 'DBL/BAR' in (await shop.offers()))
})

test('it is remembered for five minutes, by the clock of the account too', async () => {
  const shop = await liveShop(gateway, 'five minutes')
  shop.says(soldOut)
  const began = gateway.clock.now()
  await shop.check()
  await shop.untilForgone()
  const at = (ms: number): void => gateway.clock.set(new Date(began + ms).toISOString())
  at(5 * minute - 1)
  assert.ok(!('DBL/BAR' in (await shop.offers())))
  at(5 * minute)
  assert.ok('DBL/BAR' in (await shop.offers()))
  await deletePastAnswers(gateway.db, gateway.clock.now() + 1)
  const { rows } = await gateway.db.query('select from live_answer where until <= instant($1)', [
    gateway.clock.now(),
  ])
  assert.equal(rows.length, 0)

  await shop.check()
  await shop.untilForgone()
  expectOk(await shop.supplier.post('/push/sandbox/clock', { advanceBy: 'PT4M' }))
  assert.ok(!('DBL/BAR' in (await shop.offers())))
  expectOk(await shop.supplier.post('/push/sandbox/clock', { advanceBy: 'PT1M' }))
  assert.ok('DBL/BAR' in (await shop.offers()))
  at(0)
})

test('every process of the service heeds it, and a reset of the account ends it', async () => {
  const other = await gateway.second()
  const elsewhere = await platformAt(gateway, other)
  const shop = await liveShop(gateway, 'two processes')
  // Both have the hotel in their caches.
  for (const by of [shop.platform, elsewhere]) assert.ok('DBL/BAR' in (await shop.offers({}, by)))
  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone({}, elsewhere)
  await shop.untilForgone()
  shop.says({})
  await shop.check({}, elsewhere)
  await until(async () => 'DBL/BAR' in (await shop.offers()))

  shop.says(soldOut)
  await shop.check()
  await shop.untilForgone({}, elsewhere)
  expectOk(await shop.supplier.post('/push/sandbox/reset', {}))
  const { rows } = await gateway.db.query(
    'select from live_answer join hotel on hotel.id = hotel_id join supplier on supplier.id = supplier_id where supplier.name = $1',
    [shop.name],
  )
  assert.equal(rows.length, 0)
})

test('the setting turns it off, and a hotel has the latest 200 answers at most', async () => {
  const other = await gateway.second({ liveAnswerSeconds: 0 })
  const shop = await liveShop(gateway, 'bounded')
  const count = async (): Promise<number> => {
    const { rows } = await gateway.db.query<{ count: number }>(
      `select count(*)::int as count from live_answer join hotel on hotel.id = hotel_id
         join supplier on supplier.id = supplier_id where supplier.name = $1`,
      [shop.name],
    )
    return rows[0]?.count ?? 0
  }
  shop.says(soldOut)
  await shop.check({}, await platformAt(gateway, other))
  // The next answer of the same hotel is written after it.
  await shop.check({ rateId: 'NRF' })
  await until(async () => (await count()) > 0)
  assert.deepEqual(Object.keys(await shop.offers()), ['DBL/BAR'])
  await gateway.db.query(
    `insert into live_answer select hotel_id, room_no, rate_no, arrival + n, departure + n, rooms, outcome, prices, at,
       ahead_ms, until - n * interval '1 ms', told
     from live_answer cross join generate_series(1, 220) as n
       join hotel on hotel.id = hotel_id join supplier on supplier.id = supplier_id where supplier.name = $1`,
    [shop.name],
  )
  await shop.check()
  await shop.untilForgone()
  assert.equal(await count(), 200)
})
