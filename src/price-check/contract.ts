import Type, { type Static } from 'typebox'
import { hotelReference, offer, unknownReferenceError } from '../offers/contract.ts'
import { queryText, code, oneOf, queriedLimit, route, success, type ConstraintError } from '../http/route.ts'
import { priceCheckRequest, stayToCheck } from './callback-contract.ts'
import { orNull, termsDifference } from './terms-contract.ts'

/** The result of a price check. */
export const priceCheckOutcomes = [
  'available',
  'price_changed',
  'sold_out',
  'invalid_response',
  'timeout',
  'supplier_error',
  'circuit_open',
  'not_registered',
] as const
export type PriceCheckOutcome = (typeof priceCheckOutcomes)[number]

/** Outcomes for which the account's `onFailure` decides. */
export const failedOutcomes = [
  'invalid_response',
  'timeout',
  'supplier_error',
  'circuit_open',
] as const satisfies readonly PriceCheckOutcome[]
export type FailedOutcome = (typeof failedOutcomes)[number]

/** For a whole check, as measured by its caller. */
export const priceCheckBudgetMs = 2_000
export const connectWithinMs = 500
export const priceChecksRetainedDays = 90
/** For so long searches heed what a supplier answered. */
export const usualLiveAnswerSeconds = 300
/** When a refusal because of a failed check may be tried again, unless the pause of the URL lasts longer. */
export const checkAgainAfterSeconds = 5
export const checksPerPage = { max: 500, usual: 100 }
/** The most nights listed in a hotel's drift. */
export const driftNightsMax = 100

export const priceCheckErrors = {
  hotelNotFound: unknownReferenceError,
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Check a room from POST /v1/booking/offers',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Check a room and rate that POST /v1/booking/offers lists together',
  },
} as const satisfies Record<string, ConstraintError>

const outcome = oneOf(priceCheckOutcomes, {
  description: [
    'available: at the stored price, or within the tolerance of it',
    'price_changed: at another price, or nothing is stored to compare it with',
    'sold_out: fewer units than rooms requested, without those that a modified reservation holds, whatever else the answer lacks; live is then null',
    'invalid_response: the answer does not fit the request',
    'timeout: none in time',
    'supplier_error: no connection, a broken one, or a status other than 2xx',
    'circuit_open: not called, because the URL failed several times in a row',
    'not_registered: no URL to ask',
  ].join('; '),
})

const amounts = (description: string) =>
  Type.Array(Type.String({ examples: ['110.00'] }), {
    description: `${description}; one element for each night`,
  })

const live = Type.Object({
  currency: Type.String(),
  inventory: Type.Integer({ description: 'Units available' }),
  amountBeforeTax: amounts('For one room, without taxes'),
  amountAfterTax: amounts('For one room, with the taxes that are charged'),
})

const stored = Type.Object({
  currency: Type.String(),
  inventory: Type.Integer({ description: 'Units that can be sold on every night' }),
  amountBeforeTax: orNull(amounts('For one room, without taxes'), 'null: no price is stored for the party'),
  amountAfterTax: orNull(
    amounts('For one room, with the taxes that are charged'),
    'null: no price is stored for the party',
  ),
  bookable: Type.Boolean({ description: 'Whether the stored data allows the stay to be booked' }),
  revision: Type.Integer({ description: 'Revision of the hotel’s data that was used' }),
})

const failure = Type.Object(
  {
    reason: Type.String({ description: 'Stable code', examples: ['other_nights'] }),
    message: Type.String({ description: 'For people' }),
    httpStatus: Type.Optional(Type.Integer({ description: 'Status of the answer, if there was one' })),
  },
  { description: 'Reason for the missing live answer, also of a sold_out that is broken otherwise' },
)

const compared = {
  outcome,
  bookable: Type.Boolean({
    description:
      'Whether a booking would be made now, at the stored price. With price_changed it takes expectedTotal; after a failed check the account’s onFailure decides',
  }),
  live: orNull(live, 'null: there was no valid answer'),
  stored,
  difference: orNull(
    Type.String({ examples: ['-12.00'] }),
    'Live minus stored amountAfterTax over all nights and rooms; null where one of them is missing',
  ),
  durationMs: Type.Integer({ description: 'From the request to the outcome' }),
  failure: Type.Optional(failure),
  termsDiffer: Type.Optional(
    Type.Array(termsDifference, {
      description:
        'Meal plan and penalties of the live answer that differ from what is sold; absent: none. Whether they forbid the booking is the account’s onTermsDiffer',
    }),
  ),
}

export const listedCheck = Type.Object({
  priceCheckId: Type.String(),
  webhookId: orNull(
    Type.String(),
    'webhook-id of the call; the same for identical checks at the same time; null: no call was made',
  ),
  at: Type.String({ examples: ['2027-01-15T10:00:00.000Z'] }),
  ...priceCheckRequest.properties,
  ...compared,
})
export type ListedCheck = Static<typeof listedCheck>

const push = Type.Object(
  {
    revision: Type.Integer({ description: 'Revision of the hotel that the push created' }),
    requestId: Type.Optional(Type.String({ description: 'Present while the push log stores it' })),
    at: Type.Optional(Type.String()),
  },
  { description: 'The push that set the price' },
)

