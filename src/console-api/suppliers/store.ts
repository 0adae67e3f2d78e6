import { anyHotelId, ofSupplierById } from '../hotels/hotel-conditions.ts'
import { dayMs } from '../../base/calendar.ts'
import { sqlIsoSeconds, type Queryable } from '../../postgres/postgres.ts'
import { newestFirst } from '../../push-log/conditions.ts'
import {
  pushesLookedAt,
  type RecentPushes,
  type SupplierCall,
  type SupplierKey,
  type KeyUnknownFields,
  type SupplierKeyLimits,
} from './contract.ts'

/** The SQL of suppliers and keys in the console. Every count has a limit. */

export type SupplierRow = {
  supplierId: number
  name: string
  createdAt: string
  activeKeys: number
  lastUsedAt: string | null
  hotels: number
  pushes: RecentPushes
}

export type SupplierFilter = {
  /** Only this supplier. */
  supplierId: number | undefined
  /** Part of the name. */
  search: string | undefined
  /** Only suppliers after this one, by name. */
  afterId: number | undefined
  hotelsMax: number
  nowMs: number
}

/** Suppliers by name. Counts one hotel more than `hotelsMax`. */
export async function selectSuppliers(
  db: Queryable,
  filter: SupplierFilter,
  limit: number,
): Promise<SupplierRow[]> {
  const { supplierId, search, afterId, hotelsMax, nowMs } = filter
  const { rows } = await db.query<SupplierRow>(
    // Unnamed, so that it is planned with the actual instant and reads only the newest days of the push log.
    `select page.id as "supplierId", page.name, ${sqlIsoSeconds('page.created_at')} as "createdAt",
       keys.active as "activeKeys", ${sqlIsoSeconds('keys.last_used_at')} as "lastUsedAt", hotels.counted as hotels,
       json_build_object('looked', pushes.looked, 'rejected', pushes.rejected, 'partial', pushes.partial,
         'lastAt', ${sqlIsoSeconds('pushes.last_at')}) as pushes
     from (
       select * from supplier
       where ($2::int is null or id = $2) and ($3::text is null or strpos(lower(name), lower($3)) > 0)
         and ($4::bigint is null or name > (select name from supplier where id = $4))
       order by name limit $6
     ) as page
     cross join lateral (
       select max(last_used_at) as last_used_at, count(*) filter (where revoked_at is null
         and (expires_at is null or expires_at > instant($1)))::int as active
       from api_key where supplier_id = page.id
     ) as keys
     cross join lateral (
       -- Pushes of ARI don't write its pages, so that the index alone is read.
       select count(*)::int as counted
       from (
         select from hotel_search s where ${ofSupplierById('page.id', anyHotelId)} order by supplier_id, hotel_id limit $5 + 1
       ) as few
     ) as hotels
     cross join lateral (
       select count(*)::int as looked, count(*) filter (where outcome = 'rejected')::int as rejected,
         count(*) filter (where outcome = 'partial')::int as partial, max(at) as last_at
       from (
         select at, outcome from push_log
         -- Without a key: stop-sells and others of the platform's own changes.
         where supplier_id = page.id and at > instant($7) and key_id is not null
         order by ${newestFirst} limit $8
       ) as newest
     ) as pushes
     order by page.name`,
    [
      nowMs,
      supplierId ?? null,
      search ?? null,
      afterId ?? null,
      hotelsMax,
      limit,
      nowMs - pushesLookedAt.days * dayMs,
      pushesLookedAt.newest,
    ],
  )
  return rows
}

export async function selectOptionalName(db: Queryable, supplierId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>('select name from supplier where id = $1', [supplierId])
  return rows[0]?.name
}

export async function selectOptionalKeyOwner(db: Queryable, keyId: number): Promise<number | undefined> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from api_key where id = $1',
    [keyId],
  )
  return rows[0]?.supplierId
}

export type KeyRow = Omit<SupplierKey, 'webhooks'> & {
  supplierId: number
  supplier: string
  availability: string | null
  availabilityAt: string | null
  pushbook: string | null
  pushbookAt: string | null
}

