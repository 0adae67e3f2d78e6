import { fieldNumber } from '../../ari/fields.ts'
import { nightsMax, unset } from '../../ari/blocks/block-codec.ts'
import type { Block } from '../../ari/blocks/block.ts'
import type { Stamp } from '../../ari/blocks/stamp.ts'
import { blockKeyText, type BlockKey, type WrittenBlock } from '../../ari/blocks/store.ts'
import { blockOf, keysOfRoom, type HotelMonth, type RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import type { HotelStay } from '../../offers/stays/stays.ts'
import { firstDay, formatNight, monthOf, parseNight, type DayNumber } from '../../base/calendar.ts'
import { numbersOfKey, roomRateKey } from '../../products/store.ts'
import type { GivenUp } from '../state.ts'

/** Units of rooms and room-rates that reservations take, and the nights on which they count. */

type Numbered = { roomNo: number; rateNo: number }
export type Stay = { arrival: DayNumber; departure: DayNumber }

/**
 * The units that a state of a reservation takes on each of its nights, by `roomRateKey`; rate 0 is the room
 * itself.
 */
export type Units = Stay & {
  countByKey: ReadonlyMap<number, number>
  /** Units that were given up and are still the reservation's, by `nightKey`; absent: none. */
  ownByNight?: ReadonlyMap<string, Pick<GivenUp, 'count' | 'revision'>>
}

const nightKey = (key: number, night: DayNumber): string => `${key} ${night}`

function takenOn({ arrival, departure, countByKey }: Units, key: number, night: DayNumber): number {
  return night >= arrival && night < departure ? (countByKey.get(key) ?? 0) : 0
}

/** The units that a state has of its own on a night: those that it takes, and those that nobody else was given since. */
function ownOn(units: Units, key: number, night: DayNumber): number {
  return takenOn(units, key, night) + (units.ownByNight?.get(nightKey(key, night))?.count ?? 0)
}

export function unitsTaken(rooms: readonly Numbered[], { arrival, departure }: Stay): Units {
  const countByKey = new Map<number, number>()
  for (const { roomNo, rateNo } of rooms) {
    for (const key of [roomRateKey(roomNo, 0), roomRateKey(roomNo, rateNo)])
      countByKey.set(key, (countByKey.get(key) ?? 0) + 1)
  }
  return { arrival, departure, countByKey }
}

/**
 * How many more units a state takes on a night than the state before it; never negative: units are not given
 * back.
 */
function unitsMore(units: Units, before: Units | undefined, key: number, night: DayNumber): number {
  return Math.max(0, takenOn(units, key, night) - (before ? ownOn(before, key, night) : 0))
}

/** What a reservation gave up and no push has set since, as the hotel is stored. */
export function stillOwn(stay: HotelStay, givenUp: readonly GivenUp[]): Units['ownByNight'] {
  const own = new Map<string, Pick<GivenUp, 'count' | 'revision'>>()
  for (const { roomNo, rateNo, date, count, revision } of givenUp) {
    const night = parseNight(date) ?? 0
    const month = stay.months[monthOf(night) - stay.firstMonth]
    const key = roomRateKey(roomNo, rateNo)
    const index = night - firstDay(monthOf(night))
    const counting = month ? countingBlocks(month, key, index) : []
    const isOwn = (block: Block): boolean => {
      const since = block.givenUp()?.[index] ?? unset
      return since !== unset && revision >= since
    }
    if (counting.length > 0 && counting.every(isOwn)) own.set(nightKey(key, night), { count, revision })
  }
  return own.size > 0 ? own : undefined
}

/** The blocks that count the units of a row on a night: its own, or of a room without a count those of all its rates. */
function countingBlocks(month: HotelMonth, key: number, index: number): Block[] {
  const { roomNo, rateNo } = numbersOfKey(key)
  const blockCounting = (row: number): Block[] => {
    const block = blockOf(month, row)
    return block && countAt(block, index) !== unset ? [block] : []
  }
  const own = blockCounting(key)
  return own.length > 0 || rateNo !== 0 ? own : keysOfRoom(month, roomNo).flatMap(blockCounting)
}

function countAt(block: Block | undefined, index: number): number {
  return block?.values(fieldNumber.inventory)?.[index] ?? unset
}

/** The units that a state leaves of what the one before it had, with the revision at which it does. */
export function givenUpBy(units: Units, before: Units | undefined, revision: number): GivenUp[] {
  if (!before) return []
  const given: GivenUp[] = []
  const note = (key: number, night: DayNumber): void => {
    const count = ownOn(before, key, night) - takenOn(units, key, night)
    const since = before.ownByNight?.get(nightKey(key, night))?.revision ?? revision
    if (count > 0) given.push({ ...numbersOfKey(key), date: formatNight(night), count, revision: since })
  }
  for (const key of before.countByKey.keys())
    for (let night = before.arrival; night < before.departure; night++) note(key, night)
  for (const text of before.ownByNight?.keys() ?? []) {
    const [key = 0, night = 0] = text.split(' ').map(Number)
    if (takenOn(before, key, night) === 0) note(key, night)
  }
  return given
}

/** How many more units a state takes than the state before it, on the night on which it takes most. */
export function mostUnitsMore(units: Units, before: Units | undefined, key: number): number {
  let most = 0
  for (let night = units.arrival; night < units.departure; night++)
    most = Math.max(most, unitsMore(units, before, key, night))
  return most
}

/** The units left and needed on a night, of the room itself or of the room with the rate. */
export type Shortage = { of: 'room' | 'rate'; night: DayNumber; available: number | null; needed: number }

/**
 * The nights that lack units of a room-rate; `days` are that room-rate's. Where the room has no count, the
 * rate must have as many as are taken of the room with all its rates. Where neither count is stored, nothing
 * is sold.
 */
export function shortagesOf(
  days: RoomRateDays,
  { roomNo, rateNo }: Numbered,
  units: Units,
  before: Units | undefined,
): Shortage[] {
  const shortages: Shortage[] = []
  for (let night = units.arrival; night < units.departure; night++) {
    const neededOf = {
      room: unitsMore(units, before, roomRateKey(roomNo, 0), night),
      rate: unitsMore(units, before, roomRateKey(roomNo, rateNo), night),
    }
    const most = Math.max(neededOf.room, neededOf.rate)
    if (most === 0) continue
    if (days.unitsOn(night) === unset) {
      shortages.push({ of: 'room', night, available: null, needed: most })
      continue
    }
    if (days.at('room', fieldNumber.inventory, night) === unset) neededOf.rate = most
    for (const row of ['room', 'rate'] as const) {
      const available = days.at(row, fieldNumber.inventory, night)
      if (available !== unset && available < neededOf[row])
        shortages.push({ of: row, night, available, needed: neededOf[row] })
    }
  }
  return shortages
}

/**
 * The hotel's blocks with the inventory that remains after the state. There must be enough units. Where the
 * room has no count, what is taken of it is taken off the counts of all its rates.
 */
export function loweredBlocks(
  stay: HotelStay,
  units: Units,
  before: Units | undefined,
  stamp: Stamp,
): WrittenBlock[] {
  const { hotelId } = stay.catalog
  const written: WrittenBlock[] = []
  const given = Map.groupBy(givenUpBy(units, before, stamp.revision), ({ roomNo, rateNo }) =>
    roomRateKey(roomNo, rateNo),
  )
  const rooms = new Set(
    [...units.countByKey.keys(), ...given.keys()].map((key) => roomRateKey(numbersOfKey(key).roomNo, 0)),
  )
  for (const roomKey of rooms) {
    const { roomNo } = numbersOfKey(roomKey)
    for (const [index, stored] of stay.months.entries()) {
      const month = stay.firstMonth + index
      const ofRoom = blockOf(stored, roomKey)?.values(fieldNumber.inventory) ?? []
      for (const rowKey of keysOfRoom(stored, roomNo)) {
        const key = { hotelId, ...numbersOfKey(rowKey), month }
        const block = blockOf(stored, rowKey)
        if (block) {
          lower(block, key, ofRoom, { units, before, stamp })
          // Where the room has no count, those of its rates count its units.
          const ofRates = (given.get(roomKey) ?? []).filter(({ date }) => isUncounted(ofRoom, month, date))
          noteGivenUp(block, month, [...(given.get(rowKey) ?? []), ...ofRates], stamp)
        }
        if (block?.dirty)
          written.push({ key, text: blockKeyText(key), bytes: block.encode(), isStored: true })
      }
    }
  }
  return written
}

function isUncounted(ofRoom: readonly number[], month: number, date: string): boolean {
  return (ofRoom[(parseNight(date) ?? 0) - firstDay(month)] ?? unset) === unset
}

/** Where a row counts no units, there is nothing to keep. */
function noteGivenUp(block: Block, month: number, given: readonly GivenUp[], { revision }: Stamp): void {
  const first = firstDay(month)
  let mask = 0
  for (const { date } of given) {
    const index = (parseNight(date) ?? 0) - first
    if (index >= 0 && index < nightsMax && countAt(block, index) !== unset) mask |= 1 << index
  }
  if (mask !== 0) block.noteGivenUp(mask, revision)
}

function lower(
  block: Block,
  key: BlockKey,
  ofRoom: readonly number[],
  { units, before, stamp }: { units: Units; before: Units | undefined; stamp: Stamp },
): void {
  const { hotelId, roomNo, rateNo, month } = key
  const inventory = block.values(fieldNumber.inventory)
  if (!inventory) return
  const first = firstDay(month)
  const from = Math.max(units.arrival, first)
  for (let night = from; night < units.departure && monthOf(night) === month; night++) {
    const left = inventory[night - first] ?? unset
    const isRoomCounted = (ofRoom[night - first] ?? unset) !== unset
    const more = unitsMore(units, before, roomRateKey(roomNo, isRoomCounted ? rateNo : 0), night)
    if (left === unset || more === 0) continue
    if (isRoomCounted && left < more) throw new RangeError(`inventory below zero in hotel ${hotelId}`)
    stamp.before?.at(key, month)
    block.set(fieldNumber.inventory, 1 << (night - first), Math.max(0, left - more), stamp)
  }
}
