import { sweep } from '../postgres/connections/queryable.ts'
import { instantOf } from '../base/calendar.ts'
import { numberArray, textArray, type Queryable } from '../postgres/postgres.ts'
import type { AccountTerms } from './outcome.ts'
import type { PriceCheckOutcome } from './contract.ts'
import type { TermsDifference } from './terms-contract.ts'

/** Contract settings of a hotel's account; undefined if the hotel was removed. */
export async function selectOptionalTerms(
  db: Queryable,
  hotelId: number,
): Promise<(AccountTerms & { supplierId: number }) | undefined> {
  const { rows } = await db.query<AccountTerms & { supplierId: number }>({
    name: 'select-price-check-terms',
    text: `select supplier.id as "supplierId", on_failure as "onFailure", price_tolerance::text as "priceTolerance",
        on_terms_differ as "onTermsDiffer"
      from hotel join supplier on supplier.id = hotel.supplier_id where hotel.id = $1`,
    values: [hotelId],
  })
  return rows[0]
}

/** The id by which `isInProgress` knows the transaction, even after its connection broke. */
export async function selectTransactionId(connection: Queryable): Promise<string> {
  const { rows } = await connection.query<{ id: string }>('select pg_current_xact_id()::text as id')
  const [row] = rows
  if (!row) throw new Error('a transaction has an id')
  return row.id
}

/**
 * Whether a transaction still runs. What became of one that doesn't, its id can't tell: after a failover that lost it, the
 * store may know another transaction by it, or none.
 */
export async function isInProgress(db: Queryable, transactionId: string): Promise<boolean> {
  const { rows } = await db.query<{ isInProgress: boolean }>(
    // PostgreSQL refuses to be asked about an id that it has not given away yet.
    `select coalesce(case when $1::xid8 < pg_current_xact_id() then pg_xact_status($1::xid8) end = 'in progress', false)
       as "isInProgress"`,
    [transactionId],
  )
  return rows[0]?.isInProgress === true
}

/** Whether any of these checks is stored. */
export async function isAnyStored(
  db: Queryable,
  checks: readonly { checkId: string; supplierId: number; atMs: number }[],
): Promise<boolean> {
  const { rows } = await db.query<{ isStored: boolean }>(
    `select exists (
       select from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as sent (id, supplier, moment)
         join price_check on supplier_id = supplier and at = sent.moment and check_id = sent.id
     ) as "isStored"`,
    [
      textArray(checks.map(({ checkId }) => checkId)),
      numberArray(checks.map(({ supplierId }) => supplierId)),
      textArray(checks.map(({ atMs }) => instantOf(atMs))),
    ],
  )
  return rows[0]?.isStored === true
}

export type CheckFilter = {
  /** The hotel's id. */
  hotel: number | undefined
  roomId: string | undefined
  rateId: string | undefined
  outcome: PriceCheckOutcome | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  /** Only rows before this one. */
  beforeId: number | undefined
}

/** Amounts are in minor units. */
export type CheckRow = {
  id: number
  checkId: string
  callId: string | null
  atMs: number
  hotelId: string
  roomId: string
  rateId: string
  checkin: string
  checkout: string
  roomCount: number
  adultCount: number
  childAges: number[]
  outcome: PriceCheckOutcome
  bookable: boolean
  durationMs: number
  reason: string | null
  message: string | null
  httpStatus: number | null
  currency: string
  revision: number
  storedBookable: boolean
  storedInventory: number
  storedBeforeTax: number[] | null
  storedAfterTax: number[] | null
  liveInventory: number | null
  liveBeforeTax: number[] | null
  liveAfterTax: number[] | null
  difference: number | null
  termsDiffer: TermsDifference[] | null
}

/** Columns of checkSource. Lists of int8 are JSON, because the driver returns int8 as text. */
export const checkColumns = `c.id, check_id as "checkId", call_id as "callId",
  epoch_ms(at) as "atMs", hotel.code as "hotelId", room.code as "roomId",
  rate.code as "rateId", arrival as checkin, departure as checkout, room_count as "roomCount",
  adults as "adultCount", child_ages as "childAges", outcome, bookable, duration_ms as "durationMs", reason, message,
  http_status as "httpStatus", c.currency, c.revision, stored_bookable as "storedBookable",
  stored_inventory as "storedInventory", to_json(stored_before_tax) as "storedBeforeTax",
  to_json(stored_after_tax) as "storedAfterTax", live_inventory as "liveInventory",
  to_json(live_before_tax) as "liveBeforeTax", to_json(live_after_tax) as "liveAfterTax", difference,
  terms_differ as "termsDiffer"`

export const checkSource = `price_check c join hotel on hotel.id = c.hotel_id
  join room on room.hotel_id = c.hotel_id and room.room_no = c.room_no
  join rate on rate.hotel_id = c.hotel_id and rate.rate_no = c.rate_no`

