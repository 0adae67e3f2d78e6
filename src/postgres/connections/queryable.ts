import type pg from 'pg'

/** The object that a query needs: the pool, or the one connection of a transaction. */
export type Queryable = {
  query: <Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ) => Promise<pg.QueryResult<Row>>
}

/** Collects the parameters of a statement that is built in parts. */
export class Parameters {
  readonly values: unknown[] = []

  /** Returns the placeholder for the value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

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
