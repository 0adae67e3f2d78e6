import { roomRateOf, type BookableRoomRate, type BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { unset } from '../../ari/blocks/block-codec.ts'
import { fieldNumber } from '../../ari/fields.ts'
import {
  isOffered,
  isPriced,
  isUnrestricted,
  wantedStay,
  taxesOf,
  type HeldNights,
  type WantedStay,
} from '../../offers/price/evaluate.ts'
import { explain, type TestedRule } from '../../offers/explain/explain.ts'
import { partiesOf, type Party } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { roomRateKey } from '../../products/store.ts'
import type { TaxedRoom } from '../../taxes/compute/compute.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import type { BookedRoom } from '../contract.ts'
import { reservationErrors } from '../answer-contract.ts'
import type { Money, RoomBasis, RoomState } from '../state.ts'
import { allIn, basisOf, keptState, withBookedTerms, type KeptStay } from './kept-price.ts'
import type { KeptRoom } from './kept-rooms.ts'
import { bookedNights, priceNights, type SoldNight } from './room-nights.ts'
import { shortagesOf, unitsTaken, type Shortage, type Stay, type Units } from './units.ts'
import { bookedTerms, withTerms } from './with-terms.ts'

/** Rooms to be booked together. */
export type Order = Stay & {
  rooms: readonly BookedRoom[]
  /** The hotel's date. */
  today: DayNumber
  /** Rooms that are booked already or only give something up, by their position. */
  kept: ReadonlyMap<number, KeptRoom>
  /** The currency in which the rooms are priced. */
  money: Money
  /** The units that the reservation takes already. */
  before: Units | undefined
}

export type Quoted = {
  rooms: QuotedRoom[]
  units: Units
}
export type QuotedRoom = {
  /** A kept room at its booked price, another one at the price of now. */
  state: RoomState
  /** Absent for a room whose price the supplier isn't asked for. */
  roomRate: BookableRoomRate | undefined
  /** Whether the room only gives up something, or nothing. */
  isKept: boolean
  /** A kept room with fewer guests at the price of now, if there is one. */
  today?: RoomState | undefined
  /** The booked room whose terms it keeps. */
  booked?: RoomState | undefined
  /** The nights of which the state, or `today`, is made; absent where no other price is asked for. */
  nights?: SoldNight[] | undefined
  /** The stays that the supplier is asked about: the whole, or what is added. */
  asked: Stay[]
}

/** The rules that forbid some of the rooms, all of one room-rate. */
export type Forbidden = { rooms: number[]; roomRate: BookableRoomRate; rules: TestedRule[] }

type RequestedRoom = { position: number; room: BookedRoom; roomRate: BookableRoomRate }

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
    const state = roomState(catalog, roomRate, room, ofRoom, wanted)
    const nights = nightsNow(days, roomRate, party, order)
    return [{ position, roomRate, isKept: false, state: perUnit(state, days), nights, asked: [order] }]
  })
}

/** The room-rate for some rooms, where every rule allows them. */
function testedRoomRate(
  stay: HotelStay,
  order: Order,
  group: readonly RequestedRoom[],
  units: Units,
  held?: HeldNights,
): { days: RoomRateDays; wanted: WantedStay } | Omit<Forbidden, 'rooms'> {
  const { catalog } = stay
  const parties = partiesOf(
    group.map(({ room: { adults, childAges = [] } }) => ({ adults, childAges })),
    catalog,
  )
  const wanted = { ...wantedStay(order, order.today, parties), ...(held ? { held } : {}) }
  const days = new RoomRateDays(stay, { from: order.arrival, days: wanted.length + 1 }, parties.priceFields)
  const roomRate = group[0]?.roomRate
  if (!roomRate) throw new TypeError('a group has a room')
  days.turnTo(roomRate)
  const shortages = shortagesOf(days, roomRate, units, order.before)
  const isAllowed =
    shortages.length === 0 && isOffered(catalog, roomRate, wanted) && isUnrestricted(days, wanted)
  const isTaxed = isAllowed && isPricedFor(days, roomRate, wanted)
  if (isTaxed) return { days, wanted }
  return { roomRate, rules: failing(explain(days, catalog, roomRate, wanted), shortages) }
}

