import { addDays } from '../models/naive-offers.ts'
import { cancelCost, forfeitedOf, withClaims } from './claims.ts'
import { feesOf } from './fees.ts'
import { priceOf, type SoldNight, type Tax } from './price.ts'
import type { Asked, Bought, AskedRoom, Party, Room, Seller, State, Total } from './state.ts'
import { datesOf, isSameRate, overlap, type Stay } from './stays.ts'
import { rulesOf, stepsOf } from './terms.ts'

/** What a guest bought, changed and owes, by the contract alone. Amounts are minor units. */

export type Asks = { total: boolean; terms: boolean; forfeit: boolean }
export type Changed =
  /** Another currency, while something is owed. */
  { isRefused: true; owed: number } | { isRefused: false; after: State; isSame: boolean; asks: Asks }

type Now = { hotel: Seller; nowMs: number }

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

function newRoom(room: AskedRoom, number: number, stay: Stay, hotel: Seller): Room {
  const { zone, once } = hotel
  const bought = {
    ...named(room, number),
    counts: hotel.countsOf(room),
    nights: hotel.nightsOf(room, stay),
    once,
    mealPlan: hotel.mealPlanOf(room),
    policy: hotel.policyOf(room),
    zone,
  }
  return priced(bought, stay, hotel.digits)
}

function named({ roomId, rateId, adults, childAges, guest }: AskedRoom, number: number) {
  return { roomId, rateId, adults, childAges, guest, number }
}

function priced(room: Bought, { checkin }: Stay, digits: number): Room {
  const { nights, once, counts, policy, zone } = room
  const persons = counts.adults + counts.children
  const price = priceOf({ nights, once, persons, digits })
  const stayed = { nights: nights.length, persons, afterTax: price.afterTax, digits }
  const fees = feesOf(policy.fees ?? [], stayed)
  const steps = stepsOf(policy, price, { zone, arrival: checkin, digits })
  return { ...room, price, fees, steps, owed: undefined, former: [] }
}

/** What the change of a reservation makes of it, and what its guest has to agree to. */
export function changed(before: State, asked: Asked, { hotel, nowMs }: Now): Changed {
  const isOther = before.currency !== hotel.currency
  const keeps = !isOther || onlyGivesUp(before, asked)
  if (!keeps) {
    const owed = cancelCost(before, nowMs)
    if (owed > 0) return { isRefused: true, owed }
  }
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
  const isTerms = rooms.some((room) => takesOtherPolicy(room, before) || takesOtherPlan(room, before))
  const asks = { total: isTotal, terms: isTerms, forfeit: forfeitedOf(after) > forfeitedOf(before) }
  return { isRefused: false, after, isSame: isSame(before, after), asks }
}

function bookedAs({ number }: Pick<AskedRoom, 'number'>, { rooms }: State): Room | undefined {
  return rooms.find((room) => room.number === number)
}

function takesOtherPolicy(room: Room, before: State): boolean {
  const old = bookedAs(room, before)
  return old !== undefined && isSameRate(room, old) && rulesOf(room.policy) !== rulesOf(old.policy)
}

/** Whether a room of the same rate has another meal plan than it was booked with. */
export function takesOtherPlan(room: Room, before: State): boolean {
  const old = bookedAs(room, before)
  return old !== undefined && isSameRate(room, old) && room.mealPlan !== old.mealPlan
}

