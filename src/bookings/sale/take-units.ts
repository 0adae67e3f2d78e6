import { BeforeValues } from '../../ari/blocks/before-values.ts'
import { writeBlocks, writeVersions } from '../../ari/blocks/store.ts'
import { parseNight } from '../../base/calendar.ts'
import type { HotelStay, StayRange } from '../../offers/stays/stays.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import type { GivenUp, ReservationContent } from '../state.ts'
import type { LockedHotel, Lowered } from '../store.ts'
import { givenUpBy, loweredBlocks, stillOwn, unitsTaken, type Stay, type Units } from './units.ts'

/** What a new state of a reservation takes of its hotel's inventory, and what it leaves of what it had. */
export type TakenUnits = { lowered: Lowered | undefined; unitsGivenUp: GivenUp[] }

/**
 * Takes the units of a state out of the hotel's inventory, together with the commit of the transaction that
 * locked the hotel and read the stay. `lowered` is undefined if there was nothing to write.
 */
export function takeUnits(
  connection: Transaction,
  hotel: LockedHotel,
  { stay, units, before }: { stay: HotelStay; units: Units; before: Units | undefined },
  nowMs: number,
): TakenUnits {
  const lowered = lowerInventory(connection, hotel, { stay, units, before }, nowMs)
  return { lowered, unitsGivenUp: givenUpBy(units, before, lowered?.revision ?? hotel.revision) }
}

function lowerInventory(
  connection: Transaction,
  hotel: LockedHotel,
  { stay, units, before }: { stay: HotelStay; units: Units; before: Units | undefined },
  nowMs: number,
): Lowered | undefined {
  const revision = hotel.revision + 1
  const { currencyRevision } = hotel
  const values = new BeforeValues()
  const stamp = { revision, sequence: undefined, keyId: 0, currencyRevision, before: values }
  const lowered = loweredBlocks(stay, units, before, stamp)
  if (lowered.length === 0) return undefined
  const written = { id: stay.catalog.hotelId, revision, revisionBefore: hotel.revision }
  const keys = lowered.map(({ key }) => key)
  connection.lastly((later) => writeBlocks(later, lowered, nowMs))
  connection.lastly((later) => writeVersions(later, [{ hotel: written, keys }], 'reservation', nowMs))
  return { revision, before: values.encode(revision, hotel.cellsRevision) }
}

/** The days of both states, and those of what the reservation gave up. */
export function daysOf({ arrival, departure }: Stay, present: ReservationContent | undefined): StayRange {
  const days = [
    ...(present ? [present.checkin, present.checkout] : []),
    ...(present?.unitsGivenUp ?? []).map(({ date }) => date),
  ].map((date) => parseNight(date) ?? arrival)
  return { firstDay: Math.min(arrival, ...days), lastDay: Math.max(departure, ...days) }
}

/** What the reservation takes, and what it gave up and may take again. */
export function unitsOf(stay: HotelStay, present: ReservationContent): Units {
  const ownByNight = stillOwn(stay, present.unitsGivenUp ?? [])
  return { ...unitsTaken(present.rooms, stayOf(present)), ...(ownByNight ? { ownByNight } : {}) }
}

export function stayOf({ checkin, checkout }: Pick<ReservationContent, 'checkin' | 'checkout'>): Stay {
  return { arrival: parseNight(checkin) ?? 0, departure: parseNight(checkout) ?? 0 }
}
