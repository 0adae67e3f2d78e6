import type { BookedRoom, BookingAnswer } from '../contract.ts'
import type { RoomState } from '../state.ts'
import { isSameGuest, isSameRate, roomNumbers, roomReservationIds } from './matched-rooms.ts'

type Matches = Pick<BookingAnswer, 'rooms' | 'roomsGone'>

/** Which booked room each requested one is, and which went, as the answer to a change says it. */
export function matchesSaid(
  reservationId: string,
  {
    requested,
    before,
    after,
  }: { requested: readonly BookedRoom[]; before: readonly RoomState[]; after: readonly RoomState[] },
): Matches {
  const ids = roomReservationIds(reservationId, after)
  const roomByNumber = new Map(roomNumbers(before).map((number, index) => [number, before[index]]))
  const rooms = roomNumbers(after).map((number, position): Matches['rooms'][number] => ({
    roomReservationId: ids[position] ?? '',
    matchedBy: matchedBy(requested[position], roomByNumber.get(number)),
  }))
  const idsBefore = roomReservationIds(reservationId, before)
  return { rooms, roomsGone: idsBefore.filter((id) => !ids.includes(id)) }
}

function matchedBy(
  requested: BookedRoom | undefined,
  booked: RoomState | undefined,
): Matches['rooms'][number]['matchedBy'] {
  if (!requested || !booked) return 'new'
  if (requested.roomReservationId !== undefined) return 'id'
  if (isSameRate(requested, booked) && isSameGuest(requested, booked)) return 'guest'
  return requested.roomId === booked.roomId ? 'room' : 'order'
}
