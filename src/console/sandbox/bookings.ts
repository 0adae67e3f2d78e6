import type { BookNeeds } from '../../bookings/idempotent-booking.ts'
import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { TestBooking } from '../../sandbox/contract.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { bookTest } from '../../sandbox/test-booking.ts'
import {
  sandboxConsoleRoutes,
  type SandboxBooking,
  exampleHotelCode,
  productsOfHotelMax,
  sandboxHotelsMax,
  type SandboxHotel,
} from './contract.ts'
import { readId, supplierNamed, supplierSubject, type NamedSupplier } from '../suppliers/rules.ts'
import { todayIn, type HotelClock } from '../../hotels/hotel-clock.ts'
import { formatNight } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'

type BookingNeeds = BookNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/hotels: the hotels for a test booking. */
export const listSandboxHotels = ({ db, clock, environment }: BookingNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxHotels, async ({ params, query }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      // An invalid id matches no hotel.
      const hotelId = query.hotelId === undefined ? undefined : (readId(query.hotelId) ?? 0)
      const said: AnswerOf<typeof sandboxConsoleRoutes.listSandboxHotels> = {
        hotels: await selectSandboxHotels(db, { supplierId, hotelId }, clock.now()),
      }
      return answer(200, said)
    }),
  )

/** POST /sandbox/{supplierId}/bookings: works like any booking. */
export const bookInSandbox = (needs: BookingNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.bookInSandbox, async (call) => {
      const { params, body, operator, requestId } = call
      const { hotelId, checkin, checkout, roomId, rateId, adults, childAges } = body
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const wanted = { hotelId, checkin, checkout, rooms: [{ roomId, rateId, adults, childAges }] }
      const booking = await book(needs, supplier, wanted)
      const subject = `reservation ${booking.reservationId} of ${supplierSubject(supplier)}`
      await audit(needs.db, { operator, requestId, action: 'sandbox.book', subject, after: body })
      const said: AnswerOf<typeof sandboxConsoleRoutes.bookInSandbox> = { booking }
      return answer(201, said)
    }),
  )

/** POST /sandbox/{supplierId}/cancellations. */
export const cancelInSandbox = (needs: BookingNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.cancelInSandbox, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const wanted = { hotelId: body.hotelId, reservation_id: body.reservationId, status: 'Cancel' } as const
      const booking = await book(needs, supplier, wanted)
      const subject = `reservation ${booking.reservationId} of ${supplierSubject(supplier)}`
      const after = { status: booking.status }
      await audit(needs.db, { operator, requestId, action: 'sandbox.cancel', subject, after })
      const said: AnswerOf<typeof sandboxConsoleRoutes.cancelInSandbox> = { booking }
      return answer(200, said)
    }),
  )

async function book(
  needs: BookNeeds,
  { supplierId, name }: NamedSupplier,
  body: TestBooking,
): Promise<SandboxBooking> {
  const booked = await bookTest(needs, { supplierId, supplier: name }, { body, idempotencyKey: undefined })
  const { reservationId, version, status, delivery } = booked.body
  return { reservationId, version, status, delivery: delivery.status }
}

type Row = Omit<SandboxHotel, 'today'> & HotelClock

/** A supplier's example hotel and its newest others, or the one named, with what can be booked there. */
async function selectSandboxHotels(
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
