import type { Claim, Gone, Room, State } from './state.ts'
import { hull, isSameRate, overlap, type Stay } from './stays.ts'
import { dueAt } from './terms.ts'

/** What guests owe, by the contract alone: it does not shrink, room by room. Amounts are minor units. */

/** A changed reservation with what each room owes by then. */
export function withClaims(before: State, after: State, nowMs: number): State {
  const isSold = isSoldAnew(before, after)
  const rooms = after.rooms.map((room): Room => {
    const old = before.rooms.find(({ number }) => number === room.number)
    if (!old) return room
    const claims = isSold ? claimsOf(old, before, nowMs) : standing(old)
    const kept = claims.filter((claim) => overlap(claim, after))
    const amount = kept.reduce((all, claim) => all + claim.amount, 0)
    const all = isSold ? [after, ...kept] : kept
    const owed = kept.length > 0 ? { ...hull(all), amount } : undefined
    return { ...room, owed, former: claims.filter((claim) => !overlap(claim, after)) }
  })
  const went = before.rooms.filter(({ number }) => !after.rooms.some((room) => room.number === number))
  const gone = went.map((room): Gone => {
    const amount = claimsOf(room, before, nowMs).reduce((all, claim) => all + claim.amount, 0)
    return { number: room.number, amount, isKnown: room.steps !== undefined, code: room.policy.code }
  })
  return { ...after, rooms, gone: [...before.gone, ...gone] }
}

/** Whether dates, rooms, rates, parties or prices are others. */
export function isSoldAnew(before: State, after: State): boolean {
  if (before.checkin !== after.checkin || before.checkout !== after.checkout) return true
  if (before.rooms.length !== after.rooms.length) return true
  return after.rooms.some((room) => {
    const old = before.rooms.find(({ number }) => number === room.number)
    return !old || !isSameRate(room, old) || !isCountedAlike(old, room) || totalText(old) !== totalText(room)
  })
}

function isCountedAlike({ counts: one }: Room, { counts: other }: Room): boolean {
  return one.adults === other.adults && one.children === other.children && one.infants === other.infants
}

function totalText({ price: { beforeTax, tax, afterTax, dueAtProperty } }: Room): string {
  return [beforeTax, tax, afterTax, dueAtProperty].join()
}

function claimsOf(room: Room, stay: Stay, nowMs: number): Claim[] {
  const due = dueAt(room.steps ?? [], nowMs)?.amount ?? 0
  const amount = Math.max(due, room.owed?.amount ?? 0)
  const dates = hull(room.owed ? [room.owed, stay] : [stay])
  return [...(amount > 0 ? [{ ...dates, amount }] : []), ...room.former]
}

function standing({ owed, former }: Room): Claim[] {
  return [...(owed ? [owed] : []), ...former]
}

export function withoutRooms(before: State, numbers: readonly number[], nowMs: number): State {
  const rooms = before.rooms
    .filter(({ number }) => !numbers.includes(number))
    .map((room): Room => ({ ...room, owed: undefined, former: [] }))
  return withClaims(before, { ...before, rooms }, nowMs)
}

/** The hotel lets go of what is owed so far, of all rooms or of one. */
export function letGo(state: State, number: number | undefined): State {
  const isMeant = (one: { number: number }): boolean => number === undefined || one.number === number
  return {
    ...state,
    rooms: state.rooms.map((room) => (isMeant(room) ? { ...room, owed: undefined, former: [] } : room)),
    gone: state.gone.map((room) => (isMeant(room) ? { ...room, amount: 0 } : room)),
  }
}

export function formerOf({ former }: Room): number {
  return former.reduce((all, { amount }) => all + amount, 0)
}
export function owedBy(room: Room): number {
  return (room.owed?.amount ?? 0) + formerOf(room)
}
export function forfeitedByRoom(room: Room): number {
  return Math.max(0, (room.owed?.amount ?? 0) - room.price.base.stay) + formerOf(room)
}
export function forfeitedOf({ rooms, gone }: State): number {
  return rooms.reduce((all, room) => all + forfeitedByRoom(room), goneOf({ gone }))
}
export function goneOf({ gone }: Pick<State, 'gone'>): number {
  return gone.reduce((all, { amount }) => all + amount, 0)
}

/** What cancelling a room costs. */
export function costOfRoom(room: Room, nowMs: number): number {
  const due = dueAt(room.steps ?? [], nowMs)?.amount ?? 0
  return Math.max(due, room.owed?.amount ?? 0) + formerOf(room)
}
/** What cancelling all costs, with what is forfeited for rooms that went. */
export function cancelCost(state: State, nowMs: number): number {
  return state.rooms.reduce((all, room) => all + costOfRoom(room, nowMs), goneOf(state))
}
