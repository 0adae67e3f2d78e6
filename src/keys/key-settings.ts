import type { Queryable } from '../postgres/postgres.ts'
import type { UnknownFields } from '../http/calls/request-members.ts'
import { keyNotFound } from './manage.ts'
import { limitNames, type OwnLimits } from './store.ts'

export type KeySettings = OwnLimits & { unknownFields: UnknownFields; echo: boolean }

/** Absent settings stay unchanged; null restores the default. Returns the key's own settings afterwards. */
export async function changeKeySettings(
  db: Queryable,
  keyId: number,
  changed: Partial<KeySettings>,
): Promise<KeySettings> {
  const { rows } = await db.query<KeySettings>(
    `update api_key set
       requests_per_minute = case when $2 then $3 else requests_per_minute end,
       requests_burst = case when $4 then $5 else requests_burst end,
       body_bytes_max = case when $6 then $7 else body_bytes_max end,
       ari_items_max = case when $8 then $9 else ari_items_max end,
       ari_cells_max = case when $10 then $11 else ari_cells_max end,
       unknown_fields = coalesce($12, unknown_fields),
       echo = coalesce($13, echo)
     where id = $1
     returning requests_per_minute as "requestsPerMinute", requests_burst as "requestsBurst",
       body_bytes_max as "bodyBytesMax", ari_items_max as "ariItemsMax", ari_cells_max as "ariCellsMax",
       unknown_fields as "unknownFields", echo`,
    [
      keyId,
      ...limitNames.flatMap((name) => [changed[name] !== undefined, changed[name] ?? null]),
      changed.unknownFields ?? null,
      changed.echo ?? null,
    ],
  )
  const [row] = rows
  if (!row) throw keyNotFound(keyId)
  return row
}