/** Whether a change asks for nothing that isn't booked. */
export function onlyGivesUp(before: State, asked: Asked): boolean {
  return asked.rooms.every((room) => givesUp(room, asked, before))
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
  { before, asked, hotel }: { before: State; asked: Asked; hotel: Seller },
): Room | undefined {
  if (!isSameRate(room, old) || !overlap(before, asked)) return undefined
  const isSmaller = !isSameParty(room, old) && room.adults <= old.adults
  const stays = old.nights.filter(({ date }) => date >= asked.checkin && date < asked.checkout)
  // The price of a unit is everybody's.
  const same = stays.filter(({ isPerUnit }) => isPerUnit || needsSameLines(room, old, hotel))
  const keeping = isSmaller ? stays : same
  const mealPlan = keeping.length > 0 ? old.mealPlan : hotel.mealPlanOf(room)
  const sold = (kept: readonly SoldNight[]): Room =>
    priced({ ...heldAs(room, old, { kept, asked, hotel }), mealPlan }, asked, before.digits)
  const atBooked = sold(keeping)
  // Fewer guests have the price of now where it is lower, and that of the meal plan that was booked.
  if (!isSmaller || hotel.currency !== before.currency || hotel.mealPlanOf(room) !== mealPlan) return atBooked
  const now = sold(same)
  const isAdded = datesOf(asked).length > stays.length
  return isCheaper(now, atBooked) && (isAdded || !isDearer({ rooms: [now] }, { rooms: [atBooked] }))
    ? now
    : atBooked
}

type Keeping = { kept: readonly SoldNight[]; asked: Asked; hotel: Seller }

/** The other nights are those of now; once a stay is once a stay, as booked while a night is. */
function heldAs(room: AskedRoom, old: Room, { kept, asked, hotel }: Keeping): Bought {
  const soldAt = new Map(kept.map((night) => [night.date, night]))
  const nights = datesOf(asked).map((date) => soldAt.get(date) ?? nightNow(hotel, room, date))
  const nameOf = ({ type, appliedPer }: Tax): string => `${type} ${appliedPer}`
  const bookedOnce = kept.length > 0 ? old.once : []
  const known = new Set(bookedOnce.map(nameOf))
  const more = kept.length < nights.length ? hotel.once.filter((tax) => !known.has(nameOf(tax))) : []
  // Who only gives up nights is counted as at the booking.
  const isAdded = nights.some(({ date }) => !old.nights.some((night) => night.date === date))
  const counts = isAdded || !isSameParty(room, old) ? hotel.countsOf(room) : old.counts
  const { mealPlan, policy, zone } = old
  return {
    ...named(room, old.number),
    counts,
    nights,
    once: [...bookedOnce, ...more],
    mealPlan,
    policy,
    zone,
  }
}

function needsSameLines(room: AskedRoom, old: Room, hotel: Seller): boolean {
  if (isSameParty(room, old)) return true
  const { adults, children, infants } = hotel.countsOf(room)
  const { counts: then } = old
  return adults === then.adults && children === then.children && infants === then.infants
}

function nightNow(hotel: Seller, room: AskedRoom, date: string): SoldNight {
  const [night] = hotel.nightsOf(room, { checkin: date, checkout: addDays(date, 1) })
  if (!night) throw new RangeError('a stay has a night')
  return night
}

function isCheaper({ price: one }: Room, { price: other }: Room): boolean {
  return one.afterTax + one.dueAtProperty < other.afterTax + other.dueAtProperty
}

export function totalOf({ rooms }: Pick<State, 'rooms'>): Total {
  const total = { beforeTax: 0, tax: 0, afterTax: 0, dueAtProperty: 0, feesAtProperty: 0 }
  for (const { price, fees } of rooms) {
    total.beforeTax += price.beforeTax
    total.tax += price.tax
    total.afterTax += price.afterTax
    total.dueAtProperty += price.dueAtProperty
    for (const { amount } of fees) total.feesAtProperty += amount
  }
  return total
}

function isDearer(after: Pick<State, 'rooms'>, before: Pick<State, 'rooms'>): boolean {
  const [now, then] = [totalOf(after), totalOf(before)]
  return now.afterTax > then.afterTax || now.dueAtProperty > then.dueAtProperty
}

function isSame(one: State, other: State): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isSameParty(one: Party, other: Party): boolean {
  return one.adults === other.adults && one.childAges.join() === other.childAges.join()
}
