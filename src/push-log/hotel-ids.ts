import type { Queryable } from '../postgres/postgres.ts'

/** Ids of a supplier's hotels by code; unknown codes are left out. */
export async function selectHotelIds(
  db: Queryable,
  supplierId: number,
  hotelCodes: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: number; code: string }>(
    'select id, code from hotel where supplier_id = $1 and code = any($2::text[])',
    [supplierId, hotelCodes],
  )
  return new Map(rows.map(({ id, code }) => [code, id]))
}
