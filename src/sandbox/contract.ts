import Type from 'typebox'
import { unknownHotelFault } from '../push-log/contract.ts'
import { code, integer, oneOf, route, success, text, type ConstraintError } from '../http/route.ts'
import { callbackFaults, orderedFaults, spoilableCalls } from '../webhooks/callback-contract.ts'

/** Operations that suppliers have in the sandbox only. */

export const testClock = { aheadMaxDays: 400 }
/**
 * Removed hotels of an account that are remembered, so that they keep their identity when they come back.
 */
export const hotelsRememberedMax = 100_000

export const sandboxErrors = {
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
  durationInvalid: {
    type: 'DURATION_INVALID',
    message: 'advanceBy must be a duration of a second or more',
    hint: 'Send weeks, days, hours, minutes and seconds as ISO 8601 has them: PT10S, PT72H, P30D',
  },
  clockTooFar: {
    type: 'CLOCK_TOO_FAR',
    message: 'The test clock goes 400 days ahead at most',
    hint: 'Set it back with POST /v1/push/sandbox/reset, which removes your hotels too',
  },
  tooManyHotels: {
    type: 'TOO_MANY_REMOVED_HOTELS',
    message: `At most ${hotelsRememberedMax} different hotels can be removed from an account`,
    hint: 'Push hotels under codes that you used before; or ask for another account of the sandbox',
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

const clock = Type.Object(
  {
    now: Type.String({ description: 'The time of your hotels', examples: ['2027-03-04T12:00:00.000Z'] }),
    aheadBy: Type.String({ description: 'A duration of ISO 8601; PT0S: not at all', examples: ['P3D'] }),
  },
  { description: 'The test clock of your account' },
)

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
  advanceClock: route({
    method: 'POST',
    path: '/push/sandbox/clock',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Advance the clock of your hotels',
    description: [
      `Your hotels and their reservations are so much later from now on, in every process: what day it is there, cancellation deadlines, the retries of deliveries and their end after 72 hours, the alerts about them, and how long a card is kept. ${onlyInSandbox}`,
      'What became due is done once, as after an outage of that length; advance in steps to see each retry. The clock only goes forward, 400 days in all; a reset sets it back. It is no clock of your keys, of rate limits, of `Idempotency-Key`, of ordered faults, of the push log, nor of the timestamps of signatures.',
    ].join('\n\n'),
    body: Type.Object({
      advanceBy: text({
        description:
          'A duration of ISO 8601 in weeks, days of 24 hours, hours, minutes and seconds: PT10S, PT72H, P30D',
      }),
    }),
    answer: Type.Object({
      ...success,
      clock,
      deliveriesDue: integer({ description: 'How many of your deliveries are due now' }),
    }),
    errors: { 400: 'Not a duration, or too far', 404: 'This is no sandbox' },
    examples: [
      {
        summary: 'Three days later',
        request: { advanceBy: 'P3D' },
        answer: { status: 200, body: { code: '200', message: 'Clock advanced' } },
      },
      {
        summary: 'Not a duration',
        request: { advanceBy: 'tomorrow' },
        answer: {
          status: 400,
          body: { code: '400', message: 'advanceBy must be a duration of a second or more' },
        },
      },
    ],
  }),
  getClock: route({
    method: 'GET',
    path: '/push/sandbox/clock',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Read the clock of your hotels',
    description: onlyInSandbox,
    answer: Type.Object({ ...success, clock }),
    errors: { 404: 'This is no sandbox' },
    examples: [
      {
        summary: 'After it was advanced',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Clock retrieved successfully' } },
      },
    ],
  }),
  resetSandbox: route({
    method: 'POST',
    path: '/push/sandbox/reset',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Remove all your hotels, and begin anew',
    refusesUnknown: true,
    description: [
      `Removes all hotels of your account with products, taxes, ARI, price checks, reservations, cards and deliveries, forgets its Idempotency-Keys and ordered faults, and sets its clock back: all at once, or nothing. ${onlyInSandbox}`,
      'Keys, URLs, signing secrets, the settings of the account and the push log stay. A hotel that is pushed again has its platformHotelId again, and its revision goes on. The platform is told of each hotel that is removed. A call of your URL that is under way ends as it will; nothing comes of its answer.',
    ].join('\n\n'),
    answer: Type.Object({
      ...success,
      removed: Type.Object({
        hotels: Type.Integer(),
        roomRates: Type.Integer(),
        reservations: Type.Integer(),
        deliveries: Type.Integer(),
      }),
      clock,
    }),
    errors: {
      400: 'Something was sent, as if a part could be reset',
      404: 'This is no sandbox',
      409: 'Too many different hotels were removed from the account',
    },
    examples: [
      {
        summary: 'Begin anew',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Sandbox reset' } },
      },
    ],
  }),
}
