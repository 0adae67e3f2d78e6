import assert from 'node:assert/strict'
import type { Queryable } from '../../src/postgres/postgres.ts'

/** A digest of each supplier's stored data that changes with every byte, and one of the common data. */

/** Every table, and where its digest is taken. A new table without a line here fails the tests. */
const tables = {
  hotel: 'supplier',
  room: 'supplier',
  rate: 'supplier',
  room_rate: 'supplier',
  tax: 'supplier',
  ari_month: 'supplier',
  api_key: 'supplier',
  api_key_secret: 'supplier',
  idempotency: 'supplier',
  reservation: 'supplier',
  reservation_version: 'supplier',
  // Words from the versions.
  reservation_guest: 'none',
  // Written only by operators.
  reservation_note: 'none',
  reservation_report: 'supplier',
  // From the answers to deliveries, which proceed in the background.
  reservation_confirmation: 'none',
  hotel_search: 'supplier',
  stop_sell: 'supplier',
  stop_sell_order: 'supplier',
  guard: 'supplier',
  // Written only by operators.
  guard_default: 'common',
  work_item: 'common',
  hold: 'supplier',
  // Except for how far its clock is ahead in the sandbox, which is the supplier's own.
  supplier: 'common',
  // Verdicts about the traffic, written when somebody asks, and notes written a moment after it.
  certification: 'none',
  certification_note: 'none',
  environment: 'common',
  access_token: 'common',
  room_type: 'common',
  cancel_code: 'common',
  meal_plan: 'common',
  operator: 'common',
  operator_session: 'common',
  operator_sign_in_link: 'common',
  operator_recovery_code: 'common',
  saved_view: 'common',
  failed_sign_in: 'common',
  sign_up: 'common',
  oidc_state_used: 'common',
  audit_log: 'common',
  // A refused push is logged too.
  push_log: 'none',
  push_body_batch: 'none',
  push_body_segment: 'none',
  // Reports on the tables above, whose digests cover the data.
  change: 'none',
  change_horizon: 'common',
  // Written a moment after the answer to the platform.
  price_check: 'none',
  price_drift: 'none',
  sandbox_fault: 'none',
  removed_hotel: 'supplier',
  // Written a moment after a call to a supplier.
  sandbox_callback: 'none',
  live_answer: 'none',
  paused_url: 'none',
  // Deliveries of the data above proceed in the background.
  delivery: 'none',
  delivery_attempt: 'none',
  delivery_alert: 'none',
  delivery_hold: 'common',
  hourly_run: 'none',
  // Reports on the tables above.
  finding: 'none',
  finding_watch: 'none',
  // Who is told of them, and the messages on their way.
  alert_settings: 'none',
  alert_email: 'none',
  alert_message: 'none',
  watched_hotel: 'none',
  // Written only together with a version of a reservation.
  reservation_card: 'none',
  booking_answer: 'none',
  booking_call: 'none',
  schema_migration: 'common',
  store_epoch: 'common',
  vault_key: 'common',
  // Loads and exports go on in the background; what they store is in the tables above.
  bulk_job: 'none',
  bulk_part: 'none',
  bulk_refused: 'none',
  bulk_hotel: 'none',
  // Written by the service itself, independently of requests.
  store_beat: 'none',
  write_probe: 'none',
  // Written a moment after a change.
  feed_publisher: 'none',
  housekeeping_mark: 'none',
  stored_card_search: 'none',
} as const

export type Digests = ReadonlyMap<number, string>

/** Without the times when keys were last used, or used in vain: those are written a moment later. */
export async function supplierDigests(db: Queryable, supplierIds: readonly number[]): Promise<Digests> {
  const { rows } = await db.query<{ supplier_id: number; digest: string }>({
    name: 'supplier-digests',
    text: `
    with mine as (select id, supplier_id from hotel where supplier_id = any($1)),
      keys as (select * from api_key where supplier_id = any($1))
    select supplier_id, sum(hash)::text || '/' || count(*) as digest from (
      select supplier_id, hashtextextended(h::text, 1) as hash from hotel h where supplier_id = any($1)
      union all select supplier_id, hashtextextended(t::text, 2) from room t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 3) from rate t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 4) from room_rate t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 5) from tax t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 6) from ari_month t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended((to_jsonb(k) - 'last_used_at' - 'last_refused_at')::text, 7) from keys k
      union all select k.supplier_id, hashtextextended(t::text, 8) from api_key_secret t join keys k on k.id = t.key_id
      union all select k.supplier_id, hashtextextended(t::text, 9) from idempotency t join keys k on k.id = t.key_id
      union all select supplier_id, hashtextextended(t::text, 10) from reservation t where supplier_id = any($1)
      union all select supplier_id, hashtextextended(t::text, 11) from reservation_version t join mine on mine.id = t.hotel_id
      union all select mine.supplier_id, hashtextextended(t::text, 12) from hotel_search t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 13) from stop_sell t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 18) from stop_sell_order t join mine on mine.id = t.hotel_id
      union all select booked.supplier_id, hashtextextended(t::text, 19) from reservation_report t
        join reservation booked on booked.id = t.reservation_id where booked.supplier_id = any($1)
      union all select supplier_id, hashtextextended(t::text, 16) from guard t where supplier_id = any($1)
      union all select supplier_id, hashtextextended(t::text, 17) from hold t join mine on mine.id = t.hotel_id
      union all select supplier_id, hashtextextended(t::text, 14) from removed_hotel t where supplier_id = any($1)
      union all select id, hashtextextended(clock_ahead_ms::text, 15) from supplier where id = any($1)
    ) as held group by supplier_id`,
    values: [supplierIds],
  })
  return new Map(rows.map(({ supplier_id: id, digest }) => [id, digest]))
}

export async function commonDigest(db: Queryable): Promise<string> {
  const parts: string[] = []
  for (const [table, where] of Object.entries(tables)) {
    if (where !== 'common') continue
    const { rows } = await db.query<{ digest: string }>(
      `select count(*) || '/' || coalesce(sum(hashtextextended((to_jsonb(t) - 'last_used_at' - 'clock_ahead_ms')::text, 1)), 0) as digest from ${table} t`,
    )
    parts.push(`${table} ${rows[0]?.digest}`)
  }
  return parts.join('\n')
}

export async function assertEveryTableIsKnown(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(tables).sort())
}
