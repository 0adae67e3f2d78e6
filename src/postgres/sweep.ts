import type { Queryable } from './queryable.ts'

const batchRows = 5_000
/** A million rows; the rest is left to the next run. */
const batchesInRunMax = 200

/**
 * Runs a statement that clears at most `$2` of the rows that `$1` selects, until it clears fewer: so each
 * lock and each write is short. Returns the number of cleared rows.
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
