import { audit } from '../../operators/accounts/audit.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { putMealPlan, putRoomType, retireMealPlan, retireRoomType } from '../../reference/store.ts'
import {
  referenceRoutes,
  usesCountedMax,
  type ReferenceEntry,
  type ReferenceList,
  hotelsNamedMax,
} from './contract.ts'

/** Room types and meal plans: operators see them, admins change them. */

const counted = (uses: number): ReferenceEntry['used'] => ({
  count: Math.min(uses, usesCountedMax),
  isMore: uses > usesCountedMax,
})

/** GET /reference. */
export const listReferenceEntries = ({ db }: Needs): Mounted =>
  on(referenceRoutes.listReferenceEntries, async () => {
    const [roomTypes, mealPlans] = await Promise.all([
      selectEntries(db, 'roomTypes'),
      selectEntries(db, 'mealPlans'),
    ])
    const withUses = (rows: typeof roomTypes) =>
      rows.map(({ uses, ...rest }) => ({ ...rest, used: counted(uses) }))
    return answer(200, {
      roomTypes: withUses(roomTypes),
      mealPlans: withUses(mealPlans),
    })
  })

/** GET /reference/use: the uses of an entry, to check before it is retired. */
export const getReferenceUse = ({ db }: Needs): Mounted =>
  on(referenceRoutes.getReferenceUse, async ({ query: { list, key } }) => {
    await existingEntry(db, list, key)
    const { uses, suppliers, hotels } = await selectUse(db, list, key)
    return answer(200, { used: counted(uses), suppliers, hotels })
  })

/** POST /reference. */
export const addReferenceEntry = ({ db }: Needs): Mounted =>
  on(referenceRoutes.addReferenceEntry, async ({ body, operator, requestId }) => {
    const { list, key, name, description } = body
    await transaction(db, async (connection) => {
      if (await selectOptionalEntry(connection, list, key)) throw entryExists(list, key)
      const after = { key, name: name ?? null, description }
      await put(connection, list, after)
      await audit(connection, {
        operator,
        requestId,
        action: 'reference.add',
        subject: subject(list, key),
        after,
      })
    })
    return answer(201, { key })
  })

/** POST /reference/retire: new uses in pushes are refused from now on; existing uses stay valid. */
export const retireReferenceEntry = ({ db, clock }: Needs): Mounted =>
  on(referenceRoutes.retireReferenceEntry, async ({ body: { list, key }, operator, requestId }) => {
    await transaction(db, async (connection) => {
      const { isRetired } = await existingEntry(connection, list, key)
      if (isRetired) return
      const { uses } = await selectUse(connection, list, key)
      await retire[list](connection, key, clock.now())
      const action = 'reference.retire'
      const after = { isRetired: true, used: counted(uses) }
      await audit(connection, { operator, requestId, action, subject: subject(list, key), after })
    })
    return answer(200, { key })
  })

/** POST /reference/bring-back. */
export const bringBackReferenceEntry = ({ db }: Needs): Mounted =>
  on(referenceRoutes.bringBackReferenceEntry, async ({ body: { list, key }, operator, requestId }) => {
    await transaction(db, async (connection) => {
      const entry = await existingEntry(connection, list, key)
      if (!entry.isRetired) return
      await put(connection, list, entry)
      const action = 'reference.bring-back'
      const after = { isRetired: false }
      await audit(connection, { operator, requestId, action, subject: subject(list, key), after })
    })
    return answer(200, { key })
  })

type Described = { key: string; name: string | null; description: string }

async function put(connection: Queryable, list: ReferenceList, entry: Described): Promise<void> {
  const { key, name, description } = entry
  if (list === 'roomTypes') return putRoomType(connection, { name: key, description })
  if (name !== null) return putMealPlan(connection, { code: key, name, description })
  throw new Rejected(400, {
    type: 'REQUIRED',
    message: 'A meal plan needs a name as well as a code',
    path: '/name',
  })
}

const retire: Readonly<
  Record<ReferenceList, (connection: Queryable, key: string, nowMs: number) => Promise<void>>
> = { roomTypes: retireRoomType, mealPlans: retireMealPlan }

const nouns: Readonly<Record<ReferenceList, string>> = { roomTypes: 'room type', mealPlans: 'meal plan' }

function subject(list: ReferenceList, key: string): string {
  return `${nouns[list]} ${JSON.stringify(key)}`
}

async function existingEntry(
  db: Queryable,
  list: ReferenceList,
  key: string,
): Promise<Omit<ReferenceEntry, 'used'>> {
  const entry = await selectOptionalEntry(db, list, key)
  if (entry) return entry
  throw new Rejected(404, {
    type: 'NOT_FOUND',
    message: `There is no ${nouns[list]} ${JSON.stringify(reportedValue(key))}`,
    hint: 'GET /console/api/reference lists them; names are case-sensitive',
  })
}

function entryExists(list: ReferenceList, key: string): Rejected {
  return new Rejected(409, {
    type: 'ENTRY_EXISTS',
    message: `The ${nouns[list]} ${JSON.stringify(reportedValue(key))} already exists`,
    path: '/key',
    hint: 'A retired one can be restored',
  })
}

/** Ordered by key. Counts one use more than the limit, by the index of the column: the table has all hotels. */
async function selectEntries(
  db: Queryable,
  list: ReferenceList,
): Promise<(Omit<ReferenceEntry, 'used'> & { uses: number })[]> {
  const { rows } = await db.query<Omit<ReferenceEntry, 'used'> & { uses: number }>(
    `select entry.*, used.counted as uses
     from (${entries[list]}) as entry cross join lateral (
       select count(*)::int as counted
       from (
         select from ${usedIn[list].table} where ${usedIn[list].column} = entry.key order by hotel_id limit $1 + 1
       ) as few
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

async function selectOptionalEntry(
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

type HotelUsing = { hotelId: number; code: string; name: string; supplier: string }
type Use = {
  uses: number
  suppliers: { supplierId: number; name: string; uses: number }[]
  hotels: HotelUsing[]
}

/** Counts one use more than the limit. */
async function selectUse(db: Queryable, list: ReferenceList, key: string): Promise<Use> {
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