/** Checks of a supplier's hotels, newest first. */
export async function selectChecks(
  db: Queryable,
  supplierId: number,
  filter: CheckFilter,
  limit: number,
): Promise<CheckRow[]> {
  const { hotel, roomId, rateId, outcome, sinceMs, untilMs, beforeId } = filter
  // Not a named statement: planned for the actual values, so that the hotel's index is used if a hotel is
  // given.
  const { rows } = await db.query<CheckRow>(
    `select ${checkColumns} from ${checkSource}
     where c.supplier_id = $1
       and ($2::int is null or c.hotel_id = $2)
       and ($3::text is null or room.code = $3)
       and ($4::text is null or rate.code = $4)
       and ($5::text is null or outcome = $5)
       and at >= coalesce(instant($6), '-infinity')
       and at < coalesce(instant($7), 'infinity')
       and ($8::bigint is null or c.id < $8)
     order by c.id desc limit $9`,
    [
      supplierId,
      hotel ?? null,
      roomId ?? null,
      rateId ?? null,
      outcome ?? null,
      sinceMs ?? null,
      untilMs ?? null,
      beforeId ?? null,
      limit,
    ],
  )
  return rows
}

export type DriftScope = {
  /** The hotel's id. */
  hotel: number
  roomId: string | undefined
  rateId: string | undefined
}

export type DriftTotals = {
  currency: string
  nights: number
  differingNights: number
  checks: number
  differing: number
  soldOut: number
  mealPlanDiffers: number
  cancelPolicyDiffers: number
}

/** Whether a row `d` of price_drift is about a price that its hotel still has: not one from before a change of its currency. */
const isOfPresent =
  'hotel.currency = d.currency and (d.revision is null or d.revision > hotel.currency_revision)'
/** Joins the hotel of such a row. */
export const hotelOfDrift = `join hotel on hotel.id = d.hotel_id and ${isOfPresent}`
/** The same for one row after the other, so that as few are read as a limit asks for. */
export const isDriftOfPresent = `(select ${isOfPresent} from hotel where hotel.id = d.hotel_id)`

const driftOfScope = `
  from price_drift d ${hotelOfDrift}
    join room on room.hotel_id = d.hotel_id and room.room_no = d.room_no
    join rate on rate.hotel_id = d.hotel_id and rate.rate_no = d.rate_no
  where d.hotel_id = $1 and ($2::text is null or room.code = $2) and ($3::text is null or rate.code = $3)`

const parametersOf = ({ hotel, roomId, rateId }: DriftScope): unknown[] => [
  hotel,
  roomId ?? null,
  rateId ?? null,
]

export async function selectDriftTotals(db: Queryable, scope: DriftScope): Promise<DriftTotals> {
  const { rows } = await db.query<DriftTotals>(
    `select (select currency from hotel where id = $1) as currency, count(*)::int as nights,
       count(since_at)::int as "differingNights", coalesce(sum(checks), 0)::int8 as checks,
       coalesce(sum(differing), 0)::int8 as differing, coalesce(sum(sold_out), 0)::int8 as "soldOut",
       coalesce(sum(meal_plan_differs), 0)::int8 as "mealPlanDiffers",
       coalesce(sum(cancel_policy_differs), 0)::int8 as "cancelPolicyDiffers"
     ${driftOfScope}`,
    parametersOf(scope),
  )
  const [totals] = rows
  if (!totals) throw new Error('an aggregate has a row')
  return totals
}

export type DriftRow = {
  roomId: string
  rateId: string
  night: string
  checks: number
  differing: number
  soldOut: number
  mealPlanDiffers: number
  cancelPolicyDiffers: number
  largest: number
  stored: number | null
  live: number | null
  revision: number | null
  lastAtMs: number
  sinceAtMs: number | null
  sinceRevision: number | null
}

/** Nights that differed, in price or terms, or were sold out, the worst first. */
export async function selectDriftNights(
  db: Queryable,
  scope: DriftScope,
  limit: number,
): Promise<DriftRow[]> {
  const { rows } = await db.query<DriftRow>(
    `select room.code as "roomId", rate.code as "rateId", night, checks, differing, sold_out as "soldOut", largest,
       meal_plan_differs as "mealPlanDiffers", cancel_policy_differs as "cancelPolicyDiffers",
       stored, live, d.revision, epoch_ms(last_at) as "lastAtMs",
       epoch_ms(since_at) as "sinceAtMs", since_revision as "sinceRevision"
     ${driftOfScope} and (differing > 0 or sold_out > 0 or meal_plan_differs > 0 or cancel_policy_differs > 0)
     order by since_at is null, abs(largest) desc, room.code, rate.code, night limit $4`,
    [...parametersOf(scope), limit],
  )
  return rows
}

/** Deletes the checks before a time, oldest first. Returns how many. */
export function deleteOldChecks(db: Queryable, beforeMs: number): Promise<number> {
  // Ids rise with time, give or take some milliseconds, so no index by time is needed.
  return sweep(
    db,
    `delete from price_check where id in (select id from price_check order by id limit $2)
       and at < instant($1)`,
    beforeMs,
  )
}

/** Deletes the drift of nights before a day number. Returns how many. */
export function deleteOldDrift(db: Queryable, firstDay: number): Promise<number> {
  return sweep(
    db,
    `delete from price_drift where ctid in (
       select ctid from price_drift where night < '1970-01-01'::date + $1::int limit $2 for update skip locked)`,
    firstDay,
  )
}
