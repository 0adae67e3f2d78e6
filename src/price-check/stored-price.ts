import { unset } from '../ari/blocks/block-codec.ts'
import { fieldNumber } from '../ari/fields.ts'
import type { BookableRoomRate } from '../offers/stays/booking-catalog.ts'
import {
  isOffered,
  isUnrestricted,
  wantedStay,
  taxesOf,
  unitsOf,
  type WantedStay,
} from '../offers/price/evaluate.ts'
import { partiesOf, type RequestedRoom, type Party } from '../offers/party.ts'
import { RoomRateDays } from '../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../offers/stays/stays.ts'
import { todayIn } from '../hotels/hotel-clock.ts'
import { firstDay, monthOf, type DayNumber } from '../base/calendar.ts'
import type { NightPrice } from './live-answer.ts'

/** The stored price of a stay at one room-rate, from one moment. Amounts are in minor units. */
export type StoredPrice = {
  revision: number
  /** How many units can be sold on every night. */
  inventory: number
  /** For one room; undefined if the party has no price, or the included taxes exceed it. */
  nights: readonly StoredNight[] | undefined
  /** Whether the stored data allows all the rooms to be booked. */
  isBookable: boolean
}

export type StoredNight = NightPrice & {
  day: DayNumber
  /** The units stored for this night alone. */
  units: number
  /** The revision of the hotel that set the price. */
  revision: number
}

/** Rooms of one room-rate, with the same party in each. */
export type StayQuery = {
  arrival: DayNumber
  departure: DayNumber
  roomCount: number
  /** How many units must be free for them: fewer than the rooms where a reservation already holds some. */
  unitsNeeded: number
  room: RequestedRoom
}

export function storedPriceOf(
  stay: HotelStay,
  roomRate: BookableRoomRate,
  { arrival, departure, unitsNeeded, room }: StayQuery,
  nowMs: number,
): StoredPrice {
  const { catalog, revision } = stay
  const parties = partiesOf([room], catalog)
  const [party] = parties.distinct
  if (!party) throw new TypeError('a stay without a party')
  const stayToPrice = wantedStay({ arrival, departure }, todayIn(catalog, nowMs), parties)
  const days = new RoomRateDays(stay, { from: arrival, days: stayToPrice.length + 1 }, parties.priceFields)
  days.turnTo(roomRate)
  const inventory = unitsOf(days, stayToPrice)
  const taxed = taxesOf(days, roomRate, stayToPrice)
  const nights = taxed?.fault === undefined ? taxed?.rooms[0]?.nights : undefined
  const isBookable =
    nights !== undefined &&
    inventory >= unitsNeeded &&
    isOffered(catalog, roomRate, stayToPrice) &&
    isUnrestricted(days, stayToPrice)
  return {
    revision,
    inventory,
    nights: nights && withOrigins(nights, days, party, stayToPrice),
    isBookable,
  }
}

function withOrigins(
  nights: readonly (NightPrice & { day: DayNumber })[],
  days: RoomRateDays,
  { adultPrice, childPrice, infantPrice }: Party,
  { arrival }: WantedStay,
): StoredNight[] {
  const fields = [fieldNumber.unitPrice, adultPrice, childPrice, infantPrice].filter((field) => field > 0)
  const firstMonth = monthOf(arrival)
  // A cleared price line has a revision too, and contributed to the price.
  const revisionsByMonth = days
    .blocks('rate')
    .map((block) => fields.map((field) => block?.revisions(field) ?? []))
  return nights.map(({ day, beforeTax, afterTax }) => {
    const month = monthOf(day)
    const night = day - firstDay(month)
    const revisions = revisionsByMonth[month - firstMonth] ?? []
    const revision = Math.max(0, ...revisions.map((list) => list[night] ?? unset))
    return { day, beforeTax, afterTax, units: Math.max(days.unitsOn(day), 0), revision }
  })
}
