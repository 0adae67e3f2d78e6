import { parseNight, type DayNumber } from '../../base/calendar.ts'
import { partiesOf, type ChildAges } from '../../offers/party.ts'
import type { BookedRoom, ReservationBody } from '../contract.ts'
import type { ReservationContent, RoomState } from '../state.ts'
import { isSameOrSmaller, isSameParty, isSameRate, type MatchedRooms } from '../price/matched-rooms.ts'

/** Requested rooms that keep nights of a booked one, in the same room and rate. */

export type KeptRoom = {
  booked: RoomState
  requested: BookedRoom
  /** The nights that stay, from the first to before the last. */
  nights: { from: DayNumber; to: DayNumber }
  /**
   * Whether nothing is added, neither nights nor guests: that needs nothing of the hotel, so no closure, restriction or
   * missing price stands in its way.
   */
  isGivingUp: boolean
  /** Whether the room has some of its guests, but not all. */
  isSmaller: boolean
  /** Whether the guests need the price lines that were booked. */
  hasSameLines: boolean
}

/** The kept rooms by their position in the request. */
export function keptRooms(
  { checkin, checkout, rooms }: Pick<ReservationBody, 'checkin' | 'checkout' | 'rooms'>,
  present: ReservationContent,
  matched: MatchedRooms,
  ages: ChildAges,
): Map<number, KeptRoom> {
  const kept = new Map<number, KeptRoom>()
  const day = (date: string): DayNumber => parseNight(date) ?? 0
  const nights = {
    from: Math.max(day(checkin), day(present.checkin)),
    to: Math.min(day(checkout), day(present.checkout)),
  }
  if (nights.from >= nights.to) return kept
  const isWithin = nights.from === day(checkin) && nights.to === day(checkout)
  for (const [position, requested] of rooms.entries()) {
    const booked = matched.get(position)
    if (!booked || !isSameRate(requested, booked)) continue
    const isSmaller = !isSameParty(requested, booked) && isSameOrSmaller(requested, booked)
    const isGivingUp = isWithin && isSameOrSmaller(requested, booked)
    // What was booked before the prices of nights were stored can only be given up.
    if (!isGivingUp && !booked.basis) continue
    const hasSameLines = needsSameLines(requested, booked, ages)
    kept.set(position, { booked, requested, nights, isGivingUp, isSmaller, hasSameLines })
  }
  return kept
}

/** The price of a unit is everybody's; otherwise it needs as many adults, children and infants. */
function needsSameLines(requested: BookedRoom, booked: RoomState, ages: ChildAges): boolean {
  if (isSameParty(requested, booked) || booked.basis?.isPerUnit) return true
  const { adults, childAges = [] } = requested
  const [now] = partiesOf([{ adults, childAges }], ages).distinct
  const then = booked.party
  return (
    now?.adults === then.adults &&
    now.children === then.childAges.length &&
    now.infants === then.infantAges.length
  )
}
