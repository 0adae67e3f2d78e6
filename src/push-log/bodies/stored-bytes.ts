import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib'
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../../http/validation/json.ts'
import { Rejected } from '../../http/rejected.ts'
import type { BodyEncoding } from '../contract.ts'
import { plainAnswer, plainEncoding, unpackCells } from './plain-answer.ts'
import type { BodyWork } from './body-work.ts'
import { withRequestId } from '../request-ids.ts'

/** Compressing less than this saves too little to be worth the time. */
const compressFromBytes = 1_024

/** In the log: the bytes are in a batch, or meanwhile in a segment of packed batches. */
export const inBatch = 'batch'
/** Longer bytes are compressed one by one: together with others they would hardly shrink further. */
const batchedBytesMax = 4_096

export function isBatched(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes.length <= batchedBytesMax
}
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Bytes as the push log stores them. An encoding that was ever stored stays readable. */
export type Packed = { encoding: 'identity' | 'zstd' | typeof plainEncoding; bytes: Buffer }

/** Level 1: a year of ARI (1 MB) takes about 2 ms, shrinks to a tenth. */
export function pack(bytes: Buffer): Packed {
  return bytes.length < compressFromBytes
    ? { encoding: 'identity', bytes }
    : { encoding: 'zstd', bytes: zstdCompressSync(bytes, options) }
}

export function unpack(encoding: string, bytes: Buffer): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes
}

/** The columns of a row from which its answer may be rebuilt. */
export type AnsweredPush = {
  hotelCode: string | null
  revision: number | null
  requestId: string
  cellsChanged: number
}

/** The answer of a push, byte for byte as it was sent, from the bytes that the log has of it. */
export function rebuildAnswer(encoding: string, bytes: Buffer, push: AnsweredPush): Buffer {
  const { hotelCode, revision, requestId, cellsChanged } = push
  if (encoding !== plainEncoding) return Buffer.from(withRequestId(bytes.toString(), requestId))
  if (hotelCode === null || revision === null)
    throw new Error(`the answer to push ${requestId} can't be rebuilt`)
  const cellsByItem = unpackCells(bytes, cellsChanged)
  return Buffer.from(plainAnswer({ hotelCode, revision, requestId, cellsByItem }))
}

/** The encodings for showing stored bytes, in their order. Hostile JSON (too deep, a duplicate member) counts as text. */
export const readEncodings: BodyWork<undefined, BodyEncoding[]> = {
  name: 'encodings',
  run: (bodies) => bodies.map(encodingOf),
}

export function encodingOf(bytes: Buffer): BodyEncoding {
  if (isJson(bytes)) return 'json'
  return isUtf8(bytes) ? 'text' : 'base64'
}

function isJson(bytes: Buffer): boolean {
  try {
    parseJson(bytes)
    return true
  } catch (error) {
    if (error instanceof Rejected) return false
    throw error
  }
}
