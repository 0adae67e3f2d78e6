import type { Stretch } from '../../ari/blocks/stop-sell.ts'
import { dayMs, formatNight, type DayNumber } from '../../base/calendar.ts'
import { sqlIsoMillis, type Queryable } from '../../postgres/postgres.ts'
import { stoppedRowsShown, type ListedStopSell, type WholeStop } from './contract.ts'

/** Orders to stop sales: an order claims nights until it ends. */

export type StopSellOrder = { id: number; claims: Stretch[]; untilMs: number | null }

type Claim = readonly [roomNo: number, rateNo: number, from: number, to: number]

const claimsJson = (stretches: readonly Stretch[]): string =>
  JSON.stringify(stretches.map(({ roomNo, rateNo, from, to }): Claim => [roomNo, rateNo, from, to]))

const lastNightOf = (stretches: readonly Stretch[]): string =>
  formatNight(Math.max(...stretches.map(({ to }) => to)))

/** Of a locked hotel. */
export async function selectOrders(connection: Queryable, hotelId: number): Promise<StopSellOrder[]> {
  const { rows } = await connection.query<{ id: number; claims: Claim[]; untilMs: number | null }>(
    `select id::float8 as id, claims, epoch_ms(until_at) as "untilMs" from stop_sell_order
     where hotel_id = $1 and ended_at is null order by id`,
    [hotelId],
  )
  return rows.map(({ claims, ...row }) => ({
    ...row,
    claims: claims.map(([roomNo, rateNo, from, to]) => ({ roomNo, rateNo, from, to })),
  }))
}

export type NewOrder = {
  hotelId: number
  atMs: number
  operator: string
  requestId: string
  reason: string
  claims: readonly Stretch[]
  untilMs: number | null
}

export async function insertOrder(connection: Queryable, order: NewOrder): Promise<void> {
  const { hotelId, atMs, operator, requestId, reason, claims, untilMs } = order
  await connection.query(
    `insert into stop_sell_order (hotel_id, at, operator, request_id, reason, claims, last_night, until_at)
     values ($1, instant($2), $3, $4, $5, $6, $7, instant($8))`,
    [hotelId, atMs, operator, requestId, reason, claimsJson(claims), lastNightOf(claims), untilMs],
  )
}

export async function narrowOrder(
  connection: Queryable,
  id: number,
  claims: readonly Stretch[],
): Promise<void> {
  await connection.query('update stop_sell_order set claims = $2, last_night = $3 where id = $1', [
    id,
    claimsJson(claims),
    lastNightOf(claims),
  ])
}

/** `by` null: it ended by itself. */
export async function endOrder(
  connection: Queryable,
  id: number,
  { by, nowMs }: { by: string | null; nowMs: number },
): Promise<void> {
  await connection.query('update stop_sell_order set ended_at = instant($2), ended_by = $3 where id = $1', [
    id,
    nowMs,
    by,
  ])
}

export async function selectOptionalHotelOfOrder(db: Queryable, id: number): Promise<number | undefined> {
  const { rows } = await db.query<{ hotelId: number }>(
    'select hotel_id as "hotelId" from stop_sell_order where id = $1',
    [id],
  )
  return rows[0]?.hotelId
}

/** Orders whose time is over, by the clock of their hotel. */
export async function selectDueOrders(
  db: Queryable,
  nowMs: number,
  limit: number,
): Promise<{ id: number; hotelId: number }[]> {
  const { rows } = await db.query<{ id: number; hotelId: number }>(
    `select due.id::float8 as id, hotel_id as "hotelId" from stop_sell_order as due join hotel on hotel.id = hotel_id
     where ended_at is null and until_at <= instant($1::float8 + clock_ahead_ms) order by until_at, due.id limit $2`,
    [nowMs, limit],
  )
  return rows
}

/** Whether it is after the last night everywhere on earth, by the clock of the hotel. */
export async function endPastOrders(db: Queryable, nowMs: number, limit: number): Promise<void> {
  await db.query(
    `update stop_sell_order set ended_at = instant($1) where id in (
       select past.id from stop_sell_order as past join hotel on hotel.id = hotel_id
       where ended_at is null and last_night < (instant($1::float8 + clock_ahead_ms) at time zone 'UTC')::date - 2
       order by past.id limit $2 for update of past skip locked)`,
    [nowMs, limit],
  )
}

