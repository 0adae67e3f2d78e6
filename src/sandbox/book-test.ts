import { selectOptionalHotel } from '../hotels/store.ts'
import type { Environment } from '../keys/secret.ts'
import type { UncheckedCall } from '../http/call.ts'
import { on, type Answer, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected, shown } from '../http/rejected.ts'
import { readReservationId } from '../bookings/reservation-id.ts'
import { selectOptionalReservation } from '../bookings/store.ts'
import { sandboxFaults, sandboxRoutes, type TestBooking } from './contract.ts'
import { inSandbox } from './in-sandbox.ts'

/** The platform's own endpoints: a test booking goes the way of every other. */
export type PlatformBooking = Readonly<Record<'create' | 'modify' | 'cancel', Mounted>>

export type BookTestNeeds = Needs & { environment: Environment; platformBooking: PlatformBooking }

const testGuest = { firstName: 'Test', lastName: 'Guest' }

/** POST /push/sandbox/booking. */
export const bookTest = (needs: BookTestNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.bookTest, async (call) => {
      const { body, caller } = call
      const hotel = await selectOptionalHotel(needs.db, caller.supplierId, body.hotelId)
      if (!hotel) {
        throw new Rejected(404, {
          ...sandboxFaults.hotelNotFound,
          path: '/hotelId',
          value: shown(body.hotelId),
        })
      }
      const id = body.reservation_id
      if (id !== undefined) await rejectForeign(needs, hotel.id, id)
      const { create, modify, cancel } = needs.platformBooking
      if (body.status === 'Cancel') {
        if (id === undefined)
          throw new Rejected(400, { ...sandboxFaults.idRequired, path: '/reservation_id' })
        return ask(cancel, { ...call, params: { id }, body: undefined })
      }
      const wanted = { ...call, body: platformBody(body, caller.supplier) }
      return id === undefined ? ask(create, wanted) : ask(modify, { ...wanted, params: { id } })
    }),
  )

async function ask({ handle, route }: Mounted, call: UncheckedCall): Promise<Answer> {
  const answered = await handle?.(call)
  if (!answered || 'bytes' in answered)
    throw new TypeError(`${route.path} does not answer in short and at once`)
  return answered
}

async function rejectForeign({ db }: Needs, hotelId: number, reservationId: string): Promise<void> {
  const id = readReservationId(reservationId)
  const held = id === undefined ? undefined : await selectOptionalReservation(db, id)
  if (held?.hotelId === hotelId) return
  throw new Rejected(404, {
    ...sandboxFaults.reservationNotFound,
    path: '/reservation_id',
    value: shown(reservationId),
  })
}

/** What the platform would send. What is missing is named by its contract, under the same names. */
function platformBody(body: TestBooking, supplier: string): object {
  const { hotelId, rooms, customer, payment, remarks, checkin, checkout, expectedTotal } = body
  return {
    hotel: { supplier, hotelId },
    ...(checkin === undefined ? {} : { checkin }),
    ...(checkout === undefined ? {} : { checkout }),
    ...(rooms ? { rooms: rooms.map(({ guest = testGuest, ...room }) => ({ ...room, guest })) } : {}),
    customer: customer ?? { ...testGuest, ...(remarks === undefined ? {} : { remarks }) },
    payment: payment ?? { type: 'Channel Collect' },
    ...(expectedTotal ? { expectedTotal } : {}),
  }
}
