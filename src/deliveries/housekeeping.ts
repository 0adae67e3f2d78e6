import type { Queryable } from '../postgres/postgres.ts'

export const attemptsKeptDays = 90

const batchRows = 5_000
/** A million rows a run; what is left goes with the next. */
const batchesMax = 200

/** Attempts of long ago, and the marks of the hourly runs of then. Deliveries themselves are kept. How many. */
export async function deleteOldAttempts(db: Queryable, beforeMs: number): Promise<number> {
  await db.query('delete from hourly_run where hour < to_timestamp($1::float8 / 1000)', [beforeMs])
  let deleted = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const { rowCount } = await db.query(
      `delete from delivery_attempt where (delivery_id, attempt) in (
         select delivery_id, attempt from delivery_attempt where at < to_timestamp($1::float8 / 1000)
         order by at limit ${batchRows})`,
      [beforeMs],
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < batchRows) break
  }
  return deleted
}