function isPricedFor(days: RoomRateDays, roomRate: BookableRoomRate, wanted: WantedStay): boolean {
  // Of nights that keep their price, the price is computed with that of the others.
  if (wanted.held?.arePriced) return isPriced(days, wanted)
  return taxesOf(days, roomRate, wanted)?.fault === undefined && isPriced(days, wanted)
}

/**
 * A room that keeps nights and adds others, or guests. Units, prices and closures are judged on what is added, everything
 * else on the whole stay.
 */
function quoteHeld(
  stay: HotelStay,
  order: Order,
  one: RequestedRoom & { kept: KeptRoom },
  units: Units,
): QuotedRoom | Forbidden {
  const { kept, roomRate, position } = one
  const { booked, nights: stays, hasSameLines, isSmaller } = kept
  const { catalog } = stay
  const keepsPrice = hasSameLines || isSmaller
  const tested = testedRoomRate(stay, order, [one], units, { ...stays, arePriced: keepsPrice })
  if ('rules' in tested) return { ...tested, rooms: [position] }
  const { days, wanted } = tested
  const [party] = wanted.parties.distinct
  if (!party) throw new TypeError('a room has a party')
  const now = nightsNow(days, roomRate, party, order)
  const before = bookedNights(booked, stays.from, stays.to) ?? []
  const mixed = now.map((night) => before.find(({ day }) => day === night.day) ?? night)
  const candidates = keepsPrice
    ? [mixed, ...(!hasSameLines && now.every(({ price }) => price !== unset) ? [now] : [])]
    : [now]
  const { minorDigits } = order.money
  const priced = candidates
    .flatMap((nights) => {
      const found = priceNights(nights, party.persons, minorDigits)
      return found ? [{ nights, found }] : []
    })
    .toSorted((left, right) => allIn(left.found) - allIn(right.found))
  const [best] = priced
  if (!best) {
    const rules = failing(explain(days, catalog, roomRate, { ...wanted, held: undefined }), [])
    return { rooms: [position], roomRate, rules }
  }
  const { basis: _basis, ...amounts } = best.found
  const ofNow = bookedStateOf(catalog, roomRate, one.room)
  const state = withBookedTerms(
    booked,
    {
      ...ofNow,
      ...amounts,
      mealPlan: keepsPrice ? booked.mealPlan : ofNow.mealPlan,
      basis: underBookedTerms(basisOf(booked.basis, best.found), booked),
    },
    { ...order, timeZone: catalog.timeZone, minorDigits },
  )
  const asked = keepsPrice ? addedStays(order, stays) : [order]
  return { state: perUnit(state, days), roomRate, isKept: false, booked, nights: best.nights, asked }
}

/** The parts of a stay before and after the nights that stay. */
function addedStays({ arrival, departure }: Stay, { from, to }: KeptRoom['nights']): Stay[] {
  return [
    ...(arrival < from ? [{ arrival, departure: from }] : []),
    ...(to < departure ? [{ arrival: to, departure }] : []),
  ]
}

/** The nights of the stay as they are sold now. */
function nightsNow(
  days: RoomRateDays,
  { taxes: { entries } }: BookableRoomRate,
  party: Party,
  { arrival, departure }: Stay,
): SoldNight[] {
  const taxes = entries.map(({ tax }) => tax)
  return Array.from({ length: departure - arrival }, (_, index) => {
    const day = arrival + index
    return { day, price: days.priceOn(party, day), live: undefined, taxes, isKept: false }
  })
}

