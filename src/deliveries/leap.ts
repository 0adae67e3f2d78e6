import type { Queryable } from '../postgres/postgres.ts'
import { noEndpoint } from '../bookings/delivery-queue.ts'
import { hourOf, runAfter } from '../bookings/delivery-schedule.ts'
import { giveUpHeld, makeDue } from './hourly-run.ts'

/** A sandbox account whose clock is advanced from `aheadMs` by `byMs`. */
export type Leap = {
  supplierId: number
  aheadMs: number
  byMs: number
  nowMs: number
  openableKeys: readonly string[]
}

/**
 * Moves everything that the account waits for closer by the same amount: attempts, the end of their three
 * days, alerts, and the expiry of stored cards. If its clock passes one or more full hours, the hourly run is
 * made for it once. Its hotels must be locked. Returns how many deliveries are due now.
 */
export async function leap(connection: Queryable, advance: Leap): Promise<number> {
  const { supplierId, aheadMs, byMs, nowMs, openableKeys } = advance
  const by = 'make_interval(secs => $2::float8 / 1000)'
  // In a fixed order, so that two transactions that lock several rows can't deadlock.
  await connection.query(
    `select from delivery where supplier_id = $1 and status in ('queued', 'sending', 'dead')
     order by id for no key update`,
    [supplierId],
  )
  await connection.query(
    `update delivery set due_at = due_at - ${by}, not_before = not_before - ${by}, give_up_at = give_up_at - ${by},
       undelivered_since = undelivered_since - ${by}, arrives_at = arrives_at - ${by}
     where supplier_id = $1 and status in ('queued', 'sending', 'dead')`,
    [supplierId, byMs],
  )
  await connection.query(
    `update reservation_card set keep_until = keep_until - ${by}, cvv_until = cvv_until - ${by}
     from reservation
     where reservation.supplier_id = $1 and reservation.id = reservation_card.reservation_id and card is not null`,
    [supplierId, byMs],
  )
  const hour = hourOf(nowMs + aheadMs + byMs)
  if (hour > hourOf(nowMs + aheadMs)) {
    await giveUpHeld(connection, { openableKeys, nowMs, nextRunMs: runAfter(nowMs), supplierId })
    await makeDue(connection, nowMs, supplierId)
  }
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from delivery
     where supplier_id = $1 and status = 'queued' and endpoint <> ${noEndpoint}
       and due_at <= instant($2)`,
    [supplierId, nowMs],
  )
  return rows[0]?.count ?? 0
}
