import type { DayNumber, MonthNumber } from '../../base/calendar.ts'
import { unset } from '../../ari/blocks/block-codec.ts'
import { Block } from '../../ari/blocks/block.ts'
import { closureFields, fieldNumber } from '../../ari/fields.ts'
import { RowDays } from '../../ari/blocks/row-days.ts'
import { numbersOfKey, roomRateKey } from '../../products/store.ts'
import type { BookableRoomRate } from './booking-catalog.ts'
import type { Party } from '../party.ts'

/** The row of a room-rate that a value belongs to: the room's own row, or that of the room with the rate. */
export type RowName = 'room' | 'rate'

/** The values of one room-rate on the days of a window; reused for the next room-rate and the next hotel. */
export class RoomRateDays {
  firstMonth: MonthNumber
  readonly #room: RowDays
  readonly #rate: RowDays
  #months: readonly HotelMonth[]
  #currencyRevision: number
  #roomNo = 0
  #key = 0

  constructor(stay: HotelMonths, window: { from: DayNumber; days: number }, priceFields: readonly number[]) {
    this.#months = stay.months
    this.firstMonth = stay.firstMonth
    this.#currencyRevision = stay.currencyRevision
    this.#room = new RowDays(window.from, window.days, [])
    this.#rate = new RowDays(window.from, window.days, priceFields)
  }

  /** Switches to another hotel, read with the same window; the caller then selects its room-rate. */
  turnToHotel({ firstMonth, months, currencyRevision }: HotelMonths): void {
    this.firstMonth = firstMonth
    this.#months = months
    this.#currencyRevision = currencyRevision
    this.#roomNo = 0
  }

