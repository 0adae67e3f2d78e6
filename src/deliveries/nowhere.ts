import type { Needs } from '../postgres/needs.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'
import { selectCallbacks } from '../webhooks/store.ts'
import { endpointOf, noEndpoint } from '../bookings/delivery-queue.ts'

/** The rest follow in the next poll. */
const addressedAtOnceMax = 5_000

/**
 * Deliveries without an endpoint become due at the URL that exists now, however it came about: a
 * registration, another key of the account, or a key that is valid again. They join the retries, with their
 * whole schedule ahead of them, so that new reservations don't wait behind a backlog. Returns how many.
 */
export async function addressWaiting({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<number> {
  const nowMs = clock.now()
  const hotelIds = await selectHotelsThatHaveUrls(db, nowMs)
  if (hotelIds.length === 0) return 0
  const callbacks = [...(await selectCallbacks(db, hotelIds, 'pushbook', nowMs))]
  const { rowCount } = await db.query(
    `with waiting as (
       select delivery.id, found.endpoint
       from unnest($1::int[], $2::int8[]) as found (hotel_id, endpoint) join delivery using (hotel_id)
       where delivery.status = 'queued' and delivery.endpoint = ${noEndpoint}
       order by delivery.created_at limit ${addressedAtOnceMax} for update of delivery skip locked
     )
     update delivery set endpoint = waiting.endpoint, lane = 'retry', due_at = instant($3)
     from waiting where delivery.id = waiting.id`,
    [
      numberArray(callbacks.map(([hotelId]) => hotelId)),
      numberArray(callbacks.map(([, { url }]) => endpointOf(url))),
      nowMs,
    ],
  )
  return rowCount ?? 0
}

/**
 * Hotels with such deliveries whose suppliers have a URL. Suppliers that fetch their reservations have none,
 * and perhaps many such deliveries.
 */
async function selectHotelsThatHaveUrls(db: Queryable, nowMs: number): Promise<number[]> {
  const { rows } = await db.query<{ hotelId: number }>({
    name: 'select-hotels-with-new-urls',
    text: `
      with recursive waiting as (
        (select supplier_id from delivery where status = 'queued' and endpoint = ${noEndpoint} order by supplier_id limit 1)
        union all
        select next.supplier_id from waiting cross join lateral (
          select supplier_id from delivery
          where status = 'queued' and endpoint = ${noEndpoint} and supplier_id > waiting.supplier_id
          order by supplier_id limit 1
        ) as next
      )
      select distinct delivery.hotel_id as "hotelId" from waiting join delivery using (supplier_id)
      where delivery.status = 'queued' and delivery.endpoint = ${noEndpoint} and exists (
        select from api_key where api_key.supplier_id = waiting.supplier_id and pushbook_webhook is not null
          and revoked_at is null and (expires_at is null or expires_at > instant($1)))`,
    values: [nowMs],
  })
  return rows.map(({ hotelId }) => hotelId)
}

/**
 * Retries deliveries that were not sent because their address was refused: a restarted worker may have other
 * rules. Returns how many are due now.
 */
export async function retryRefusedAddresses({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<number> {
  const { rowCount } = await db.query(
    `update delivery set due_at = instant($1)
     where status = 'queued' and attempts > 0 and due_at > instant($1) and exists (
       select from delivery_attempt as last
       where last.delivery_id = delivery.id and last.attempt = delivery.attempts and last.outcome = 'refused_address')`,
    [clock.now()],
  )
  return rowCount ?? 0
}
