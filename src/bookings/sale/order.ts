import { type BookableRoomRate } from '../../offers/stays/booking-catalog.ts'
import { type TestedRule } from '../../offers/explain/explain.ts'
import { type DayNumber } from '../../base/calendar.ts'
import type { BookedRoom } from '../contract.ts'
import type { Money, RoomState } from '../state.ts'
import type { KeptRoom } from './kept-rooms.ts'
import { type SoldNight } from './room-nights.ts'
import { type Stay, type Units } from './units.ts'

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

export type RequestedRoom = { position: number; room: BookedRoom; roomRate: BookableRoomRate }
