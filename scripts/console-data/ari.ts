import { formatNight } from '../../src/base/calendar.ts'
import { stretchesOf } from '../../src/console-api/sandbox/example-hotel.ts'
import type { Chance } from './chance.ts'
import type { DataHotel, DataRate, DataRoom } from './hotels.ts'
import type { Json } from './service.ts'

/** Prices, units and restrictions of the hotels, the same for each night however often they are computed. */

type Day = Temporal.PlainDate

const epoch = Temporal.PlainDate.from('1970-01-01')
const dayNumberOf = (day: Day): number => epoch.until(day).days

const usualNights = 365
const largeNights = 760
const soonNights = 38
/** An item has the same values on all its nights; prices change with the season and on weekends. */
const seasons = [0.82, 0.84, 0.92, 1, 1.06, 1.18, 1.34, 1.38, 1.16, 1.02, 0.86, 0.95]

/** As text, because some currencies have no decimals and others have two. */
export function priceOf({ place }: DataHotel, room: DataRoom, rate: DataRate, night: Day): string {
  const weekend = night.dayOfWeek === 5 || night.dayOfWeek === 6 ? 1.12 : 1
  const price = place.level * room.extra * rate.factor * (seasons[night.month - 1] ?? 1) * weekend
  return place.currency === 'JPY' ? String(Math.round(price / 100) * 100) : `${Math.round(price)}.00`
}

export function nightsOf({ fate }: DataHotel): number {
  return fate === 'large' ? largeNights : fate === 'endsSoon' ? soonNights : usualNights
}

/** The first pushes of a hotel, one for each element. */
export function firstPushes(hotel: DataHotel, today: Day, dice: Chance): Json[] {
  const pushes = hotel.rooms.map((room) => itemsOf(hotel, room, today, dice))
  // The large hotel's would be too long for one push.
  const bundles = hotel.fate === 'large' ? pushes : [pushes.flat()]
  return bundles.map((ari) => pushOf(hotel, ari))
}

export function pushOf({ hotelId }: DataHotel, ari: readonly Json[]): Json {
  return { hotelId, pricingModel: 'unit', ari }
}

function itemsOf(hotel: DataHotel, room: DataRoom, today: Day, dice: Chance): Json[] {
  const last = today.add({ days: nightsOf(hotel) - 1 })
  const items = stretchesOf(dayNumberOf(today), dayNumberOf(last)).map((stretch): Json => {
    const night = Temporal.PlainDate.from(formatNight(stretch.firstNight))
    const rates = hotel.rates.map((rate) => ({
      rateId: rate.rateId,
      price: priceOf(hotel, room, rate, night),
      ...restrictionsOf(rate, night),
    }))
    return {
      roomId: room.roomId,
      startDate: formatNight(stretch.from),
      endDate: formatNight(stretch.to),
      daysOfWeek: stretch.days,
      inventory: room.units,
      rates,
    }
  })
  return [...items, ...busyNights(room, today, last, dice)]
}

function restrictionsOf({ rateId }: DataRate, { month, dayOfWeek }: Day): Json {
  const isHigh = month === 7 || month === 8
  const minLengthStay = isHigh ? 3 : dayOfWeek >= 5 ? 2 : null
  const isEarly = rateId === 'NRF' || rateId.endsWith('3')
  return { minLengthStay, ...(isEarly ? { minAdvanceDays: 7 } : {}) }
}

/** Nights that are full, closed, or without arrivals, as in the calendar of a busy hotel. */
function busyNights(room: DataRoom, today: Day, last: Day, dice: Chance): Json[] {
  const span = today.until(last).days
  const spread = Math.min(14, Math.floor(span / 12))
  return Array.from({ length: spread }, () => {
    const from = today.add({ days: dice.below(span) })
    const until = from.add({ days: dice.below(4) })
    const to = Temporal.PlainDate.compare(until, last) < 0 ? until : last
    const dates = { roomId: room.roomId, startDate: String(from), endDate: String(to) }
    const kind = dice.below(4)
    if (kind === 0) return { ...dates, inventory: 0 }
    if (kind === 1) return { ...dates, closed: true }
    return { ...dates, inventory: 1 + dice.below(3) }
  })
}

/** A small push, like most: a price, units, or a restriction of a few nights. */
export function smallPush(hotel: DataHotel, today: Day, dice: Chance): Json {
  const room = dice.of(hotel.rooms)
  const rate = dice.of(hotel.rates)
  const from = today.add({ days: dice.below(Math.min(120, nightsOf(hotel) - 5)) })
  const dates = {
    roomId: room.roomId,
    startDate: String(from),
    endDate: String(from.add({ days: dice.below(4) })),
  }
  const kind = dice.below(10)
  if (kind < 5) return pushOf(hotel, [{ ...dates, inventory: dice.below(room.units + 1) }])
  if (kind < 8) {
    const restriction = dice.of([
      { minLengthStay: 2 },
      { closedToArrival: true },
      { closedToDeparture: true },
      { closed: true },
    ])
    return pushOf(hotel, [{ ...dates, rates: [{ rateId: rate.rateId, ...restriction }] }])
  }
  // Repeats the stored value.
  return pushOf(hotel, [{ ...dates, rates: [{ rateId: rate.rateId, closedToDeparture: null }] }])
}

/** Typical mistakes of suppliers. */
export function wrongPush(hotel: DataHotel, today: Day, dice: Chance): Json | string {
  const [room] = hotel.rooms
  const [rate] = hotel.rates
  const dates = { startDate: String(today.add({ days: 20 })), endDate: String(today.add({ days: 25 })) }
  const good = { roomId: room?.roomId, ...dates, inventory: 4 }
  const wrongs: readonly (Json | string)[] = [
    pushOf(hotel, [{ ...good, roomId: 'DBL-OLD' }]),
    pushOf(hotel, [{ ...good, rates: [{ rateId: rate?.rateId, price: -12 }] }]),
    pushOf(hotel, [{ ...good, startDate: '2027-02-30' }]),
    pushOf(hotel, [{ ...good, inventory: '4' }]),
    pushOf(hotel, [good, { ...good, roomId: 'SUITE-9' }]),
    pushOf({ ...hotel, hotelId: `${hotel.hotelId}-X` }, [good]),
    '{"hotelId": "BCN-0001", "ari": [',
  ]
  return dice.of(wrongs)
}
