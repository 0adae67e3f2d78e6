import type { ReservationContent, ReservationVersion, RoomState } from '../state.ts'
import { minorText, totalToMinor } from '../../base/money.ts'
import { roomReservationIds } from './matched-rooms.ts'

/** The cost of cancelling under the booked policies. Amounts in minor units. */
export type Penalty = {
  amount: number
  by: PenaltyOfRoom[]
  /** Rooms whose terms are unknown. */
  unknown: string[]
}

/** The penalty for one room, with the policy and deadline that determine it. */
export type PenaltyOfRoom = {
  roomReservationId: string
  room: RoomState
  code: string | null
  /** null: from the time of booking. */
  from: string | null
  amount: number
}

type Cancellable = Pick<ReservationVersion, 'status' | 'modifiedAtMs' | 'content'> & { id: number | string }

/** The penalty of a cancellation; null for a reservation that isn't cancelled, and when no room has known terms. */
export function penaltyOf({ id, status, modifiedAtMs, content }: Cancellable): Penalty | null {
  // Nothing follows a cancellation, so its version was created at the time of cancelling.
  return status === 'Cancel' ? penaltyAt(id, content, modifiedAtMs) : null
}

/**
 * The penalty for cancelling all rooms at an instant. Deadlines are already instants, computed in the hotel's
 * zone.
 */
export function penaltyAt(
  id: number | string,
  { rooms, minorDigits }: ReservationContent,
  atMs: number,
): Penalty | null {
  const ids = roomReservationIds(id, rooms)
  const unknown = ids.filter((_, index) => !rooms[index]?.cancelPolicy?.penalties)
  if (unknown.length === rooms.length) return null
  const by = rooms.flatMap((room, index): PenaltyOfRoom[] => {
    const due = dueOf(room, minorDigits, atMs)
    const roomReservationId = ids[index] ?? ''
    const code = room.cancelPolicy?.code ?? null
    return due && due.amount > 0 ? [{ roomReservationId, room, code, ...due }] : []
  })
  return { amount: by.reduce((sum, { amount }) => sum + amount, 0), by, unknown }
}

type Due = Pick<PenaltyOfRoom, 'from' | 'amount'>

/**
 * The penalty of the last deadline that has passed, whatever the earlier penalties were; for a no-show, the
 * no-show penalty if it is higher. Never more than the room was charged.
 */
function dueOf({ cancelPolicy, total }: RoomState, minorDigits: number, atMs: number): Due | undefined {
  const penalties = cancelPolicy?.penalties ?? []
  const [noShows, byDeadline] = [true, false].map((isNoShow) => {
    let last: (Due & { fromMs: number }) | undefined
    for (const { from, amount: text, noShow = false } of penalties) {
      const fromMs = from === null ? -Infinity : Date.parse(from)
      const amount = Math.min(knownPenalty(text, minorDigits), total.afterTax)
      if (noShow !== isNoShow || fromMs > atMs) continue
      // At the same deadline the highest penalty applies.
      if (!last || fromMs > last.fromMs || (fromMs === last.fromMs && amount > last.amount))
        last = { from, amount, fromMs }
    }
    return last && { from: last.from, amount: last.amount }
  })
  return noShows && noShows.amount > (byDeadline?.amount ?? 0) ? noShows : byDeadline
}

/** A reservation states the amounts of its penalties in its own currency. */
function knownPenalty(text: string, minorDigits: number): number {
  const amount = totalToMinor(text, minorDigits)
  if (amount === undefined) throw new RangeError(`a stored penalty of ${text} is no amount`)
  return amount
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

export function renderPenalty(version: Cancellable): RenderedPenalty | null {
  const penalty = penaltyOf(version)
  if (!penalty) return null
  const { currency, minorDigits } = version.content
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
