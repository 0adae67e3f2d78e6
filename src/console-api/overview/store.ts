import { criticalKinds } from '../../alerts/contract.ts'
import { instantOf } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { PushOutcome } from '../../push-log/contract.ts'
import { isDriftOfPresent } from '../../price-check/store.ts'
import { overviewLimits, type UrgentDelivery } from './contract.ts'
import { isHoldOpen } from '../holds/store.ts'
import { stateOf } from '../../deliveries/queue/store.ts'

/** The SQL of the overview: every statement reads only open or recent rows, or stops counting at a limit. */

const { counted, scatteredCounted, listed } = overviewLimits

export type PushStepRow = { stepMs: number; supplierId: number; outcome: PushOutcome; pushes: number }

const stepOf = (parameter: string): string =>
  `(floor(extract(epoch from at) * 1000 / ${parameter}::float8) * ${parameter}::float8)::float8`

export async function countPushes(
  db: Queryable,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Promise<PushStepRow[]> {
  const { rows } = await db.query<PushStepRow>(
    // Unnamed, so that it is planned with the actual instants and reads only the pages of that time.
    `select ${stepOf('$3')} as "stepMs", supplier_id as "supplierId", outcome, count(*)::int as pushes
     from push_log where at >= instant($1) and at < instant($2)
     group by 1, 2, 3`,
    [fromMs, toMs, stepMs],
  )
  return rows
}

export type AttemptStepRow = { stepMs: number; delivered: number; failed: number }

export async function countAttempts(
  db: Queryable,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Promise<AttemptStepRow[]> {
  const { rows } = await db.query<AttemptStepRow>(
    `select ${stepOf('$3')} as "stepMs", count(*) filter (where outcome = 'accepted')::int as delivered,
       count(*) filter (where outcome <> 'accepted')::int as failed
     from delivery_attempt where at >= instant($1) and at < instant($2)
     group by 1`,
    [fromMs, toMs, stepMs],
  )
  return rows
}

export type UndeliveredCounts = {
  all: number
  quarterHour: number
  hour: number
  day: number
  arrivingInDay: number
  arrivingInThreeDays: number
  dead: number
  withoutUrl: number
}

const isOpen = `delivery.status in ('queued', 'sending', 'dead')`

/** Undelivered deliveries are few, however many deliveries there are; otherwise counting stops at a limit. */
export async function countUndelivered(db: Queryable, nowMs: number): Promise<UndeliveredCounts> {
  const { rows } = await db.query<UndeliveredCounts>(
    `select count(*)::int as all,
       count(*) filter (where undelivered_since <= now - interval '15 min')::int as "quarterHour",
       count(*) filter (where undelivered_since <= now - interval '1 hour')::int as hour,
       count(*) filter (where undelivered_since <= now - interval '1 day')::int as day,
       count(*) filter (where arrives_at <= now + interval '1 day')::int as "arrivingInDay",
       count(*) filter (where arrives_at <= now + interval '3 days')::int as "arrivingInThreeDays",
       count(*) filter (where status = 'dead')::int as dead,
       count(*) filter (where status = 'queued' and endpoint = 0)::int as "withoutUrl"
     from (select * from delivery where ${isOpen} limit $2 + 1) as undelivered,
       instant($1) as now`,
    [nowMs, counted],
  )
  const [found] = rows
  if (!found) throw new Error('counting gives a row')
  return found
}

type UrgentRow = Omit<UrgentDelivery, 'undeliveredSince' | 'arrivesAt'> & {
  undeliveredSinceMs: number
  arrivesAtMs: number
}

/** A delivery that takes longer than this is waiting for something, as is a failed one. */
const usualDeliverySeconds = 60

export async function selectUrgent(db: Queryable, nowMs: number): Promise<UrgentDelivery[]> {
  const { rows } = await db.query<UrgentRow>(
    `select delivery.reservation_id as "reservationId", delivery.id as "deliveryId", supplier.name as supplier,
       hotel.name as "hotelName", hotel.time_zone as "timeZone",
       delivery.reservation_status as "reservationStatus", ${stateOf('delivery')} as state,
       epoch_ms(delivery.undelivered_since) as "undeliveredSinceMs", epoch_ms(delivery.arrives_at) as "arrivesAtMs"
     from (
       select * from delivery where ${isOpen}
         and (status = 'dead' or first_failed_at is not null or endpoint = 0
           or undelivered_since <= instant($1) - make_interval(secs => $2))
       order by arrives_at, id limit $3
     ) as delivery join supplier on supplier.id = delivery.supplier_id join hotel on hotel.id = delivery.hotel_id
     order by delivery.arrives_at, delivery.id`,
    [nowMs, usualDeliverySeconds, listed],
  )
  return rows.map(({ undeliveredSinceMs, arrivesAtMs, ...row }) => ({
    ...row,
    undeliveredSince: instantOf(undeliveredSinceMs),
    arrivesAt: instantOf(arrivesAtMs),
  }))
}

export type WatchedRow = {
  hotelId: number
  name: string
  supplier: string
  createdAtMs: number
  ariAtMs: number | null
  ariUntilMonth: number | null
}
export type WatchedRows = {
  stale: number
  neverPushed: number
  ending: number
  stalest: WatchedRow[]
  neverPushedFirst: WatchedRow[]
  endingFirst: WatchedRow[]
}

/**
 * Bookable hotels without ARI since a day began, without any, or without any after a month: each kind by its own index of bookable hotels, and
 * counted up to a limit, so that it doesn't matter how many hotels there are.
 */
export async function selectWatchedHotels(
  db: Queryable,
  { staleSince, endsByMonth }: { staleSince: number; endsByMonth: number },
): Promise<WatchedRows> {
  const day = 'ari_day'
  const end = 'coalesce(ari_until_month, 0)'
  const isStale = `${day} between 1 and $1::int - 1`
  // Hotels without any have the day 0.
  const isNever = `${day} = 0`
  const isEnding = `${end} between 1 and $2::int`
  // In order, so that the index is read however many hotels the planner expects.
  const count = (condition: string, key: string): string => `(select count(*)::int from (
    select from hotel where is_available and ${condition} order by ${key}, id limit ${scatteredCounted} + 1
  ) as few)`
  const first = (condition: string, key: string): string => `coalesce((
    select json_agg(json_build_object('hotelId', first.id, 'name', first.name, 'supplier', supplier.name, 'createdAtMs', epoch_ms(first.created_at),
      'ariAtMs', epoch_ms(first.ari_at), 'ariUntilMonth', first.ari_until_month) order by first.key, first.id)
    from (
      select *, ${key} as key from hotel where is_available and ${condition} order by ${key}, id limit ${listed}
    ) as first join supplier on supplier.id = first.supplier_id
  ), '[]')`
  const { rows } = await db.query<WatchedRows>(
    `select ${count(isStale, day)} as stale, ${count(isNever, day)} as "neverPushed", ${count(isEnding, end)} as ending,
       ${first(isStale, day)} as stalest, ${first(isNever, day)} as "neverPushedFirst",
       ${first(isEnding, end)} as "endingFirst"`,
    [staleSince, endsByMonth],
  )
  const [found] = rows
  if (!found) throw new Error('counting gives a row')
  return found
}

export type DriftingHotelRow = {
  hotelId: number
  name: string
  supplier: string
  nights: number
  mostShare: number
}

/** The expression of the index price_drift_differing. */
const share = `abs(live - stored)::float8 / greatest(stored, 1)`

/** The first hotels of the nights that differ most, and how many such nights there are, up to a limit. */
export async function selectDriftingHotels(
  db: Queryable,
  today: string,
): Promise<{ nights: number; hotels: DriftingHotelRow[] }> {
  const { rows } = await db.query<DriftingHotelRow & { allNights: number }>(
    `select hotel.id as "hotelId", hotel.name, supplier.name as supplier, nights, most as "mostShare",
       all_nights as "allNights"
     from (
       select hotel_id, count(*)::int as nights, max(share) as most, sum(count(*)) over ()::int as all_nights
       from (
         select hotel_id, ${share} as share from price_drift d
         -- By the index, in which the nights without a price come first.
         where since_at is not null and night >= $1::date and (${share}) is not null and ${isDriftOfPresent}
         order by (${share}) desc limit ${scatteredCounted} + 1
       ) as differing
       group by hotel_id order by most desc, hotel_id limit ${listed}
     ) as drifting join hotel on hotel.id = drifting.hotel_id join supplier on supplier.id = hotel.supplier_id
     order by most desc, hotel.id`,
    [today],
  )
  return {
    nights: rows[0]?.allNights ?? 0,
    hotels: rows.map(({ allNights: _all, ...hotel }) => hotel),
  }
}

export type CheckedUrlRow = { supplierId: number; supplier: string; url: string }

/** The URLs called by price checks. */
export async function selectCheckedUrls(db: Queryable, nowMs: number): Promise<CheckedUrlRow[]> {
  const { rows } = await db.query<CheckedUrlRow>(
    `select distinct supplier.id as "supplierId", supplier.name as supplier, availability_webhook as url
     from api_key join supplier on supplier.id = api_key.supplier_id
     where availability_webhook is not null and revoked_at is null
       and (expires_at is null or expires_at > instant($1))
     order by supplier.name, availability_webhook`,
    [nowMs],
  )
  return rows
}

export async function selectSupplierNames(
  db: Queryable,
  supplierIds: readonly number[],
): Promise<Map<number, string>> {
  if (supplierIds.length === 0) return new Map()
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id, name from supplier where id = any($1::int[])',
    [supplierIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function hasHotels(db: Queryable): Promise<boolean> {
  const { rows } = await db.query('select from hotel limit 1')
  return rows.length > 0
}

/** Unacknowledged alerts, counted up to the limit. */
export async function countOpenAlerts(db: Queryable): Promise<{ open: number; critical: number }> {
  const { rows } = await db.query<{ open: number; critical: number }>(
    `select count(*)::int as open, count(*) filter (where kind = any($2::text[]))::int as critical
     from (select kind from finding where state = 'open' limit $1 + 1) as few`,
    [counted, criticalKinds],
  )
  return rows[0] ?? { open: 0, critical: 0 }
}

/** Holds that wait for somebody, counted up to the limit. */
export async function countOpenHolds(
  db: Queryable,
  nowMs: number,
): Promise<{ open: number; hotels: number }> {
  const { rows } = await db.query<{ open: number; hotels: number }>(
    `select count(*)::int as open, count(distinct hotel_id)::int as hotels
     from (
       select hotel_id from hold join hotel on hotel.id = hotel_id
       where ${isHoldOpen('$2')} limit $1 + 1
     ) as few`,
    [counted, nowMs],
  )
  return rows[0] ?? { open: 0, hotels: 0 }
}
