import { unknownHotelFault } from '../push-log/contract.ts'
import Type, { type Static } from 'typebox'
import { hotelId } from '../hotels/contract.ts'
import { askedRoom, roomsPerStayMax } from '../offers/contract.ts'
import { code, date, integer, lines, oneOf, route, success, type ConstraintError } from '../http/route.ts'
import { confirmed, delivery, made } from '../bookings/answer-contract.ts'
import { reservationRoutes } from '../bookings/contract.ts'
import { reservationStatuses } from '../webhooks/contract.ts'
import { callbackFaults, orderedFaults, spoilableCalls } from '../webhooks/faults-contract.ts'

/** Operations that suppliers have in the sandbox only. */

export const sandboxFaults = {
  production: {
    type: 'NOT_ENABLED',
    message: 'This exists only in the sandbox',
    hint: 'Call the sandbox, with a key of the sandbox',
  },
  hotelNotFound: unknownHotelFault,
  reservationNotFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check hotelId and reservation_id',
  },
  idRequired: {
    type: 'RESERVATION_ID_REQUIRED',
    message: 'reservation_id is required to cancel',
    hint: 'Send the reservation_id that was delivered',
  },
} as const satisfies Record<string, ConstraintError>

const calls = oneOf(spoilableCalls, { description: 'Which of your two URLs' })
const fault = oneOf(callbackFaults, {
  description: [
    'timeout: your URL is not called, and the platform waits for it in vain',
    'status500: it is not called, and the platform takes it to have answered 500',
    'lostReply: it is called, and its answer gets lost: to the platform the call has failed',
    'garbage: it is not called, and the platform takes the answer to be no HTTP',
  ].join('; '),
})

const wantedFault = Type.Object({
  calls,
  fault,
  times: Type.Optional(
    integer({ minimum: 1, maximum: orderedFaults.timesMax, description: 'How many calls; 1 unless told' }),
  ),
  hotelId: Type.Optional(code({ description: 'Only calls for this hotel' })),
})

const faultsAnswer = Type.Object({
  ...success,
  faults: Type.Array(
    Type.Object({
      calls,
      fault,
      hotelId: Type.Union([Type.String(), Type.Null()], { description: 'null: any of your hotels' }),
      timesLeft: Type.Integer(),
      expiresAt: Type.String({ examples: ['2027-03-01T13:00:00.000Z'] }),
    }),
    { description: 'Those that are still to come, in the order in which they do' },
  ),
})

const { createReservation, cancelReservation } = reservationRoutes
const { customer, payment, expectedTotal, rooms } = createReservation.body.properties
const { guest } = rooms.items.properties

const testBooking = Type.Object({
  hotelId,
  status: Type.Optional(
    oneOf(reservationStatuses, {
      description:
        'Confirm (unless told): book, or with reservation_id modify; Cancel: cancel reservation_id',
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
        ...askedRoom.properties,
        guest: Type.Optional(guest),
      }),
      { minItems: 1, maxItems: roomsPerStayMax, description: 'Not needed to cancel' },
    ),
  ),
  customer: Type.Optional(customer),
  payment: Type.Optional(payment),
  expectedTotal,
  remarks: Type.Optional(lines({ description: 'Of the customer, where no customer is sent' })),
})
export type TestBooking = Static<typeof testBooking>

const cancelled = Type.Object({ ...confirmed, delivery })
/** The answer to a test booking; a cancellation's has no prices. */
export type TestBooked = Static<typeof made> | Static<typeof cancelled>

export const onlyInSandbox = 'Only in the sandbox; in production it is answered with 404 `NOT_ENABLED`.'

export const sandboxRoutes = {
  orderFaults: route({
    method: 'POST',
    path: '/push/sandbox/faults',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Order faults for the calls of your own URLs',
    description: [
      `The next price checks or deliveries of your hotels go wrong, as the platform sees them, whichever process makes them. ${onlyInSandbox}`,
      'The list takes the place of what you ordered before; an empty one clears it. Each call suffers the first fault of the list that is for it. What is left after an hour is forgotten. Pings are never spoiled.',
    ].join('\n\n'),
    body: Type.Object({
      faults: Type.Array(wantedFault, {
        maxItems: orderedFaults.perAccountMax,
        description: 'In the order in which they happen',
      }),
    }),
    answer: faultsAnswer,
    errors: { 404: 'Unknown hotel (`Hotel not found`); or this is no sandbox' },
    examples: [
      {
        summary: 'Two price checks time out, and the reply to a delivery gets lost',
        request: {
          faults: [
            { calls: 'priceCheck', fault: 'timeout', times: 2 },
            { calls: 'pushBooking', fault: 'lostReply', hotelId: 'H1' },
          ],
        },
        answer: { status: 200, body: { code: '200', message: 'Faults ordered' } },
      },
      {
        summary: 'No faults any more',
        request: { faults: [] },
        answer: { status: 200, body: { code: '200', message: 'Faults ordered', faults: [] } },
      },
    ],
  }),
  getFaults: route({
    method: 'GET',
    path: '/push/sandbox/faults',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Read the faults that are still to come',
    description: `What is left of your order. ${onlyInSandbox}`,
    answer: faultsAnswer,
    errors: { 404: 'This is no sandbox' },
    examples: [
      {
        summary: 'Nothing is ordered',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Faults retrieved successfully', faults: [] } },
      },
    ],
  }),
  bookTest: route({
    method: 'POST',
    path: '/push/sandbox/booking',
    access: 'supplier',
    takesIdempotencyKey: true,
    tag: 'Sandbox',
    summary: 'Make a test booking in your own hotel',
    description: [
      `Books, modifies or cancels exactly as the platform does: the stay is checked against what you pushed, your price check is called, inventory is lowered, and the reservation is delivered to your URL. ${onlyInSandbox}`,
      'Without `reservation_id` it makes a reservation, with it a new version of it; `"status": "Cancel"` cancels it. Guest, customer and payment may be left out: then test data stand for them.',
      'Send an `Idempotency-Key` to be sure of one booking: the same key with the same body gives the stored answer.',
    ].join('\n\n'),
    body: testBooking,
    answer: made,
    status: 201,
    answers: { 200: Type.Union([made, cancelled]) },
    errors: {
      400: 'A member is missing or wrong',
      404: 'Unknown hotel, room, rate or reservation; or this is no sandbox',
      409: `${createReservation.errors[409]}; \`RESERVATION_CANCELLED\`, \`STAY_BEGUN\`, ${cancelReservation.errors[409]}`,
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
        summary: 'A reservation of which the hotel knows nothing',
        request: { hotelId: 'H1', reservation_id: '999999999', status: 'Cancel' },
        answer: { status: 404, body: { code: '404', message: 'Reservation not found' } },
      },
    ],
  }),
}
