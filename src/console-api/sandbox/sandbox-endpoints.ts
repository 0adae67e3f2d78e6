import type { Environment } from '../../keys/secret.ts'
import { readId } from '../../http/calls/query.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import {
  advanceClock,
  readClock,
  type TestClockNeeds,
  resetAccount,
  type ResetNeeds,
  inSandbox,
} from '../../sandbox/account.ts'
import {
  sandboxConsoleRoutes,
  callsShownMax,
  type SandboxBooking,
  exampleHotelCode,
  productsOfHotelMax,
  sandboxHotelsMax,
  type SandboxHotel,
} from './contract.ts'
import { anyHotelId, ofSupplierById } from '../hotels/hotel-conditions.ts'
import { supplierNamed, supplierSubject, type NamedSupplier } from '../suppliers/rules.ts'
import { orderFaults, readFaults, type OrderFaultsNeeds } from '../../sandbox/fault-orders.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import {
  selectOptionalRecordedCall,
  selectRecordedCalls,
  type CallbackWatch,
} from '../../webhooks/callback-watch.ts'
import type { BookNeeds } from '../../bookings/idempotency/idempotent-booking.ts'
import type { TestBooking } from '../../sandbox/test-booking-contract.ts'
import { bookTest, quoteTest } from '../../sandbox/test-booking.ts'
import { todayIn, type HotelClock } from '../../hotels/hotel-clock.ts'
import { formatNight } from '../../base/calendar.ts'

type ClockNeeds = TestClockNeeds & ResetNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/clock. */
export const getSandboxClock = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.getSandboxClock, async (call) => {
      const { supplierId } = await supplierNamed(needs.db, call.params.supplierId)
      return answer(200, { clock: await readClock(needs, supplierId) })
    }),
  )

/** POST /sandbox/{supplierId}/clock. */
export const advanceSandboxClock = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.advanceSandboxClock, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const { supplierId } = supplier
      const { clock, deliveriesDue } = await advanceClock(needs, { supplierId, advanceBy: body.advanceBy })
      const subject = supplierSubject(supplier)
      await audit(needs.db, {
        operator,
        requestId,
        action: 'sandbox.advance-clock',
        subject,
        after: { clock },
      })
      return answer(200, { clock, deliveriesDue })
    }),
  )

/** POST /sandbox/{supplierId}/reset. */
export const resetSandboxAccount = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.resetSandboxAccount, async (call) => {
      const { params, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const removed = await resetAccount(needs, supplier.supplierId)
      const subject = supplierSubject(supplier)
      await audit(needs.db, { operator, requestId, action: 'sandbox.reset', subject, before: removed })
      return answer(200, { removed })
    }),
  )

type FaultNeeds = OrderFaultsNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/faults: the pending faults. */
export const listSandboxFaults = (needs: FaultNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.listSandboxFaults, async ({ params }) => {
      const { supplierId } = await supplierNamed(needs.db, params.supplierId)
      return answer(200, { faults: await readFaults(needs, supplierId) })
    }),
  )

/** PUT /sandbox/{supplierId}/faults: replaces all pending faults, including those set by the supplier. */
export const orderSandboxFaults = (needs: FaultNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.orderSandboxFaults, async ({ params, body, operator, requestId }) => {
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const { supplierId } = supplier
      const before = { faults: await readFaults(needs, supplierId) }
      const after = { faults: await orderFaults(needs, { supplierId, wanted: body.faults }) }
      const subject = supplierSubject(supplier)
      await audit(needs.db, { operator, requestId, action: 'sandbox.fault', subject, before, after })
      return answer(200, after)
    }),
  )

type CallNeeds = Needs & { environment: Environment; callbackWatch?: CallbackWatch | undefined }

/** GET /sandbox/{supplierId}/calls: the latest calls to the supplier's URLs, made by any process. */
export const listSandboxCalls = ({ db, environment, callbackWatch }: CallNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxCalls, async ({ params }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      await callbackWatch?.written()
      return answer(200, {
        calls: await selectRecordedCalls(db, supplierId, callsShownMax),
      })
    }),
  )

/** GET /sandbox/{supplierId}/calls/{callId}: one call with its request and response. */
export const getSandboxCall = ({ db, environment }: CallNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.getSandboxCall, async ({ params }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      const id = readId(params.callId)
      const call = id === undefined ? undefined : await selectOptionalRecordedCall(db, supplierId, id)
      if (!call) {
        throw new Rejected(404, {
          type: 'CALL_NOT_FOUND',
          message: `Call ${String(reportedValue(params.callId))} not found`,
          hint: 'Only the latest calls are stored',
        })
      }
      return answer(200, { call })
    }),
  )

type BookingNeeds = BookNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/hotels: the hotels for a test booking. */
export const listSandboxHotels = ({ db, clock, environment }: BookingNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxHotels, async ({ params, query }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      // An invalid id matches no hotel.
      const hotelId = query.hotelId === undefined ? undefined : (readId(query.hotelId) ?? 0)
      return answer(200, {
        hotels: await selectSandboxHotels(db, { supplierId, hotelId }, clock.now()),
      })
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
      return answer(201, { booking })
    }),
  )

/** POST /sandbox/{supplierId}/cancellations. */
export const cancelInSandbox = (needs: BookingNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.cancelInSandbox, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const { hotelId, reservationId, expectedPenalty } = body
      const wanted = { hotelId, reservation_id: reservationId, status: 'Cancel', expectedPenalty } as const
      const booking = await book(needs, supplier, wanted)
      const subject = `reservation ${booking.reservationId} of ${supplierSubject(supplier)}`
      const after = { status: booking.status }
      await audit(needs.db, { operator, requestId, action: 'sandbox.cancel', subject, after })
      return answer(200, { booking })
    }),
  )

/** GET /sandbox/{supplierId}/cancellations/{reservationId}. */
export const quoteInSandbox = (needs: BookingNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.quoteInSandbox, async ({ params }) => {
      const { supplierId } = await supplierNamed(needs.db, params.supplierId)
      const { penalty, until } = await quoteTest(needs, supplierId, params.reservationId)
      const quoted = penalty && { amount: penalty.amount, currency: penalty.currency }
      return answer(200, { quote: { penalty: quoted, until } })
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
       (select hotel_id from hotel_search s where ${ofSupplierById('$1', anyHotelId)} and ($5::int is null or hotel_id = $5)
        order by supplier_id desc, hotel_id desc limit $3)
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
