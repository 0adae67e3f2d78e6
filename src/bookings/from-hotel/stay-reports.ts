import { parseNight } from '../../base/calendar.ts'
import type { StayReport } from '../state.ts'

/** What the reports about a stay mean together. */

export type RoomStanding = {
  presence: 'arrived' | 'no_show' | undefined
  /** With `no_show`: nothing is due for it. */
  waivesNoShow: boolean
  /** When the hotel last let go of what was owed until then. */
  waivedAtMs: number | undefined
}

/** Of several reports about a room the last one counts. */
export function standingOfRoom(reports: readonly StayReport[], roomNumber: number): RoomStanding {
  const standing: RoomStanding = { presence: undefined, waivesNoShow: false, waivedAtMs: undefined }
  for (const { roomNumber: about, report, waivesPenalty, atMs } of reports) {
    if (!overlap(about, roomNumber)) continue
    if (report === 'arrived' || report === 'no_show') {
      standing.presence = report
      standing.waivesNoShow = waivesPenalty
    } else if (report === 'waived') {
      standing.waivesNoShow = standing.presence === 'no_show'
      standing.waivedAtMs = atMs
    }
  }
  return standing
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
