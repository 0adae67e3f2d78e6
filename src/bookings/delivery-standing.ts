import type { DeliveryStatus } from './delivery-contract.ts'

/** How far the delivery of a version has come, as it is stored; outbox/show-delivery.ts shows it. */

export type DeliveryStanding = {
  status: DeliveryStatus
  /** Since when the supplier lacks the present state; by the account's clock, as the next. */
  behindSinceMs: number
  /** When it was delivered or given up. */
  endedAtMs: number | null
  attempts: number
  /** Of the database's clock; null: none is planned, or the next hourly run makes it. */
  dueAtMs: number | null
  /** The next attempt is made by the hourly run at or after `notBeforeMs`. */
  isHourly: boolean
  notBeforeMs: number | null
  error: string | null
}

/**
 * SQL: the standing of the delivery of a reservation's present version as JSON; null if it has none. A version has one
 * delivery; repeats of one that arrived tell nothing new.
 */
export const presentDelivery = `(
  select json_build_object(
    'status', delivery.status,
    'behindSinceMs', epoch_ms(delivery.undelivered_since) + account.clock_ahead_ms,
    'endedAtMs', case delivery.status
      when 'delivered' then epoch_ms(delivery.delivered_at)
      when 'dead' then coalesce(epoch_ms(delivery.dead_at), epoch_ms(delivery.give_up_at) + account.clock_ahead_ms) end,
    'attempts', delivery.attempts,
    'dueAtMs', case when delivery.status = 'queued' and delivery.due_at <> 'infinity' then epoch_ms(delivery.due_at) end,
    'isHourly', delivery.status = 'queued' and delivery.endpoint <> 0 and delivery.due_at = 'infinity',
    'notBeforeMs', epoch_ms(delivery.not_before),
    'error', case
      when delivery.status in ('delivered', 'superseded') then null
      when delivery.status = 'queued' and delivery.endpoint = 0 then 'no_url'
      else coalesce(
        (select case when last.http_status is null then last.outcome else 'http_' || last.http_status end
         from delivery_attempt as last where last.delivery_id = delivery.id order by last.attempt desc limit 1),
        case when delivery.status = 'dead' and delivery.endpoint = 0 then 'no_url' end) end)
  from delivery join supplier as account on account.id = delivery.supplier_id
  where delivery.reservation_id = reservation.id and delivery.version = reservation.version and not delivery.is_repeat)`
