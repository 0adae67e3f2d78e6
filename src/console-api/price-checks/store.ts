import type { Queryable } from '../../postgres/postgres.ts'
import type { PriceCheckOutcome } from '../../price-check/contract.ts'
import { checkColumns, checkSource, type CheckRow } from '../../price-check/store.ts'

/** The SQL of the price checks that operators search. */

export type CheckSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  outcome: PriceCheckOutcome | undefined
  sinceMs: number | undefined
  after: CheckPosition | undefined
  limit: number
}

export type CheckPosition = { atMs: number; id: number }

export type ConsoleCheckRow = CheckRow & {
  supplierId: number
  supplier: string
  hotelNo: number
  hotelName: string
  timeZone: string
  requestId: string
}

/** Parameters $3 to $7. */
const matching = (condition: string): string => `
  select id, at from price_check
  where ${condition} and ($3::text is null or outcome = $3)
    and at >= coalesce(instant($4), '-infinity')
    and ($5::float8 is null or (at, id) < (instant($5), $6::int8))
  order by at desc, id desc limit $7`

/** Newest first. */
export async function selectConsoleChecks(
  db: Queryable,
  { supplierId, hotelId, outcome, sinceMs, after, limit }: CheckSearch,
): Promise<ConsoleCheckRow[]> {
  // Without a hotel, supplier by supplier, because checks are indexed by supplier.
  const picked =
    hotelId === undefined
      ? `select newest.id from supplier as owner cross join lateral (${matching('supplier_id = owner.id')}) as newest
         where ($1::int is null or owner.id = $1) and $2::int is null
         order by newest.at desc, newest.id desc limit $7`
      : `select id from (${matching('hotel_id = $2 and ($1::int is null or supplier_id = $1)')}) as newest`
  const { rows } = await db.query<ConsoleCheckRow>(
    `select ${checkColumns}, c.supplier_id as "supplierId", supplier.name as supplier, c.hotel_id as "hotelNo",
       hotel.name as "hotelName", hotel.time_zone as "timeZone", c.request_id as "requestId"
     from ${checkSource} join supplier on supplier.id = c.supplier_id
     where c.id in (${picked}) order by c.at desc, c.id desc`,
    [
      supplierId ?? null,
      hotelId ?? null,
      outcome ?? null,
      sinceMs ?? null,
      after?.atMs ?? null,
      after?.id ?? null,
      limit,
    ],
  )
  return rows
}

/** How long before its version a check can have been made; and a little after, by another process's clock. */
const checkedBeforeMs = 120_000
const checkedAfterMs = 5_000

/** The checks that versions of a reservation refer to, oldest first; they are indexed by time, not by id. */
export async function selectChecksOfReservation(
  db: Queryable,
  supplierId: number,
  versions: readonly { atMs: number; checkIds: readonly string[] }[],
): Promise<CheckRow[]> {
  const checkIds = [...new Set(versions.flatMap((version) => version.checkIds))]
  if (checkIds.length === 0) return []
  const { rows } = await db.query<CheckRow>(
    `select ${checkColumns} from ${checkSource}
     where c.id in (
       select checked.id from unnest($2::float8[]) as version (at_ms) cross join lateral (
         select id from price_check where supplier_id = $1 and check_id = any($3::uuid[])
           and at between instant(at_ms - ${checkedBeforeMs})
             and instant(at_ms + ${checkedAfterMs})
       ) as checked
     ) order by c.id`,
    [supplierId, versions.map(({ atMs }) => atMs), checkIds],
  )
  return rows
}

/** The newest checks of the period that are counted per supplier; more if only one supplier is requested. */
const countedMax = { ofEach: 500, ofOne: 20_000 }
const suppliersMax = 200
/** Points of a chart. */
const pointsMax = 48

/** 50th, 95th and 99th percentile; null: no call was made. */
export type Percentiles = readonly [number, number, number] | null

export type SummaryRow = {
  supplierId: number
  supplier: string
  checks: number
  /** Null: all checks of the period are counted. */
  countedSinceMs: number | null
  outcomes: Partial<Record<PriceCheckOutcome, number>>
  percentiles: Percentiles
}
export type PointRow = {
  atMs: number
  checks: number
  failed: number
  percentiles: Percentiles
}

export type SummaryScope = { supplierId: number | undefined; sinceMs: number; nowMs: number }

/** Parameters $1 to $3. No call was made if no URL was registered or the circuit was open. */
const lookedAt = (most: number): string => `
  with looked as materialized (
    select owner.id as supplier_id, owner.name, seen.at, seen.outcome, seen.duration_ms,
      case when seen.outcome not in ('not_registered', 'circuit_open') then seen.duration_ms end as called_ms
    from (select id, name from supplier where $1::int is null or id = $1 order by id limit ${suppliersMax}) as owner
    cross join lateral (
      select at, outcome, duration_ms from price_check
      where supplier_id = owner.id and at >= instant($2)
        and at <= instant($3)
      order by at desc, id desc limit ${most}
    ) as seen
  )`
const percentiles = 'percentile_disc(array[0.5, 0.95, 0.99]) within group (order by called_ms) as percentiles'

const mostOf = ({ supplierId }: SummaryScope): number =>
  supplierId === undefined ? countedMax.ofEach : countedMax.ofOne

export async function selectSummaries(db: Queryable, scope: SummaryScope): Promise<SummaryRow[]> {
  const most = mostOf(scope)
  const { rows } = await db.query<SummaryRow>(
    `${lookedAt(most)}, shares as (
       select supplier_id, jsonb_object_agg(outcome, checks) as outcomes
       from (select supplier_id, outcome, count(*)::int as checks from looked group by 1, 2) as counted group by 1
     )
     select supplier_id as "supplierId", name as supplier, count(*)::int as checks,
       case when count(*) >= ${most} then epoch_ms(min(at)) end as "countedSinceMs",
       (select outcomes from shares where shares.supplier_id = looked.supplier_id) as outcomes, ${percentiles}
     from looked group by supplier_id, name order by count(*) desc, name`,
    [scope.supplierId ?? null, scope.sinceMs, scope.nowMs],
  )
  return rows
}

/** The percentiles over time. */
export async function selectPoints(db: Queryable, scope: SummaryScope): Promise<PointRow[]> {
  const stepMs = (scope.nowMs - scope.sinceMs) / pointsMax
  const { rows } = await db.query<PointRow>(
    `${lookedAt(mostOf(scope))}
     select ($2 + floor((extract(epoch from at) * 1000 - $2) / $4::float8) * $4)::float8 as "atMs",
       count(*)::int as checks,
       count(*) filter (where outcome in ('invalid_response', 'timeout', 'supplier_error', 'circuit_open'))::int
         as failed, ${percentiles}
     from looked group by 1 order by 1`,
    [scope.supplierId ?? null, scope.sinceMs, scope.nowMs, stepMs],
  )
  return rows
}
