import { unset } from '../ari/block-codec.ts'
import { closureFields, fieldNumber } from '../ari/fields.ts'
import { allowsBy, restrictionNames, restrictions, type RestrictedStay } from '../ari/restrictions.ts'
import type { DayNumber } from '../base/calendar.ts'
import {
  computeTaxes,
  type PricedNight,
  type PricedRoom,
  type TaxedStay,
  type TaxesExceedPrice,
} from '../taxes/compute.ts'
import type { BookableRoomRate, BookingCatalog } from './booking-catalog.ts'
import { fits, type Parties } from './party.ts'
import type { RoomRateDays } from './room-rate-days.ts'

/** A stay of some parties, seen from a hotel: what is asked of each of its room-rates. */
export type SoughtStay = RestrictedStay & {
  arrival: DayNumber
  departure: DayNumber
  /** The hotel's date at the time of booking. */
  today: DayNumber
  parties: Parties
}

export function soughtStay(
  { arrival, departure }: { arrival: DayNumber; departure: DayNumber },
  today: DayNumber,
  parties: Parties,
): SoughtStay {
  return { arrival, departure, length: departure - arrival, advanceDays: arrival - today, today, parties }
}

/** What a room-rate that can be booked costs. */
export type Quote = {
  /** How often the room-rate can be sold on every night. */
  unitsLeft: number
  /** One a room asked for. */
  rooms: readonly PricedRoom[]
  taxed: TaxedStay
}

/** What can be said of a room-rate before its nights are looked at. */
export function isOffered(catalog: BookingCatalog, roomRate: BookableRoomRate, sought: SoughtStay): boolean {
  if (!catalog.isAvailable || !roomRate.isAvailable || sought.advanceDays < 0) return false
  for (const party of sought.parties.distinct) if (!fits(party, roomRate)) return false
  return true
}

/**
 * The price of a stay at the room-rate to which `days` are turned; undefined where it can't be booked. Must be asked
 * only of room-rates that are offered. Makes nothing before it is known that every rule holds.
 */
export function quoteOf(
  days: RoomRateDays,
  roomRate: BookableRoomRate,
  sought: SoughtStay,
): Quote | undefined {
  const unitsLeft = unitsOf(days, sought)
  if (unitsLeft < sought.parties.partyByRoom.length || !isPriced(days, sought)) return undefined
  if (!isUnrestricted(days, sought)) return undefined
  const rooms = pricedRooms(days, roomRate, sought)
  const taxed = computeTaxes(rooms)
  return taxed.fault === undefined ? { unitsLeft, rooms, taxed } : undefined
}

/** The units left on all nights; 0 where a night has none. */
export function unitsOf(days: RoomRateDays, { arrival, departure }: SoughtStay): number {
  let least = Number.POSITIVE_INFINITY
  for (let night = arrival; night < departure; night++) {
    const units = days.unitsOn(night)
    if (units < least) least = units
    if (least <= 0) return 0
  }
  return least
}

function isPriced(days: RoomRateDays, { arrival, departure, parties }: SoughtStay): boolean {
  for (const party of parties.distinct) {
    for (let night = arrival; night < departure; night++) {
      if (days.priceOn(party, night) === unset) return false
    }
  }
  return true
}

const rules = restrictionNames.map((name) => ({
  field: fieldNumber[name],
  tests: restrictions[name].tests,
  allows: allowsBy(restrictions[name]),
}))

/** Whether no restriction of the room or the room-rate forbids the stay. */
export function isUnrestricted(days: RoomRateDays, sought: SoughtStay): boolean {
  const { arrival, departure } = sought
  for (const { field, tests, allows } of rules) {
    if (!days.holds('rate', field)) continue
    const first = tests === 'departure' ? departure : arrival
    const last = tests === 'nights' ? departure - 1 : first
    for (let day = first; day <= last; day++) {
      const held = days.at('rate', field, day)
      if (held !== unset && !allows(held, sought)) return false
    }
  }
  for (const field of closureFields) {
    if (!days.holds('room', field)) continue
    for (let night = arrival; night < departure; night++) {
      if (days.at('room', field, night) !== unset) return false
    }
  }
  return true
}

function pricedRooms(days: RoomRateDays, { taxes }: BookableRoomRate, sought: SoughtStay): PricedRoom[] {
  const { distinct, partyByRoom } = sought.parties
  const priced = distinct.map((party): PricedRoom => {
    // Of its length at once: a list that grows takes room for sixteen more.
    const nights = new Array<PricedNight>(sought.length)
    for (let index = 0; index < nights.length; index++) {
      const day = sought.arrival + index
      nights[index] = { day, price: days.priceOn(party, day) }
    }
    return { taxes, nights, persons: party.persons }
  })
  return partyByRoom.length === 1 ? priced : partyByRoom.flatMap((party) => priced[party] ?? [])
}

/** The taxes of a stay that may be forbidden by other rules; undefined where some party has no price. */
export function taxesOf(
  days: RoomRateDays,
  roomRate: BookableRoomRate,
  sought: SoughtStay,
): TaxedStay | TaxesExceedPrice | undefined {
  return isPriced(days, sought) ? computeTaxes(pricedRooms(days, roomRate, sought)) : undefined
}
