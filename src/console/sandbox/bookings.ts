import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Answer, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { sandboxRoutes } from '../../sandbox/contract.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { callAs, supplierCaller, type AsSupplier } from './as-supplier.ts'
import { sandboxConsoleRoutes, type SandboxBooking } from './contract.ts'
import { selectSandboxHotels } from './store.ts'
import { readId, supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type BookingNeeds = Needs & { environment: Environment; asSupplier: AsSupplier }

/** GET /sandbox/{supplierId}/hotels: where a test booking can be made. */
export const listSandboxHotels = ({ db, clock, environment }: BookingNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxHotels, async ({ params, query }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      // What can be no number is no hotel's.
      const hotelId = query.hotelId === undefined ? undefined : (readId(query.hotelId) ?? 0)
      const said: AnswerOf<typeof sandboxConsoleRoutes.listSandboxHotels> = {
        hotels: await selectSandboxHotels(db, { supplierId, hotelId }, clock.now()),
      }
      return answer(200, said)
    }),
  )

/** POST /sandbox/{supplierId}/bookings: goes the way of every booking. */
export const bookInSandbox = ({ db, environment, asSupplier }: BookingNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.bookInSandbox, async (call) => {
      const { params, body, operator, requestId } = call
      const { hotelId, checkin, checkout, roomId, rateId, adults, childAges } = body
      const supplier = await supplierNamed(db, params.supplierId)
      const wanted = { hotelId, checkin, checkout, rooms: [{ roomId, rateId, adults, childAges }] }
      const caller = supplierCaller(supplier)
      const booking = bookingOf(await callAs(asSupplier.bookTest, call, { body: wanted, caller }))
      const subject = `reservation ${booking.reservationId} of ${supplierSubject(supplier)}`
      await audit(db, { operator, requestId, action: 'sandbox.book', subject, after: body })
      const said: AnswerOf<typeof sandboxConsoleRoutes.bookInSandbox> = { booking }
      return answer(201, said)
    }),
  )

/** POST /sandbox/{supplierId}/cancellations. */
export const cancelInSandbox = ({ db, environment, asSupplier }: BookingNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.cancelInSandbox, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(db, params.supplierId)
      const wanted = { hotelId: body.hotelId, reservation_id: body.reservationId, status: 'Cancel' }
      const caller = supplierCaller(supplier)
      const booking = bookingOf(await callAs(asSupplier.bookTest, call, { body: wanted, caller }))
      const subject = `reservation ${booking.reservationId} of ${supplierSubject(supplier)}`
      const after = { status: booking.status }
      await audit(db, { operator, requestId, action: 'sandbox.cancel', subject, after })
      const said: AnswerOf<typeof sandboxConsoleRoutes.cancelInSandbox> = { booking }
      return answer(200, said)
    }),
  )

function bookingOf({ json }: Answer): SandboxBooking {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: what the suppliers' endpoint just wrote, by its contract.
  const said: AnswerOf<typeof sandboxRoutes.bookTest> = JSON.parse(json)
  const { reservationId, version, status, delivery } = said
  return { reservationId, version, status, delivery: delivery.status }
}
