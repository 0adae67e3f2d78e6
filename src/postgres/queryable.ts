import type pg from 'pg'

/** The object that a query needs: the pool, or the one connection of a transaction. */
export type Queryable = {
  query: <Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ) => Promise<pg.QueryResult<Row>>
}
