import { deliverWithinMs } from '../../bookings/outbox/delivery-schedule.ts'
import { sqlIsoSeconds, type Queryable } from '../../postgres/postgres.ts'

/**
 * All deliveries of the store wait while it has this row: a restored store must not send reservations before
 * somebody has looked at it. Only what a supplier or an operator asks for by name is sent.
 */

export const areHeld = 'exists (select from delivery_hold)'

export async function holdDeliveries(transaction: Queryable, reason: string): Promise<void> {
  await transaction.query('insert into delivery_hold (reason) values ($1) on conflict do nothing', [reason])
}

export type DeliveryHold = { since: string; reason: string }

export async function selectDeliveryHold(db: Queryable): Promise<DeliveryHold | undefined> {
  const { rows } = await db.query<DeliveryHold>(
    `select ${sqlIsoSeconds('since')} as since, reason from delivery_hold`,
  )
  return rows[0]
}

/** Workers notice within a second. What waited has its three days from now on, however old the backup was. */
export async function releaseDeliveries(
  transaction: Queryable,
  nowMs: number,
): Promise<DeliveryHold | undefined> {
  const hold = await selectDeliveryHold(transaction)
  if (!hold) return undefined
  await transaction.query(
    `update delivery set give_up_at = greatest(give_up_at, instant($1)) where status in ('queued', 'sending')`,
    [nowMs + deliverWithinMs],
  )
  await transaction.query('delete from delivery_hold')
  return hold
}
