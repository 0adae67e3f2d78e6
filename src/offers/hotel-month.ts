import { Block } from '../ari/block.ts'
import type { RowDays } from '../ari/row-days.ts'
import { roomRateKey } from '../products/store.ts'
import type { MonthNumber } from '../base/calendar.ts'

/** All blocks of one hotel and month, packed as stored, with the position of each row's block. */
export type HotelMonth = {
  bytes: Buffer
  /** Key, begin and end of each block, by rising key. */ index: Int32Array
}

/** One row per hotel: its blocks in a range of months, each preceded by its key and its length. */
export const hotelBlocksColumn = `
  (select string_agg(int2send(month) || int2send(room_no) || int2send(rate_no) || int4send(octet_length(block)) || block,
      ''::bytea order by room_no, rate_no)
    from ari_month where hotel_id = hotel.id and month between wanted.first_month and wanted.last_month)`

const headBytes = 10
const indexStride = 3

/** Groups blocks by month; the result includes months without blocks. */
export function hotelMonths(
  blocks: Buffer | null,
  firstMonth: MonthNumber,
  lastMonth: MonthNumber,
): Map<MonthNumber, HotelMonth> {
  const bytes = blocks ?? Buffer.alloc(0)
  const entriesByMonth = new Map<MonthNumber, number[]>()
  for (let month = firstMonth; month <= lastMonth; month++) entriesByMonth.set(month, [])
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

/** Memory of a month besides its blocks. */
const monthBytes = 300

export function bytesOf({ bytes, index }: HotelMonth): number {
  return bytes.length + index.byteLength + monthBytes
}

/** Reads a row's values in the month; `rateNo` 0 is the room's own row. */
export function readRow(
  { bytes, index }: HotelMonth,
  month: MonthNumber,
  key: number,
  row: RowDays,
  currencyRevision: number,
): void {
  const place = placeOf(index, key)
  if (place !== undefined)
    row.read(bytes, index[place + 1] ?? 0, index[place + 2] ?? 0, month, currencyRevision)
}

/** The block of a row, for callers that need the revisions of its values. */
export function blockOf({ bytes, index }: HotelMonth, key: number): Block | undefined {
  const place = placeOf(index, key)
  return place === undefined
    ? undefined
    : Block.decode(bytes.subarray(index[place + 1] ?? 0, index[place + 2] ?? 0))
}

function placeOf(index: Int32Array, key: number): number | undefined {
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
