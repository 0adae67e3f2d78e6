import { pack, unpack } from '../../push-log/bodies/stored-bytes.ts'
import { readRuns, readVarint, scratchFor, unset, writeRuns, writeVarint } from '../blocks/block-codec.ts'
import type { NightMask } from '../blocks/block.ts'
import { countNights } from '../blocks/month.ts'

/** A value that is held for nights of a row in one month, and those that were stored then, one for each night. */
export type HeldPart = {
  roomNo: number
  rateNo: number
  month: number
  field: number
  mask: NightMask
  /** `unset`: the value would be cleared. */
  value: number
  before: readonly number[]
}

const formats = { identity: 1, zstd: 2 } as const

/**
 * Bytes: 1 for plain or 2 for zstd. Then for each part room, rate, month, field, mask and value + 1, all varints,
 * and the values before in runs as in block-codec.ts.
 */
export function packParts(parts: readonly HeldPart[]): Buffer {
  const writer = { bytes: scratchFor(2 * parts.length), at: 1 }
  writer.bytes[0] = formats.identity
  for (const { roomNo, rateNo, month, field, mask, value, before } of parts) {
    for (const number of [roomNo, rateNo, month, field, mask, value + 1]) writeVarint(writer, number)
    let count = before.length
    while (count > 0 && before[count - 1] === unset) count--
    writeVarint(writer, count)
    writeRuns(writer, before, count)
  }
  const { encoding, bytes } = pack(writer.bytes.subarray(1, writer.at))
  if (encoding !== 'zstd') return Buffer.from(writer.bytes.subarray(0, writer.at))
  return Buffer.concat([Buffer.of(formats.zstd), bytes])
}

export function unpackParts(stored: Buffer): HeldPart[] {
  const [format] = stored
  if (format !== formats.identity && format !== formats.zstd)
    throw new RangeError(`a hold in unknown format ${format}`)
  const bytes = unpack(format === formats.zstd ? 'zstd' : 'identity', stored.subarray(1))
  const reader = { bytes, at: 0 }
  const parts: HeldPart[] = []
  while (reader.at < bytes.length) {
    const roomNo = readVarint(reader)
    const rateNo = readVarint(reader)
    const month = readVarint(reader)
    const field = readVarint(reader)
    const mask = readVarint(reader)
    const value = readVarint(reader) - 1
    const count = readVarint(reader)
    const before = readRuns(reader, bytes.length, count).slice(0, countNights(mask))
    parts.push({ roomNo, rateNo, month, field, mask, value, before })
  }
  return parts
}

/** The parts without these nights of a field; undefined if nothing changes. */
export function withoutNights(part: HeldPart, nights: NightMask): HeldPart | undefined {
  if ((part.mask & nights) === 0) return undefined
  const before: number[] = []
  let index = 0
  for (let rest = part.mask; rest !== 0; rest &= rest - 1) {
    const value = part.before[index++] ?? unset
    if ((rest & -rest & nights) === 0) before.push(value)
  }
  return { ...part, mask: part.mask & ~nights, before }
}

/** Nights of rooms and room-rates, each once. */
export function countCells(parts: readonly HeldPart[]): number {
  const nightsByRow = new Map<string, NightMask>()
  for (const { roomNo, rateNo, month, mask } of parts) {
    const row = `${roomNo}/${rateNo}/${month}`
    nightsByRow.set(row, (nightsByRow.get(row) ?? 0) | mask)
  }
  let cells = 0
  for (const nights of nightsByRow.values()) cells += countNights(nights)
  return cells
}
