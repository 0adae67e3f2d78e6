import type { Queryable } from '../../postgres/postgres.ts'
import type { PushKind, PushOutcome } from '../../push-log/contract.ts'
import type { KeptBytes } from '../../push-log/store.ts'
import type { PushListed } from './contract.ts'

/** The push log of all suppliers. Its rows are found by supplier, by hotel and by request id; none by the id alone. */

export type PushSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  requestId: string | undefined
  kind: PushKind | undefined
  outcome: PushOutcome | undefined
  /** Type of a problem, or of a warning. */
  problem: string | undefined
  status: number | undefined
  /** Only rows before this one. */
  beforeId: number | undefined
  /** Only rows after this one. */
  afterId?: number | undefined
  sinceMs: number | undefined
  /** Itself outside. */
  untilMs: number | undefined
}

export type LoggedPush = PushListed & { atMs: number }
type Row = Omit<LoggedPush, 'at'>

const entryColumns = `id, at, supplier_id, request_id, kind, hotel_id, hotel_ids, hotel_code, outcome, problems, status,
  revision, cells_changed, duration_ms, body_bytes, key_id`

const isRefused = `outcome in ('partial', 'rejected', 'dryRun')`
/** Pushes by the type of a problem, or of a warning, apart: each has an index. One that has both is found by its problem. */
const withProblem = `and ${isRefused} and problems is not null and problems -> 'types' ? $11`
const withWarning = `and warnings is not null and warnings -> 'types' ? $11
      and (problems is null or not problems -> 'types' ? $11)`

/** Of rows of the log as `entry`, with the names that people know. */
const listed = `entry.id as "pushId", epoch_ms(entry.at) as "atMs",
  entry.request_id as "requestId", entry.supplier_id as "supplierId", supplier.name as supplier, entry.kind,
  entry.hotel_id as "hotelId", coalesce(entry.hotel_code, hotel.code) as "hotelCode", hotel.name as "hotelName",
  coalesce(cardinality(entry.hotel_ids), 0) as hotels, entry.outcome, entry.problems, entry.status, entry.revision,
  entry.cells_changed as "cellsChanged", entry.duration_ms as "durationMs", entry.body_bytes as "bodyBytes",
  entry.key_id as "keyId", api_key.channel_manager as "channelManager"`
const named = `join supplier on supplier.id = entry.supplier_id left join hotel on hotel.id = entry.hotel_id
  left join api_key on api_key.id = entry.key_id`

function pushOf(row: Row): LoggedPush {
  return { ...row, at: new Date(Math.round(row.atMs)).toISOString() }
}

/** Newest first. Within the range given: whoever asks for all days reads the index of each. */
export async function selectLoggedPushes(
  db: Queryable,
  search: PushSearch,
  limit: number,
): Promise<LoggedPush[]> {
  // Every other answer than 200 is to such a push: they have an index of their own.
  const isRare = search.status !== undefined && search.status !== 200
  const newest = (condition: string, type: string): string => `
    select ${entryColumns} from push_log as log
    where ${condition} ${isRare ? `and ${isRefused}` : ''} ${type}
      and ($2::bigint is null or id < $2) and ($12::bigint is null or id > $12)
      and at >= coalesce(instant($3), '-infinity')
      and at < coalesce(instant($4), 'infinity')
      and ($5::text is null or kind = $5)
      and ($6::text is null or outcome = $6)
      and ($7::int is null or status = $7)
      and ($8::int is null or supplier_id = $8)
      and ($9::int is null or hotel_id = $9 or hotel_ids @> array[$9])
      and ($10::text is null or request_id = $10)
    order by id desc limit $1`
  const types = search.problem === undefined ? ['and $11::text is null'] : [withProblem, withWarning]
  const found = types.map((type) => {
    const isTyped = type === withProblem && isByType(search)
    return `(${waysIn(search, (condition) => newest(condition, type), isTyped)} order by id desc limit $1)`
  })
  const { beforeId, sinceMs, untilMs, kind, outcome, problem, status, supplierId, hotelId, requestId } =
    search
  // Not named: planned anew with the values at hand, so that only the days asked for are looked at.
  const { rows } = await db.query<Row>(
    `select ${listed} from (select * from (${found.join(' union all ')}) as each order by id desc limit $1) as entry
     ${named} order by entry.id desc`,
    [
      limit,
      beforeId ?? null,
      sinceMs ?? null,
      untilMs ?? null,
      kind ?? null,
      outcome ?? null,
      status ?? null,
      supplierId ?? null,
      hotelId ?? null,
      requestId ?? null,
      problem ?? null,
      search.afterId ?? null,
    ],
  )
  return rows.map(pushOf)
}

/** The number after the last that a push was given. */
export async function selectNextPushId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>('select last_value + 1 as id from push_log_id_seq')
  return rows[0]?.id ?? 1
}

/** What is rare among the last numbers is found by its type; among them, or of one supplier, it isn't worth it. */
function isByType({ problem, supplierId, hotelId, requestId, afterId }: PushSearch): boolean {
  const isNarrow = [supplierId, hotelId, requestId, afterId].some((one) => one !== undefined)
  return problem !== undefined && !isNarrow
}

