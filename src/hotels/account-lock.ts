import type { Queryable } from '../postgres/postgres.ts'

/** An account's row, locked before any of its hotels; what only references the account doesn't wait for it. */

/** While hotels are added: until the transaction ends its test clock is not advanced, and it is not reset. */
export async function holdAccount(connection: Queryable, supplierId: number): Promise<void> {
  await connection.query('select from supplier where id = $1 for share', [supplierId])
}

/** Alone: until the transaction ends no hotel is added either. How far the account's test clock is ahead. */
export async function takeAccount(connection: Queryable, supplierId: number): Promise<number> {
  const { rows } = await connection.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1 for no key update',
    [supplierId],
  )
  return rows[0]?.aheadMs ?? 0
}
