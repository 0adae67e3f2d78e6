import assert from 'node:assert/strict'
import { firstPushes, priceOf, smallPush } from '../../../scripts/console-data/ari.ts'
import { chance, type Chance } from '../../../scripts/console-data/chance.ts'
import { dataHotels, type DataHotel } from '../../../scripts/console-data/hotels.ts'
import type { TestGateway, TestSupplier } from '../harness.ts'
import { preparePartitions } from '../../../src/push-log/bodies/housekeeping.ts'
import { expectOk, product, storyHotel } from '../story.ts'
import type { Json } from './pushes.ts'

/** A year of the console's hotels, week by week, with no mistake in it: whatever is held is held by mistake. */

const weeks = 52
const weekMs = 7 * 86_400_000
const hotelsCount = 3
const daysAhead = 365

/** What a careful supplier would set. */
const settings = {
  rules: [
    { kind: 'priceDrop', percent: 50, action: 'hold' },
    { kind: 'priceRise', percent: 100, action: 'hold' },
    { kind: 'inventoryJump', units: 20, action: 'hold' },
    { kind: 'massOpen', nights: 500, action: 'hold' },
  ],
  learned: true,
}

export async function busyYear(
  gateway: TestGateway,
): Promise<{ items: number; held: number; prices: number }> {
  const supplier = await gateway.supplier('busy', { requestsPerMinute: 0 })
  const dice = chance(4_711)
  const hotels = dataHotels()
    .filter(({ fate }) => fate === 'usual')
    .slice(0, hotelsCount)
  const counted = { items: 0, held: 0, prices: 0 }
  const push = async (body: Json): Promise<void> => {
    const { status, body: answer, text } = await supplier.post('/push/ari', body)
    assert.ok(status === 200 || status === 207, text)
    const results: { status: string }[] = Object(answer).results
    counted.items += results.length
    counted.held += results.filter((one) => one.status === 'held').length
    assert.ok(!text.includes('"status":"rejected"'), text)
  }
  expectOk(await supplier.post('/push/guard', settings))
  const begin = todayOf(gateway)
  for (const hotel of hotels) {
    await openHotel(supplier, hotel)
    for (const body of firstPushes(hotel, begin, dice)) await push(body)
  }
  for (let week = 1; week <= weeks; week++) {
    gateway.clock.set(new Date(gateway.clock.now() + weekMs).toISOString())
    await preparePartitions(gateway.db, gateway.clock.now())
    const today = todayOf(gateway)
    for (const hotel of hotels) {
      const repriced = changesOfWeek(hotel, today, dice)
      counted.prices += repriced.length
      await push({ hotelId: hotel.hotelId, pricingModel: 'unit', ari: repriced })
      await push(smallPush(hotel, today, dice))
    }
  }
  return counted
}

function todayOf({ clock }: TestGateway): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO('UTC').toPlainDate()
}

async function openHotel(
  supplier: TestSupplier,
  { hotelId, name, place, rooms, rates }: DataHotel,
): Promise<void> {
  const { currency, zone } = place
  expectOk(
    await supplier.post('/push/hotels', [storyHotel({ hotelId, hotelName: name, currency, timezone: zone })]),
  )
  const products = rooms.flatMap(({ roomId }) => rates.map(({ rateId }) => product(roomId, rateId)))
  expectOk(await supplier.post('/push/products', { hotelId, products }))
}

/** The week that comes on sale, and what demand and promotions do to prices. */
function changesOfWeek(hotel: DataHotel, today: Temporal.PlainDate, dice: Chance): Json[] {
  const item = (
    room: DataHotel['rooms'][number],
    night: Temporal.PlainDate,
    factor: number,
    more: Json = {},
  ): Json => ({
    roomId: room.roomId,
    date: String(night),
    rates: hotel.rates.map((rate) => ({
      rateId: rate.rateId,
      price: Math.round(Number(priceOf(hotel, room, rate, night)) * factor),
    })),
    ...more,
  })
  return hotel.rooms.flatMap((room) => {
    const onSale = Array.from({ length: 7 }, (_, day) =>
      item(room, today.add({ days: daysAhead - 7 + day }), 1, { inventory: room.units }),
    )
    // By demand from 15 % less to 25 % more than the season's price; a trade fair now and then adds half.
    const byDemand = Array.from({ length: 6 }, () =>
      item(room, today.add({ days: dice.below(200) }), dice.percent(4) ? 1.5 : 0.85 + dice.below(41) / 100),
    )
    return [...onSale, ...byDemand]
  })
}
