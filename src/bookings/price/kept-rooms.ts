import { parseNight } from '../../base/calendar.ts'
import type { BookedRoom, ReservationBody } from '../contract.ts'
import type { ReservationContent, RoomState } from '../state.ts'

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

/** The kept rooms by their position in the request; each booked room matches at most one requested room. */
export function keptRooms(
  { checkin, checkout, rooms }: Pick<ReservationBody, 'checkin' | 'checkout' | 'rooms'>,
  present: ReservationContent,
): Map<number, KeptRoom> {
  const kept = new Map<number, KeptRoom>()
  if (!isWithin({ checkin, checkout }, present)) return kept
  const free = new Set(present.rooms)
  const take = (matches: (requested: BookedRoom, booked: RoomState) => boolean): void => {
    for (const [position, requested] of rooms.entries()) {
      if (kept.has(position)) continue
      const booked = [...free].find((one) => matches(requested, one))
      if (!booked) continue
      free.delete(booked)
      kept.set(position, { booked, requested, isSmaller: false })
    }
  }
  take((requested, booked) => isSameRoom(requested, booked) && isSameGuest(requested, booked))
  take(isSameRoom)
  for (const [position, booked] of smallerRooms(rooms, kept, [...free])) {
    const requested = rooms[position]
    if (requested) kept.set(position, { booked, requested, isSmaller: true })
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

/** Matches as many of the remaining rooms as possible with booked ones that have more guests. */
function smallerRooms(
  rooms: readonly BookedRoom[],
  kept: ReadonlyMap<number, KeptRoom>,
  free: readonly RoomState[],
): Map<number, RoomState> {
  const positionByBooked = new Map<RoomState, number>()
  const assign = (position: number, tried: Set<RoomState>): boolean => {
    const requested = rooms[position]
    for (const booked of free) {
      if (!requested || tried.has(booked) || !isSmallerRoom(requested, booked)) continue
      tried.add(booked)
      const holder = positionByBooked.get(booked)
      if (holder !== undefined && !assign(holder, tried)) continue
      positionByBooked.set(booked, position)
      return true
    }
    return false
  }
  for (const position of rooms.keys()) if (!kept.has(position)) assign(position, new Set())
  return new Map([...positionByBooked].map(([booked, position]) => [position, booked]))
}

function isSameRoom(requested: BookedRoom, booked: RoomState): boolean {
  return (
    isSmallerRoom(requested, booked) &&
    requested.adults === booked.adults &&
    (requested.childAges ?? []).length === booked.childAges.length
  )
}

/** The same room and rate, for some of the guests it was booked for. */
function isSmallerRoom({ roomId, rateId, adults, childAges = [] }: BookedRoom, booked: RoomState): boolean {
  if (roomId !== booked.roomId || rateId !== booked.rateId || adults > booked.adults) return false
  const left = [...booked.childAges]
  return childAges.every((age) => {
    const index = left.indexOf(age)
    if (index !== -1) left.splice(index, 1)
    return index !== -1
  })
}

function isSameGuest({ guest }: BookedRoom, booked: RoomState): boolean {
  return guest.firstName === booked.guest.firstName && guest.lastName === booked.guest.lastName
}
