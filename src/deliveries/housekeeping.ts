import { sweep } from '../postgres/sweep.ts'
import type { Queryable } from '../postgres/postgres.ts'

export const attemptsKeptDays = 90

/** Attempts of long ago, and the marks of the hourly runs of then. Deliveries themselves are kept. How many. */
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
