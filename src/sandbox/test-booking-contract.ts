import Type, { type Static } from 'typebox'
import { bookingAnswer, cancelAnswer } from '../bookings/answer-contract.ts'
import { reservationRoutes } from '../bookings/contract.ts'
import { cancelBody } from '../bookings/owed/contract.ts'
import { hotelId } from '../hotels/contract.ts'
import { code, date, lines, oneOf, route } from '../http/route.ts'
import { requestedRoom, roomsPerStayMax } from '../offers/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { onlyInSandbox } from './contract.ts'

/** Test bookings, which suppliers make in their own hotels. */

const { createReservation, modifyReservation, cancelReservation } = reservationRoutes
const {
  customer,
  payment,
  expectedTotal,
  expectedTerms,
  acceptForfeit,
  dryRun,
  rooms,
  clientReference,
  channel,
} = modifyReservation.body.properties
const { guest } = rooms.items.properties
const { expectedPenalty, rooms: cancelRooms } = cancelBody.properties

const testBooking = Type.Object({
  hotelId,
  status: Type.Optional(
    oneOf(reservationStatuses, {
      description:
        'Confirm (default): book, or modify if reservation_id is sent; Cancel: cancel reservation_id',
    }),
  ),
  reservation_id: Type.Optional(code({ description: 'A reservation of the hotel' })),
  checkin: Type.Optional(date({ description: 'First night; not needed to cancel' })),
  checkout: Type.Optional(date({ description: 'Day of departure; not needed to cancel' })),
  rooms: Type.Optional(
    Type.Array(
      Type.Object({
        roomId: code({ description: 'Your room code' }),
        rateId: code({ description: 'Your rate code' }),
        ...requestedRoom.properties,
        guest: Type.Optional(guest),
      }),
      { minItems: 1, maxItems: roomsPerStayMax, description: 'Not needed to cancel' },
    ),
  ),
  customer: Type.Optional(customer),
  payment: Type.Optional(payment),
  expectedTotal,
  expectedTerms,
  acceptForfeit,
  dryRun,
  expectedPenalty,
  cancelRooms,
  clientReference,
  channel,
  remarks: Type.Optional(lines({ description: 'Remarks of the customer, if no customer is sent' })),
})
export type TestBooking = Static<typeof testBooking>

/** The answer to a test booking; a cancellation's has a penalty instead of prices. */
export type TestBooked = Static<typeof bookingAnswer> | Static<typeof cancelAnswer>

export const testBookingRoutes = {
  bookTest: route({
    method: 'POST',
    path: '/push/sandbox/booking',
    access: 'supplier',
    takesIdempotencyKey: true,
    tag: 'Sandbox',
    summary: 'Create a test booking in your own hotel',
    description: [
      `Books, modifies or cancels exactly as the platform does: the stay is checked against what you pushed, your price check is called, inventory is lowered, and the reservation is delivered to your URL. ${onlyInSandbox}`,
      'Without `reservation_id` it creates a reservation, with it a new version; `"status": "Cancel"` cancels it, or its `cancelRooms`. Guest, customer and payment may be omitted and are then filled with test data.',
      'Send an `Idempotency-Key` to book only once: the same key with the same body returns the stored answer.',
    ].join('\n\n'),
    body: testBooking,
    answer: bookingAnswer,
    status: 201,
    answers: { 200: Type.Union([bookingAnswer, cancelAnswer]) },
    errors: {
      400: 'A member is missing or invalid',
      404: 'Unknown hotel, room, rate or reservation, or not a sandbox',
      409: `${createReservation.errors[409]}; \`RESERVATION_CANCELLED\`, \`STAY_BEGUN\`, \`PENALTY_DUE\`, ${cancelReservation.errors[409]}`,
    },
    refusals: { 409: createReservation.refusals[409] },
    examples: [
      {
        summary: 'Book a room',
        request: {
          hotelId: 'H1',
          checkin: '2027-04-20',
          checkout: '2027-04-23',
          rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2, childAges: [5] }],
        },
        answer: { status: 201, body: { code: '201', message: 'Reservation confirmed' } },
      },
      {
        summary: 'A reservation that the hotel does not have',
        request: { hotelId: 'H1', reservation_id: '999999999', status: 'Cancel' },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
}
