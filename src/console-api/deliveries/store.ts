import type { Queryable } from '../../postgres/postgres.ts'
import type { ListedDelivery, DeliveryState, openStates } from './contract.ts'
import { lastNoteOf } from '../bookings/store.ts'
import { stateOf } from '../../deliveries/queue/store.ts'

/** The SQL of the deliveries that operators search. */

export type OpenState = (typeof openStates)[number]

/** Undelivered deliveries, which are few however many deliveries there are. */
export type OpenSearch = {
  state: OpenState
  supplierId: number | undefined
  hotelId: number | undefined
  endpoint: number | undefined
  undeliveredBeforeMs: number | undefined
  arrivesBeforeMs: number | undefined
  isAlerted: boolean
}

export type DeliveryPosition = { createdAtMs: number; id: string }
export type Page = { after: DeliveryPosition | undefined; limit: number }

const isOpenState: Readonly<Record<OpenState, string>> = {
  undelivered: 'true',
  queued: `delivery.status = 'queued' and delivery.first_failed_at is null and delivery.endpoint <> 0`,
  sending: `delivery.status = 'sending'`,
  failing: `delivery.status in ('queued', 'sending') and delivery.first_failed_at is not null`,
  no_url: `delivery.status = 'queued' and delivery.endpoint = 0`,
  dead: `delivery.status = 'dead'`,
}

/** Parameters $1 to $6. */
const isMatching = ({ state }: OpenSearch): string => `delivery.status in ('queued', 'sending', 'dead')
  and ${isOpenState[state]} and ($1::int is null or delivery.supplier_id = $1)
  and ($2::int8 is null or delivery.endpoint = $2)
  and ($3::float8 is null or delivery.undelivered_since <= instant($3))
  and ($4::float8 is null or delivery.arrives_at <= instant($4))
  and ($5::boolean is null or delivery.alerted_at is not null)
  and ($6::int is null or delivery.hotel_id = $6)`

function parametersOf(search: OpenSearch): unknown[] {
  const { supplierId, hotelId, endpoint, undeliveredBeforeMs, arrivesBeforeMs, isAlerted } = search
  return [
    supplierId ?? null,
    endpoint ?? null,
    undeliveredBeforeMs ?? null,
    arrivesBeforeMs ?? null,
    isAlerted || null,
    hotelId ?? null,
  ]
}

type Instant =
  | 'createdAt'
  | 'undeliveredSince'
  | 'dueAt'
  | 'giveUpAt'
  | 'deliveredAt'
  | 'alertedAt'
  | 'arrivesAt'

export type DeliveryRow = Omit<ListedDelivery, 'deliveryId' | 'endpoint' | Instant> & {
  id: string
  endpoint: number
  createdAtMs: number
  undeliveredSinceMs: number
  /** Null: in the next hourly run, or never. */
  dueAtMs: number | null
  giveUpAtMs: number
  deliveredAtMs: number | null
  alertedAtMs: number | null
  arrivesAtMs: number
}

const selectDeliveries = `
  select delivery.id, delivery.reservation_id as "reservationId", delivery.version,
    delivery.reservation_status as "reservationStatus", delivery.supplier_id as "supplierId", supplier.name as supplier,
    delivery.hotel_id as "hotelId", hotel.name as "hotelName", hotel.time_zone as "timeZone",
    ${stateOf('delivery')} as state, delivery.endpoint, delivery.attempts, last.outcome,
    last.http_status as "httpStatus", epoch_ms(delivery.created_at) as "createdAtMs",
    epoch_ms(delivery.undelivered_since) as "undeliveredSinceMs",
    case when delivery.status = 'queued' and due_at <> 'infinity' then epoch_ms(due_at) end as "dueAtMs",
    delivery.status = 'queued' and due_at = 'infinity' and delivery.endpoint <> 0 as "isForHourlyRun",
    epoch_ms(give_up_at) as "giveUpAtMs", epoch_ms(delivered_at) as "deliveredAtMs",
    epoch_ms(alerted_at) as "alertedAtMs", epoch_ms(arrives_at) as "arrivesAtMs", is_repeat as "isRepeat",
    reservation.version = delivery.version as "isPresent", ${lastNoteOf('delivery.reservation_id')} as "lastNote"
  from delivery join reservation on reservation.id = delivery.reservation_id
    join supplier on supplier.id = delivery.supplier_id join hotel on hotel.id = delivery.hotel_id
    left join lateral (
      select outcome, http_status from delivery_attempt
      where delivery_id = delivery.id order by attempt desc limit 1
    ) as last on true`

