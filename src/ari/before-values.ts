import { pack, unpack } from '../push-log/stored-bytes.ts'
import { readRuns, readVarint, scratchFor, unset, writeRuns, writeVarint } from './block-codec.ts'
import type { NightMask, Notes } from './block.ts'
import { countNights } from './month.ts'
import { packBlockKey, unpackBlockKey } from './store.ts'

/**
 * The values that one change of a hotel's ARI replaced. Stored with the change, they lead from the present
 * back to any earlier state (decisions/041-history.md).
 *
 * Bytes: 1 for plain or 2 for zstd. Then how many revisions ago the hotel's previous change of ARI was (0:
 * unknown), and for each block room, rate, month and number of fields, and for each field its number, the mask of
 * its nights (0: that of the field before it), all varints, and a value for each night of the mask, in runs as in
 * block-codec.ts.
 */

const formats = { identity: 1, zstd: 2 } as const

/** The values of a field in one month before it changed. */
type Note = { key: number; field: number; mask: NightMask; nights: number[] }

/** Collects the values while a change is applied: no object for each cell, and nothing if nothing changes. */
export class BeforeValues implements Notes {
  readonly #notes: Note[] = []
  #key = 0

  at({ roomNo, rateNo }: { roomNo: number; rateNo: number }, month: number): void {
    this.#key = packBlockKey({ roomNo, rateNo, month })
  }

  note(field: number, mask: NightMask, nights: number[]): void {
    this.#notes.push({ key: this.#key, field, mask, nights })
  }

  /** Call it once. `previousRevision`: that of the hotel's previous change of ARI; null if it is unknown. */
  encode(revision: number, previousRevision: number | null): Buffer {
    const notes = merged(this.#notes)
    const writer = { bytes: scratchFor(2 * notes.length), at: 1 }
    writer.bytes[0] = formats.identity
    writeVarint(writer, previousRevision === null ? 0 : revision - previousRevision)
    let lastMask = 0
    for (const [index, { key, field, mask, nights }] of notes.entries()) {
      if (notes[index - 1]?.key !== key) {
        const { roomNo, rateNo, month } = unpackBlockKey(0, key)
        writeVarint(writer, roomNo)
        writeVarint(writer, rateNo)
        writeVarint(writer, month)
        writeVarint(writer, fieldsFrom(notes, index))
        lastMask = 0
      }
      writeVarint(writer, field)
      writeVarint(writer, mask === lastMask ? 0 : mask)
      writeRuns(writer, nights, replacedFirst(nights, mask))
      lastMask = mask
    }
    const { encoding, bytes } = pack(writer.bytes.subarray(1, writer.at))
    if (encoding !== 'zstd') return Buffer.from(writer.bytes.subarray(0, writer.at))
    return Buffer.concat([Buffer.of(formats.zstd), bytes])
  }
}

/** Moves the values of the mask's nights to the front; returns how many there are. */
function replacedFirst(nights: number[], mask: NightMask): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const night = 31 - Math.clz32(rest & -rest)
    nights[count++] = nights[night] ?? unset
  }
  return count
}

/** By block and field; a night that was noted twice keeps its first value. */
function merged(notes: readonly Note[]): readonly Note[] {
  if (notes.every((note, index) => isAfter(note, notes[index - 1]))) return notes
  const ordered = notes.toSorted((left, right) => left.key - right.key || left.field - right.field)
  const all: Note[] = []
  for (const note of ordered) {
    const last = all.at(-1)
    if (last?.key !== note.key || last.field !== note.field) {
      all.push(note)
      continue
    }
    const added = note.mask & ~last.mask
    for (let rest = added; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      last.nights[night] = note.nights[night] ?? unset
    }
    last.mask |= added
  }
  return all
}

function isAfter(note: Note, previous: Note | undefined): boolean {
  if (!previous || note.key !== previous.key) return !previous || note.key > previous.key
  return note.field > previous.field
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
  while (reader.at < bytes.length) {
    const roomNo = readVarint(reader)
    const rateNo = readVarint(reader)
    const month = readVarint(reader)
    const fields: FieldBefore[] = []
    let lastMask = 0
    for (let left = readVarint(reader); left > 0; left--) {
      const field = readVarint(reader)
      const mask = readVarint(reader) || lastMask
      const values = readRuns(reader, bytes.length, countNights(mask)).slice(0, countNights(mask))
      fields.push({ field, mask, values })
      lastMask = mask
    }
    change.blocks.push({ roomNo, rateNo, month, fields })
  }
  return change
}
