import { instantOf } from '../../base/calendar.ts'
import { throttledWarning } from '../../base/log.ts'
import { hourOf } from '../../bookings/outbox/delivery-schedule.ts'
import { selectDeliveryHold } from '../queue/hold.ts'
import type { Destination } from '../queue/slots.ts'
import { passOnMissedTimes } from '../queue/missed-times.ts'
import { requeueLost, selectDue, accountTime } from '../queue/store.ts'
import type { DeliveryNeeds } from '../queue/needs.ts'
import { runHourly } from './hourly-run.ts'
import { type Needs, numberArray, type Queryable } from '../../postgres/postgres.ts'
import { selectCallbacks, selectUnprovenKeys } from '../../webhooks/store.ts'
import { endpointOf, noEndpoint } from '../../bookings/outbox/delivery-queue.ts'

/** Retries become due by the clock, and hints may be missed, so the worker polls. */
const lookEveryMs = 500
const alertsEveryMs = 2_000
const figuresEveryMs = 15_000
const missedEveryMs = 60_000

/** Polls for due deliveries, expired leases, the hourly run, and alerts. */
export function startWatch(
  needs: DeliveryNeeds,
  onDue: (due: readonly Destination[]) => void,
): { close: () => Promise<void> } {
  const { db, clock, log } = needs
  const warn = throttledWarning(log, 'due deliveries could not be looked up')
  let hourDone: number | undefined
  let isFirst = true
  const last = { alertsMs: -Infinity, figuresMs: -Infinity, missedMs: -Infinity }
  let figures: DeliveryFigures = { queued: 0, dead: 0, alerts: 0, oldestSeconds: 0 }
  measure(needs, () => figures)

  const look = async (): Promise<void> => {
    const lost = await requeueLost(db, clock.now())
    if (lost > 0) log.warn({ lost }, 'deliveries that a stopped process left behind are sent again')
    if (isFirst) {
      await retryRefusedAddresses(needs)
      const hold = await selectDeliveryHold(db)
      if (hold) log.warn(hold, 'no reservation is delivered until somebody runs: ari deliveries release')
    }
    isFirst = false
    const addressed = await addressWaiting(needs)
    if (addressed > 0) log.info({ addressed }, 'deliveries that waited for a URL now have one')
    const hour = hourOf(clock.now())
    if (hour !== hourDone) {
      const { hours, deliveries } = await runHourly(needs)
      hourDone = hour
      const level = deliveries > 0 ? 'info' : 'debug'
      if (hours.length > 0) log[level]({ hours: hours.map(instantOf), deliveries }, 'hourly run')
    }
    onDue(await selectDue(db, clock.now()))
    const nowMs = performance.now()
    if (nowMs - last.missedMs >= missedEveryMs) {
      last.missedMs = nowMs
      await passOnMissedTimes(db, clock.now())
    }
    if (nowMs - last.alertsMs >= alertsEveryMs) {
      last.alertsMs = nowMs
      await raiseAlerts(needs)
    }
    if (nowMs - last.figuresMs >= figuresEveryMs) {
      last.figuresMs = nowMs
      figures = await selectFigures(db, clock.now())
    }
  }

  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let looking: Promise<void> = Promise.resolve()
  const lookAgain = (): void => {
    looking = look()
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)))
      .then(() => {
        if (!isClosed) timer = setTimeout(lookAgain, lookEveryMs)
      })
  }
  lookAgain()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      return looking
    },
  }
}

function measure({ telemetry }: DeliveryNeeds, figures: () => DeliveryFigures): void {
  const { gauge } = telemetry
  gauge('ari_deliveries_queued', 'Deliveries that are due or will be', () => figures().queued)
  gauge('ari_deliveries_dead', 'Deliveries that were given up', () => figures().dead)
  gauge('ari_delivery_alerts_open', 'Reservations undelivered for too long', () => figures().alerts)
  gauge(
    'ari_delivery_oldest_seconds',
    'Age of the oldest undelivered reservation',
    () => figures().oldestSeconds,
  )
}

