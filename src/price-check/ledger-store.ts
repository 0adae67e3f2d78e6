import { formatNight } from '../base/calendar.ts'
import type { Queryable } from '../postgres/postgres.ts'
import type { Failure } from './ask-supplier.ts'
import type { AskedStay, HeldPrice } from './held-price.ts'
import type { LivePrice } from './live-answer.ts'
import { drifted, findingsOf, type Finding } from './drift.ts'
import type { Judged } from './outcome.ts'

/** A check as it is kept. */
export type KeptCheck = Judged & {
  checkId: string
  callId: string | undefined
  atMs: number
  supplierId: number
  hotelId: number
  roomNo: number
  rateNo: number
  requestId: string
  asked: AskedStay
  durationMs: number
  currency: string
  held: HeldPrice
  /** Both undefined: there was nobody to ask. */
  live: LivePrice | undefined
  failure: Failure | undefined
}

/** What a check says of the nights; nothing where another check with the same call says it. */
export function nightsFound(check: KeptCheck): Finding[] {
  const { live, callId, checkId, hotelId, roomNo, rateNo, currency, atMs, asked, held } = check
  if (!live || callId !== checkId) return []
  const key = { hotelId, roomNo, rateNo }
  return findingsOf({ key, currency, atMs, roomCount: asked.roomCount, held, live })
}

/**
 * Checks, and what they say of the nights, in one statement: both are kept or neither is. Nothing is kept of a hotel that
 * was removed meanwhile.
 */
export async function insertChecks(db: Queryable, checks: readonly KeptCheck[]): Promise<void> {
  await db.query({
    name: 'insert-price-checks',
    text: `
      with kept as (
        insert into price_check (check_id, call_id, at, supplier_id, hotel_id, room_no, rate_no, request_id, arrival,
          departure, room_count, adults, child_ages, outcome, bookable, duration_ms, reason, message, http_status,
          currency, revision, stored_bookable, stored_inventory, stored_before_tax, stored_after_tax, live_inventory,
          live_before_tax, live_after_tax, difference)
        select check_id, call_id, instant(at_ms), supplier_id, hotel_id, room_no, rate_no, request_id,
          arrival, departure, room_count, adults, child_ages, outcome, bookable, duration_ms, reason, message,
          http_status, currency, revision, stored_bookable, stored_inventory, stored_before_tax, stored_after_tax,
          live_inventory, live_before_tax, live_after_tax, difference
        from jsonb_to_recordset($1) as asked (check_id uuid, call_id uuid, at_ms float8, supplier_id int, hotel_id int,
          room_no int2, rate_no int2, request_id text, arrival date, departure date, room_count int2, adults int2,
          child_ages int2[], outcome text, bookable boolean, duration_ms int, reason text, message text,
          http_status int2, currency text, revision int8, stored_bookable boolean, stored_inventory int,
          stored_before_tax int8[], stored_after_tax int8[], live_inventory int8, live_before_tax int8[],
          live_after_tax int8[], difference int8)
        where ${isThere}
      )
      insert into price_drift as held (hotel_id, room_no, rate_no, night, currency, checks, differing, sold_out, largest,
        last_at, stored, live, revision, since_at, since_revision)
      select hotel_id, room_no, rate_no, night, currency, checks, differing, sold_out, largest,
        instant(last_at_ms), stored, live, revision, instant(since_at_ms), since_revision
      from jsonb_to_recordset($2) as found (hotel_id int, room_no int2, rate_no int2, night date, currency text,
        checks int, differing int, sold_out int, largest int8, last_at_ms float8, stored int8, live int8, revision int8,
        since_at_ms float8, since_revision int8)
      where ${isThere}
      on conflict (hotel_id, room_no, rate_no, night) do update set
        currency = excluded.currency,
        checks = case when held.currency = excluded.currency then held.checks else 0 end + excluded.checks,
        differing = case when held.currency = excluded.currency then held.differing else 0 end + excluded.differing,
        sold_out = case when held.currency = excluded.currency then held.sold_out else 0 end + excluded.sold_out,
        largest = case when held.currency = excluded.currency and abs(held.largest) >= abs(excluded.largest)
          then held.largest else excluded.largest end,
        last_at = excluded.last_at,
        ${keptUnlessCompared('stored')},
        ${keptUnlessCompared('live')},
        ${keptUnlessCompared('revision')},
        ${sinceThen('since_at')},
        ${sinceThen('since_revision')}`,
    values: [
      JSON.stringify(checks.map(rowOf)),
      JSON.stringify(drifted(checks.flatMap(nightsFound)).map(driftOf)),
    ],
  })
}

/** Looked up once, so that the order of what is sent stays, and without a lock, so that no push is waited for. */
const isThere = `hotel_id <> all (array(
  select id from removed_hotel where id in (select hotel_id from jsonb_to_recordset($1) as asked (hotel_id int))))`

/** Answers that said nothing but sold out leave the last comparison as it was. */
function keptUnlessCompared(column: string): string {
  return `${column} = case when held.currency = excluded.currency and excluded.checks = excluded.sold_out
    then held.${column} else excluded.${column} end`
}

/** The run that was under way goes on when everything that was compared differed. */
function sinceThen(column: string): string {
  return `${column} = case
    when held.currency <> excluded.currency then excluded.${column}
    when excluded.checks = excluded.sold_out then held.${column}
    when excluded.differing = excluded.checks - excluded.sold_out then coalesce(held.${column}, excluded.${column})
    else excluded.${column} end`
}

function rowOf(check: KeptCheck): Record<string, unknown> {
  const { asked, held, live, failure, difference } = check
  return {
    check_id: check.checkId,
    call_id: check.callId,
    at_ms: check.atMs,
    supplier_id: check.supplierId,
    hotel_id: check.hotelId,
    room_no: check.roomNo,
    rate_no: check.rateNo,
    request_id: check.requestId,
    arrival: formatNight(asked.arrival),
    departure: formatNight(asked.departure),
    room_count: asked.roomCount,
    adults: asked.room.adults,
    child_ages: asked.room.childAges,
    outcome: check.outcome,
    bookable: check.isBookable && held.isBookable,
    duration_ms: check.durationMs,
    reason: failure?.reason,
    message: failure?.message,
    http_status: failure?.httpStatus,
    currency: check.currency,
    revision: held.revision,
    stored_bookable: held.isBookable,
    stored_inventory: held.inventory,
    stored_before_tax: held.nights?.map(({ beforeTax }) => beforeTax),
    stored_after_tax: held.nights?.map(({ afterTax }) => afterTax),
    live_inventory: live?.inventory,
    live_before_tax: live?.nights.map(({ beforeTax }) => beforeTax),
    live_after_tax: live?.nights.map(({ afterTax }) => afterTax),
    difference,
  }
}

function driftOf(found: ReturnType<typeof drifted>[number]): Record<string, unknown> {
  return {
    hotel_id: found.hotelId,
    room_no: found.roomNo,
    rate_no: found.rateNo,
    night: formatNight(found.night),
    currency: found.currency,
    checks: found.checks,
    differing: found.differing,
    sold_out: found.soldOut,
    largest: found.largest,
    last_at_ms: found.lastAtMs,
    stored: found.stored,
    live: found.live,
    revision: found.revision,
    since_at_ms: found.sinceAtMs,
    since_revision: found.sinceRevision,
  }
}
