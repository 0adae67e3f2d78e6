import type { Queryable } from '../postgres/postgres.ts'

/** How far the test clock of an account is ahead. */
export async function selectAheadMs(db: Queryable, supplierId: number): Promise<number> {
  const { rows } = await db.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1',
    [supplierId],
  )
  return rows[0]?.aheadMs ?? 0
}

/** Of an account that is taken. The catalog's version tells every process that another time is in it. */
export async function advanceHotels(
  connection: Queryable,
  supplierId: number,
  aheadMs: number,
): Promise<void> {
  await connection.query('select from hotel where supplier_id = $1 order by id for no key update', [
    supplierId,
  ])
  await connection.query('update supplier set clock_ahead_ms = $2 where id = $1', [supplierId, aheadMs])
  await connection.query(
    'update hotel set clock_ahead_ms = $2, catalog_version = catalog_version + 1 where supplier_id = $1',
    [supplierId, aheadMs],
  )
}
