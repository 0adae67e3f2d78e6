import type { ShownPenalty } from '../offers/cancel-policy.ts'
import type { ReservationContent, ReservationVersion, RoomState } from './state.ts'
import { minorText, toMinor } from '../base/money.ts'

/** What a cancellation costs by the policies that were booked. Amounts in minor units. */
export type Penalty = { amount: number; by: PenaltyOfRoom[] }

/** The penalty of a room: by which deadline of which policy. */
export type PenaltyOfRoom = {
  room: RoomState
  code: string | null
  /** null: from the booking on. */
  from: string | null
  amount: number
}

/** Of a cancellation; null while there is none, and where no room was booked with a policy. */
export function penaltyOf({
  status,
  modifiedAtMs,
  content,
}: Pick<ReservationVersion, 'status' | 'modifiedAtMs' | 'content'>): Penalty | null {
  // Nothing follows a cancellation: its version was made when it was cancelled.
  return status === 'Cancel' ? penaltyAt(content, modifiedAtMs) : null
}

/** What is due when all rooms are cancelled at an instant: deadlines are instants already, in the hotel's zone. */
export function penaltyAt({ rooms, minorDigits }: ReservationContent, atMs: number): Penalty | null {
  if (rooms.every(({ cancelPolicy }) => cancelPolicy === null)) return null
  const by = rooms.flatMap((room): PenaltyOfRoom[] => {
    const due = dueOf(room.cancelPolicy?.penalties ?? [], minorDigits, atMs)
    return due && due.amount > 0 ? [{ room, code: room.cancelPolicy?.code ?? null, ...due }] : []
  })
  return { amount: by.reduce((sum, { amount }) => sum + amount, 0), by }
}

type Due = Pick<PenaltyOfRoom, 'from' | 'amount'>

/**
 * The penalty of the last deadline that is over, whatever the earlier ones were; where guests did not come, that for not
 * coming if it is more.
 */
function dueOf(penalties: readonly ShownPenalty[], minorDigits: number, atMs: number): Due | undefined {
  const [noShows, byDeadline] = [true, false].map((isNoShow) => {
    let last: (Due & { fromMs: number }) | undefined
    for (const { from, amount: text, noShow = false } of penalties) {
      const fromMs = from === null ? -Infinity : Date.parse(from)
      const amount = toMinor(text, minorDigits) ?? 0
      if (noShow !== isNoShow || fromMs > atMs) continue
      // Of the same deadline the most.
      if (!last || fromMs > last.fromMs || (fromMs === last.fromMs && amount > last.amount))
        last = { from, amount, fromMs }
    }
    return last && { from: last.from, amount: last.amount }
  })
  return noShows && noShows.amount > (byDeadline?.amount ?? 0) ? noShows : byDeadline
}

/** As the platform reads it. */
export type ShownPenaltyDue = {
  amount: string
  currency: string
  by: { roomId: string; rateId: string; code: string | null; from: string | null; amount: string }[]
}

export function shownPenalty(
  version: Pick<ReservationVersion, 'status' | 'modifiedAtMs' | 'content'>,
): ShownPenaltyDue | null {
  const penalty = penaltyOf(version)
  if (!penalty) return null
  const { currency, minorDigits } = version.content
  return {
    amount: minorText(penalty.amount, minorDigits),
    currency,
    by: penalty.by.map(({ room: { roomId, rateId }, code, from, amount }) => ({
      roomId,
      rateId,
      code,
      from,
      amount: minorText(amount, minorDigits),
    })),
  }
}