const newestFirst = 'order by delivery.created_at desc, delivery.id desc'
/** Parameters $7 and $8. */
const isAfter = `($7::float8 is null or (delivery.created_at, delivery.id) < (instant($7), $8::uuid))`

/** Undelivered deliveries, newest first. */
export async function selectOpenDeliveries(
  db: Queryable,
  search: OpenSearch,
  { after, limit }: Page,
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `${selectDeliveries} where delivery.id in (
       select delivery.id from delivery where ${isMatching(search)} and ${isAfter} ${newestFirst} limit $9
     ) ${newestFirst}`,
    [...parametersOf(search), after?.createdAtMs ?? null, after?.id ?? null, limit],
  )
  return rows
}

type AllSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  status: 'delivered' | 'superseded' | undefined
}

/** All deliveries, newest first, or only those with `status`. */
export async function selectAllDeliveries(
  db: Queryable,
  { supplierId, hotelId, status }: AllSearch,
  { after, limit }: Page,
): Promise<DeliveryRow[]> {
  const ofStatus = {
    delivered: `and delivery.status = 'delivered'`,
    superseded: `and delivery.status = 'superseded'`,
  }
  const newest = (from: string, condition: string): string => `
    select delivery.id, delivery.created_at from ${from}
    where ${condition} ${status === undefined ? '' : ofStatus[status]}
      and ($2::float8 is null or (delivery.created_at, delivery.id) < (instant($2), $3::uuid))
    ${newestFirst} limit $4`
  // By the indexes there are: a hotel's deliveries by its reservations; all deliveries supplier by supplier, of
  // whom there are some hundreds.
  const way =
    hotelId === undefined
      ? `supplier as owner cross join lateral (${newest('delivery', 'supplier_id = owner.id')}) as newest
         where $1::int is null or owner.id = $1`
      : `(${newest(
          'reservation join delivery on delivery.reservation_id = reservation.id',
          'reservation.hotel_id = $5 and ($1::int is null or reservation.supplier_id = $1)',
        )}) as newest`
  const { rows } = await db.query<DeliveryRow>(
    `${selectDeliveries} where delivery.id in (
       select newest.id from ${way} order by newest.created_at desc, newest.id desc limit $4
     ) ${newestFirst}`,
    [
      supplierId ?? null,
      after?.createdAtMs ?? null,
      after?.id ?? null,
      limit,
      ...(hotelId === undefined ? [] : [hotelId]),
    ],
  )
  return rows
}

/** All deliveries of a reservation, newest first. */
export async function selectDeliveriesOf(db: Queryable, reservationId: number): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `${selectDeliveries} where delivery.reservation_id = $1
     order by delivery.version desc, delivery.created_at desc, delivery.id desc limit ${deliveriesOfOneMax}`,
    [reservationId],
  )
  return rows
}

const deliveriesOfOneMax = 100

/** The deliveries matching a search that can be sent again: one per reservation, of its current version. */
export async function selectToSendAgain(db: Queryable, search: OpenSearch, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct on (delivery.reservation_id) delivery.id from delivery join reservation
       on reservation.id = delivery.reservation_id and reservation.version = delivery.version
     where ${isMatching(search)} and delivery.status <> 'sending' and not delivery.is_outdated
     order by delivery.reservation_id, delivery.created_at desc limit $7`,
    [...parametersOf(search), limit],
  )
  return rows.map(({ id }) => id)
}

export async function selectOptionalDeliveryOwner(db: Queryable, id: string): Promise<number | undefined> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from delivery where id = $1',
    [id],
  )
  return rows[0]?.supplierId
}

/**
 * The states of deliveries before they are sent again; unknown ids, and with a supplier those of others, are left out.
 */
export async function selectStates(
  db: Queryable,
  ids: readonly string[],
  supplierId: number | undefined,
): Promise<Map<string, StandingRow>> {
  const { rows } = await db.query<StandingRow & { id: string }>(
    `select id, ${stateOf('delivery')} as state, attempts, reservation_id as "reservationId" from delivery
     where id = any($1::uuid[]) and ($2::int is null or supplier_id = $2)`,
    [ids, supplierId ?? null],
  )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

export type StandingRow = { state: DeliveryState; attempts: number; reservationId: number }

/** The URLs that suppliers have registered for reservations, including those of ended keys. */
export async function selectPushbookUrls(db: Queryable, supplierIds: readonly number[]): Promise<string[]> {
  const { rows } = await db.query<{ url: string }>(
    `select distinct pushbook_webhook as url from api_key
     where supplier_id = any($1::int[]) and pushbook_webhook is not null`,
    [supplierIds],
  )
  return rows.map(({ url }) => url)
}
