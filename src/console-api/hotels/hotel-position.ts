import { cursorProblem } from '../../http/calls/query.ts'
import type { Problem } from '../../http/rejected.ts'
import type { HotelOrder } from './contract.ts'
import type { HotelPosition } from './hotel-conditions.ts'
import type { HotelFoundRow } from './select-hotels.ts'

/** Where a page of hotels ends, in one order; opaque to clients. */

export function writePosition(order: HotelOrder, { sortKey, hotelId }: HotelFoundRow): string {
  return Buffer.from(JSON.stringify([order, sortKey, hotelId])).toString('base64url')
}

export function readPosition(
  text: string | undefined,
  order: HotelOrder | undefined,
  problems: Problem[],
): HotelPosition | undefined {
  if (text === undefined) return undefined
  const position = order && positionOf(Buffer.from(text, 'base64url').toString(), order)
  if (!position) problems.push(cursorProblem(text))
  return position
}

const isNumber = (key: string): boolean => /^\d{1,9}$/.test(key)

/** Valid sort keys for each order. */
const isText = (key: string): boolean => !key.includes('\0') && key.isWellFormed()
const isKey: Readonly<Record<HotelOrder, (key: string) => boolean>> = {
  name: isText,
  newest: isNumber,
  stalest: isNumber,
  ending: isNumber,
  nameLast: isText,
  freshest: isNumber,
  endingLast: isNumber,
}

function positionOf(json: string, order: HotelOrder): HotelPosition | undefined {
  try {
    const position: unknown = JSON.parse(json)
    if (!Array.isArray(position)) return undefined
    const values: readonly unknown[] = position
    const [madeFor, key, hotelId] = values
    if (madeFor !== order || typeof key !== 'string' || typeof hotelId !== 'number') return undefined
    return isKey[order](key) && isNumber(String(hotelId)) ? { key, hotelId: Number(hotelId) } : undefined
  } catch {
    // Not one of our cursors.
    return undefined
  }
}
