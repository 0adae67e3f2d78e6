import { sqlIsoSeconds, numberArray, type Queryable } from '../../postgres/postgres.ts'
import { selectCallbacks } from '../../webhooks/store.ts'
import { accountTime } from '../queue/store.ts'
import { deliverWithinMs } from '../../bookings/outbox/delivery-schedule.ts'
import type { DeliveryStatus } from '../../bookings/delivery-contract.ts'

/** The operator's selection of deliveries; absent members match all. */
export type DeliveryFilter = {
  ids?: readonly string[] | undefined
  status?: DeliveryStatus | undefined
  supplier?: string | undefined
  hotelCode?: string | undefined
  /** By the time they were queued. */
  sinceMs?: number | undefined
  untilMs?: number | undefined
}

/** Uses the parameters $1 to $6. */
const matchesFilter = `($1::uuid[] is null or delivery.id = any($1::uuid[]))
  and ($2::text is null or delivery.status = $2) and ($3::text is null or supplier.name = $3)
  and ($4::text is null or hotel.code = $4)
  and ($5::float8 is null or delivery.created_at >= instant($5))
  and ($6::float8 is null or delivery.created_at < instant($6))`
const named = `delivery join supplier on supplier.id = delivery.supplier_id join hotel on hotel.id = delivery.hotel_id`

function filterValues({ ids, status, supplier, hotelCode, sinceMs, untilMs }: DeliveryFilter): unknown[] {
  return [ids ?? null, status ?? null, supplier ?? null, hotelCode ?? null, sinceMs ?? null, untilMs ?? null]
}

export type ListedDelivery = {
  id: string
  reservationId: number
  version: number
  supplier: string
  hotelId: string
  status: DeliveryStatus
  attempts: number
  /** The outcome of the last attempt. */
  outcome: string | null
  httpStatus: number | null
  createdAt: string
  dueAt: string | null
  deliveredAt: string | null
  alertedAt: string | null
}

/** Newest first. */
export async function selectDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  limit: number,
): Promise<ListedDelivery[]> {
  const { rows } = await db.query<ListedDelivery>(
    `select delivery.id, delivery.reservation_id as "reservationId", delivery.version, supplier.name as supplier,
       hotel.code as "hotelId", delivery.status, delivery.attempts, last.outcome, last.http_status as "httpStatus",
       ${sqlIsoSeconds('delivery.created_at')} as "createdAt",
       case when delivery.status = 'queued' and due_at <> 'infinity' then ${sqlIsoSeconds('(due_at + make_interval(secs => supplier.clock_ahead_ms / 1000.0))')} end as "dueAt",
       ${sqlIsoSeconds('delivered_at')} as "deliveredAt", ${sqlIsoSeconds('alerted_at')} as "alertedAt"
     from ${named} left join lateral (
       select outcome, http_status from delivery_attempt
       where delivery_id = delivery.id order by attempt desc limit 1
     ) as last on true
     where ${matchesFilter} order by delivery.created_at desc, delivery.id limit $7`,
    [...filterValues(filter), limit],
  )
  return rows
}

/**
 * Undelivered deliveries start their schedule anew (`again`); delivered ones are sent once more as a repeat
 * (`repeated`). `nowhere` counts deliveries left alone because their suppliers have no URL.
 */
export type SentAgain = { again: number; repeated: number; nowhere: number }

/** Due at once, with the retry schedule and its three days starting over. */
const sentAgainAt = (
  now: string,
): string => `status = 'queued', lane = 'retry', retries = 0, is_alone = false,
  trigger = 'again', due_at = instant(${now}), not_before = null, dead_at = null,
  give_up_at = instant(${now}::float8 + ${deliverWithinMs})`

/**
 * Queues again those of these deliveries that failed, belong to the present version, and aren't queued for a
 * resend already. Needs a transaction, as below. Returns which ones.
 */
export async function sendFailedAgain(
  connection: Queryable,
  ids: readonly string[],
  nowMs: number,
): Promise<string[]> {
  await connection.query(
    `select from reservation where id in (select reservation_id from delivery where delivery.id = any($1::uuid[]))
     order by reservation.id for no key update`,
    [ids],
  )
  const { rows } = await connection.query<{ id: string }>(
    `update delivery set ${sentAgainAt('$2')}
     from reservation
     where delivery.id = any($1::uuid[]) and reservation.id = delivery.reservation_id
       and reservation.version = delivery.version and not delivery.is_outdated
       and (delivery.status = 'dead'
         or delivery.status = 'queued' and delivery.first_failed_at is not null and delivery.trigger <> 'again')
     returning delivery.id`,
    [ids, nowMs],
  )
  return rows.map(({ id }) => id)
}

/**
 * Queues deliveries again; the worker's next poll finds them. Only the present version of each reservation is
 * sent, because a supplier must not get an older version after a newer one. Needs a transaction: it locks the
 * reservations, so that between the search and the queueing none gets a new version or a second resend.
 */
export async function sendAgain(
  connection: Queryable,
  filter: DeliveryFilter,
  nowMs: number,
): Promise<SentAgain> {
  const { rows: locked } = await connection.query<{ id: number; hotelId: number }>(
    `select id::float8 as id, hotel_id as "hotelId" from reservation
     where id in (select delivery.reservation_id from ${named} where ${matchesFilter}) order by reservation.id for no key update`,
    filterValues(filter),
  )
  const hotelIds = [...new Set(locked.map(({ hotelId }) => hotelId))]
  const callbacks = await selectCallbacks(connection, hotelIds, 'pushbook', nowMs)
  const reachable = locked.filter(({ hotelId }) => callbacks.has(hotelId))
  const nowhere = locked.length - reachable.length
  const { rows } = await connection.query<Omit<SentAgain, 'nowhere'>>(
    `with meant as (
       select distinct on (delivery.reservation_id) delivery.*
       from ${named} join reservation
         on reservation.id = delivery.reservation_id and reservation.version = delivery.version
       where ${matchesFilter} and delivery.status in ('queued', 'dead', 'delivered') and not delivery.is_outdated
         and delivery.reservation_id = any($8::int8[])
       order by delivery.reservation_id, delivery.created_at desc
     ), again as (
       update delivery set ${sentAgainAt('$7')}
       from meant where delivery.id = meant.id and delivery.status in ('queued', 'dead')
       returning delivery.id
     ), repeated as (
       insert into delivery (id, reservation_id, version, reservation_status, supplier_id, hotel_id, status, lane,
         endpoint, due_at, trigger, is_repeat, arrives_at, created_at, undelivered_since, give_up_at, alerted_at)
       select gen_random_uuid(), reservation_id, version, reservation_status, supplier_id, hotel_id, 'queued', 'retry',
         endpoint, instant($7), 'again', true, arrives_at, ${accountTime('$7', 'meant.supplier_id')},
         instant($7), instant($7::float8 + ${deliverWithinMs}),
         instant($7)
       from meant where status = 'delivered' and not exists (
         select from delivery as open
         where open.reservation_id = meant.reservation_id and open.status in ('queued', 'sending', 'dead'))
       returning id
     )
     select (select count(*)::int from again) as again, (select count(*)::int from repeated) as repeated`,
    [...filterValues(filter), nowMs, numberArray(reachable.map(({ id }) => id))],
  )
  return { again: 0, repeated: 0, ...rows[0], nowhere }
}
