import Type from 'typebox'
import { unknownHotelError } from '../push-log/contract.ts'
import { code, integer, oneOf, route, success, text, type ConstraintError } from '../http/route.ts'
import { callbackFaultKinds, orderedFaults, spoilableCalls } from '../webhooks/callback-contract.ts'

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
    hint: 'Call the sandbox with a sandbox key',
  },
  hotelNotFound: unknownHotelError,
  reservationNotFound: {
    type: 'RESERVATION_NOT_FOUND',
    message: 'Reservation not found',
    hint: 'Check hotelId and reservation_id',
  },
  idRequired: {
    type: 'RESERVATION_ID_REQUIRED',
    message: 'reservation_id is required to cancel',
    hint: 'Send the delivered reservation_id',
  },
  durationInvalid: {
    type: 'DURATION_INVALID',
    message: 'advanceBy must be a duration of a second or more',
    hint: 'Send weeks, days, hours, minutes and seconds in ISO 8601: PT10S, PT72H, P30D',
  },
  clockTooFar: {
    type: 'CLOCK_TOO_FAR',
    message: 'The test clock can be at most 400 days ahead',
    hint: 'Reset it with POST /v1/push/sandbox/reset, which also removes your hotels',
  },
  tooManyHotels: {
    type: 'TOO_MANY_REMOVED_HOTELS',
    message: `At most ${hotelsRememberedMax} different hotels can be removed from an account`,
    hint: 'Push hotels under codes that you used before, or request another sandbox account',
  },
} as const satisfies Record<string, ConstraintError>

const calls = oneOf(spoilableCalls, { description: 'Which of your two URLs' })
const fault = oneOf(callbackFaultKinds, {
  description: [
    'timeout: your URL is not called, and the platform’s call times out',
    'status500: it is not called; the platform sees a status of 500',
    'lostReply: it is called, but its answer gets lost: the platform sees a failed call',
    'garbage: it is not called; the platform sees an answer that is not HTTP',
  ].join('; '),
})

const wantedFault = Type.Object({
  calls,
  fault,
  times: Type.Optional(
    integer({ minimum: 1, maximum: orderedFaults.timesMax, description: 'Number of calls; 1 by default' }),
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
    { description: 'Remaining faults, in the order in which they occur' },
  ),
})

const clock = Type.Object(
  {
    now: Type.String({ description: 'The time of your hotels', examples: ['2027-03-04T12:00:00.000Z'] }),
    aheadBy: Type.String({ description: 'An ISO 8601 duration; PT0S: not ahead', examples: ['P3D'] }),
  },
  { description: 'The test clock of your account' },
)

export const onlyInSandbox = 'Only in the sandbox; in production the answer is 404 `NOT_ENABLED`.'

export const sandboxRoutes = {
  orderFaults: route({
    method: 'POST',
    path: '/push/sandbox/faults',
    access: 'supplier',
    tag: 'Sandbox',
    summary: 'Order faults for the calls of your own URLs',
    description: [
      `The next price checks or deliveries of your hotels go wrong, as the platform sees them, whichever process makes them. ${onlyInSandbox}`,
      'The list replaces the previous one; an empty list clears it. Each call gets the first matching fault of the list. Unused faults expire after an hour. Pings are never affected.',
    ].join('\n\n'),
    body: Type.Object({
      faults: Type.Array(wantedFault, {
        maxItems: orderedFaults.perAccountMax,
        description: 'In the order in which they occur',
      }),
    }),
    answer: faultsAnswer,
    errors: { 404: 'Unknown hotel (`Hotel not found`), or not a sandbox' },
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
        summary: 'Clear all faults',
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
    summary: 'Read the remaining faults',
    description: `The faults that have not occurred yet. ${onlyInSandbox}`,
    answer: faultsAnswer,
    errors: { 404: 'Not a sandbox' },
    examples: [
      {
        summary: 'No faults are ordered',
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
      `Moves the time of your hotels and their reservations forward, in every process: the hotel's date, cancellation deadlines, delivery retries and their end after 72 hours, delivery alerts, and the expiry of stored cards. ${onlyInSandbox}`,
      'Work that becomes due is done once, like after an outage of that length; advance in steps to see each retry. The clock only moves forward, 400 days in total; a reset sets it back. It does not affect your keys, rate limits, `Idempotency-Key`, ordered faults, the push log or the timestamps of signatures.',
    ].join('\n\n'),
    body: Type.Object({
      advanceBy: text({
        form: 'an ISO 8601 duration',
        examples: ['P1D'],
        description:
          'An ISO 8601 duration of weeks, days of 24 hours, hours, minutes and seconds: PT10S, PT72H, P30D',
      }),
    }),
    answer: Type.Object({
      ...success,
      clock,
      deliveriesDue: integer({ description: 'Number of your deliveries that are due now' }),
    }),
    errors: { 400: 'Not a duration, or too far ahead', 404: 'Not a sandbox' },
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
    errors: { 404: 'Not a sandbox' },
    examples: [
      {
        summary: 'After advancing it',
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
    summary: 'Remove all your hotels and start over',
    refusesUnknown: true,
    description: [
      `Removes all hotels of your account with products, taxes, ARI, price checks, reservations, cards and deliveries, forgets its Idempotency-Keys and ordered faults, and sets its clock back: all at once, or nothing. ${onlyInSandbox}`,
      'Keys, URLs, signing secrets, the settings of the account and the push log stay. A hotel that is pushed again gets its previous platformHotelId, and its revision continues. The change feed reports each removed hotel. Calls of your URL in progress are not interrupted; their answers are ignored.',
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
      400: 'The body is not empty: only the whole account can be reset',
      404: 'Not a sandbox',
      409: 'Too many different hotels were removed from the account',
    },
    examples: [
      {
        summary: 'Start over',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Sandbox reset' } },
      },
    ],
  }),
}
