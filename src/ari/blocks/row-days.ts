import { firstDay, daysIn, type DayNumber, type MonthNumber } from '../../base/calendar.ts'
import { unset } from './block-codec.ts'
import { fieldNumber, guestsMax, isPriceField } from '../fields.ts'

/**
 * The values of one row (a room or a room-rate) on the days of a window, read from packed blocks without
 * allocating objects. Only the requested columns and nights of a block are decoded, into arrays that are
 * reused for the next row. Reading all of a hotel's room-rates for a stay is most of the work of finding
 * offers.
 */

/** Field numbers are below this; block.ts defines how a column's tag is made of them. */
const fieldsEnd = 300 + guestsMax + 1
const tagsOfValues = 65_536
/** Fields that every room-rate may have get the first slots, by field number; price buckets follow. */
const plainSlots = Math.max(...Object.values(fieldNumber)) + 1
const loopedDaysMax = 32

export class RowDays {
  readonly from: DayNumber
  readonly days: number
  /** Slot by field, plus one; 0 means that the field was not requested. */
  readonly #slots = new Uint8Array(fieldsEnd)
  readonly #values: Float64Array
  readonly #held: Uint8Array
  /** 1 where a price of a former currency was left out; allocated with the first. */
  #former: Uint8Array | undefined
  /** Revisions of prices, while they are compared with the revision of the last change of currency. */
  #revisions: Float64Array | undefined
  /** The month that was read last, and its first day. */
  #month: MonthNumber | undefined
  #monthFirst: DayNumber = 0

  /** Covers the days of a window, and the given guest prices besides the fields without buckets. */
  constructor(from: DayNumber, days: number, guestPrices: readonly number[]) {
    this.from = from
    this.days = days
    for (let field = 0; field < plainSlots; field++) this.#slots[field] = field + 1
    for (const [index, field] of guestPrices.entries()) this.#slots[field] = plainSlots + index + 1
    const slots = plainSlots + guestPrices.length
    this.#values = new Float64Array(slots * days).fill(unset)
    this.#held = new Uint8Array(slots)
  }

  /** Whether a requested price is set on the day, but in a former currency: it is unknown, not missing. */
  isFormer(field: number, day: DayNumber): boolean {
    return this.#former?.[((this.#slots[field] ?? 0) - 1) * this.days + day - this.from] === 1
  }

  /** Clears all values of the row. */
  clear(): void {
    this.#former = undefined
    for (let slot = 0; slot < this.#held.length; slot++) {
      if (this.#held[slot] === 0) continue
      this.#held[slot] = 0
      const begin = slot * this.days
      const end = begin + this.days
      // Calling `fill` costs more than looping over the few days of most stays.
      if (this.days > loopedDaysMax) this.#values.fill(unset, begin, end)
      else for (let at = begin; at < end; at++) this.#values[at] = unset
    }
  }

  /** Whether any block read so far may have a value of the field. */
  holds(field: number): boolean {
    return this.#held[(this.#slots[field] ?? 0) - 1] === 1
  }

  /** The value of a requested field on a day of the window; `unset` if there is none. */
  at(field: number, day: DayNumber): number {
    return this.#values[((this.#slots[field] ?? 0) - 1) * this.days + day - this.from] ?? unset
  }

  /**
   * Reads the row's block of a month. Prices set at `currencyRevision` or before it are in a former currency
   * and are left out.
   */
  read(bytes: Buffer, from: number, to: number, month: MonthNumber, currencyRevision: number): void {
    // Consecutive rows are usually of the same month.
    if (month !== this.#month) {
      this.#month = month
      this.#monthFirst = firstDay(month)
    }
    const first = this.#monthFirst
    const firstNight = Math.max(0, this.from - first)
    const endNight = Math.min(daysIn(month), this.from + this.days - first)
    if (firstNight >= endNight) return
    const target = first - this.from
    // Skip the version byte.
    at = from + 1
    while (at < to) {
      const tag = readVarint(bytes)
      const length = readVarint(bytes)
      const begin = at
      const end = begin + length
      // Columns are sorted by tag: the rest are the sequences of keys.
      if (tag >= tagsOfValues) return
      const field = tag >> 2
      const slot = (this.#slots[field] ?? 0) - 1
      if (slot >= 0 && (tag & 3) === 0) {
        readNights(bytes, end, firstNight, endNight, this.#values, slot * this.days + target)
        this.#held[slot] = 1
      } else if (slot >= 0 && (tag & 3) === 1 && currencyRevision > 0 && isPriceField(field)) {
        this.#dropFormer(
          bytes,
          end,
          { firstNight, endNight, offset: slot * this.days + target },
          currencyRevision,
        )
      }
      at = end
    }
  }

  #dropFormer(
    bytes: Buffer,
    end: number,
    { firstNight, endNight, offset }: { firstNight: number; endNight: number; offset: number },
    currencyRevision: number,
  ): void {
    this.#revisions ??= new Float64Array(31)
    this.#revisions.fill(unset)
    readNights(bytes, end, firstNight, endNight, this.#revisions, 0)
    for (let night = firstNight; night < endNight; night++) {
      const isSet = this.#values[offset + night] !== unset
      if (!isSet || (this.#revisions[night] ?? unset) > currencyRevision) continue
      this.#values[offset + night] = unset
      this.#former ??= new Uint8Array(this.#values.length)
      this.#former[offset + night] = 1
    }
  }
}

/**
 * Position at which the current column continues. A module variable, because allocating an object per column
 * costs more than reading the column.
 */
let at = 0

function readVarint(bytes: Buffer): number {
  let byte = bytes[at++] ?? 0
  if (byte < 128) return byte
  let number = byte & 127
  let scale = 128
  do {
    byte = bytes[at++] ?? 0
    number += (byte & 127) * scale
    scale *= 128
  } while (byte >= 128)
  return number
}

/** Reads the nights of a column, from `from` to before `to`, into `values` at `offset` plus the night. */
function readNights(
  bytes: Buffer,
  end: number,
  firstNight: number,
  endNight: number,
  values: Float64Array,
  offset: number,
): void {
  let night = 0
  let value = 0
  while (at < end && night < endNight) {
    const run = bytes[at++] ?? 0
    const runEnd = night + (run & 31) + 1
    const kind = run & 96
    if (kind === 32) {
      night = runEnd
      continue
    }
    if (kind === 0) {
      value += readDifference(bytes)
      const last = Math.min(runEnd, endNight)
      for (let set = Math.max(night, firstNight); set < last; set++) values[offset + set] = value
      night = runEnd
      continue
    }
    for (; night < runEnd && night < endNight; night++) {
      value += readDifference(bytes)
      if (night >= firstNight) values[offset + night] = value
    }
  }
}

function readDifference(bytes: Buffer): number {
  const first = bytes[at++] ?? 0
  const magnitude = (first < 128 ? 0 : readVarint(bytes)) * 64 + ((first & 127) >> 1)
  return first & 1 ? -magnitude - 1 : magnitude
}
