import type { Queryable } from './queryable.ts'

const batchRows = 5_000
/** A million rows; what is left goes with the next run. */
const batchesInRunMax = 200

/**
 * Runs a statement that clears at most `$2` rows of those that `$1` says, again and again until it finds fewer: so no
 * lock is held and nothing is written for long. Returns how many rows it cleared.
 */
export async function sweep(
  db: Queryable,
  statement: string,
  what: number | readonly string[],
  { batchesMax = batchesInRunMax } = {},
): Promise<number> {
  let cleared = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const { rowCount } = await db.query(statement, [what, batchRows])
    cleared += rowCount ?? 0
    if ((rowCount ?? 0) < batchRows) break
  }
  return cleared
}