/** By the index that fits; a push is of one hotel or of several, never both. */
function waysIn(search: PushSearch, newest: (condition: string) => string, isTyped: boolean): string {
  const { requestId, hotelId, supplierId } = search
  const all = `select way.* from (${newest('true')}) as way`
  if (requestId !== undefined) return all
  if (hotelId !== undefined) {
    return `select * from ((${newest('hotel_id = $9')}) union all (${newest('hotel_ids @> array[$9::int]')})) as way`
  }
  if (supplierId !== undefined || isTyped) return all
  return `select way.* from supplier cross join lateral (${newest('supplier_id = supplier.id')}) as way`
}

/** One push by its number; its day is found in the indexes of all suppliers. */
export async function selectOptionalPush(db: Queryable, pushId: number): Promise<LoggedPush | undefined> {
  const { rows } = await db.query<Row>(
    `select ${listed} from supplier as owner cross join lateral (
       select ${entryColumns} from push_log where supplier_id = owner.id and id = $1 offset 0
     ) as entry ${named}`,
    [pushId],
  )
  return rows[0] && pushOf(rows[0])
}

/** What a push held; undefined when its day was dropped meanwhile. */
export async function selectPushBytes(
  db: Queryable,
  { pushId, requestId, at }: Pick<LoggedPush, 'pushId' | 'requestId' | 'at'>,
): Promise<KeptBytes | undefined> {
  const { rows } = await db.query<KeptBytes>(
    `select body_encoding as "bodyEncoding", body, answer_encoding as "answerEncoding", answer from push_log
     where id = $1 and request_id = $2
       and at between $3::timestamptz - interval '1 ms' and $3::timestamptz + interval '1 ms'`,
    [pushId, requestId, at],
  )
  return rows[0]
}

export type FormerPush = {
  pushId: number
  requestId: string
  at: string
  bodyBytes: number
  bodyEncoding: string
  body: Buffer | null
}

const formerMax = 20
const formerBytesMax = 8 * 1024 * 1024

/**
 * The pushes of the same kind before one, newest first, that left the hotels (or the key's URLs) as they were when it
 * came. The first few, and no more of them than a reader may take in.
 */
export async function selectFormerPushes(db: Queryable, push: LoggedPush): Promise<FormerPush[]> {
  const former = (condition: string): string => `
    select id, request_id, at, body_bytes, body_encoding, body from push_log
    where ${condition} and kind = $2 and id < $3 and outcome in ('applied', 'unchanged')
    order by id desc limit ${formerMax}`
  const isOfKey = push.kind === 'availabilityWebhook' || push.kind === 'pushbookWebhook'
  const { rows } = await db.query<Omit<FormerPush, 'at'> & { at: Date; bytesUpTo: number }>(
    `select id as "pushId", request_id as "requestId", at, body_bytes as "bodyBytes",
       body_encoding as "bodyEncoding", body
     from (
       select former.*, sum(body_bytes) over (order by id desc) as bytes_up_to from (
         ${
           isOfKey
             ? former('supplier_id = $1 and key_id = $4')
             : `(${former('supplier_id = $1 and hotel_id = any($4::int[])')}) union all (${former('hotel_ids && $4::int[]')})`
         }
       ) as former order by id desc limit ${formerMax}
     ) as former where bytes_up_to <= ${formerBytesMax} order by id desc`,
    [push.supplierId, push.kind, push.pushId, isOfKey ? push.keyId : await hotelIdsOf(db, push)],
  )
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

async function hotelIdsOf(db: Queryable, push: LoggedPush): Promise<number[]> {
  if (push.hotelId !== null) return [push.hotelId]
  const { rows } = await db.query<{ hotel_ids: number[] | null }>(
    'select hotel_ids from push_log where id = $1 and supplier_id = $2',
    [push.pushId, push.supplierId],
  )
  return rows[0]?.hotel_ids ?? []
}

/** Of each kind the newest push for a hotel with one of the outcomes; kinds without any are left out. */
export async function selectNewestOfKinds(
  db: Queryable,
  hotelId: number,
  kinds: readonly PushKind[],
  outcomes: readonly PushOutcome[],
): Promise<LoggedPush[]> {
  const newest = (condition: string): string => `
    select ${entryColumns} from push_log where ${condition} and kind = wanted.kind and outcome = any($3::text[])
    order by id desc limit 1`
  const { rows } = await db.query<Row>(
    `select ${listed} from unnest($2::text[]) as wanted (kind) cross join lateral (
       select * from (
         (${newest('hotel_id = $1')}) union all (${newest('hotel_ids @> array[$1::int]')})
       ) as way order by id desc limit 1
     ) as entry ${named}`,
    [hotelId, kinds, outcomes],
  )
  return rows.map(pushOf)
}

/** The newest push of a key that registered a URL of the kind. */
export async function selectOptionalRegistration(
  db: Queryable,
  { supplierId, keyId, kind }: { supplierId: number; keyId: number; kind: PushKind },
): Promise<LoggedPush | undefined> {
  const { rows } = await db.query<Row>(
    `select ${listed} from (
       select ${entryColumns} from push_log
       where supplier_id = $1 and kind = $3 and key_id = $2 and outcome in ('applied', 'unchanged')
       order by id desc limit 1
     ) as entry ${named}`,
    [supplierId, keyId, kind],
  )
  return rows[0] && pushOf(rows[0])
}
