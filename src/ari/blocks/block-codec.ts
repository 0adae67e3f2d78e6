/**
 * Encodes and decodes the columns of a block; block.ts explains their meaning. The SQL function
 * ari_block_cells reads the same bytes.
 */

export const nightsMax = 31
export const unset = -1

/** To be copied: a month without any value. */
export const unsetNights: readonly number[] = new Array<number>(nightsMax).fill(unset)

export type Cursor = { bytes: Buffer; at: number }

/** Tag, length and 31 runs of one value each, every varint at its longest. */
const columnBytesMax = 8 + 2 + nightsMax * 9
let scratch = Buffer.alloc(64 * columnBytesMax)

export function scratchFor(columns: number): Buffer {
  if (scratch.length < (columns + 1) * columnBytesMax) scratch = Buffer.alloc((columns + 1) * columnBytesMax)
  return scratch
}

export function lastSet(nights: number[]): number {
  let length = nights.length
  while (length > 0 && nights[length - 1] === unset) length--
  return length
}

const runKinds = { repeat: 0, unset: 32, each: 64 } as const

/** Writes the length and the runs; the length is known last, so it always takes a two-byte varint. */
export function writeColumn(writer: Cursor, nights: readonly number[], length: number): void {
  const lengthAt = writer.at
  writer.at += 2
  writeRuns(writer, nights, length)
  const written = writer.at - lengthAt - 2
  writer.bytes[lengthAt] = (written & 127) | 128
  writer.bytes[lengthAt + 1] = written >> 7
}

export function writeRuns(writer: Cursor, nights: readonly number[], length: number): void {
  let previous = 0
  for (let night = 0; night < length;) {
    const value = nights[night] ?? unset
    let end = night + 1
    while (end < length && nights[end] === value) end++
    if (value === unset || end - night > 1) {
      writer.bytes[writer.at++] = (value === unset ? runKinds.unset : runKinds.repeat) | (end - night - 1)
      if (value !== unset) {
        writeDifference(writer, value - previous)
        previous = value
      }
      night = end
      continue
    }
    // Single values up to the next night that is unset or starts a run of equal values.
    while (end < length && nights[end] !== unset && nights[end] !== nights[end + 1]) end++
    writer.bytes[writer.at++] = runKinds.each | (end - night - 1)
    for (; night < end; night++) {
      const each = nights[night] ?? unset
      writeDifference(writer, each - previous)
      previous = each
    }
  }
}

/** `nights`: undefined until they are read from the bytes between `from` and `to`. */
export type Column = { tag: number; nights: number[] | undefined; from: number; to: number }

/** The columns of a block, after the byte with its version. */
export function columnsIn(bytes: Buffer): Column[] {
  const columns: Column[] = []
  const reader = { bytes, at: 1 }
  while (reader.at < bytes.length) {
    const tag = readVarint(reader)
    const length = readVarint(reader)
    columns.push({ tag, nights: undefined, from: reader.at, to: reader.at + length })
    reader.at += length
  }
  return columns
}

/** The values of a month's nights, from runs that end at `to` or after `length` nights. */
export function readRuns(reader: Cursor, to: number, length = nightsMax): number[] {
  const nights = unsetNights.slice()
  let night = 0
  let value = 0
  while (reader.at < to && night < length) {
    const run = reader.bytes[reader.at++] ?? 0
    const end = night + (run & 31) + 1
    const kind = run & 96
    if (kind === runKinds.unset) night = end
    else if (kind === runKinds.repeat) {
      value += readDifference(reader)
      while (night < end) nights[night++] = value
    } else {
      while (night < end) {
        value += readDifference(reader)
        nights[night++] = value
      }
    }
  }
  return nights
}

/** Numbers go up to 2^53, which bit operations can't handle, so the upper part is divided. */
export function writeVarint(writer: Cursor, number: number): void {
  let rest = number
  while (rest >= 128) {
    writer.bytes[writer.at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  writer.bytes[writer.at++] = rest
}

export function readVarint(reader: Cursor): number {
  let number = 0
  let scale = 1
  for (;;) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) throw new RangeError('ARI block ends early')
    number += (byte & 127) * scale
    if (byte < 128) return number
    scale *= 128
  }
}

/**
 * The lowest bit stores the sign, the other bits the magnitude. Doubling the number instead would exceed the
 * integers that a double represents exactly, because sequences go up to 2^53.
 */
export function writeDifference(writer: Cursor, difference: number): void {
  const magnitude = difference < 0 ? -difference - 1 : difference
  const first = (magnitude % 64) * 2 + (difference < 0 ? 1 : 0)
  if (magnitude < 64) {
    writer.bytes[writer.at++] = first
    return
  }
  writer.bytes[writer.at++] = first | 128
  writeVarint(writer, Math.floor(magnitude / 64))
}

export function readDifference(reader: Cursor): number {
  const first = reader.bytes[reader.at++] ?? 0
  const upper = first < 128 ? 0 : readVarint(reader)
  const magnitude = upper * 64 + ((first & 127) >> 1)
  return first & 1 ? -magnitude - 1 : magnitude
}

/** What a column has of each night. */
export const kinds = { value: 0, revision: 1, sequence: 2, givenUp: 3 } as const

export function sequenceTag(field: number, keyId: number): number {
  return keyId * 65536 + field * 4 + kinds.sequence
}