/** The keys of a supplier, newest first, or one key. */
export async function selectKeysOf(
  db: Queryable,
  of: { supplierId: number } | { keyId: number },
  nowMs: number,
): Promise<KeyRow[]> {
  const isOver = (column: string): string => `${column} <= instant($1)`
  const { rows } = await db.query<KeyRow>(
    `select k.id as "keyId", s.id as "supplierId", s.name as supplier, k.channel_manager as "channelManager",
       case when k.revoked_at is not null then 'revoked' when ${isOver('k.expires_at')} then 'expired'
         else 'active' end as status,
       coalesce((select json_agg(json_build_object('tail', tail, 'createdAt', ${sqlIsoSeconds('ks.created_at')},
           'worksUntil', ${sqlIsoSeconds('least(ks.expires_at, k.expires_at)')}) order by ks.created_at desc, ks.tail)
         from api_key_secret ks
         where ks.key_id = k.id and (ks.expires_at is null or not ${isOver('ks.expires_at')})), '[]') as secrets,
       ${sqlIsoSeconds('k.created_at')} as "createdAt", ${sqlIsoSeconds('k.expires_at')} as "expiresAt",
       ${sqlIsoSeconds('k.revoked_at')} as "revokedAt", ${sqlIsoSeconds('k.last_used_at')} as "lastUsedAt",
       ${sqlIsoSeconds('k.last_refused_at')} as "lastRefusedAt",
       ${limitsObject} as limits, k.unknown_fields as "unknownFields", k.echo,
       k.availability_webhook as availability, ${sqlIsoSeconds('k.availability_webhook_at')} as "availabilityAt",
       k.pushbook_webhook as pushbook, ${sqlIsoSeconds('k.pushbook_webhook_at')} as "pushbookAt",
       k.signing_secret is not null as "hasSigningSecret",
       case when k.signing_secret_previous_until > instant($1)
         then ${sqlIsoSeconds('k.signing_secret_previous_until')} end as "oldSigningSecretUntil"
     from api_key k join supplier s on s.id = k.supplier_id
     where ${'keyId' in of ? 'k.id = $2' : 'k.supplier_id = $2'}
     order by k.id desc`,
    [nowMs, 'keyId' in of ? of.keyId : of.supplierId],
  )
  return rows
}

const limitsObject = `json_build_object('requestsPerMinute', k.requests_per_minute, 'requestsBurst', k.requests_burst,
  'bodyBytesMax', k.body_bytes_max, 'ariItemsMax', k.ari_items_max, 'ariCellsMax', k.ari_cells_max)`

/** The values of a key before a change; locks it until the change is committed. */
export type KeySettings = {
  supplierId: number
  supplier: string
  expiresAt: string | null
  revokedAt: string | null
  limits: SupplierKeyLimits
  unknownFields: KeyUnknownFields
  echo: boolean
}

export async function lockOptionalKey(
  connection: Queryable,
  keyId: number,
): Promise<KeySettings | undefined> {
  const { rows } = await connection.query<KeySettings>(
    `select s.id as "supplierId", s.name as supplier, ${sqlIsoSeconds('k.expires_at')} as "expiresAt",
       ${sqlIsoSeconds('k.revoked_at')} as "revokedAt", ${limitsObject} as limits, k.unknown_fields as "unknownFields", k.echo
     from api_key k join supplier s on s.id = k.supplier_id where k.id = $1 for update of k`,
    [keyId],
  )
  return rows[0]
}

/** The latest calls to each URL of a supplier, newest first. */
export async function selectCalls(db: Queryable, supplierId: number, each: number): Promise<SupplierCall[]> {
  const { rows } = await db.query<SupplierCall>(
    `select call.*, hotel.name as "hotelName" from (
       (select 'availability' as kind, ${sqlIsoSeconds('at')} as at, outcome,
          outcome in ('available', 'price_changed', 'sold_out') as "isGood", http_status as "httpStatus",
          duration_ms as "durationMs", hotel_id as "hotelId", null::bigint as "reservationId"
        from price_check where supplier_id = $1 and call_id is not null order by id desc limit $2)
       union all
       (select 'pushbook', ${sqlIsoSeconds('attempt.at')}, attempt.outcome,
          coalesce(attempt.http_status between 200 and 299, false), attempt.http_status, attempt.duration_ms,
          newest.hotel_id, newest.reservation_id
        -- Of the newest deliveries, whose attempts are the newest except for late retries.
        from (
          select id, hotel_id, reservation_id from delivery where supplier_id = $1 order by created_at desc limit $2
        ) as newest join delivery_attempt as attempt on attempt.delivery_id = newest.id
        order by attempt.at desc limit $2)
     ) as call join hotel on hotel.id = call."hotelId"
     order by call.at desc`,
    [supplierId, each],
  )
  return rows
}

/** The key with which the console acts for a supplier: the newest valid one. */
export async function selectNewestKey(
  db: Queryable,
  supplierId: number,
  nowMs: number,
): Promise<{ keyId: number; channelManager: string } | undefined> {
  const { rows } = await db.query<{ keyId: number; channelManager: string }>(
    `select id as "keyId", channel_manager as "channelManager" from api_key
     where supplier_id = $1 and revoked_at is null
       and (expires_at is null or expires_at > instant($2))
     order by id desc limit 1`,
    [supplierId, nowMs],
  )
  return rows[0]
}
