import { hotelFaults } from '../hotels/contract.ts'
import { answer, on } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import type { ConstraintError } from '../http/route.ts'
import { productReadFaults, productRoutes, productsPerPushMax, type Product } from './contract.ts'
import type { HotelOfSupplier } from './store.ts'

/** POST /push/getProducts: the stored products, as a push that changes nothing. */
export const getProducts = (needs: Needs) =>
  on(productRoutes.getProducts, async ({ body: { hotelId, roomIds, rateIds }, caller }) => {
    const hotel = { supplierId: caller.supplierId, hotelCode: hotelId }
    const held = await selectOptionalProducts(needs.db, hotel, { roomIds, rateIds }, productsPerPushMax)
    if (!held) throw new Rejected(404, { ...hotelFaults.notFound, path: '/hotelId', value: shown(hotelId) })
    const unknown = [
      ...unknownCodes(roomIds, held.roomIds, '/roomIds', productReadFaults.roomNotFound),
      ...unknownCodes(rateIds, held.rateIds, '/rateIds', productReadFaults.rateNotFound),
    ]
    rejectIfAny(unknown, 404)
    if (held.products.length > productsPerPushMax) {
      throw new Rejected(400, { ...productReadFaults.readTooLarge, path: '/roomIds' })
    }
    const { revision, products } = held
    return answer(200, {
      code: '200',
      message: 'Products retrieved successfully',
      hotelId,
      revision,
      products,
    })
  })

function unknownCodes(
  asked: readonly string[] | undefined,
  known: readonly string[],
  path: string,
  fault: ConstraintError,
): Problem[] {
  const have = new Set(known)
  return (asked ?? []).flatMap((code, index) =>
    have.has(code) ? [] : [{ ...fault, path: `${path}/${index}`, value: shown(code) }],
  )
}

type ProductsAsked = { roomIds: readonly string[] | undefined; rateIds: readonly string[] | undefined }

type HeldProducts = {
  revision: number
  /** The requested codes that exist in the hotel. */
  roomIds: string[]
  rateIds: string[]
  /** In the order in which rooms, then rates, were first pushed; one more than `most` if there are more. */
  products: Product[]
}

/** A hotel's products and revision, from one moment; undefined if the supplier has no such hotel. */
async function selectOptionalProducts(
  db: Queryable,
  { supplierId, hotelCode }: HotelOfSupplier,
  { roomIds, rateIds }: ProductsAsked,
  most: number,
): Promise<HeldProducts | undefined> {
  const { rows } = await db.query<HeldProducts>(
    `select hotel.revision,
       array(select code from room where hotel_id = hotel.id and code = any($3::text[])) as "roomIds",
       array(select code from rate where hotel_id = hotel.id and code = any($4::text[])) as "rateIds",
       (select coalesce(json_agg(product order by room_no, rate_no), '[]') from (
          select room_no, rate_no, json_strip_nulls(json_build_object(
            'roomId', room.code, 'roomType', room.room_type, 'roomName', room.name,
            'rateId', rate.code, 'rateName', rate.name, 'isAvailable', is_available, 'mealPlan', meal_plan,
            'occupancy', json_build_object(
              'maxOccupancy', max_occupancy, 'maxAdult', max_adult, 'maxChild', max_child),
            'cancelPolicies', nullif(cancel_policies, '[]'))) as product
          from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
          where hotel_id = hotel.id
            and ($3::text[] is null or room.code = any($3)) and ($4::text[] is null or rate.code = any($4))
          order by room_no, rate_no limit $5) as asked) as products
     from hotel where supplier_id = $1 and code = $2`,
    [supplierId, hotelCode, roomIds ?? null, rateIds ?? null, most + 1],
  )
  return rows[0]
}
