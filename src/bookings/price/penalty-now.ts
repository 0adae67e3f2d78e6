import { standingOfRoom } from '../stay-standing.ts'
import type { ReservationVersion, RoomState } from '../state.ts'
import { dueByTerms } from './due.ts'
import { roomNumbers, roomReservationIds } from './matched-rooms.ts'
import { formerOf } from './owed-by-room.ts'
import { dueOfGone, penaltyAt, type Penalty, type PenaltyOfRoom } from './penalty.ts'

/** What guests owe after what their hotel reported. Amounts in minor units. */

export type Reported = Pick<
  ReservationVersion,
  'status' | 'version' | 'modifiedAtMs' | 'content' | 'reports'
> & { id: number | string }

/**
 * For a cancellation, without what the hotel let go of since; otherwise for the rooms whose guests did not come. null: for
 * neither, and when no such room has known terms.
 */
export function penaltyNow(reservation: Reported): Penalty | null {
  return reservation.status === 'Cancel' ? cancelledPenalty(reservation) : noShowPenalty(reservation)
}

function cancelledPenalty(reservation: Reported): Penalty | null {
  const { id, content, version, reports, modifiedAtMs } = reservation
  const ids = roomReservationIds(id, content.rooms)
  const waived = roomNumbers(content.rooms).flatMap((number, index) => {
    return standingOfRoom(reports, number).waivedVersion >= version ? [ids[index] ?? ''] : []
  })
  // Nothing follows a cancellation, so its version was created at the time of cancelling.
  const penalty = penaltyAt(id, content, modifiedAtMs)
  if (waived.length === 0) return penalty
  const by = (penalty?.by ?? []).filter(({ roomReservationId }) => !waived.includes(roomReservationId))
  const unknown = (penalty?.unknown ?? ids).filter((roomId) => !waived.includes(roomId))
  return { amount: sumOf(by), by, unknown }
}

function noShowPenalty({ id, content, reports }: Reported): Penalty | null {
  const { rooms, roomsGone = [], minorDigits } = content
  const ids = roomReservationIds(id, rooms)
  const missing = roomNumbers(rooms).flatMap((number, index) => {
    const { presence, waivesNoShow } = standingOfRoom(reports, number)
    const [room, roomReservationId] = [rooms[index], ids[index]]
    return presence === 'no_show' && room && roomReservationId !== undefined
      ? [{ room, roomReservationId, waivesNoShow }]
      : []
  })
  const dues = missing.filter(({ waivesNoShow }) => !waivesNoShow)
  const unknown = dues
    .filter(({ room }) => !room.cancelPolicy?.penalties)
    .map(({ roomReservationId }) => roomReservationId)
  const ofRooms = dues.flatMap(({ room, roomReservationId }): PenaltyOfRoom[] => {
    const due = noShowDueOf(room, minorDigits)
    const code = room.cancelPolicy?.code ?? null
    return due.amount > 0 ? [{ roomReservationId, room, code, ...due }] : []
  })
  // Nobody came: as after a cancellation, what is due is all that is owed.
  const by = missing.length === rooms.length ? [...ofRooms, ...dueOfGone(id, roomsGone)] : ofRooms
  // Nothing is known if the terms of all are not, unless something is owed already.
  if (missing.length === 0 || (unknown.length === missing.length && by.length === 0)) return null
  return { amount: sumOf(by), by, unknown }
}

/**
 * The highest of the no-show penalty, the last penalty by the booked terms, and what the room owes already because of
 * earlier changes; what it owes for former dates beside that.
 */
function noShowDueOf(room: RoomState, minorDigits: number): Pick<PenaltyOfRoom, 'from' | 'amount'> {
  const last = dueByTerms(room, minorDigits, Infinity)
  const owed = room.owedAtLeast?.amount ?? 0
  const due = last && last.amount >= owed ? last : { from: null, amount: owed }
  return { from: due.from, amount: due.amount + formerOf(room) }
}

function sumOf(by: readonly PenaltyOfRoom[]): number {
  return by.reduce((sum, { amount }) => sum + amount, 0)
}
