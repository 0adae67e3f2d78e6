import { raiseFinding } from '../../findings/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'

export type RequestedResync = {
  supplier: string
  hotelCode: string
  requestedAtMs: number
  isAnnounced: boolean
}

/**
 * Raises the finding, unless it is open; then only a supplier that was not told of it yet is told now. Undefined if there
 * is no such hotel.
 */
export async function askForEverything(
  connection: Queryable,
  hotelId: number,
  nowMs: number,
): Promise<RequestedResync | undefined> {
  const hotel = await selectOptionalHotel(connection, hotelId)
  if (!hotel) return undefined
  const { supplierId, revision, supplier, hotelCode } = hotel
  await raiseFinding(
    connection,
    { supplierId, kind: 'resync.requested', hotelId, evidence: { revision } },
    nowMs,
  )
  return { supplier, hotelCode, ...(await announceAtOnce(connection, hotelId, { ...hotel, nowMs })) }
}

type RequestedHotel = Pick<RequestedResync, 'supplier' | 'hotelCode'> & {
  supplierId: number
  revision: number
  /** Whether the supplier has a URL or an address for alerts of this kind. */
  isReachable: boolean
}

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
       ) as "isReachable"
     from hotel join supplier on supplier.id = supplier_id where hotel.id = $1`,
    [hotelId],
  )
  return rows[0]
}

/**
 * A finding that comes back is usually announced again after some hours at the earliest. This one comes back because
 * somebody asked. `requestedAtMs`: since when it is open.
 */
async function announceAtOnce(
  connection: Queryable,
  hotelId: number,
  { isReachable, nowMs }: { isReachable: boolean; nowMs: number },
): Promise<Pick<RequestedResync, 'requestedAtMs' | 'isAnnounced'>> {
  const { rows } = await connection.query<{ requestedAtMs: number; isAnnounced: boolean }>(
    `with asked as (
       select id, $3 and state = 'open' as is_reachable, exists (
         select from alert_message as message
         where coalesce(message.supplier_id, 0) = finding.supplier_id and message.created_at >= opened_at
           and finding.id = any(finding_ids) and status <> 'dead') as is_told
       from finding where hotel_id = $1 and kind = 'resync.requested'
     )
     update finding set tell_at = case
         when opened_at = instant($2) or is_reachable and not is_told then instant($2) else tell_at end
     from asked where finding.id = asked.id
     returning epoch_ms(opened_at) as "requestedAtMs", is_told or is_reachable as "isAnnounced"`,
    [hotelId, nowMs, isReachable],
  )
  return rows[0] ?? { requestedAtMs: nowMs, isAnnounced: false }
}
