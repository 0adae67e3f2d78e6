import type { HotelRow } from '../hotels/store.ts'
import { numberArray, textArray, type Queryable } from '../postgres/postgres.ts'
import { storeStamp } from '../postgres/connections/store-epoch.ts'
import { catalogLists, catalogOf, type Catalog, type CatalogLists } from './store.ts'

export type HotelOfSupplier = { supplierId: number; hotelCode: string }

/** A hotel with its catalog, from one moment. `beside`: the value of the caller's own column. */
export type HotelWithCatalog = {
  storeStamp: string
  hotel: Pick<HotelRow, 'id' | 'catalogVersion' | 'timeZone' | 'aheadMs' | 'currency'>
  catalog: Catalog
  beside: unknown
}

type HotelTuple = [
  storeStamp: string,
  id: number,
  catalogVersion: number,
  timeZone: string,
  aheadMs: number,
  currency: string,
  ...lists: [CatalogLists['rooms'], CatalogLists['rates'], CatalogLists['roomRates']],
  beside: unknown,
]

/**
 * Hotels with their catalogs, each as a text for `hotelWithCatalog`, in the requested order; undefined if the
 * supplier has no such hotel. A text takes a tenth of the memory of the objects that it describes. Pushed nights
 * wait for this when the catalog isn't cached, so many hotels are one query. `besideColumn` adds a column for the
 * caller, as SQL that gets the hotel's id.
 */
export async function selectHotelCatalogs(
  db: Queryable,
  wanted: readonly HotelOfSupplier[],
  besideColumn: (hotelId: string) => string,
): Promise<(string | undefined)[]> {
  const { rooms, rates, roomRates } = catalogLists('held.id')
  const { rows } = await db.query<{ position: number; text: string }>({
    name: 'select-hotel-catalogs',
    // A lateral subquery that can't be flattened: one index probe per hotel, whatever the planner assumes.
    text: `select wanted.position, json_build_array(${storeStamp}, held.id, catalog_version, time_zone, clock_ahead_ms,
        currency, ${rooms}, ${rates}, ${roomRates}, ${besideColumn('held.id')})::text as text
      from unnest($1::int[], $2::text[]) with ordinality as wanted (of_supplier, hotel_code, position)
      cross join lateral (
        select id, catalog_version, time_zone, clock_ahead_ms, currency from hotel
        where supplier_id = wanted.of_supplier and code = wanted.hotel_code offset 0
      ) as held`,
    values: [
      numberArray(wanted.map(({ supplierId }) => supplierId)),
      textArray(wanted.map(({ hotelCode }) => hotelCode)),
    ],
  })
  const textByPosition = new Map(rows.map(({ position, text }) => [position, text]))
  return wanted.map((_, index) => textByPosition.get(index + 1))
}

export function hotelWithCatalog(text: string): HotelWithCatalog {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: selectHotelCatalogs made it.
  const tuple = JSON.parse(text) as HotelTuple
  const [stamp, id, catalogVersion, timeZone, aheadMs, currency, rooms, rates, roomRates, beside] = tuple
  const hotel = { id, catalogVersion, timeZone, aheadMs, currency }
  return { storeStamp: stamp, hotel, catalog: catalogOf({ rooms, rates, roomRates }), beside }
}
