import type { RoomState } from '../state.ts'
import { penaltyBaseOf } from './with-terms.ts'

/** What a room owes whatever becomes of it, in minor units. */

/** What its price, as penalties count it, does not cover of that. */
export function forfeitedByRoom(room: RoomState): number {
  const uncovered = Math.max(0, (room.owedAtLeast?.amount ?? 0) - penaltyBaseOf(room).stay)
  return uncovered + formerOf(room)
}

/** What a room owes for dates of which it keeps none. */
export function formerOf({ formerClaims = [] }: RoomState): number {
  return formerClaims.reduce((sum, { amount }) => sum + amount, 0)
}

/** All that a room owes whatever becomes of it. */
export function owedBy(room: RoomState): number {
  return (room.owedAtLeast?.amount ?? 0) + formerOf(room)
}