/** An order in force: some of its nights are still to come, at the hotel. `now` is a parameter. */
export const isActive = (now: string): string => `stopped.ended_at is null
  and last_night >= (instant(${now}::float8 + hotel.clock_ahead_ms) at time zone hotel.time_zone)::date`

export type StopSellSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  isEnded: boolean
  beforeId: number | undefined
  limit: number
}

/** Newest first. */
export async function selectStopSells(
  db: Queryable,
  { supplierId, hotelId, isEnded, beforeId, limit }: StopSellSearch,
  nowMs: number,
): Promise<ListedStopSell[]> {
  const { rows } = await db.query<ListedStopSell>(
    `select stopped.id::float8 as "stopSellId", hotel.id as "hotelId", hotel.name as "hotelName",
       supplier.id as "supplierId", supplier.name as supplier, reason, operator, ${sqlIsoMillis('at')} as at,
       request_id as "requestId", ${sqlIsoMillis('until_at')} as until, ${sqlIsoMillis('ended_at')} as "endedAt", ended_by as "endedBy",
       greatest(jsonb_array_length(claims) - ${stoppedRowsShown}, 0) as "moreRows",
       coalesce((select json_agg(json_build_object('roomId', room.code, 'rateId', rate.code,
           'from', date '1970-01-01' + (claim -> 2)::int, 'to', date '1970-01-01' + (claim -> 3)::int) order by place)
         from jsonb_array_elements(claims) with ordinality as listed (claim, place)
           join room on room.hotel_id = hotel.id and room.room_no = (claim -> 0)::int
           left join rate on rate.hotel_id = hotel.id and rate.rate_no = (claim -> 1)::int
         where place <= ${stoppedRowsShown}), '[]') as rows
     from stop_sell_order as stopped join hotel on hotel.id = stopped.hotel_id
       join supplier on supplier.id = hotel.supplier_id
     where ${isEnded ? `not (${isActive('$1')})` : isActive('$1')}
       and ($2::int is null or hotel.supplier_id = $2) and ($3::int is null or hotel.id = $3)
       and ($4::int8 is null or stopped.id < $4)
     order by stopped.id desc limit $5`,
    [nowMs, supplierId ?? null, hotelId ?? null, beforeId ?? null, limit],
  )
  return rows
}

/**
 * The stop-sell because of which nothing of the hotel can be sold on the night: that of the available room-rate which can
 * be sold again first.
 */
export async function selectOptionalWholeStop(
  db: Queryable,
  hotelId: number,
  night: DayNumber,
): Promise<WholeStop | undefined> {
  const { rows } = await db.query<WholeStop & { isStopped: boolean }>(
    `with stopped as (
       select stopped.id, reason, operator, until_at, (claim -> 0)::int as room_no, (claim -> 1)::int as rate_no,
         (claim -> 3)::int as last_day, instant(((claim -> 3)::int + 1) * ${dayMs}::float8) as nights_end
       from stop_sell_order as stopped cross join lateral jsonb_array_elements(claims) as claim
       where hotel_id = $1 and ended_at is null and $2::int between (claim -> 2)::int and (claim -> 3)::int
     ), held as (
       select distinct on (room_rate.room_no, room_rate.rate_no) stopped.*, least(until_at, nights_end) as end_at
       from room_rate left join stopped
         on stopped.room_no = room_rate.room_no and stopped.rate_no in (0, room_rate.rate_no)
       where room_rate.hotel_id = $1 and is_available
       order by room_rate.room_no, room_rate.rate_no, end_at desc nulls last, id desc
     )
     select id is not null as "isStopped", reason, operator,
       case when until_at < nights_end then ${sqlIsoMillis('until_at')} end as until,
       (date '1970-01-01' + last_day)::text as "lastNight"
     from held order by end_at nulls first, id desc limit 1`,
    [hotelId, night],
  )
  const [first] = rows
  if (!first) return undefined
  const { isStopped, ...stop } = first
  return isStopped ? stop : undefined
}

/** Counted up to the limit. */
export async function countStopSells(
  db: Queryable,
  limit: number,
  nowMs: number,
): Promise<{ active: number; hotels: number }> {
  const { rows } = await db.query<{ active: number; hotels: number }>(
    `select count(*)::int as active, count(distinct hotel_id)::int as hotels from (
       select stopped.hotel_id from stop_sell_order as stopped join hotel on hotel.id = stopped.hotel_id
       where ${isActive('$1')} limit $2
     ) as few`,
    [nowMs, limit],
  )
  return rows[0] ?? { active: 0, hotels: 0 }
}
