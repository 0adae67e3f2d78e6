import { dayIn, type DayNumber } from '../base/calendar.ts'
import type { Queryable } from '../postgres/postgres.ts'

/** A hotel's time: its zone, and how far its account's test clock is ahead (0 in production). */
export type HotelClock = { timeZone: string; aheadMs: number }

/** The current day in the hotel. */
export function todayIn({ timeZone, aheadMs }: HotelClock, nowMs: number): DayNumber {
  return dayIn(timeZone, nowMs + aheadMs)
}

/**
 * Locks the account's row, for adding hotels: until the transaction ends, no test clock advances and no reset
 * happens. It is locked before any of its hotels, and mere references to the account don't wait for it.
 */
export async function shareAccount(
  connection: Queryable,
  supplierId: number,
): Promise<{ hotelsMax: number }> {
  const { rows } = await connection.query<{ hotelsMax: number }>(
    'select hotels_max as "hotelsMax" from supplier where id = $1 for share',
    [supplierId],
  )
  return { hotelsMax: rows[0]?.hotelsMax ?? 0 }
}

/** Exclusive: until the transaction ends, no hotel is added either. Returns the test clock's lead. */
export async function lockAccount(connection: Queryable, supplierId: number): Promise<number> {
  const { rows } = await connection.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1 for no key update',
    [supplierId],
  )
  return rows[0]?.aheadMs ?? 0
}
