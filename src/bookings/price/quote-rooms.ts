import { roomRateOf, type BookableRoomRate, type BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import {
  isOffered,
  isUnrestricted,
  wantedStay,
  taxesOf,
  type WantedStay,
} from '../../offers/price/evaluate.ts'
import { explain, type TestedRule } from '../../offers/explain/explain.ts'
import { partiesOf } from '../../offers/party.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { formatNight, type DayNumber } from '../../base/calendar.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { roomRateKey } from '../../products/store.ts'
import type { TaxedRoom } from '../../taxes/compute/compute.ts'
import { termsOn } from '../../products/policies/arrival-terms.ts'
import type { BookedRoom } from '../contract.ts'
import { reservationErrors } from '../answer-contract.ts'
import type { Money, RoomBasis, RoomState } from '../state.ts'
import { keptState, withBookedTerms, type KeptStay } from './kept-price.ts'
import type { KeptRoom } from './kept-rooms.ts'
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
  isKept: boolean
  /** A kept room with fewer guests at the price of now, if there is one. */
  today?: RoomState | undefined
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
  const booked = [...order.kept.values()].map((one) => one.booked)
  const units = unitsTaken([...requested.map(({ roomRate }) => roomRate), ...booked], order)
  const quotedByPosition = new Map<number, QuotedRoom>(
    [...order.kept].map(([position, kept]) => [position, quoteKept(stay, order, kept)]),
  )
  const forbidden: Forbidden[] = []
  for (const group of Map.groupBy(requested, ({ roomRate }) => roomRate.key).values()) {
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
    if (kept.has(position)) return []
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
  const parties = partiesOf(
    group.map(({ room: { adults, childAges = [] } }) => ({ adults, childAges })),
    catalog,
  )
  const stayToPrice = wantedStay(order, order.today, parties)
  const window = { from: order.arrival, days: stayToPrice.length + 1 }
  const days = new RoomRateDays(stay, window, parties.priceFields)
  days.turnTo(roomRate)
  const shortages = shortagesOf(days, roomRate, units, order.before)
  const isAllowed =
    shortages.length === 0 && isOffered(catalog, roomRate, stayToPrice) && isUnrestricted(days, stayToPrice)
  const taxed = isAllowed ? taxesOf(days, roomRate, stayToPrice) : undefined
  if (!taxed || taxed.fault !== undefined) {
    const rules = failing(explain(days, catalog, roomRate, stayToPrice), shortages)
    return { rooms: group.map(({ position }) => position), roomRate, rules }
  }
  return group.flatMap(({ position, room }, index) => {
    const ofRoom = taxed.rooms[index]
    return ofRoom
      ? [
          {
            position,
            roomRate,
            isKept: false,
            state: roomState(catalog, roomRate, room, ofRoom, stayToPrice),
          },
        ]
      : []
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
  if (!roomRate || roomRate.mealPlan !== booked.mealPlan) return { state, roomRate: undefined, isKept: true }
  const parties = partiesOf([{ adults: requested.adults, childAges: requested.childAges ?? [] }], catalog)
  const stayToPrice = wantedStay(order, order.today, parties)
  const days = new RoomRateDays(stay, { from: arrival, days: stayToPrice.length + 1 }, parties.priceFields)
  days.turnTo(roomRate)
  const taxed = taxesOf(days, roomRate, stayToPrice)
  const ofRoom = taxed?.fault === undefined ? taxed?.rooms[0] : undefined
  if (!ofRoom) return { state, roomRate, isKept: true }
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
  return { state, roomRate, isKept: true, today: withBookedTerms(booked, today, remaining) }
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
  const { roomNo, rateNo, room, rate, mealPlan, policies } = roomRate
  const { minChildAge, maxChildAge } = catalog
  const { adults, childAges = [], guest } = requested
  const terms = termsOn(policies, arrival) ?? null
  const state: RoomState = {
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
    cancelPolicy: null,
    basis: {
      prices: taxed.nights.map(({ price }) => price),
      taxes: taxed.lines.map(({ tax }) => tax),
      terms,
      timeZone: catalog.timeZone,
    },
  }
  return withTerms(state, { ...catalog, arrival }, terms)
}
