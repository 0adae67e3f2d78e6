import type { Telemetry } from '../base/telemetry.ts'
import { readId } from '../http/calls/query.ts'
import type { Database, Queryable } from '../postgres/postgres.ts'
import { Rejected, reportedValue, type Problem } from '../http/rejected.ts'
import { unknownReferenceError, type HotelReference, offerErrors, stayNightsMax } from './contract.ts'
import { parseNight } from '../base/calendar.ts'
import { isRecord } from '../http/validation/validate.ts'

/** The ids of the referenced hotels; undefined for a reference without a hotel. */
export type HotelFinder = (references: readonly HotelReference[]) => Promise<(number | undefined)[]>

const idsKeptMax = 100_000

/** Within an epoch of the store hotels keep their ids, so known ids are not looked up again. */
export function hotelFinder(db: Database, { cacheLookups }: Pick<Telemetry, 'cacheLookups'>): HotelFinder {
  const hits = cacheLookups.labels('hotel_ids', 'hit')
  const misses = cacheLookups.labels('hotel_ids', 'miss')
  let idByCodes = new Map<string, number>()
  db.epoch.onChange(() => (idByCodes = new Map()))
  return async (references) => {
    const known = idByCodes
    const byCodes = references.filter(({ platformHotelId }) => platformHotelId === undefined)
    const unknown = byCodes.filter((reference) => !known.has(keyOf(reference)))
    if (byCodes.length > 0) {
      hits.inc(byCodes.length - unknown.length)
      misses.inc(unknown.length)
    }
    const found = unknown.length > 0 ? await selectReferenced(db, unknown) : []
    const foundByCodes = new Map(found.map(({ id, ...codes }) => [keyOf(codes), id]))
    const ids = references.map((reference) => {
      if (reference.platformHotelId !== undefined) return readId(reference.platformHotelId)
      const key = keyOf(reference)
      return known.get(key) ?? foundByCodes.get(key)
    })
    // Add these to the cache of the epoch in which the query started: the result may come from the previous
    // store.
    for (const [key, id] of foundByCodes) known.set(key, id)
    for (const oldest of known.keys()) {
      if (known.size <= idsKeptMax) break
      known.delete(oldest)
    }
    return ids
  }
}

export function referenceNotFound(
  { platformHotelId, hotelId }: Pick<HotelReference, 'platformHotelId' | 'hotelId'>,
  path = '/hotel',
): Rejected {
  return new Rejected(404, {
    ...unknownReferenceError,
    path,
    value: reportedValue(platformHotelId ?? hotelId),
  })
}

function keyOf({ supplier = '', hotelId = '' }: HotelReference): string {
  // Neither part contains a line feed.
  return `${supplier}\n${hotelId}`
}

async function selectReferenced(
  db: Queryable,
  references: readonly HotelReference[],
): Promise<{ id: number; supplier: string; hotelId: string }[]> {
  const { rows } = await db.query<{ id: number; supplier: string; hotelId: string }>({
    name: 'select-hotel-ids-by-codes',
    text: `select hotel.id, asked.supplier, asked.code as "hotelId"
      from unnest($1::text[], $2::text[]) as asked (supplier, code)
      join supplier on supplier.name = asked.supplier
      join hotel on hotel.supplier_id = supplier.id and hotel.code = asked.code`,
    values: [references.map(({ supplier }) => supplier), references.map(({ hotelId }) => hotelId)],
  })
  return rows
}

/**
 * The problems of a search that its schema can't express. The body may have any shape: parts that the schema
 * refuses are skipped.
 */
export function offerProblems(body: unknown): Problem[] {
  if (!isRecord(body)) return []
  const hotels: unknown[] = Array.isArray(body['hotels']) ? body['hotels'] : []
  return [
    ...hotels.flatMap((reference, index) => referenceProblems(reference, `/hotels/${index}`)),
    ...stayProblems(body),
  ]
}

export function referenceProblems(reference: unknown, path: string): Problem[] {
  if (!isRecord(reference)) return []
  const { platformHotelId, supplier, hotelId } = reference
  if (platformHotelId === undefined) {
    if (supplier !== undefined && hotelId !== undefined) return []
    return [{ ...offerErrors.referenceMissing, path }]
  }
  if (supplier === undefined && hotelId === undefined) return []
  return [{ ...offerErrors.referenceAmbiguous, path }]
}

export function stayProblems({ checkin, checkout }: Record<string, unknown>): Problem[] {
  const [arrival, departure] = [checkin, checkout].map((day) =>
    typeof day === 'string' ? parseNight(day) : undefined,
  )
  if (arrival === undefined || departure === undefined) return []
  const path = '/checkout'
  const value = reportedValue(checkout)
  if (departure <= arrival) return [{ ...offerErrors.datesReversed, path, value }]
  if (departure - arrival <= stayNightsMax) return []
  return [{ ...offerErrors.stayTooLong, path, value }]
}
