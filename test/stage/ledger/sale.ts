import type { NaiveHotel, RoomRate } from './naive-hotel.ts'
import { priceOf, type Price, type SoldNight, type Tax } from './price.ts'
import { dueAt, rulesOf, stepsOf, type Policy, type Step } from './terms.ts'

/** What a guest bought, changed and owes, by the contract alone. Amounts are minor units. */

export type Stay = { checkin: string; checkout: string }
export type Guest = { firstName: string; lastName: string }
/** A room as it is asked for; with a number, one that is booked. */
export type AskedRoom = RoomRate & { number?: number; adults: number; guest: Guest }
export type Asked = Stay & { rooms: readonly AskedRoom[] }

type Claim = Stay & { amount: number }
export type Room = RoomRate & {
  number: number
  adults: number
  guest: Guest
  nights: readonly SoldNight[]
  once: readonly Tax[]
  policy: Policy
  price: Price
  steps: readonly Step[] | undefined
  /** For dates of which the room keeps some. */
  owed: Claim | undefined
  /** For dates of which it keeps none. */
  former: readonly Claim[]
}
export type Gone = { number: number; amount: number; isKnown: boolean; code: string }
export type State = Stay & {
  currency: string
  digits: number
  rooms: readonly Room[]
  gone: readonly Gone[]
  numbersUsed: number
}

export type Asks = { total: boolean; terms: boolean; forfeit: boolean }
export type Changed =
  /** Another currency, while something is owed. */
  { isRefused: true; owed: number } | { isRefused: false; after: State; isSame: boolean; asks: Asks }

type Now = { hotel: NaiveHotel; nowMs: number }

export function booked(asked: Asked, { hotel }: Now): State {
  const { checkin, checkout, rooms } = asked
  const { currency, digits } = hotel
  return {
    checkin,
    checkout,
    currency,
    digits,
    rooms: rooms.map((room, index) => newRoom(room, index + 1, asked, hotel)),
    gone: [],
    numbersUsed: rooms.length,
  }
}

function newRoom(room: AskedRoom, number: number, stay: Stay, hotel: NaiveHotel): Room {
  const { roomId, rateId, adults, guest } = room
  const bought = { nights: hotel.nightsOf(room, stay), once: hotel.once, policy: hotel.policyOf(room) }
  const named = { roomId, rateId, adults, guest, number }
  return priced({ ...named, ...bought }, stay, hotel.zone, hotel.digits)
}

function priced(
  room: Omit<Room, 'price' | 'steps' | 'owed' | 'former'>,
  { checkin }: Stay,
  zone: string,
  digits: number,
): Room {
  const price = priceOf({ nights: room.nights, once: room.once, persons: room.adults, digits })
  const steps = stepsOf(room.policy, price, { zone, arrival: checkin, digits })
  return { ...room, price, steps, owed: undefined, former: [] }
}

/** What the change of a reservation makes of it, and what its guest has to agree to. */
export function changed(before: State, asked: Asked, { hotel, nowMs }: Now): Changed {
  const isOther = before.currency !== hotel.currency
  const onlyGivesUp = asked.rooms.every((room) => givesUp(room, asked, before))
  if (isOther && !onlyGivesUp) {
    const owed = cancelCost(before, nowMs)
    if (owed > 0) return { isRefused: true, owed }
  }
  const keeps = !isOther || onlyGivesUp
  let used = before.numbersUsed
  const rooms = asked.rooms.map((room) => {
    const old = bookedAs(room, before)
    const number = old?.number ?? ++used
    const anew = keeps && old ? heldRoom(room, old, { before, asked, hotel }) : undefined
    return anew ?? newRoom(room, number, asked, hotel)
  })
  const { currency, digits } = keeps && isOther ? before : hotel
  const { checkin, checkout } = asked
  const bare: State = { checkin, checkout, currency, digits, rooms, gone: before.gone, numbersUsed: used }
  const after = withClaims(before, bare, nowMs)
  const isTotal = currency !== before.currency || isDearer(after, before)
  const isTerms = rooms.some((room) => {
    const old = before.rooms.find(({ number }) => number === room.number)
    return old !== undefined && isSameRate(room, old) && rulesOf(room.policy) !== rulesOf(old.policy)
  })
  const asks = { total: isTotal, terms: isTerms, forfeit: forfeitedOf(after) > forfeitedOf(before) }
  return { isRefused: false, after, isSame: isSame(before, after), asks }
}