/** Remembers that the prices of all nights are the unit's, whatever the party. */
function perUnit(state: RoomState, days: RoomRateDays): RoomState {
  const { basis, nights } = state
  if (!basis) return state
  const { isPerUnit: _before, ...rest } = basis
  const isPerUnit = nights.every(
    ({ date }) => days.at('rate', fieldNumber.unitPrice, parseNight(date) ?? 0) !== unset,
  )
  return { ...state, basis: isPerUnit ? { ...rest, isPerUnit: true } : rest }
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
  const { booked, requested, isSmaller, hasSameLines } = kept
  const state = keptState(kept, remaining)
  const roomRate =
    isSmaller && !hasSameLines && money.currency === catalog.currency
      ? roomRateOf(catalog, roomRateKey(booked.roomNo, booked.rateNo))
      : undefined
  if (!roomRate || roomRate.mealPlan !== booked.mealPlan)
    return { state, roomRate: undefined, isKept: true, asked: [] }
  const parties = partiesOf([{ adults: requested.adults, childAges: requested.childAges ?? [] }], catalog)
  const stayToPrice = wantedStay(order, order.today, parties)
  const days = new RoomRateDays(stay, { from: arrival, days: stayToPrice.length + 1 }, parties.priceFields)
  days.turnTo(roomRate)
  const taxed = taxesOf(days, roomRate, stayToPrice)
  const ofRoom = taxed?.fault === undefined ? taxed?.rooms[0] : undefined
  const [party] = parties.distinct
  if (!ofRoom || !party) return { state, roomRate, isKept: true, booked, asked: [order] }
  const priced = roomState(catalog, roomRate, requested, ofRoom, stayToPrice)
  const { nights, taxes, total, penaltyBase, basis } = priced
  const today = {
    ...state,
    nights,
    taxes,
    total,
    ...(penaltyBase ? { penaltyBase } : {}),
    ...(basis ? { basis: underBookedTerms(basis, booked) } : {}),
  }
  return {
    state,
    roomRate,
    isKept: true,
    today: withBookedTerms(booked, today, remaining),
    booked,
    nights: nightsNow(days, roomRate, party, order),
    asked: [order],
  }
}

function underBookedTerms({ timeZone: _now, ...priced }: RoomBasis, { basis }: RoomState): RoomBasis {
  const terms = basis ? bookedTerms(basis) : null
  return { ...priced, terms, ...(basis?.timeZone === undefined ? {} : { timeZone: basis.timeZone }) }
}

/**
 * The rules that fail. For inventory, the units this order is short of, counting all its rooms and the units
 * it already holds.
 */
function failing(tested: readonly TestedRule[], shortages: readonly Shortage[]): TestedRule[] {
  const lacking = (rule: TestedRule): TestedRule[] => {
    const ofRule = shortages.filter(({ of, night }) => of === rule.of && rule.days.includes(night))
    return [...Map.groupBy(ofRule, ({ needed }) => needed)].map(([count, some]) => ({
      ...rule,
      pass: false,
      days: some.map(({ night }) => night),
      asked: count,
    }))
  }
  return tested.flatMap((rule) => {
    if (rule.rule === 'inventory') return lacking(rule)
    return rule.pass ? [] : [rule]
  })
}

/** Whether units are the only thing missing, and there were some: others may have taken them. */
export function isSoldOut(forbidden: readonly Forbidden[]): boolean {
  return forbidden.every(({ rules }) =>
    rules.every(({ rule, held }) => rule === 'inventory' && typeof held === 'number'),
  )
}

function roomState(
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  requested: BookedRoom,
  taxed: TaxedRoom,
  { arrival }: WantedStay,
): RoomState {
  const terms = termsOn(roomRate.policies, arrival) ?? null
  const state: RoomState = {
    ...bookedStateOf(catalog, roomRate, requested),
    nights: taxed.nights.map(({ day, beforeTax, afterTax }) => ({
      date: formatNight(day),
      beforeTax,
      afterTax,
    })),
    taxes: taxed.lines.map(({ tax, amount }) => ({
      type: tax.type,
      included: tax.included,
      payNow: tax.payNow,
      amount,
    })),
    total: taxed.total,
    penaltyBase: { stay: taxed.penaltyBase.stay, nights: taxed.penaltyBase.nights },
    basis: {
      prices: taxed.nights.map(({ price }) => price),
      taxes: taxed.lines.map(({ tax }) => tax),
      terms,
      timeZone: catalog.timeZone,
    },
  }
  return withTerms(state, { ...catalog, arrival }, terms)
}

/** The room without its price and terms. */
function bookedStateOf(
  { minChildAge, maxChildAge }: BookingCatalog,
  { roomNo, rateNo, room, rate, mealPlan }: BookableRoomRate,
  { adults, childAges = [], guest }: BookedRoom,
): Omit<RoomState, 'nights' | 'taxes' | 'total'> {
  return {
    roomNo,
    rateNo,
    roomId: room.code,
    rateId: rate.code,
    roomName: room.name,
    rateName: rate.name,
    mealPlan,
    adults,
    childAges,
    party: {
      adults: adults + childAges.filter((age) => age > maxChildAge).length,
      childAges: childAges.filter((age) => age >= minChildAge && age <= maxChildAge),
      infantAges: childAges.filter((age) => age < minChildAge),
    },
    guest: { firstName: guest.firstName, lastName: guest.lastName },
    cancelPolicy: null,
  }
}
