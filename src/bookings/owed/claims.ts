import { isDeepStrictEqual } from 'node:util'
import type { Claim, ReservationContent, RoomGone, RoomState } from '../state.ts'
import { owingNothing } from '../stay-standing.ts'
import type { MatchedRooms } from '../price/matched-rooms.ts'
import { roomNumbers } from '../price/matched-rooms.ts'
import { dueByTerms } from '../price/due.ts'
import { forfeitedByRoom } from '../price/owed-by-room.ts'

/**
 * What is owed does not shrink, room by room: at each change of what is sold, a room keeps the most that cancelling it would
 * have cost at any of them. Amounts are minor units of the reservation's currency.
 */

type Dates = { from: string; to: string }
type Sold = Pick<ReservationContent, 'checkin' | 'checkout' | 'rooms' | 'minorDigits'>
type Owing = Pick<ReservationContent, 'rooms' | 'roomsGone'>

/** The rooms of a new state with what they owe by then, and the rooms that went. */
export function withClaims(
  present: Pick<ReservationContent, 'checkin' | 'checkout' | 'rooms' | 'roomsGone' | 'minorDigits'>,
  next: Sold,
  matched: MatchedRooms,
  atMs: number,
): Owing {
  const isSold = isSoldAnew(present, next, matched)
  const dates = datesOf(next)
  const rooms = next.rooms.map((room, position) => {
    const booked = matched.get(position)
    if (!booked) return room
    const claims = isSold ? claimsOf(booked, present, atMs) : standingClaims(booked)
    const [kept, former] = [
      claims.filter((claim) => overlaps(claim, dates)),
      claims.filter((claim) => !overlaps(claim, dates)),
    ]
    return {
      ...owingNothing(room),
      ...(kept.length > 0 ? { owedAtLeast: together(kept, isSold ? dates : undefined) } : {}),
      ...(former.length > 0 ? { formerClaims: former } : {}),
    }
  })
  const roomsGone = [...(present.roomsGone ?? []), ...goneRooms(present, matched, atMs)]
  return { rooms, ...(roomsGone.length > 0 ? { roomsGone } : {}) }
}

/** Whether anything but names and remarks differs. */
function isSoldAnew(present: Sold, next: Sold, matched: MatchedRooms): boolean {
  if (present.checkin !== next.checkin || present.checkout !== next.checkout) return true
  if (present.rooms.length !== next.rooms.length) return true
  return next.rooms.some((room, position) => {
    const booked = matched.get(position)
    return !booked || !isSoldAlike(booked, room)
  })
}

function isSoldAlike(one: RoomState, other: RoomState): boolean {
  return (
    one.roomNo === other.roomNo &&
    one.rateNo === other.rateNo &&
    isDeepStrictEqual(one.party, other.party) &&
    isDeepStrictEqual(one.total, other.total)
  )
}

function claimsOf(booked: RoomState, present: Sold, atMs: number): Claim[] {
  const due = dueByTerms(booked, present.minorDigits, atMs)?.amount ?? 0
  const { owedAtLeast, formerClaims = [] } = booked
  const amount = Math.max(owedAtLeast?.amount ?? 0, due)
  const dates = owedAtLeast ? union(owedAtLeast, datesOf(present)) : datesOf(present)
  return [...(amount > 0 ? [{ ...dates, amount }] : []), ...formerClaims]
}

function standingClaims({ owedAtLeast, formerClaims = [] }: RoomState): Claim[] {
  return [...(owedAtLeast ? [owedAtLeast] : []), ...formerClaims]
}

/** One claim for dates that were given up and are taken back, beside those that were kept. */
function together(claims: readonly Claim[], dates: Dates | undefined): Claim {
  const amount = claims.reduce((sum, claim) => sum + claim.amount, 0)
  let all: Dates = dates ?? claims[0] ?? { from: '', to: '' }
  for (const claim of claims) all = union(all, claim)
  return { from: all.from, to: all.to, amount }
}

function goneRooms(present: Sold, matched: MatchedRooms, atMs: number): RoomGone[] {
  const kept = new Set(matched.values())
  const numbers = roomNumbers(present.rooms)
  return present.rooms.flatMap((room, index): RoomGone[] => {
    if (kept.has(room)) return []
    const { roomId, rateId, cancelPolicy, nights, total, penaltyBase } = room
    const amount = claimsOf(room, present, atMs).reduce((sum, claim) => sum + claim.amount, 0)
    const sold = { nights, total, ...(penaltyBase ? { penaltyBase } : {}) }
    return [{ number: numbers[index] ?? 0, roomId, rateId, cancelPolicy, ...sold, amount }]
  })
}

/** What the prices of the rooms, as penalties count them, do not cover of what is owed, in all. */
export function forfeitedOf({ rooms, roomsGone = [] }: Owing): number {
  const gone = roomsGone.reduce((sum, { amount }) => sum + amount, 0)
  return rooms.reduce((sum, room) => sum + forfeitedByRoom(room), gone)
}

function datesOf({ checkin, checkout }: Pick<ReservationContent, 'checkin' | 'checkout'>): Dates {
  return { from: checkin, to: checkout }
}

/** Dates as text compare like dates. */
function overlaps(one: Dates, other: Dates): boolean {
  return one.from < other.to && other.from < one.to
}

function union(one: Dates, other: Dates): Dates {
  return { from: one.from < other.from ? one.from : other.from, to: one.to > other.to ? one.to : other.to }
}
