import type { Queryable } from '../../../postgres/postgres.ts'
import { isLapsed } from '../../../hotels/former-amounts.ts'
import { isOff, type GuardSettings } from './rules.ts'

/** `lapsed`: the hotels that have changed their currency since; without a hotel, those that follow the account. */
export type StoredSettings = {
  source: 'hotel' | 'account'
  settings: GuardSettings
  lapsed: { hotels: number; codes: string[]; currency: string | null }
}

/** Hotels that are named. */
const lapsedNamedMax = 5

/** The settings that apply to a hotel; without one, those of the account. */
export async function selectOptionalSettings(
  db: Queryable,
  supplierId: number,
  hotelId: number | undefined,
): Promise<StoredSettings | undefined> {
  const { rows } = await db.query<StoredSettings>(
    `select case when hotel_id is null then 'account' else 'hotel' end as source, settings, (
         select json_build_object('hotels', count(*),
           'codes', coalesce((array_agg(code order by code))[:${lapsedNamedMax}], '{}'), 'currency', min(currency))
         from hotel where hotel.supplier_id = guard.supplier_id and ${isLapsed('guard', 'hotel')}
           and case when $2::int is null then not exists (select from guard as own where own.hotel_id = hotel.id)
             else hotel.id = $2 end
       ) as lapsed
     from guard where supplier_id = $1 and (hotel_id is null or hotel_id = $2)
     order by hotel_id nulls last limit 1`,
    [supplierId, hotelId ?? null],
  )
  return rows[0]
}

/**
 * Stores settings, or removes those of a hotel (null). The same settings are stored again where a hotel has changed its
 * currency since: their amounts are then meant in the present one. The hotels whose catalogs contain them get another version.
 * The account must be locked.
 */
export async function saveSettings(
  connection: Queryable,
  { supplierId, hotelId }: { supplierId: number; hotelId: number | undefined },
  settings: GuardSettings | null,
  nowMs: number,
): Promise<void> {
  const of = [supplierId, hotelId ?? null]
  const { rowCount } =
    settings === null
      ? await connection.query('delete from guard where supplier_id = $1 and hotel_id = $2', of)
      : await connection.query(
          // After the last change of a currency, by whosever clock.
          `insert into guard (supplier_id, hotel_id, settings, changed_at) values ($1, $2, $3, greatest(instant($4), (
             select max(currency_changed_at) + interval '1 millisecond' from hotel
             where supplier_id = $1 and ($2::int is null or id = $2))))
           on conflict (supplier_id, hotel_id) do update
             set settings = excluded.settings, changed_at = excluded.changed_at
             where guard.settings <> excluded.settings or exists (
               select from hotel where hotel.supplier_id = guard.supplier_id
                 and (guard.hotel_id is null or hotel.id = guard.hotel_id) and ${isLapsed('guard', 'hotel')})`,
          [...of, JSON.stringify(settings), nowMs],
        )
  if (rowCount === 0) return
  await connection.query(
    'select from hotel where supplier_id = $1 and ($2::int is null or id = $2) order by id for no key update',
    of,
  )
  await connection.query(
    `update hotel set catalog_version = catalog_version + 1
     where supplier_id = $1 and ($2::int is null or id = $2)`,
    of,
  )
}

/** The settings that new accounts begin with; undefined: their guard is off. */
export async function selectOptionalDefault(db: Queryable): Promise<GuardSettings | undefined> {
  const { rows } = await db.query<{ settings: GuardSettings }>('select settings from guard_default')
  return rows[0]?.settings
}

/** Existing accounts keep their settings: a new account gets a copy when it is created. */
export async function saveDefault(
  connection: Queryable,
  settings: GuardSettings,
  nowMs: number,
): Promise<void> {
  if (isOff(settings)) {
    await connection.query('delete from guard_default')
    return
  }
  await connection.query(
    `insert into guard_default (settings, changed_at) values ($1, instant($2))
     on conflict (is_only) do update set settings = excluded.settings, changed_at = excluded.changed_at`,
    [JSON.stringify(settings), nowMs],
  )
}
