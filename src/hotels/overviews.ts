import type { Queryable } from '../postgres/postgres.ts'
import type { OptionalStep } from './contract.ts'
import { formerSteps, type FormerSteps } from './former-amounts.ts'
import { hotelColumns, type HotelRow, type PlainMembers } from './store.ts'

/** Hotels as the go-live checklist and their reading back need them. */

export type HotelOverview = HotelRow &
  FormerSteps & {
    pushed: PlainMembers
    cityMatched: string | null
    createdAt: Date
    ariAt: Date | null
    productCount: number
    hasAvailableProduct: boolean
    hasTaxes: boolean
    hasAvailabilityWebhook: boolean
    hasPushbookWebhook: boolean
    unneededSteps: OptionalStep[]
  }

/** A supplier's hotels with the data of the go-live checklist; webhooks are those of the key. */
export async function selectHotelOverviews(
  db: Queryable,
  caller: { supplierId: number; keyId: number },
  hotelCodes: readonly string[],
): Promise<HotelOverview[]> {
  const { rows } = await db.query<HotelOverview>(
    `select hotel.*, api_key.availability_webhook is not null as "hasAvailabilityWebhook",
       api_key.pushbook_webhook is not null as "hasPushbookWebhook",
       array(select jsonb_object_keys(unneeded_steps) from supplier where id = $1) as "unneededSteps"
     from (
       select ${hotelColumns}, pushed, city_matched as "cityMatched", created_at as "createdAt", ari_at as "ariAt",
         (select count(*)::int from room_rate where hotel_id = hotel.id) as "productCount",
         exists (select from room_rate where hotel_id = hotel.id and is_available) as "hasAvailableProduct",
         exists (select from tax where hotel_id = hotel.id) as "hasTaxes", ${formerSteps}
       from hotel where supplier_id = $1 and code = any($3::text[])
     ) as hotel join api_key on api_key.id = $2`,
    [caller.supplierId, caller.keyId, hotelCodes],
  )
  return rows
}
