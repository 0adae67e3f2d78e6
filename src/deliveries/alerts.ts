import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { accountTime } from './store.ts'

/** Undelivered for longer than this, a delivery needs attention. */
const undeliveredMs = 30 * 60_000
/** When arrival is this near, an alert is raised at the first failure. */
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
            or first_failed_at is not null and arrives_at <= instant($3))
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
      select (select count(*)::int from delivery where status = 'queued')
          + (select count(*)::int from delivery where status = 'sending') as queued,
        (select count(*)::int from delivery where status = 'dead') as dead,
        (select count(*)::int from delivery_alert where cleared_at is null) as alerts,
        (select coalesce(greatest(0, extract(epoch from instant($1) - min(undelivered_since))), 0)
          ::float8 from delivery where status = 'queued') as "oldestSeconds"`,
    values: [nowMs],
  })
  return rows[0] ?? { queued: 0, dead: 0, alerts: 0, oldestSeconds: 0 }
}