function bookedAs({ number }: AskedRoom, { rooms }: State): Room | undefined {
  return rooms.find((room) => room.number === number)
}

function givesUp(room: AskedRoom, { checkin, checkout }: Stay, before: State): boolean {
  const old = bookedAs(room, before)
  if (!old || !isSameRate(room, old) || room.adults > old.adults) return false
  return checkin >= before.checkin && checkout <= before.checkout
}

/** A room that keeps some nights, and with them what they were sold at, and the policy. */
function heldRoom(
  room: AskedRoom,
  old: Room,
  { before, asked, hotel }: { before: State; asked: Asked; hotel: NaiveHotel },
): Room | undefined {
  if (!isSameRate(room, old) || !overlap(before, asked)) return undefined
  const soldAt = new Map(old.nights.map((night) => [night.date, night]))
  const dates = datesOf(asked)
  const nights = dates.map((date) => soldAt.get(date) ?? nightNow(hotel, room, date))
  const isAdded = dates.some((date) => !soldAt.has(date))
  const nameOf = ({ type, appliedPer }: Tax): string => `${type} ${appliedPer}`
  const known = new Set(old.once.map(nameOf))
  // Once a stay is once a stay, as booked.
  const more = isAdded ? hotel.once.filter((tax) => !known.has(nameOf(tax))) : []
  const { roomId, rateId, adults, guest } = room
  const bought = { nights, once: [...old.once, ...more], policy: old.policy }
  const named = { roomId, rateId, adults, guest, number: old.number }
  return priced({ ...named, ...bought }, asked, hotel.zone, before.digits)
}

function nightNow(hotel: NaiveHotel, room: RoomRate, date: string): SoldNight {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
  const [night] = hotel.nightsOf(room, { checkin: date, checkout: next })
  if (!night) throw new RangeError('a stay has a night')
  return night
}

/** What is owed does not shrink, room by room. */
function withClaims(before: State, after: State, nowMs: number): State {
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

function isSoldAnew(before: State, after: State): boolean {
  if (before.checkin !== after.checkin || before.checkout !== after.checkout) return true
  if (before.rooms.length !== after.rooms.length) return true
  return after.rooms.some((room) => {
    const old = before.rooms.find(({ number }) => number === room.number)
    return !old || !isSameRate(room, old) || old.adults !== room.adults || totalText(old) !== totalText(room)
  })
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
export function totalOf({ rooms }: Pick<State, 'rooms'>): Omit<Price, 'base'> {
  const total = { beforeTax: 0, tax: 0, afterTax: 0, dueAtProperty: 0 }
  for (const { price } of rooms) {
    total.beforeTax += price.beforeTax
    total.tax += price.tax
    total.afterTax += price.afterTax
    total.dueAtProperty += price.dueAtProperty
  }
  return total
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

function isDearer(after: State, before: State): boolean {
  const [now, then] = [totalOf(after), totalOf(before)]
  return now.afterTax > then.afterTax || now.dueAtProperty > then.dueAtProperty
}

function isSameRate(one: RoomRate, other: RoomRate): boolean {
  return one.roomId === other.roomId && one.rateId === other.rateId
}

function isSame(one: State, other: State): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function overlap(one: Stay, other: Stay): boolean {
  return one.checkin < other.checkout && other.checkin < one.checkout
}

function hull(stays: readonly Stay[]): Stay {
  const first = stays.map(({ checkin }) => checkin).sort()
  const last = stays.map(({ checkout }) => checkout).sort()
  return { checkin: first[0] ?? '', checkout: last.at(-1) ?? '' }
}

export function datesOf({ checkin, checkout }: Stay): string[] {
  const dates: string[] = []
  for (
    let at = Date.parse(`${checkin}T00:00:00Z`);
    at < Date.parse(`${checkout}T00:00:00Z`);
    at += 86_400_000
  )
    dates.push(new Date(at).toISOString().slice(0, 10))
  return dates
}
