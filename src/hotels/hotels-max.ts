import { Rejected } from '../http/rejected.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { hotelErrors } from './contract.ts'
import { shareAccount } from './hotel-clock.ts'

/** The limit of hotels that operators set for an account. */

/**
 * Locks the account for adding hotels, and returns its limit, 0 for none. With one, others that add hotels wait until the
 * transaction ends, so that two can't both take the last place.
 */
export async function lockPlaces(connection: Queryable, supplierId: number): Promise<number> {
  const { hotelsMax } = await shareAccount(connection, supplierId)
  if (hotelsMax > 0)
    await connection.query("select pg_advisory_xact_lock(hashtext('hotels of a supplier'), $1)", [supplierId])
  return hotelsMax
}

/** After hotels were added. */
export async function refuseAbove(
  connection: Queryable,
  supplierId: number,
  hotelsMax: number,
): Promise<void> {
  if (hotelsMax === 0) return
  const { rows } = await connection.query<{ hotels: number }>(
    'select count(*)::int as hotels from hotel where supplier_id = $1',
    [supplierId],
  )
  const hotels = rows[0]?.hotels ?? 0
  if (hotels <= hotelsMax) return
  throw new Rejected(400, {
    ...hotelErrors.tooManyOfAccount,
    message: `This account may have ${hotelsMax} hotels, and would have ${hotels}`,
  })
}
