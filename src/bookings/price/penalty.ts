import type { Money, ReservationContent, RoomGone, RoomState } from '../state.ts'
import { minorText } from '../../base/money.ts'
import { formerOf } from './owed-by-room.ts'
import { dueByTerms } from './due.ts'
import { roomReservationIds } from './matched-rooms.ts'

/** The cost of cancelling, by the booked policies and what is owed already. Amounts in minor units. */
export type Penalty = {
  amount: number
  by: PenaltyOfRoom[]
  /** Rooms whose terms are unknown. */
  unknown: string[]
}

/** The penalty for one room, also one that went, with the policy and deadline that determine it. */
export type PenaltyOfRoom = {
  /** The room as it was last booked. */
  room: Pick<RoomState, 'roomId' | 'rateId' | 'nights' | 'total' | 'penaltyBase'>
  roomReservationId: string
  code: string | null
  /** null: from the time of booking, or owed since a change. */
  from: string | null
  amount: number
}

/**
 * The penalty for cancelling all rooms at an instant; null where nothing is known. Deadlines are already instants,
 * computed in the hotel's zone.
 */
export function penaltyAt(
  id: number | string,
  { rooms, roomsGone = [], minorDigits }: ReservationContent,
  atMs: number,
): Penalty | null {
  const ofRooms = penaltyOfRooms(id, { rooms, minorDigits }, rooms, atMs)
  const by = [...(ofRooms?.by ?? []), ...dueOfGone(id, roomsGone)]
  if (by.length === 0 && ofRooms === null) return null
  const unknown = ofRooms?.unknown ?? roomReservationIds(id, rooms)
  return { amount: by.reduce((sum, { amount }) => sum + amount, 0), by, unknown }
}

/** What rooms that went still owe. */
export function dueOfGone(id: number | string, roomsGone: readonly RoomGone[]): PenaltyOfRoom[] {
  return roomsGone.flatMap((room): PenaltyOfRoom[] => {
    const { number, cancelPolicy, amount } = room
    const code = cancelPolicy?.code ?? null
    return amount > 0 ? [{ roomReservationId: `${id}-${number}`, room, code, from: null, amount }] : []
  })
}

/** The penalty for cancelling some of the rooms. */
export function penaltyOfRooms(
  id: number | string,
  { rooms, minorDigits }: Pick<ReservationContent, 'rooms' | 'minorDigits'>,
  some: readonly RoomState[],
  atMs: number,
): Penalty | null {
  const ids = roomReservationIds(id, rooms)
  const named = some.map((room) => ({ room, roomReservationId: ids[rooms.indexOf(room)] ?? '' }))
  const unknown = named.filter(({ room }) => !room.cancelPolicy?.penalties)
  const by = named.flatMap(({ room, roomReservationId }) =>
    penaltyOfRoom(roomReservationId, room, minorDigits, atMs),
  )
  if (by.length === 0 && unknown.length === some.length) return null
  return {
    amount: by.reduce((sum, { amount }) => sum + amount, 0),
    by,
    unknown: unknown.map(({ roomReservationId }) => roomReservationId),
  }
}

/** By its terms, but at least what it owes already; what it owes for former dates beside that. */
function penaltyOfRoom(
  roomReservationId: string,
  room: RoomState,
  minorDigits: number,
  atMs: number,
): PenaltyOfRoom[] {
  const due = dueByTerms(room, minorDigits, atMs)
  const owed = room.owedAtLeast?.amount ?? 0
  const isByTerms = due !== undefined && due.amount >= owed
  const amount = (isByTerms ? due.amount : owed) + formerOf(room)
  const code = room.cancelPolicy?.code ?? null
  return amount > 0 ? [{ roomReservationId, room, code, from: isByTerms ? due.from : null, amount }] : []
}

/** As the platform reads it. */
export type RenderedPenalty = {
  amount: string
  currency: string
  by: {
    roomReservationId: string
    roomId: string
    rateId: string
    code: string | null
    from: string | null
    amount: string
  }[]
  unknown?: string[]
}

export function renderPenalty(
  penalty: Penalty | null,
  { currency, minorDigits }: Money,
): RenderedPenalty | null {
  if (!penalty) return null
  return {
    amount: minorText(penalty.amount, minorDigits),
    currency,
    by: penalty.by.map(({ roomReservationId, room: { roomId, rateId }, code, from, amount }) => ({
      roomReservationId,
      roomId,
      rateId,
      code,
      from,
      amount: minorText(amount, minorDigits),
    })),
    ...(penalty.unknown.length > 0 ? { unknown: penalty.unknown } : {}),
  }
}
