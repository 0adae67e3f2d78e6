import { isUtf8 } from 'node:buffer'
import { parseJson } from '../http/json.ts'
import { Rejected } from '../http/rejected.ts'
import type { BodyEncoding } from './contract.ts'

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
