import { LiveAnswers, roomOfText, roomTexts, type LiveNights } from '../../offers/stays/live-answers.ts'
import { liveTotal } from '../../offers/live/live-total.ts'
import type { BookableRoomRate } from '../../offers/stays/booking-catalog.ts'
import { hasKnownAmounts } from '../../offers/stays/former-nights.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { formatNight, instantOf } from '../../base/calendar.ts'
import type { LivePrice } from '../live-answer.ts'
import type { PriceCheckOutcome } from '../contract.ts'
import type { StayQuery } from '../stored-price.ts'
import type { HeardAnswer } from './store.ts'

/** What the supplier said about rooms of one room-rate with the same party. */
export type Heard = {
  query: Pick<StayQuery, 'arrival' | 'departure' | 'roomCount' | 'room'> & {
    stay: HotelStay
    roomRate: BookableRoomRate
  }
  checked: { outcome: PriceCheckOutcome; live: LivePrice | undefined; stored: { isBookable: boolean } }
}

/** An answer with what the hotel was like when its supplier was asked. */
export type Remembered = HeardAnswer & {
  hotelId: number
  revision: number
  catalogVersion: number
}

/**
 * What searches need to know of answers about one room-rate and stay, one for each party; undefined if nothing. `isShort`:
 * each party could be had, but not all of them.
 */
export function rememberedOf(
  heard: readonly [Heard, ...Heard[]],
  { isShort, atMs, keptMs }: { isShort: boolean; atMs: number; keptMs: number },
): Remembered | undefined {
  const [{ query }] = heard
  const { stay, roomRate, arrival, departure } = query
  const { catalog, revision } = stay
  const rooms = roomTexts(
    heard.flatMap(({ query: { room, roomCount } }) => Array.from({ length: roomCount }, () => room)),
  )
  const outcome = isShort ? 'sold_out' : outcomeOf(heard)
  if (outcome === 'nothing') return undefined
  const overruled = overruledBy({ stay, roomRate, arrival, departure, rooms }, outcome, atMs)
  if (outcome === 'available' && overruled.length === 0) return undefined
  const prices = outcome === 'price_changed' ? pricesOf(heard, rooms) : undefined
  const untilMs = atMs + keptMs
  return {
    hotelId: catalog.hotelId,
    revision,
    catalogVersion: catalog.version,
    roomNo: roomRate.roomNo,
    rateNo: roomRate.rateNo,
    arrival,
    departure,
    rooms,
    outcome: outcome === 'available' ? undefined : outcome,
    prices: prices?.map((nights) => nights.map(({ beforeTax, afterTax }) => [beforeTax, afterTax] as const)),
    atMs,
    aheadMs: catalog.aheadMs,
    untilMs,
    told: {
      outcome,
      ...namesOf(roomRate),
      checkin: formatNight(arrival),
      checkout: formatNight(departure),
      rooms: rooms.map(roomOfText),
      ...(prices ? { total: liveTotal(catalog, roomRate, arrival, { rooms, prices }) } : {}),
      at: instantOf(atMs),
      until: instantOf(untilMs),
    },
    overruled,
  }
}

type Outcome = 'sold_out' | 'price_changed' | 'available' | 'nothing'

/** `nothing`: an answer that leaves open whether the next guest can book, as that to a change of a reservation may. */
function outcomeOf(heard: readonly Heard[]): Outcome {
  if (heard.some(({ checked }) => checked.outcome === 'sold_out')) {
    // Of several parties, the one that can't be had is remembered by itself.
    return heard.length === 1 ? 'sold_out' : 'nothing'
  }
  const roomCount = heard.reduce((sum, { query }) => sum + query.roomCount, 0)
  if (heard.some(({ checked: { live } }) => !live || live.inventory < roomCount)) return 'nothing'
  if (heard.every(({ checked }) => checked.outcome === 'available')) return 'available'
  // Where nothing is offered, no other price is either.
  const isOffered = heard.every(
    ({ query: { roomRate, arrival }, checked }) =>
      checked.stored.isBookable && hasKnownAmounts(roomRate, arrival),
  )
  return isOffered ? 'price_changed' : 'nothing'
}

/** An answer that had units overrules those that had none; one at the stored price, those with another one too. */
function overruledBy(
  {
    stay,
    roomRate,
    ...asked
  }: Pick<Heard['query'], 'stay' | 'roomRate' | 'arrival' | 'departure'> & {
    rooms: readonly string[]
  },
  outcome: Outcome,
  nowMs: number,
): (readonly string[])[] {
  if (outcome === 'sold_out') return []
  const overruled = LiveAnswers.of(stay, nowMs)?.overruledBy(roomRate.key, asked) ?? []
  return overruled
    .filter((older) => outcome === 'available' || older.outcome === 'sold_out')
    .map(({ rooms }) => rooms)
}

function pricesOf(heard: readonly Heard[], rooms: readonly string[]): LiveNights[] {
  const nightsByRoom = new Map(
    heard.map(({ query: { room }, checked: { live } }) => [roomTexts([room])[0] ?? '', live?.nights ?? []]),
  )
  return [...new Set(rooms)].map((room) => nightsByRoom.get(room) ?? [])
}

function namesOf({ room, rate }: BookableRoomRate) {
  return {
    roomId: room.code,
    platformRoomId: room.platformId,
    rateId: rate.code,
    platformRateId: rate.platformId,
  }
}
