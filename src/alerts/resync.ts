import { raiseFinding } from '../findings/store.ts'
import type { Queryable } from '../postgres/postgres.ts'

export type RequestedResync = {
  supplier: string
  hotelCode: string
  requestedAtMs: number
  isAnnounced: boolean
}

/** Raises the finding, unless it is open. Undefined if there is no such hotel. */
export async function askForEverything(
  connection: Queryable,
  hotelId: number,
  nowMs: number,
): Promise<RequestedResync | undefined> {
  const hotel = await selectOptionalHotel(connection, hotelId)
  if (!hotel) return undefined
  const { supplierId, revision } = hotel
  await raiseFinding(
    connection,
    { supplierId, kind: 'resync.requested', hotelId, evidence: { revision } },
    nowMs,
  )
  return { ...hotel, requestedAtMs: await announceAtOnce(connection, hotelId, nowMs) }
}

type RequestedHotel = Omit<RequestedResync, 'requestedAtMs'> & { supplierId: number; revision: number }

async function selectOptionalHotel(db: Queryable, hotelId: number): Promise<RequestedHotel | undefined> {
  const { rows } = await db.query<RequestedHotel>(
    `select supplier_id as "supplierId", hotel.code as "hotelCode", hotel.revision::float8 as revision,
       supplier.name as supplier,
       exists (
         select from alert_settings as settings
         where settings.supplier_id = hotel.supplier_id
           and (kinds is null or 'resync.requested' = any(kinds))
           and (webhook is not null or exists (
             select from alert_email as email
             where email.supplier_id = hotel.supplier_id and confirmed_at is not null))
       ) as "isAnnounced"
     from hotel join supplier on supplier.id = supplier_id where hotel.id = $1`,
    [hotelId],
  )
  return rows[0]
}

/**
 * A finding that comes back is usually announced again after some hours at the earliest. This one comes back because
 * somebody asked. Returns since when it is open.
 */
async function announceAtOnce(connection: Queryable, hotelId: number, nowMs: number): Promise<number> {
  const { rows } = await connection.query<{ openedAtMs: number }>(
    `update finding set tell_at = case when opened_at = instant($2) then instant($2) else tell_at end
     where hotel_id = $1 and kind = 'resync.requested' returning epoch_ms(opened_at) as "openedAtMs"`,
    [hotelId, nowMs],
  )
  return rows[0]?.openedAtMs ?? nowMs
}