  turnTo({ roomNo, key }: BookableRoomRate): void {
    this.#key = key
    this.#read(this.#rate, key)
    if (roomNo === this.#roomNo) return
    this.#roomNo = roomNo
    this.#read(this.#room, roomRateKey(roomNo, 0))
  }

  #read(row: RowDays, key: number): void {
    row.clear()
    for (let index = 0; index < this.#months.length; index++) {
      const month = this.#months[index]
      if (month) readRow(month, this.firstMonth + index, key, row, this.#currencyRevision)
    }
  }

  /** Whether the row may have a value of the field on any day. */
  holds(row: RowName, field: number): boolean {
    return (row === 'room' ? this.#room : this.#rate).holds(field)
  }

  at(row: RowName, field: number, day: DayNumber): number {
    return (row === 'room' ? this.#room : this.#rate).at(field, day)
  }

  /** The units for sale on a night: the room's, or the rate's own if fewer; `unset` if neither is set. */
  unitsOn(day: DayNumber): number {
    const ofRoom = this.#room.at(fieldNumber.inventory, day)
    const ofRate = this.#rate.at(fieldNumber.inventory, day)
    if (ofRate === unset) return ofRoom
    return ofRoom === unset || ofRate < ofRoom ? ofRate : ofRoom
  }

  isClosedOn(day: DayNumber): boolean {
    return [this.#room, this.#rate].some((row) => closureFields.some((field) => row.at(field, day) !== unset))
  }

  /** Whether a price of the room-rate is set on a day, but in a former currency. */
  isFormer(field: number, day: DayNumber): boolean {
    return this.#rate.isFormer(field, day)
  }

  /**
   * The price for a party on a night; `unset` if there is none. A night has prices of one model only. Infants
   * without a price are free, unless theirs is in a former currency. There is no interpolation between the numbers of guests that have a price.
   */
  priceOn(party: Party, day: DayNumber): number {
    const rate = this.#rate
    const unit = rate.at(fieldNumber.unitPrice, day)
    if (unit !== unset) return unit
    const adults = party.adultPrice === 0 ? unset : rate.at(party.adultPrice, day)
    if (adults === unset) return unset
    const children = party.childPrice === 0 ? 0 : rate.at(party.childPrice, day)
    if (children === unset) return unset
    const infants = party.infantPrice === 0 ? 0 : rate.at(party.infantPrice, day)
    if (infants === unset) return rate.isFormer(party.infantPrice, day) ? unset : adults + children
    return adults + children + infants
  }

  /** The row's blocks by month, for callers that need the revisions of its values. */
  blocks(row: RowName): (Block | undefined)[] {
    const key = row === 'rate' ? this.#key : roomRateKey(this.#roomNo, 0)
    return this.#months.map((month) => blockOf(month, key))
  }
}

/** All blocks of one hotel and month, packed as stored, with the position of each row's block. */
export type HotelMonth = {
  bytes: Buffer
  /** Key, begin and end of each block, by rising key. */
  index: Int32Array
}

/** Consecutive months of one hotel. */
export type HotelMonths = {
  firstMonth: MonthNumber
  months: readonly HotelMonth[]
  /** Prices set at this revision or before it are in a former currency. */
  currencyRevision: number
}

/**
 * A hotel's blocks in the range of months `wanted`, as one value: each is preceded by its month, room, rate
 * and length. Of the months cached at the hotel's present version, only the missing ones are read.
 */
export const hotelBlocksColumn = `
  (select string_agg(int2send(month) || int2send(room_no) || int2send(rate_no) || int4send(octet_length(block)) || block,
      ''::bytea order by room_no, rate_no)
    from ari_month where hotel_id = hotel.id
      and month between case when hotel.ari_version = wanted.ari_version then wanted.first_missing else wanted.first_month end
        and case when hotel.ari_version = wanted.ari_version then wanted.last_missing else wanted.last_month end)`

const headBytes = 10
const indexStride = 3

/** The blocks, as `hotelBlocksColumn` has them, of each of the months; some may have none. */
export function hotelMonths(bytes: Buffer, numbers: readonly MonthNumber[]): Map<MonthNumber, HotelMonth> {
  const entriesByMonth = new Map<MonthNumber, number[]>()
  for (const month of numbers) entriesByMonth.set(month, [])
  for (let at = 0; at < bytes.length;) {
    const begin = at + headBytes
    const end = begin + bytes.readInt32BE(at + 6)
    const key = roomRateKey(bytes.readInt16BE(at + 2), bytes.readInt16BE(at + 4))
    entriesByMonth.get(bytes.readInt16BE(at))?.push(key, begin, end)
    at = end
  }
  const months = new Map<MonthNumber, HotelMonth>()
  for (const [month, entries] of entriesByMonth) {
    // Copy only the month's own bytes, so that each month can be evicted separately.
    const parts: Buffer[] = []
    let length = 0
    for (let entry = 0; entry < entries.length; entry += indexStride) {
      const [begin = 0, end = 0] = [entries[entry + 1], entries[entry + 2]]
      parts.push(bytes.subarray(begin, end))
      entries[entry + 1] = length
      length += end - begin
      entries[entry + 2] = length
    }
    const own = Buffer.allocUnsafeSlow(length)
    let at = 0
    for (const part of parts) at += part.copy(own, at)
    months.set(month, { bytes: own, index: Int32Array.from(entries) })
  }
  return months
}

/** The blocks of the months, from which `hotelMonths` makes them again. */
export function packedMonths(months: ReadonlyMap<MonthNumber, HotelMonth>): Buffer {
  const parts: Buffer[] = []
  for (const [month, { bytes, index }] of months) {
    for (let slot = 0; slot < index.length; slot += indexStride) {
      const [key = 0, begin = 0, end = 0] = index.subarray(slot, slot + indexStride)
      const { roomNo, rateNo } = numbersOfKey(key)
      const head = Buffer.allocUnsafe(headBytes)
      head.writeInt16BE(month, 0)
      head.writeInt16BE(roomNo, 2)
      head.writeInt16BE(rateNo, 4)
      head.writeInt32BE(end - begin, 6)
      parts.push(head, bytes.subarray(begin, end))
    }
  }
  return Buffer.concat(parts)
}

/** Memory of a month besides its blocks. */
const monthBytes = 300

export function bytesOf({ bytes, index }: HotelMonth): number {
  return bytes.length + index.byteLength + monthBytes
}

/** Reads a row's values in the month; `rateNo` 0 is the room's own row. */
function readRow(
  { bytes, index }: HotelMonth,
  month: MonthNumber,
  key: number,
  row: RowDays,
  currencyRevision: number,
): void {
  const slot = slotOf(index, key)
  if (slot !== undefined) row.read(bytes, index[slot + 1] ?? 0, index[slot + 2] ?? 0, month, currencyRevision)
}

/** The block of a row, for callers that need the revisions of its values. */
export function blockOf({ bytes, index }: HotelMonth, key: number): Block | undefined {
  const slot = slotOf(index, key)
  return slot === undefined
    ? undefined
    : Block.decode(bytes.subarray(index[slot + 1] ?? 0, index[slot + 2] ?? 0))
}

/** The rows of a room that have a block in the month: its own, and those of its rates. */
export function keysOfRoom({ index }: HotelMonth, roomNo: number): number[] {
  const keys: number[] = []
  for (let slot = 0; slot < index.length; slot += indexStride) {
    const key = index[slot] ?? 0
    if (numbersOfKey(key).roomNo === roomNo) keys.push(key)
  }
  return keys
}

function slotOf(index: Int32Array, key: number): number | undefined {
  let [low, high] = [0, index.length / indexStride - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = index[middle * indexStride] ?? 0
    if (found === key) return middle * indexStride
    if (found < key) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