const driftNight = Type.Object({
  roomId: Type.String(),
  rateId: Type.String(),
  date: Type.String(),
  checks: Type.Integer({ description: 'Live answers' }),
  differing: Type.Integer({ description: 'Answers whose amountAfterTax differs from the stored one' }),
  soldOut: Type.Integer({
    description: 'Answers of sold out although enough units were stored; their prices are not compared',
  }),
  mealPlanDiffers: Type.Integer({ description: 'Answers with another meal plan than is sold' }),
  cancelPolicyDiffers: Type.Integer({ description: 'Answers with other penalties than are sold' }),
  largest: Type.String({
    description: 'Largest difference, live minus stored, of one room',
    examples: ['-5.00'],
  }),
  stored: orNull(Type.String(), 'amountAfterTax at the last comparison; null: none was made'),
  live: orNull(Type.String(), 'amountAfterTax at the last comparison'),
  setBy: orNull(push, 'The push of the stored price'),
  lastAt: Type.String({ description: 'Time of the last live answer' }),
  differsSince: orNull(
    Type.Object({ at: Type.String({ description: 'First check of the run' }), setBy: push }),
    'When the comparisons began to differ, and the push whose price was stored then; null: the last comparison did not differ',
  ),
})
export type DriftNight = Static<typeof driftNight>

const drift = Type.Object(
  {
    currency: Type.String(),
    nights: Type.Integer({ description: 'Nights of room-rates with at least one live answer' }),
    differingNights: Type.Integer({ description: 'Nights whose last comparison differed' }),
    checks: Type.Integer({ description: 'Live answers, counted for each night' }),
    differing: Type.Integer(),
    soldOut: Type.Integer(),
    mealPlanDiffers: Type.Integer(),
    cancelPolicyDiffers: Type.Integer(),
    worst: Type.Array(driftNight, {
      maxItems: driftNightsMax,
      description:
        'Nights that ever differed, in price or terms, or were sold out: those that differ still come first, the largest difference first',
    }),
  },
  {
    description:
      'How the live answers differ from what is stored, night by night from yesterday on; with `hotelId`, on the first page. `roomId` and `rateId` narrow it, the other parameters do not',
  },
)
export type Drift = Static<typeof drift>

const exampleStay = {
  hotel: { platformHotelId: '1' },
  roomId: 'DBL',
  rateId: 'BAR',
  checkin: '2027-04-20',
  checkout: '2027-04-23',
  roomCount: 1,
  adultCount: 2,
  childAges: [5],
}

export const priceCheckRoutes = {
  checkPrice: route({
    method: 'POST',
    path: '/booking/priceCheck',
    access: 'platform',
    tag: 'Booking',
    summary: 'Ask the supplier for the live price',
    description: [
      `Asks the supplier’s URL for one room-rate and one party, and compares the answer with what is stored. Answered within ${priceCheckBudgetMs} ms, whatever the supplier does. Identical checks at the same time share one call.`,
      '`adultCount` and `childAges` describe one room; rooms with other parties take a check of their own.',
    ].join('\n\n'),
    body: Type.Object({
      hotel: hotelReference,
      ...stayToCheck,
      roomCount: Type.Optional({
        ...stayToCheck.roomCount,
        description: 'Rooms of this kind; 1 by default',
      }),
      childAges: Type.Optional({
        ...stayToCheck.childAges,
        description: 'Age of each child in one room; no children by default',
      }),
    }),
    answer: Type.Object({
      ...success,
      priceCheckId: Type.String(),
      ...compared,
      offer: orNull(
        offer,
        'The rooms as they would be booked now, at the live price after `price_changed`, otherwise at the stored one; null: they would not be booked',
      ),
    }),
    errors: { 404: 'Unknown hotel, room or rate' },
    examples: [
      {
        summary: 'One room for two adults and a child',
        request: exampleStay,
        answer: { status: 200, body: { code: '200', message: 'Price checked' } },
      },
      {
        summary: 'A rate that the room does not have',
        request: { ...exampleStay, rateId: 'WEEKEND' },
        answer: { status: 404, body: { code: '404', message: 'RateID not found' } },
      },
    ],
  }),
  listPriceChecks: route({
    method: 'GET',
    path: '/push/priceChecks',
    access: 'supplier',
    tag: 'Webhooks',
    summary: 'Price checks of your hotels, and how far your answers differ from your pushes',
    description: `Every price check of this account, newest first, with the stored and the live price side by side, for ${priceChecksRetainedDays} days. With \`hotelId\` the first page has the drift of the hotel too: on which nights your live answers differ from what you pushed, how often, how far, and since which push.`,
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only checks of this hotel' })),
      roomId: Type.Optional(code({ description: 'Only checks of this room' })),
      rateId: Type.Optional(code({ description: 'Only checks of this rate' })),
      outcome: Type.Optional(oneOf(priceCheckOutcomes)),
      since: queryText('At or after this: a date (UTC) or an ISO 8601 instant'),
      until: queryText('Before this instant, or on this date (UTC) or before'),
      cursor: queryText('nextCursor of the previous page'),
      limit: queriedLimit('checks', checksPerPage),
    }),
    answer: Type.Object({
      ...success,
      priceChecks: Type.Array(listedCheck),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
      drift: Type.Optional(drift),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'The newest checks of a hotel, and its drift',
        request: { hotelId: 'H1', limit: '10' },
        answer: { status: 200, body: { code: '200', message: 'Price checks retrieved successfully' } },
      },
    ],
  }),
}
