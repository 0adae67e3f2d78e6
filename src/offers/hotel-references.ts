import type { Database, Queryable } from '../postgres/postgres.ts'
import { Rejected, shown } from '../http/rejected.ts'
import { unknownReferenceFault, type HotelReference } from './contract.ts'

/** The ids of the referenced hotels; undefined for a reference without a hotel. */
export type HotelFinder = (references: readonly HotelReference[]) => Promise<(number | undefined)[]>

const idsKeptMax = 50_000
const idMax = 2_147_483_647

/** Within an epoch of the store hotels keep their ids, so known ids are not looked up again. */
export function hotelFinder(db: Database): HotelFinder {
  let idByCodes = new Map<string, number>()
  db.epoch.onChange(() => (idByCodes = new Map()))
  return async (references) => {
    const known = idByCodes
    const unknown = references.filter(
      (reference) => reference.platformHotelId === undefined && !known.has(keyOf(reference)),
    )
    const found = unknown.length > 0 ? await selectHotelIds(db, unknown) : []
    const foundByCodes = new Map(found.map(({ id, ...codes }) => [keyOf(codes), id]))
    const ids = references.map((reference) => {
      if (reference.platformHotelId !== undefined) return idOf(reference.platformHotelId)
      const key = keyOf(reference)
      return known.get(key) ?? foundByCodes.get(key)
    })
    // Add these to the cache of the epoch in which the query started: the result may come from the previous
    // store.
    if (known.size + foundByCodes.size > idsKeptMax) known.clear()
    for (const [key, id] of foundByCodes) known.set(key, id)
    return ids
  }
}

export function referenceNotFound(
  { platformHotelId, hotelId }: Pick<HotelReference, 'platformHotelId' | 'hotelId'>,
  path = '/hotel',
): Rejected {
  return new Rejected(404, { ...unknownReferenceFault, path, value: shown(platformHotelId ?? hotelId) })
}

function keyOf({ supplier = '', hotelId = '' }: HotelReference): string {
  // Neither part contains a line feed.
  return `${supplier}\n${hotelId}`
}

function idOf(platformHotelId: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(platformHotelId) ? Number(platformHotelId) : undefined
  return id === undefined || id > idMax ? undefined : id
}

async function selectHotelIds(
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
