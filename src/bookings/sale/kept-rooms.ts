import { parseNight, type DayNumber } from '../../base/calendar.ts'
import { partiesOf, type ChildAges } from '../../offers/party.ts'
import type { BookedRoom, ReservationBody } from '../contract.ts'
import type { ReservationContent, RoomState } from '../state.ts'
import { bookedNights, type SoldNight } from './room-nights.ts'
import type { Stay } from './units.ts'
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
  /** Whether as many adults, children and infants stay as were booked. */
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

function needsSameLines(requested: BookedRoom, booked: RoomState, ages: ChildAges): boolean {
  if (isSameParty(requested, booked)) return true
  const { adults, childAges = [] } = requested
  const [now] = partiesOf([{ adults, childAges }], ages).distinct
  const then = booked.party
  return (
    now?.adults === then.adults &&
    now.children === then.childAges.length &&
    now.infants === then.infantAges.length
  )
}

/** The nights that stay, as they were booked; none where that isn't known. */
export function nightsKept({ booked, nights }: KeptRoom, minorDigits: number): SoldNight[] {
  return bookedNights(booked, nights, minorDigits) ?? []
}

/** Those whose price lines the guests still need: the price of a unit is everybody's. */
export function nightsOfSameLines(kept: KeptRoom, minorDigits: number): SoldNight[] {
  return nightsKept(kept, minorDigits).filter(({ isPerUnit }) => kept.hasSameLines || isPerUnit)
}

/** The nights as sold now, some of them as they were booked. */
export function asBooked(now: readonly SoldNight[], booked: readonly SoldNight[]): SoldNight[] {
  const bookedByDay = new Map(booked.map((night) => [night.day, night]))
  return now.map((night) => bookedByDay.get(night.day) ?? night)
}

/** The parts of a stay without some of its nights. */
export function staysWithout({ arrival, departure }: Stay, days: ReadonlySet<DayNumber>): Stay[] {
  const stays: Stay[] = []
  for (let day = arrival; day < departure; day++) {
    if (days.has(day)) continue
    const last = stays.at(-1)
    if (last?.departure === day) last.departure = day + 1
    else stays.push({ arrival: day, departure: day + 1 })
  }
  return stays
}
