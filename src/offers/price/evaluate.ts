import { unset } from '../../ari/blocks/block-codec.ts'
import { closureFields, fieldNumber } from '../../ari/fields.ts'
import {
  allowsBy,
  isClosure,
  restrictionNames,
  restrictions,
  type RestrictedStay,
} from '../../ari/restrictions.ts'
import type { DayNumber } from '../../base/calendar.ts'
import type { PricedNight } from '../../taxes/compute/amounts.ts'
import { computeTaxes, type PricedRoom, type TaxedStay, type TaxFault } from '../../taxes/compute/compute.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import { hasKnownAmounts } from '../stays/former-nights.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { fits, type Parties } from '../party.ts'
import { areFeesExact, feeBasesOf } from '../terms/fees.ts'
import type { RoomRateDays } from '../stays/room-rate-days.ts'

/** A stay of some parties, from a hotel's point of view: the criteria for each of its room-rates. */
export type WantedStay = RestrictedStay & {
  arrival: DayNumber
  departure: DayNumber
  /** The hotel's date at the time of booking. */
  today: DayNumber
  parties: Parties
  /** Nights that the room holds already, for the same rate: no closure of theirs counts; absent: none. */
  held?: HeldNights | undefined
}

/** From the first to before the last. */
export type HeldNights = {
  from: DayNumber
  to: DayNumber
  /** Those that keep their price. */
  priced: ReadonlySet<DayNumber>
}

export function isHeld(held: HeldNights | undefined, night: DayNumber): boolean {
  return held !== undefined && night >= held.from && night < held.to
}

export function wantedStay(
  { arrival, departure }: { arrival: DayNumber; departure: DayNumber },
  today: DayNumber,
  parties: Parties,
): WantedStay {
  return { arrival, departure, length: departure - arrival, advanceDays: arrival - today, today, parties }
}

/** The price of a room-rate that can be booked. */
export type Quote = {
  /** How many units of the room-rate can be sold on every night. */
  unitsLeft: number
  /** One entry per requested room. */
  rooms: readonly PricedRoom[]
  taxed: TaxedStay
}

/** The checks on a room-rate that don't need its nights. */
export function isOffered(catalog: BookingCatalog, roomRate: BookableRoomRate, wanted: WantedStay): boolean {
  if (!catalog.isAvailable || !roomRate.isAvailable || wanted.advanceDays < 0) return false
  for (const party of wanted.parties.distinct) if (!fits(party, roomRate)) return false
  return hasKnownAmounts(roomRate, wanted.arrival)
}

/**
 * The price of a stay at the room-rate to which `days` is set; undefined if it can't be booked. Call it only
 * for room-rates that pass `isOffered`. Allocates nothing until every rule is known to hold.
 */
export function quoteOf(
  days: RoomRateDays,
  roomRate: BookableRoomRate,
  wanted: WantedStay,
): Quote | undefined {
  const unitsLeft = unitsOf(days, wanted)
  if (unitsLeft < wanted.parties.partyByRoom.length || !isPriced(days, wanted)) return undefined
  if (!isUnrestricted(days, wanted)) return undefined
  const rooms = pricedRooms(days, roomRate, wanted)
  const taxed = taxedStay(roomRate, rooms, wanted.arrival)
  return taxed.fault === undefined ? { unitsLeft, rooms, taxed } : undefined
}

/** The units available on all nights; 0 if a night has none. */
export function unitsOf(days: RoomRateDays, { arrival, departure }: WantedStay): number {
  let least = Number.POSITIVE_INFINITY
  for (let night = arrival; night < departure; night++) {
    const units = days.unitsOn(night)
    if (units < least) least = units
    if (least <= 0) return 0
  }
  return least
}

export function isPriced(days: RoomRateDays, { arrival, departure, parties, held }: WantedStay): boolean {
  for (const party of parties.distinct) {
    for (let night = arrival; night < departure; night++) {
      if (days.priceOn(party, night) === unset && !held?.priced.has(night)) return false
    }
  }
  return true
}

const rules = restrictionNames.map((name) => ({
  field: fieldNumber[name],
  tests: restrictions[name].tests,
  allows: allowsBy(restrictions[name]),
  isClosure: isClosure(name),
}))

/** Whether no restriction of the room or the room-rate forbids the stay. */
export function isUnrestricted(days: RoomRateDays, wanted: WantedStay): boolean {
  const { arrival, departure, held } = wanted
  for (const { field, tests, allows, isClosure: closes } of rules) {
    if (!days.holds('rate', field)) continue
    const first = tests === 'departure' ? departure : arrival
    const last = tests === 'nights' ? departure - 1 : first
    for (let day = first; day <= last; day++) {
      const value = days.at('rate', field, day)
      if (value !== unset && !allows(value, wanted) && !(closes && isHeld(held, day))) return false
    }
  }
  for (const field of closureFields) {
    if (!days.holds('room', field)) continue
    for (let night = arrival; night < departure; night++) {
      if (days.at('room', field, night) !== unset && !isHeld(held, night)) return false
    }
  }
  return true
}

function pricedRooms(days: RoomRateDays, { taxes }: BookableRoomRate, wanted: WantedStay): PricedRoom[] {
  const { distinct, partyByRoom } = wanted.parties
  const priced = distinct.map((party): PricedRoom => {
    // Allocated at its final length: a growing array reserves space for sixteen more elements.
    const nights = new Array<PricedNight>(wanted.length)
    for (let index = 0; index < nights.length; index++) {
      const day = wanted.arrival + index
      nights[index] = { day, price: days.priceOn(party, day) }
    }
    return { taxes, nights, persons: party.persons }
  })
  return partyByRoom.length === 1 ? priced : partyByRoom.flatMap((party) => priced[party] ?? [])
}

/** The taxes of a stay, even if other rules forbid it; undefined if some party has no price. */
export function taxesOf(
  days: RoomRateDays,
  roomRate: BookableRoomRate,
  wanted: WantedStay,
): TaxedStay | TaxFault | undefined {
  if (!isPriced(days, wanted)) return undefined
  return taxedStay(roomRate, pricedRooms(days, roomRate, wanted), wanted.arrival)
}

/** With the fees of the policy, what guests pay must be exact too. */
function taxedStay(
  roomRate: BookableRoomRate,
  rooms: readonly PricedRoom[],
  arrival: DayNumber,
): TaxedStay | TaxFault {
  const taxed = computeTaxes(rooms)
  if (taxed.fault !== undefined || !roomRate.policies.hasFees) return taxed
  const { fees = [] } = termsOn(roomRate.policies, arrival) ?? {}
  if (fees.length === 0 || !hasKnownAmounts(roomRate, arrival)) return taxed
  if (areFeesExact(fees, taxed, feeBasesOf(rooms, taxed), roomRate.taxes.minorDigits)) return taxed
  return { fault: 'TOTAL_TOO_LARGE', nights: (rooms[0]?.nights ?? []).map(({ day }) => day) }
}
