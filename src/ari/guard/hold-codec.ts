import { pack, unpack } from '../../push-log/bodies/stored-bytes.ts'
import { readRuns, readVarint, scratchFor, unset, writeRuns, writeVarint } from '../blocks/block-codec.ts'
import { countNights } from '../blocks/month.ts'
import type { HeldPart } from './held-parts.ts'

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