/** Undelivered for longer than this, a delivery needs attention. */
const undeliveredMs = 30 * 60_000
/** When arrival is this near, an alert is raised at the first failure, or at once if there is no URL. */
export const arrivalNearMs = 48 * 60 * 60_000
const alertsAtOnceMax = 500

type Alert = {
  deliveryId: string
  reservationId: number
  supplierId: number
  hotelId: number
  reason: string
}

/**
 * Raises the alerts that are due: a row, a log line and a count for each, exactly once however many processes
 * check.
 */
export async function raiseAlerts({ db, clock, log, telemetry }: Needs): Promise<number> {
  const { rows } = await db.query<Alert>({
    name: 'raise-delivery-alerts',
    text: `
      with late as (
        select id, case when undelivered_since <= instant($2) then 'undelivered'
          else 'arrival_near' end as reason
        from delivery
        where status in ('queued', 'sending', 'dead') and alerted_at is null and not is_outdated
          and (undelivered_since <= instant($2)
            or (first_failed_at is not null or endpoint = ${noEndpoint}) and arrives_at <= instant($3))
        order by undelivered_since limit ${alertsAtOnceMax} for update skip locked
      ), alerted as (
        update delivery set alerted_at = ${accountTime('$1', 'delivery.supplier_id')} from late where delivery.id = late.id
        returning delivery.id, reservation_id, supplier_id, hotel_id, late.reason, alerted_at
      )
      insert into delivery_alert (delivery_id, reservation_id, supplier_id, hotel_id, reason, at)
      select id, reservation_id, supplier_id, hotel_id, reason, alerted_at from alerted
      returning delivery_id as "deliveryId", reservation_id as "reservationId", supplier_id as "supplierId",
        hotel_id as "hotelId", reason`,
    values: [clock.now(), clock.now() - undeliveredMs, clock.now() + arrivalNearMs],
  })
  for (const alert of rows) {
    log.error(alert, 'a reservation is not delivered')
    telemetry.deliveryAlerts.inc({ reason: alert.reason })
  }
  return rows.length
}

/** For the metrics. */
export type DeliveryFigures = { queued: number; dead: number; alerts: number; oldestSeconds: number }

export async function selectFigures(db: Queryable, nowMs: number): Promise<DeliveryFigures> {
  const { rows } = await db.query<DeliveryFigures>({
    name: 'select-delivery-figures',
    text: `
      -- Those without an endpoint are due at no time, and nobody should try them.
      select (select count(*)::int from delivery where status = 'queued' and due_at < 'infinity')
          + (select count(*)::int from delivery where status = 'sending') as queued,
        (select count(*)::int from delivery where status = 'dead') as dead,
        (select count(*)::int from delivery_alert where cleared_at is null) as alerts,
        (select coalesce(greatest(0, extract(epoch from instant($1) - min(undelivered_since))), 0)
          ::float8 from delivery where status = 'queued') as "oldestSeconds"`,
    values: [nowMs],
  })
  return rows[0] ?? { queued: 0, dead: 0, alerts: 0, oldestSeconds: 0 }
}

/** The rest follow in the next poll. */
const addressedAtOnceMax = 5_000

/**
 * Deliveries without an endpoint become due at the URL that exists now, however it came about: a
 * registration, another key of the account, or a key that is valid again; with a new secret, once its endpoint has
 * shown that it has it, or after some minutes. They join the retries, with their
 * whole schedule ahead of them, so that new reservations don't wait behind a backlog. Returns how many.
 */
export async function addressWaiting({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<number> {
  const nowMs = clock.now()
  const hotelIds = await selectHotelsThatHaveUrls(db, nowMs)
  if (hotelIds.length === 0) return 0
  const found = [...(await selectCallbacks(db, hotelIds, 'pushbook', nowMs))]
  const keyIds = [...new Set(found.map(([, { keyId }]) => keyId))]
  const unproven = await selectUnprovenKeys(db, keyIds, nowMs)
  const callbacks = found.filter(([, { keyId }]) => !unproven.has(keyId))
  if (callbacks.length === 0) return 0
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
