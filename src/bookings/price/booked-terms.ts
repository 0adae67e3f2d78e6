import { parseNight } from '../../base/calendar.ts'
import { totalToMinor } from '../../base/money.ts'
import { cancellationAt, type CancellationNow } from '../../offers/terms/cancellation.ts'
import { prepareTerms } from '../../offers/terms/penalties.ts'
import { termsDigest } from '../../offers/terms/terms-digest.ts'
import type { ReservationContent, RoomState } from '../state.ts'
import { owedBy } from './owed-by-room.ts'
import { bookedTerms } from './with-terms.ts'

/** The terms of booked rooms, as of a moment. */

/** What is owed whatever becomes of the room makes its cancellation cost something. */
export function cancellationOfRoom(room: RoomState, minorDigits: number, nowMs: number): CancellationNow {
  const { cancelPolicy } = room
  if (cancelPolicy?.penalties && owedBy(room) > 0) return { cancellation: 'never', freeUntil: null }
  const penalties = cancelPolicy?.penalties?.map(({ from, amount, noShow = false }) => ({
    from,
    fromMs: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    isNoShow: noShow,
    amount: totalToMinor(amount, minorDigits) ?? 0,
  }))
  return cancellationAt(penalties, nowMs)
}

/** null for rooms booked before their terms were stored. */
export function digestOfRoom(
  { basis, mealPlan }: RoomState,
  { checkin, checkout }: ReservationContent,
  nowMs: number,
): string | null {
  if (basis?.timeZone === undefined) return null
  const arrival = parseNight(checkin) ?? 0
  const booked = bookedTerms(basis)
  const terms = booked ? prepareTerms(booked, basis.timeZone, arrival) : undefined
  const departure = parseNight(checkout) ?? 0
  return termsDigest({ terms, mealPlan, taxes: basis.taxes, arrival, departure }, nowMs)
}
