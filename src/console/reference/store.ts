import type { Queryable } from '../../postgres/postgres.ts'
import { hotelsNamedMax, usesCountedMax, type ReferenceEntry, type ReferenceList } from './contract.ts'

/** The SQL of the uses of room types and meal plans, read from ordered indexes, and only up to the limits. */

/** Ordered by key. Counts one use more than the limit. */
export async function selectEntries(
  db: Queryable,
  list: ReferenceList,
): Promise<(Omit<ReferenceEntry, 'used'> & { uses: number })[]> {
  const { rows } = await db.query<Omit<ReferenceEntry, 'used'> & { uses: number }>(
    `select entry.*, used.counted as uses
     from (${entries[list]}) as entry cross join lateral (
       select count(*)::int as counted
       from (select from ${usedIn[list].table} where ${usedIn[list].column} = entry.key limit $1 + 1) as few
     ) as used
     order by entry.key`,
    [usesCountedMax],
  )
  return rows
}

const entries: Readonly<Record<ReferenceList, string>> = {
  roomTypes: `select name as key, null as name, description, retired_at is not null as "isRetired" from room_type`,
  mealPlans: `select code as key, name, description, retired_at is not null as "isRetired" from meal_plan`,
}

const usedIn: Readonly<Record<ReferenceList, { table: string; column: string }>> = {
  roomTypes: { table: 'room', column: 'room_type' },
  mealPlans: { table: 'room_rate', column: 'meal_plan' },
}

export async function selectOptionalEntry(
  db: Queryable,
  list: ReferenceList,
  key: string,
): Promise<Omit<ReferenceEntry, 'used'> | undefined> {
  const { rows } = await db.query<Omit<ReferenceEntry, 'used'>>(
    `select * from (${entries[list]}) as entry where key = $1`,
    [key],
  )
  return rows[0]
}

export type HotelUsing = { hotelId: number; code: string; name: string; supplier: string }
export type Use = {
  uses: number
  suppliers: { supplierId: number; name: string; uses: number }[]
  hotels: HotelUsing[]
}

/** Counts one use more than the limit. */
export async function selectUse(db: Queryable, list: ReferenceList, key: string): Promise<Use> {
  const { table, column } = usedIn[list]
  const { rows } = await db.query<Use>(
    `with used as materialized (
       select hotel_id from ${table} where ${column} = $1 order by hotel_id limit $2 + 1
     ), by_hotel as (
       select hotel.id as "hotelId", hotel.code, hotel.name, hotel.supplier_id, supplier.name as supplier, count(*) as uses
       from used join hotel on hotel.id = used.hotel_id join supplier on supplier.id = hotel.supplier_id
       group by hotel.id, supplier.name
     )
     select (select count(*)::int from used) as uses,
       coalesce((select json_agg(of_supplier order by uses desc, name) from (
         select supplier_id as "supplierId", supplier as name, sum(uses)::int as uses from by_hotel
         group by supplier_id, supplier) as of_supplier), '[]') as suppliers,
       coalesce((select json_agg(named) from (
         select "hotelId", code, name, supplier from by_hotel order by supplier, code limit $3) as named), '[]') as hotels`,
    [key, usesCountedMax, hotelsNamedMax],
  )
  return rows[0] ?? { uses: 0, suppliers: [], hotels: [] }
}
