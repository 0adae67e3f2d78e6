import type { Queryable } from '../postgres/postgres.ts'
import type { Product } from './contract.ts'
import type { HotelOfSupplier } from './hotel-catalogs.ts'

export type RequestedProducts = {
  roomIds: readonly string[] | undefined
  rateIds: readonly string[] | undefined
}

export type StoredProducts = {
  revision: number
  currency: string
  /** The requested codes that exist in the hotel. */
  roomIds: string[]
  rateIds: string[]
  /** In the order in which rooms, then rates, were first pushed; one more than `most` if there are more. */
  products: Product[]
}

/** A hotel's products and revision, from one moment; undefined if the supplier has no such hotel. */
export async function selectOptionalProducts(
  db: Queryable,
  { supplierId, hotelCode }: HotelOfSupplier,
  { roomIds, rateIds }: RequestedProducts,
  most: number,
): Promise<StoredProducts | undefined> {
  const { rows } = await db.query<StoredProducts>(
    `select hotel.revision, hotel.currency,
       array(select code from room where hotel_id = hotel.id and code = any($3::text[])) as "roomIds",
       array(select code from rate where hotel_id = hotel.id and code = any($4::text[])) as "rateIds",
       (select coalesce(json_agg(product order by room_no, rate_no), '[]') from (
          select room_no, rate_no, json_strip_nulls(json_build_object(
            'roomId', room.code, 'roomType', room.room_type, 'roomName', room.name,
            'rateId', rate.code, 'rateName', rate.name, 'isAvailable', is_available, 'mealPlan', meal_plan,
            'occupancy', json_build_object(
              'maxOccupancy', max_occupancy, 'maxAdult', max_adult, 'maxChild', max_child,
              'maxInfant', max_infant),
            'cancelPolicies', nullif(cancel_policies, '[]'))) as product
          from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
          where hotel_id = hotel.id
            and ($3::text[] is null or room.code = any($3)) and ($4::text[] is null or rate.code = any($4))
          order by room_no, rate_no limit $5) as requested) as products
     from hotel where supplier_id = $1 and code = $2`,
    [supplierId, hotelCode, roomIds ?? null, rateIds ?? null, most + 1],
  )
  return rows[0]
}
