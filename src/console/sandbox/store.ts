import { todayIn, type HotelClock } from '../../hotels/hotel-clock.ts'
import { formatNight } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { exampleHotelCode, productsOfHotelMax, sandboxHotelsMax, type SandboxHotel } from './contract.ts'

type Row = Omit<SandboxHotel, 'today'> & HotelClock

/** A supplier's example hotel and its newest others, or the one named, with what can be booked there. */
export async function selectSandboxHotels(
  db: Queryable,
  { supplierId, hotelId }: { supplierId: number; hotelId: number | undefined },
  nowMs: number,
): Promise<SandboxHotel[]> {
  const { rows } = await db.query<Row>(
    `with newest as (
       (select id from hotel where supplier_id = $1 and code = $2 and $5::int is null)
       union
       (select id from hotel where supplier_id = $1 and ($5::int is null or id = $5) order by id desc limit $3)
     )
     select hotel.id as "hotelId", hotel.code, hotel.name, hotel.time_zone as "timeZone",
       hotel.clock_ahead_ms as "aheadMs",
       coalesce((select json_agg(product) from (
         select room.code as "roomId", room.name as "roomName", rate.code as "rateId", rate.name as "rateName"
         from room_rate join room using (hotel_id, room_no) join rate using (hotel_id, rate_no)
         where room_rate.hotel_id = hotel.id and room_rate.is_available
         order by room_no, rate_no limit $4) as product), '[]') as products
     from newest join hotel using (id) order by hotel.code <> $2, hotel.id desc limit $3`,
    [supplierId, exampleHotelCode, sandboxHotelsMax, productsOfHotelMax, hotelId ?? null],
  )
  return rows.map(({ timeZone, aheadMs, ...hotel }) => ({
    ...hotel,
    today: formatNight(todayIn({ timeZone, aheadMs }, nowMs)),
  }))
}
