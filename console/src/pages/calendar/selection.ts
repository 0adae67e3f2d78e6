import type { Calendar } from '../../../../src/console/calendar/contract.ts'
import type { CalendarUrl } from './calendar-url.ts'
import { dayOf } from './days.ts'
import type { Selection } from './grid-props.ts'
import { rowKey, type CellContext, type Row } from './rows.ts'

/** The room or room-rate in the URL, whether or not its row is visible. */
export function rowOfUrl(
  { rooms }: Calendar,
  { room: roomId, rate: rateId }: Pick<CalendarUrl, 'room' | 'rate'>,
): Row | undefined {
  const room = rooms.find((one) => one.roomId === roomId)
  if (!room) return undefined
  if (rateId === '') return { kind: 'room', key: rowKey(roomId, undefined), room }
  const rate = room.rates.find((one) => one.rateId === rateId)
  return rate && { kind: 'rate', key: rowKey(roomId, rateId), room, rate }
}

/** The nights in the URL, if they are in the calendar; on the room's row if the rate's row is not shown. */
export function selectionOf(
  url: CalendarUrl,
  named: Row | undefined,
  rows: readonly Row[],
  { from, nights }: CellContext,
): Selection | undefined {
  if (!named) return undefined
  const ofRate = rows.findIndex(({ key }) => key === named.key)
  const row = ofRate === -1 ? rows.findIndex(({ key }) => key === rowKey(url.room, undefined)) : ofRate
  const day = dayOf(url.night)
  const [first, end] = day === undefined ? [dayOf(url.checkin), dayOf(url.checkout)] : [day, day + 1]
  if (row === -1 || first === undefined) return undefined
  const night = first - from
  if (night < 0 || night >= nights) return undefined
  return { row, first: night, last: Math.min(nights - 1, Math.max(night, (end ?? first) - 1 - from)) }
}
