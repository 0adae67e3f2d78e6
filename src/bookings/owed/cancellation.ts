import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { totalOf } from '../../taxes/compute/compute.ts'
import { reservationErrors } from '../errors-contract.ts'
import { penaltyAt, penaltyOfRooms, type Penalty } from '../price/penalty.ts'
import { numbered, roomReservationIds } from '../price/matched-rooms.ts'
import type { ReservationContent, RoomState } from '../state.ts'
import { forfeitedByRoom } from '../price/owed-by-room.ts'
import { forfeitedOf, withClaims } from './claims.ts'

/** What a cancellation takes: all rooms of a reservation, or some of them. */

type Cancelled = { id: number | string; content: ReservationContent }

/** `undefined`: all rooms, and with them the reservation. */
export type CancelledRooms = readonly RoomState[] | undefined

/** The rooms that an id names; those that went are no longer there. Throws 400 for what was never a room's. */
export function roomsNamed(
  { id, content }: Cancelled,
  named: readonly string[] | undefined,
  pathOf: (index: number) => string,
): CancelledRooms {
  if (named === undefined) return undefined
  const { rooms, roomsGone = [] } = content
  const ids = roomReservationIds(id, rooms)
  const gone = new Set(roomsGone.map(({ number }) => `${id}-${number}`))
  const problems = named.flatMap((one, index): Problem[] =>
    ids.includes(one) || gone.has(one)
      ? []
      : [{ ...reservationErrors.unknownRoom, path: pathOf(index), value: reportedValue(one) }],
  )
  rejectIfAny(problems)
  const some = rooms.filter((_, index) => named.includes(ids[index] ?? ''))
  return some.length === rooms.length ? undefined : some
}

export function penaltyFor({ id, content }: Cancelled, rooms: CancelledRooms, atMs: number): Penalty | null {
  return rooms ? penaltyOfRooms(id, content, rooms, atMs) : penaltyAt(id, content, atMs)
}

/** What is charged for the rooms so far, in minor units. */
export function chargedFor(content: ReservationContent, rooms: CancelledRooms): number {
  if (!rooms) return content.total.afterTax + forfeitedOf(content)
  return rooms.reduce((sum, room) => sum + room.total.afterTax + forfeitedByRoom(room), 0)
}

/** The next instant at which the penalty is another one, if there is one before the end of the arrival day. */
export function nextPenalty(
  cancelled: Cancelled,
  rooms: CancelledRooms,
  atMs: number,
): { from: string; penalty: Penalty | null } | undefined {
  const now = penaltyFor(cancelled, rooms, atMs)
  const deadlines = (rooms ?? cancelled.content.rooms)
    .flatMap(({ cancelPolicy }) => cancelPolicy?.penalties ?? [])
    .flatMap(({ from, noShow }) => (from === null || noShow === true ? [] : [from]))
    .filter((from) => Date.parse(from) > atMs)
    .toSorted((one, other) => Date.parse(one) - Date.parse(other))
  for (const from of deadlines) {
    const penalty = penaltyFor(cancelled, rooms, Date.parse(from))
    if (penalty?.amount !== now?.amount) return { from, penalty }
  }
  return undefined
}

/** The reservation without some of its rooms: they forfeit what cancelling them costs, and the others keep their numbers. */
export function withoutRooms(
  content: ReservationContent,
  gone: readonly RoomState[],
  atMs: number,
): ReservationContent {
  const remaining = content.rooms.filter((room) => !gone.includes(room))
  const matched = new Map(remaining.entries())
  const next = { ...content, ...numbered(remaining, matched, content) }
  return { ...next, ...withClaims(content, next, matched, atMs), total: totalOf(remaining) }
}
