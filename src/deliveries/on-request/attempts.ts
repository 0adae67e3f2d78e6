import type { Queryable } from '../../postgres/postgres.ts'
import { sweep } from '../../postgres/connections/queryable.ts'
import type { IgnoredPart } from '../attempt-contract.ts'
import type { Trigger } from '../../bookings/outbox/delivery-schedule.ts'

export type StoredAttempt = {
  deliveryId: string
  attempt: number
  atMs: number
  trigger: Trigger
  outcome: string
  httpStatus: number | null
  durationMs: number
  /** `webhook-id` of the call; empty if none was made, or its id is unknown. */
  messageId: string
  answer: string | null
  /** What of the answer was not taken. */
  ignored: IgnoredPart[] | null
}

/** Oldest first. */
export async function selectAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<StoredAttempt[]> {
  const { rows } = await db.query<StoredAttempt>(
    `select delivery_id as "deliveryId", attempt, epoch_ms(at) as "atMs", trigger, outcome,
       http_status as "httpStatus", duration_ms as "durationMs", message_id as "messageId", answer,
       ignored::json as ignored
     from delivery_attempt where delivery_id = any($1::uuid[]) order by delivery_id, attempt`,
    [deliveryIds],
  )
  return rows
}

export const attemptsRetainedDays = 90

/**
 * Deletes old attempts and the marks of old hourly runs. Deliveries themselves are kept. Returns how many.
 */
export async function deleteOldAttempts(db: Queryable, beforeMs: number): Promise<number> {
  await db.query('delete from hourly_run where hour < instant($1)', [beforeMs])
  return sweep(
    db,
    `delete from delivery_attempt where (delivery_id, attempt) in (
       select delivery_id, attempt from delivery_attempt where at < instant($1)
       order by at limit $2)`,
    beforeMs,
  )
}
