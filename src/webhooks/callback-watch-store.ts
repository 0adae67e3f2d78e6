import type { Queryable } from '../postgres/postgres.ts'
import type { SeenCalls } from './faults-contract.ts'

/** A call of a supplier's URL, as stored in the sandbox. */
export type SeenCall = {
  keyId: number
  calls: SeenCalls
  url: string
  requestId: string
  webhookId: string
  atMs: number
  request: string
  outcome: string
  httpStatus: number | null
  /** Null if it could repeat a card. */
  answer: string | null
  durationMs: number
}

/** For all suppliers together. */
const callsKeptMax = 5_000

export async function keepSeenCalls(db: Queryable, seen: readonly SeenCall[]): Promise<void> {
  await db.query(
    `with kept as (
       insert into sandbox_callback (at, key_id, calls, url, request_id, webhook_id, request, outcome, http_status,
         answer, duration_ms)
       select instant("atMs"), "keyId", calls, url, "requestId", "webhookId", request, outcome,
         "httpStatus", answer, "durationMs"
       from jsonb_to_recordset($1) as seen ("atMs" float8, "keyId" int, calls text, url text, "requestId" text,
         "webhookId" text, request text, outcome text, "httpStatus" int2, answer text, "durationMs" int)
       returning id
     )
     delete from sandbox_callback where id <= (select max(id) from kept) - $2`,
    [JSON.stringify(seen), callsKeptMax],
  )
}

export type ListedCall = Omit<SeenCall, 'atMs' | 'request' | 'answer' | 'keyId'> & {
  id: number
  at: string
}

const listedColumns = `id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, calls, url,
  request_id as "requestId", webhook_id as "webhookId", outcome, http_status as "httpStatus",
  duration_ms as "durationMs"`

/** The newest calls of a supplier's URLs, newest first. */
export async function selectSeenCalls(
  db: Queryable,
  supplierId: number,
  limit: number,
): Promise<ListedCall[]> {
  const { rows } = await db.query<ListedCall>(
    `select ${listedColumns} from sandbox_callback
     where key_id = any(array(select id from api_key where supplier_id = $1)) order by id desc limit $2`,
    [supplierId, limit],
  )
  return rows
}

export async function selectOptionalSeenCall(
  db: Queryable,
  supplierId: number,
  id: number,
): Promise<(ListedCall & Pick<SeenCall, 'request' | 'answer'>) | undefined> {
  const { rows } = await db.query<ListedCall & Pick<SeenCall, 'request' | 'answer'>>(
    `select ${listedColumns}, request, answer from sandbox_callback
     where id = $2 and key_id = any(array(select id from api_key where supplier_id = $1))`,
    [supplierId, id],
  )
  return rows[0]
}
