import { roomRateOf, type BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { taxesOf } from '../../offers/price/evaluate.ts'
import { partiesOf } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { roomRateKey } from '../../products/store.ts'
import { reservationErrors } from '../errors-contract.ts'
import { keptState, pricedAnew, type KeptStay } from './kept-price.ts'
import { asBooked, nightsOfSameLines, staysWithout, type KeptRoom } from './kept-rooms.ts'
import { priceNights } from './room-nights.ts'
import { unitsTaken, type Units } from './units.ts'
import type { Order, Quoted, QuotedRoom, Forbidden, RequestedRoom } from './order.ts'
import { roomState, nightsNow } from './room-state.ts'
import { testedRoomRate } from './tested-rate.ts'
import { quoteHeld } from './held-rooms.ts'

/**
 * The price of the rooms from the hotel's stored data, or the rules that forbid them. Rooms of several
 * room-rates that share units are counted together. Throws 404 for codes that the hotel does not have.
 */
export function quoteRooms(stay: HotelStay, order: Order): Quoted | { forbidden: Forbidden[] } {
  const { catalog } = stay
  const requested = requestedRooms(catalog, order)
  const givingUp = [...order.kept].filter(([, { isGivingUp }]) => isGivingUp)
  const booked = givingUp.map(([, one]) => one.booked)
  const units = unitsTaken([...requested.map(({ roomRate }) => roomRate), ...booked], order)
  const quotedByPosition = new Map<number, QuotedRoom>(
    givingUp.map(([position, kept]) => [position, quoteKept(stay, order, kept)]),
  )
  const forbidden: Forbidden[] = []
  const held = new Map<number, KeptRoom>()
  for (const [position, kept] of order.kept) if (!kept.isGivingUp) held.set(position, kept)
  const isHeldHere = ({ position }: RequestedRoom): boolean => held.has(position)
  const groups = [
    ...Map.groupBy(
      requested.filter((one) => !isHeldHere(one)),
      ({ roomRate }) => roomRate.key,
    ).values(),
  ]
  for (const one of requested.filter(isHeldHere)) {
    const kept = held.get(one.position)
    const outcome = kept && quoteHeld(stay, order, { ...one, kept }, units)
    if (outcome && 'rules' in outcome) forbidden.push(outcome)
    else if (outcome) quotedByPosition.set(one.position, outcome)
  }
  for (const group of groups) {
    const outcome = quoteGroup(stay, order, group, units)
    if (Array.isArray(outcome)) for (const quoted of outcome) quotedByPosition.set(quoted.position, quoted)
    else forbidden.push(outcome)
  }
  if (forbidden.length > 0) return { forbidden }
  return {
    rooms: order.rooms.flatMap((_, position) => quotedByPosition.get(position) ?? []),
    units,
  }
}

function requestedRooms(catalog: BookingCatalog, { rooms, kept }: Order): RequestedRoom[] {
  const problems: Problem[] = []
  const requested = rooms.flatMap((room, position): RequestedRoom[] => {
    if (kept.get(position)?.isGivingUp) return []
    const ofRoom = catalog.roomRates.filter((one) => one.room.code === room.roomId)
    const [first] = ofRoom
    const match = ofRoom.find(({ rate }) => rate.code === room.rateId)
    const roomRate = match && roomRateOf(catalog, roomRateKey(match.roomNo, match.rateNo))
    if (roomRate) return [{ position, room, roomRate }]
    const [member, fault] = first
      ? (['rateId', reservationErrors.rateNotFound] as const)
      : (['roomId', reservationErrors.roomNotFound] as const)
    problems.push({ ...fault, path: `/rooms/${position}/${member}`, value: reportedValue(room[member]) })
    return []
  })
  rejectIfAny(problems, 404)
  return requested
}

function quoteGroup(
  stay: HotelStay,
  order: Order,
  group: readonly RequestedRoom[],
  units: Units,
): ({ position: number } & QuotedRoom)[] | Forbidden {
  const [first] = group
  if (!first) return []
  const { catalog } = stay
  const { roomRate } = first
  const tested = testedRoomRate(stay, order, group, units)
  if ('rules' in tested) return { ...tested, rooms: group.map(({ position }) => position) }
  const { days, wanted } = tested
  const { parties } = wanted
  const taxed = taxesOf(days, roomRate, wanted)
  if (!taxed || taxed.fault !== undefined) throw new RangeError('a stay that is allowed has a price')
  return group.flatMap(({ position, room }, index) => {
    const ofRoom = taxed.rooms[index]
    const party = parties.distinct[parties.partyByRoom[index] ?? 0]
    if (!ofRoom || !party) return []
    const nights = nightsNow(days, roomRate, party, order)
    const state = roomState(catalog, roomRate, room, ofRoom, { ...order, nights })
    return [{ position, roomRate, isKept: false, state, nights, asked: [order] }]
  })
}

/**
 * A kept room; with fewer guests also at the price of now, whatever closes or restricts the room-rate, if that is the
 * price of the meal plan that was booked.
 */
function quoteKept(stay: HotelStay, order: Order, kept: KeptRoom): QuotedRoom {
  const { catalog } = stay
  const { arrival, departure, money } = order
  const remaining: KeptStay = {
    arrival,
    departure,
    timeZone: catalog.timeZone,
    minorDigits: money.minorDigits,
  }
  const { booked, requested, isSmaller } = kept
  const state = keptState(kept, remaining)
  const roomRate =
    isSmaller && money.currency === catalog.currency
      ? roomRateOf(catalog, roomRateKey(booked.roomNo, booked.rateNo))
      : undefined
  const same = nightsOfSameLines(kept, money.minorDigits)
  const asked = staysWithout(order, new Set(same.map(({ day }) => day)))
  if (!roomRate || roomRate.mealPlan !== booked.mealPlan || asked.length === 0)
    return { state, roomRate: undefined, isKept: true, asked: [] }
  const parties = partiesOf([{ adults: requested.adults, childAges: requested.childAges ?? [] }], catalog)
  const range = { from: arrival, days: departure - arrival + 1 }
  const days = new RoomRateDays(stay, range, parties.priceFields)
  days.turnTo(roomRate)
  const [party] = parties.distinct
  if (!party) throw new TypeError('a room has a party')
  const nights = asBooked(nightsNow(days, roomRate, party, order), same)
  // Who only gives up pays taxes by the ages of then, beside a price for those of now.
  const { adults, childAges } = state.party
  const found = priceNights(nights, adults + childAges.length, money.minorDigits)
  const today = found && pricedAnew(booked, state, found, remaining)
  return { state, roomRate, isKept: true, today, booked, nights, asked }
}
