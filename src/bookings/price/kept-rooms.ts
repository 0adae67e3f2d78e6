import { parseNight } from '../../base/calendar.ts'
import type { BookedRoom, ReservationBody } from '../contract.ts'
import type { ReservationContent, RoomState } from '../state.ts'
import { isSameOrSmaller, isSameParty, type MatchedRooms } from './matched-rooms.ts'

/**
 * Requested rooms that are booked already, or only give up something of a booked room: nights at either end,
 * or guests. They need nothing of the hotel, so no closure, restriction or missing price stands in their way.
 */

export type KeptRoom = {
  booked: RoomState
  requested: BookedRoom
  /** Whether the room has fewer guests than it was booked for. */
  isSmaller: boolean
}

/** The kept rooms by their position in the request. */
export function keptRooms(
  { checkin, checkout, rooms }: Pick<ReservationBody, 'checkin' | 'checkout' | 'rooms'>,
  present: ReservationContent,
  matched: MatchedRooms,
): Map<number, KeptRoom> {
  const kept = new Map<number, KeptRoom>()
  if (!isWithin({ checkin, checkout }, present)) return kept
  for (const [position, requested] of rooms.entries()) {
    const booked = matched.get(position)
    if (booked && isSameOrSmaller(requested, booked))
      kept.set(position, { booked, requested, isSmaller: !isSameParty(requested, booked) })
  }
  return kept
}

type Dates = { checkin: string; checkout: string }

function isWithin(requested: Dates, booked: Dates): boolean {
  const day = (date: string): number => parseNight(date) ?? 0
  return (
    day(requested.checkin) >= day(booked.checkin) &&
    day(requested.checkout) <= day(booked.checkout) &&
    day(requested.checkin) < day(requested.checkout)
  )
}
