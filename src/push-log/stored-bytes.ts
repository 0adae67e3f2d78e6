import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib'
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../http/json.ts'
import { Rejected } from '../http/rejected.ts'
import type { BodyEncoding } from './contract.ts'

/** Compressing less than this saves too little to be worth the time. */
const compressFromBytes = 1_024
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export type Packed = { encoding: 'identity' | 'zstd'; bytes: Buffer }

/** Bytes as the push log stores them. Level 1: a year of ARI (1 MB) takes about 2 ms, shrinks to a tenth. */
export function pack(bytes: Buffer): Packed {
  return bytes.length < compressFromBytes
    ? { encoding: 'identity', bytes }
    : { encoding: 'zstd', bytes: zstdCompressSync(bytes, options) }
}

export function unpack(encoding: string, bytes: Buffer): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes
}

/** The encoding for showing stored bytes. Hostile JSON (too deep, a duplicate member) counts as text. */
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
