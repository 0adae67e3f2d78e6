import { pack, unpack } from '../../push-log/bodies/stored-bytes.ts'
import {
  nightsMax,
  readDifference,
  readRuns,
  readVarint,
  scratchFor,
  unset,
  writeDifference,
  writeRuns,
  writeVarint,
} from './block-codec.ts'
import type { Notes } from './stamp.ts'
import { countNights, type NightMask } from './month.ts'
import { packBlockKey, unpackBlockKey } from './store.ts'

/**
 * The values that one change of a hotel's ARI replaced. Stored with the change, they lead from the present
 * back to any earlier state (decisions/041-history.md).
 *
 * Bytes: 3 for plain or 4 for zstd. Then how many revisions ago the hotel's previous change of ARI was (0:
 * unknown), and for each block room, rate, months after the block before it and number of fields, and for each field
 * its number and its nights, all varints, and a value for each night, in runs as in block-codec.ts.
 *
 * Months count from January 2020, and those before the block before it are odd numbers. Nights are 0 for those of the
 * field before, also of another block; an odd number for consecutive ones (how many, above that the first); or twice
 * their mask.
 */

const formats = { identity: 3, zstd: 4 } as const
const firstMonth = 2020 * 12

/** The values of a field in one month before it changed: one for each night of the mask. */
type Note = { key: number; field: number; mask: NightMask; values: readonly number[] }

/** Collects the values while a change is applied: no object for each cell, and nothing if nothing changes. */
export class BeforeValues implements Notes {
  readonly #notes: Note[] = []
  #key = 0

  at({ roomNo, rateNo }: { roomNo: number; rateNo: number }, month: number): void {
    this.#key = packBlockKey({ roomNo, rateNo, month })
  }

  note(field: number, mask: NightMask, values: readonly number[]): void {
    this.#notes.push({ key: this.#key, field, mask, values })
  }

  /** Call it once. `previousRevision`: that of the hotel's previous change of ARI; null if it is unknown. */
  encode(revision: number, previousRevision: number | null): Buffer {
    const notes = merged(this.#notes)
    const writer = { bytes: scratchFor(2 * notes.length), at: 1 }
    writer.bytes[0] = formats.identity
    writeVarint(writer, previousRevision === null ? 0 : revision - previousRevision)
    let lastMask = 0
    let lastMonth = firstMonth
    for (const [index, { key, field, mask, values }] of notes.entries()) {
      if (notes[index - 1]?.key !== key) {
        const { roomNo, rateNo, month } = unpackBlockKey(0, key)
        writeVarint(writer, roomNo)
        writeVarint(writer, rateNo)
        writeDifference(writer, month - lastMonth)
        writeVarint(writer, fieldsFrom(notes, index))
        lastMonth = month
      }
      writeVarint(writer, field)
      writeVarint(writer, mask === lastMask ? 0 : nightsNumber(mask))
      writeRuns(writer, values, values.length)
      lastMask = mask
    }
    const { encoding, bytes } = pack(writer.bytes.subarray(1, writer.at))
    if (encoding !== 'zstd') return Buffer.from(writer.bytes.subarray(0, writer.at))
    return Buffer.concat([Buffer.of(formats.zstd), bytes])
  }
}

/** By block and field; a night that was noted twice keeps its first value. */
function merged(notes: readonly Note[]): readonly Note[] {
  if (notes.every((note, index) => isAfter(note, notes[index - 1]))) return notes
  const ordered = notes.toSorted((left, right) => left.key - right.key || left.field - right.field)
  const all: Note[] = []
  for (const note of ordered) {
    const last = all.at(-1)
    if (last?.key === note.key && last.field === note.field) all[all.length - 1] = union(last, note)
    else all.push(note)
  }
  return all
}

function union(first: Note, later: Note): Note {
  const mask = first.mask | later.mask
  const values: number[] = []
  let [ofFirst, ofLater] = [0, 0]
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const night = rest & -rest
    const [former, newer] = [first.values[ofFirst], later.values[ofLater]]
    values.push((first.mask & night) === 0 ? (newer ?? unset) : (former ?? unset))
    if ((first.mask & night) !== 0) ofFirst++
    if ((later.mask & night) !== 0) ofLater++
  }
  return { ...first, mask, values }
}

function isAfter(note: Note, previous: Note | undefined): boolean {
  if (!previous || note.key !== previous.key) return !previous || note.key > previous.key
  return note.field > previous.field
}

/** The mask of some nights as a number that is small if they are consecutive. */
function nightsNumber(mask: NightMask): number {
  const first = 31 - Math.clz32(mask & -mask)
  const count = 32 - Math.clz32(mask) - first
  if (consecutive(first, count) !== mask) return 2 * mask
  return 1 + 2 * (first + nightsMax * (count - 1))
}

function maskOf(number: number): NightMask {
  if (number % 2 === 0) return number / 2
  const run = (number - 1) / 2
  return consecutive(run % nightsMax, 1 + Math.floor(run / nightsMax))
}

function consecutive(first: number, count: number): NightMask {
  return ((2 ** count - 1) << first) & 0x7fffffff
}

function fieldsFrom(notes: readonly Note[], index: number): number {
  const key = notes[index]?.key
  let end = index + 1
  while (notes[end]?.key === key && end < notes.length) end++
  return end - index
}

/** The replaced values of a field: one for each night of the mask, in order; `unset` where there was none. */
export type FieldBefore = { field: number; mask: NightMask; values: number[] }
export type BlockBefore = { roomNo: number; rateNo: number; month: number; fields: FieldBefore[] }

export type ChangeBefore = {
  /** How many revisions ago the hotel's previous change of ARI was; 0 if that is unknown. */
  revisionsSince: number
  blocks: BlockBefore[]
}

export function decodeBefore(stored: Buffer): ChangeBefore {
  const [format] = stored
  if (format !== formats.identity && format !== formats.zstd)
    throw new RangeError(`values before a change in unknown format ${format}`)
  const bytes = unpack(format === formats.zstd ? 'zstd' : 'identity', stored.subarray(1))
  const reader = { bytes, at: 0 }
  const change: ChangeBefore = { revisionsSince: readVarint(reader), blocks: [] }
  let month = firstMonth
  let lastMask = 0
  while (reader.at < bytes.length) {
    const roomNo = readVarint(reader)
    const rateNo = readVarint(reader)
    month += readDifference(reader)
    const fields: FieldBefore[] = []
    for (let left = readVarint(reader); left > 0; left--) {
      const field = readVarint(reader)
      const mask = maskOf(readVarint(reader)) || lastMask
      const values = readRuns(reader, bytes.length, countNights(mask)).slice(0, countNights(mask))
      fields.push({ field, mask, values })
      lastMask = mask
    }
    change.blocks.push({ roomNo, rateNo, month, fields })
  }
  return change
}
