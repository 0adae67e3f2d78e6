/** Bookings at once and one after another, and the comparison with what was answered. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { minutes } from '../pace.ts'
import { between, eventually } from '../crash/world.ts'
import { audit, type Told } from './audit.ts'
import { bookingOf, pushHotel, type Market } from './market.ts'

const callsPerRound = 200
const lastUnits = 10
export const lastBookings = { calls: callsPerRound, units: lastUnits }

type Say = (line: string) => void

/** From now on the market's receiver gets its reservations. */
export async function receiveReservations(market: Market): Promise<void> {
  const webhook = `http://127.0.0.1:${market.receiver.port}/bookings`
  await market.supplier('/push/webhook/pushbook', { webhook })
}

/** All calls at once, spread over both services; returns the answers by status. */
export async function bookAtOnce(
  market: Market,
  hotelId: string,
): Promise<{ confirmed: Told[]; refused: string[] }> {
  const body = bookingOf(hotelId, 10, 12, ['BAR'])
  const answers = await Promise.all(
    Array.from({ length: callsPerRound }, (_, index) => market.call(index, '/booking/reservations', body)),
  )
  const said = answers.map(({ status, text }) => ({ status, body: JSON.parse(text) }))
  return {
    confirmed: said.filter(({ status }) => status === 201).map((one) => one.body),
    refused: said.filter(({ status }) => status !== 201).map((one) => one.body.message),
  }
}

/**
 * Bookings at once for the last units of a hotel, while `crash` kills a part of the services, until all are
 * delivered.
 */
export async function proveLastUnits(
  market: Market,
  round: number,
  { crash, say }: { crash: () => Promise<void>; say: Say },
): Promise<void> {
  const hotelId = `LAST${round}`
  await pushHotel(market, hotelId, lastUnits)
  const booking = bookAtOnce(market, hotelId)
  await wait(between(0, 250))
  await crash()
  const { confirmed, refused } = await booking
  assert.deepEqual([...new Set(refused)], ['Sold out'])
  assert.equal(confirmed.length, lastUnits)
  assert.equal(new Set(confirmed.map(({ reservationId }) => reservationId)).size, lastUnits)
  assert.deepEqual(await audit(market, hotelId, lastUnits, confirmed), [])
  const isDelivered = async (): Promise<boolean> => {
    const [left] = await market.rows<{ count: number }>(
      `select count(*)::int as count from delivery join hotel on hotel.id = hotel_id
       where hotel.code = $1 and status <> 'delivered'`,
      [hotelId],
    )
    return left?.count === 0
  }
  await eventually('all are delivered', minutes(3), isDelivered)
  const arrived = new Set(
    market.receiver.calls.flatMap(({ body }) => {
      const { hotelId: of, reservations } = JSON.parse(body.toString())
      if (of !== hotelId) return []
      return reservations.reservation.map((one: { reservation_id: string }) => one.reservation_id)
    }),
  )
  const told = confirmed.map(({ reservationId }) => reservationId)
  assert.deepEqual([...arrived].map(String).sort(), told.sort())
  say(`round ${round}: ${confirmed.length} confirmed, ${refused.length} sold out, all delivered`)
}

/** Books, modifies and cancels in one hotel, one call after another, until stopped. */
async function trade(
  market: Market,
  index: number,
  hotelId: string,
  { told, isOver }: { told: Told[]; isOver: () => boolean },
): Promise<void> {
  const any = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(Math.random() * values.length)] ?? values[0]
  const wish = () => {
    const from = Math.floor(between(5, 12))
    const rates = Array.from({ length: any([1, 1, 2, 3]) }, () => any(['BAR', 'NRF']))
    return bookingOf(hotelId, from, from + any([1, 2, 3]), rates)
  }
  const mine: string[] = []
  while (!isOver()) {
    const id = any([undefined, ...mine.slice(-3)])
    const path = `/booking/reservations${id === undefined ? '' : `/${id}`}`
    const isCancel = id !== undefined && Math.random() < 0.3
    const answered = isCancel
      ? await market.call(index, `${path}/cancel`, {})
      : await market.call(index, path, wish(), id === undefined ? 'POST' : 'PUT')
    const body = JSON.parse(answered.text)
    assert.ok([200, 201, 409].includes(answered.status), answered.text)
    if (answered.status === 409) continue
    told.push(body)
    if (answered.status === 201) mine.push(body.reservationId)
  }
}

/** Bookings, modifications and cancellations in two hotels, while `crash` kills parts of the services. */
export async function proveTrading(
  market: Market,
  { crash, say }: { crash: () => Promise<void>; say: Say },
): Promise<void> {
  const hotels: { hotelId: string; units: number; told: Told[] }[] = [
    { hotelId: 'SCARCE', units: 25, told: [] },
    { hotelId: 'AMPLE', units: 5_000, told: [] },
  ]
  for (const { hotelId, units } of hotels) await pushHotel(market, hotelId, units)
  let over = false
  const trading = hotels.map(({ hotelId, told }) =>
    Promise.all(
      Array.from({ length: 6 }, (_, index) => trade(market, index, hotelId, { told, isOver: () => over })),
    ),
  )
  await crash()
  await wait(500)
  await eventually('enough is answered', minutes(3), () => hotels.every(({ told }) => told.length > 20))
  over = true
  await Promise.all(trading)
  for (const { hotelId, units, told } of hotels) {
    assert.deepEqual(await audit(market, hotelId, units, told), [])
    say(`${hotelId}: ${told.length} answers`)
  }
}
