import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { reservationErrors } from '../errors-contract.ts'
import type { BookedRoom } from '../contract.ts'
import { personName } from '../person-name.ts'
import type { ReservationContent, RoomState } from '../state.ts'

/** Which of a reservation's rooms the rooms of a change are. */

/** The booked room of each requested room, by position; rooms beyond the booked number have none. */
export type MatchedRooms = ReadonlyMap<number, RoomState>

/** The number of each room within its reservation. Bookings made before rooms had numbers have them by their order. */
export function roomNumbers(rooms: readonly Pick<RoomState, 'number'>[]): number[] {
  return rooms.map(({ number }, index) => number ?? index + 1)
}

/** The rooms' ids, as everybody reads them. */
export function roomReservationIds(
  reservationId: string | number,
  rooms: readonly Pick<RoomState, 'number'>[],
): string[] {
  return roomNumbers(rooms).map((number) => `${reservationId}-${number}`)
}

/** The rooms of a new state with their numbers: a number is never used again. */
export function numbered(
  rooms: readonly RoomState[],
  matched: MatchedRooms,
  present: Pick<ReservationContent, 'rooms' | 'roomNumbersUsed'> | undefined,
): Pick<ReservationContent, 'rooms' | 'roomNumbersUsed'> {
  const numbers = roomNumbers(present?.rooms ?? [])
  let used = Math.max(present?.roomNumbersUsed ?? 0, ...numbers)
  const withNumbers = rooms.map((room, position) => {
    const booked = matched.get(position)
    const known = booked && numbers[present?.rooms.indexOf(booked) ?? -1]
    return { ...room, number: known ?? ++used }
  })
  return { rooms: withNumbers, roomNumbersUsed: used }
}

/**
 * By the ids that were sent; the others by room, rate and guest, then by room, then in their order. Only rooms beyond the
 * former number are new, and only booked rooms beyond the sent number go.
 */
export function matchRooms(
  reservationId: string,
  requested: readonly BookedRoom[],
  booked: readonly RoomState[],
): MatchedRooms {
  const matched = byId(reservationId, requested, booked)
  const free = new Set(booked)
  for (const room of matched.values()) free.delete(room)
  const take = (matches: (requested: BookedRoom, booked: RoomState) => boolean): void => {
    for (const [position, wanted] of requested.entries()) {
      if (matched.has(position) || wanted.roomReservationId !== undefined) continue
      const found = [...free].find((one) => matches(wanted, one))
      if (!found) continue
      free.delete(found)
      matched.set(position, found)
    }
  }
  take((wanted, one) => isSameRate(wanted, one) && isSameGuest(wanted, one) && isSameParty(wanted, one))
  take((wanted, one) => isSameRate(wanted, one) && isSameGuest(wanted, one))
  take((wanted, one) => isSameRate(wanted, one) && isSameParty(wanted, one))
  for (const [position, one] of smallerRooms(requested, matched, [...free])) {
    free.delete(one)
    matched.set(position, one)
  }
  take(isSameRate)
  take(({ roomId }, one) => roomId === one.roomId)
  take(() => true)
  return matched
}

function byId(
  reservationId: string,
  requested: readonly BookedRoom[],
  booked: readonly RoomState[],
): Map<number, RoomState> {
  const ids = roomReservationIds(reservationId, booked)
  const bookedById = new Map(booked.map((one, index) => [ids[index], one]))
  const matched = new Map<number, RoomState>()
  const problems: Problem[] = []
  for (const [position, { roomReservationId: id }] of requested.entries()) {
    if (id === undefined) continue
    const found = bookedById.get(id)
    const path = `/rooms/${position}/roomReservationId`
    if (!found) problems.push({ ...reservationErrors.unknownRoom, path, value: reportedValue(id) })
    else if ([...matched.values()].includes(found))
      problems.push({ ...reservationErrors.repeatedRoom, path, value: reportedValue(id) })
    else matched.set(position, found)
  }
  rejectIfAny(problems)
  return matched
}

/** Matches as many of the remaining rooms as possible with booked ones that have more guests. */
function smallerRooms(
  rooms: readonly BookedRoom[],
  matched: ReadonlyMap<number, RoomState>,
  free: readonly RoomState[],
): Map<number, RoomState> {
  const positionByBooked = new Map<RoomState, number>()
  const assign = (position: number, tried: Set<RoomState>): boolean => {
    const requested = rooms[position]
    for (const booked of free) {
      if (!requested || tried.has(booked) || !isSameOrSmaller(requested, booked)) continue
      tried.add(booked)
      const holder = positionByBooked.get(booked)
      if (holder !== undefined && !assign(holder, tried)) continue
      positionByBooked.set(booked, position)
      return true
    }
    return false
  }
  for (const [position, { roomReservationId: id }] of rooms.entries())
    if (!matched.has(position) && id === undefined) assign(position, new Set())
  return new Map([...positionByBooked].map(([booked, position]) => [position, booked]))
}

export function isSameParty({ adults, childAges = [] }: BookedRoom, booked: RoomState): boolean {
  return adults === booked.adults && isPartOf(childAges, booked.childAges) === 'all'
}

/** The same room and rate, for some of the guests it was booked for, or for all. */
export function isSameOrSmaller(requested: BookedRoom, booked: RoomState): boolean {
  const { adults, childAges = [] } = requested
  if (!isSameRate(requested, booked) || adults > booked.adults) return false
  return isPartOf(childAges, booked.childAges) !== 'none'
}

export function isSameRate(
  { roomId, rateId }: Pick<BookedRoom, 'roomId' | 'rateId'>,
  booked: RoomState,
): boolean {
  return roomId === booked.roomId && rateId === booked.rateId
}

export function isSameGuest({ guest }: BookedRoom, booked: RoomState): boolean {
  const { firstName, lastName } = personName(guest)
  return firstName === booked.guest.firstName && lastName === booked.guest.lastName
}

function isPartOf(ages: readonly number[], booked: readonly number[]): 'all' | 'some' | 'none' {
  const left = [...booked]
  for (const age of ages) {
    const index = left.indexOf(age)
    if (index === -1) return 'none'
    left.splice(index, 1)
  }
  return left.length === 0 ? 'all' : 'some'
}

/** No room of a new reservation has an id yet. */
export function refuseRoomIds(rooms: readonly BookedRoom[]): void {
  const problems = rooms.flatMap(({ roomReservationId: id }, position): Problem[] =>
    id === undefined
      ? []
      : [
          {
            ...reservationErrors.unknownRoom,
            path: `/rooms/${position}/roomReservationId`,
            value: reportedValue(id),
          },
        ],
  )
  rejectIfAny(problems)
}
