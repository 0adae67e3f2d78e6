import type { HotelClock } from '../../hotels/hotel-clock.ts'
import type { Queryable } from '../../postgres/postgres.ts'

export async function selectOptionalCalendarHotel(
  db: Queryable,
  hotelId: number | undefined,
): Promise<({ name: string } & HotelClock) | undefined> {
  if (hotelId === undefined) return undefined
  const { rows } = await db.query<{ name: string } & HotelClock>(
    'select name, time_zone as "timeZone", clock_ahead_ms as "aheadMs" from hotel where id = $1',
    [hotelId],
  )
  return rows[0]
}

/** The channel managers of keys, by id. */
export async function selectKeyNames(
  db: Queryable,
  keyIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (keyIds.length === 0) return new Map()
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id, channel_manager as name from api_key where id = any($1::int[])',
    [keyIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Records the operator of a revision, for as long as its closures are in force. */
export async function insertStopSell(
  connection: Queryable,
  made: { hotelId: number; revision: number; operator: string; requestId: string; atMs: number },
): Promise<void> {
  await connection.query(
    `insert into stop_sell (hotel_id, revision, at, operator, request_id)
     values ($1, $2, instant($3), $4, $5)`,
    [made.hotelId, made.revision, made.atMs, made.operator, made.requestId],
  )
}

export async function selectHotelSupplier(db: Queryable, hotelId: number): Promise<number> {
  const { rows } = await db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from hotel where id = $1',
    [hotelId],
  )
  const [hotel] = rows
  if (!hotel) throw new Error(`hotel ${hotelId} is gone`)
  return hotel.supplierId
}
