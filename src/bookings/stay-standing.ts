import { parseNight } from '../base/calendar.ts'
import type { ReservationContent, RoomState, StayReport } from './state.ts'

/** What the reports about a stay mean together. */

export type RoomStanding = {
  presence: 'arrived' | 'no_show' | undefined
  /** With `no_show`: nothing is due for it. */
  waivesNoShow: boolean
  /** The version of which the hotel last let go of what was owed; 0: of none. */
  waivedVersion: number
}

/** Of several reports about a room the last one counts. */
export function standingOfRoom(reports: readonly StayReport[], roomNumber: number): RoomStanding {
  const standing: RoomStanding = { presence: undefined, waivesNoShow: false, waivedVersion: 0 }
  for (const { roomNumber: about, report, waivesPenalty, version } of reports) {
    if (!overlap(about, roomNumber)) continue
    if (report === 'arrived' || report === 'no_show') {
      standing.presence = report
      standing.waivesNoShow = waivesPenalty
    } else if (report === 'waived') {
      standing.waivesNoShow = standing.presence === 'no_show'
      standing.waivedVersion = version
    }
  }
  return standing
}

/** Whether guests of at least one room did not come. */
export function hasNoShow(
  { rooms }: Pick<ReservationContent, 'rooms'>,
  reports: readonly StayReport[],
): boolean {
  return rooms.some((room, index) => standingOfRoom(reports, room.number ?? index + 1).presence === 'no_show')
}

/** Number 0 is all rooms. */
export function overlap(one: number, other: number): boolean {
  return one === other || one === 0 || other === 0
}

/** From the day after the arrival, or once somebody arrived, the platform changes and cancels nothing any more. */
export function hasStayBegun(
  { content, reports }: { content: { checkin: string }; reports: readonly StayReport[] },
  today: number,
): boolean {
  return (parseNight(content.checkin) ?? 0) < today || reports.some(({ report }) => report === 'arrived')
}

/**
 * The content of the present version without what its rooms owed whatever becomes of them, as far as the hotel let go of it:
 * by `waived` since, or by a no-show for which nothing is due.
 */
export function withoutLetGo(
  content: ReservationContent,
  { version, reports }: { version: number; reports: readonly StayReport[] },
): ReservationContent {
  if (reports.length === 0) return content
  const isLetGo = (number: number): boolean => {
    const { presence, waivesNoShow, waivedVersion } = standingOfRoom(reports, number)
    return waivedVersion >= version || (presence === 'no_show' && waivesNoShow)
  }
  const rooms = content.rooms.map((room, index): RoomState => {
    if (!isLetGo(room.number ?? index + 1)) return room
    return owingNothing(room)
  })
  const roomsGone = content.roomsGone?.map((room) => (isLetGo(room.number) ? { ...room, amount: 0 } : room))
  return { ...content, rooms, ...(roomsGone ? { roomsGone } : {}) }
}

/** A room without what it owes whatever becomes of it. */
export function owingNothing(room: RoomState): RoomState {
  const bare = { ...room }
  delete bare.owedAtLeast
  delete bare.formerClaims
  return bare
}
