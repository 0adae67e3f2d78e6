import type { Queryable } from '../postgres/postgres.ts'

/** An account's row, locked before any of its hotels; mere references to the account don't wait for it. */

/** For adding hotels: until the transaction ends, no test clock advances and no reset happens. */
export async function holdAccount(connection: Queryable, supplierId: number): Promise<void> {
  await connection.query('select from supplier where id = $1 for share', [supplierId])
}

/** Exclusive: until the transaction ends, no hotel is added either. Returns the test clock's lead. */
export async function takeAccount(connection: Queryable, supplierId: number): Promise<number> {
  const { rows } = await connection.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1 for no key update',
    [supplierId],
  )
  return rows[0]?.aheadMs ?? 0
}
