import type { Queryable } from '../../../postgres/postgres.ts'
import { isOff, type GuardSettings } from './rules.ts'

export type StoredSettings = { source: 'hotel' | 'account'; settings: GuardSettings }

/** The settings that apply to a hotel; without one, those of the account. */
export async function selectOptionalSettings(
  db: Queryable,
  supplierId: number,
  hotelId: number | undefined,
): Promise<StoredSettings | undefined> {
  const { rows } = await db.query<StoredSettings>(
    `select case when hotel_id is null then 'account' else 'hotel' end as source, settings from guard
     where supplier_id = $1 and (hotel_id is null or hotel_id = $2) order by hotel_id nulls last limit 1`,
    [supplierId, hotelId ?? null],
  )
  return rows[0]
}

/**
 * Stores settings, or removes those of a hotel (null). The hotels whose catalogs contain them get another version.
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
          `insert into guard (supplier_id, hotel_id, settings, changed_at) values ($1, $2, $3, instant($4))
           on conflict (supplier_id, hotel_id) do update
             set settings = excluded.settings, changed_at = excluded.changed_at
             where guard.settings <> excluded.settings`,
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
