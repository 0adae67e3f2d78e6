import Type, { type Static } from 'typebox'
import { liveOfOffer } from './live-contract.ts'
import {
  amount,
  cancellationMembers,
  cancelPolicyOfStay,
  digestOfTerms,
  feeLine,
  stayTotal,
} from './stay-contract.ts'
import { trace } from './trace-contract.ts'
import { restrictionNames } from '../ari/restrictions.ts'
import { taxTypes } from '../taxes/contract.ts'
import { code, date, integer, oneOf, route, success, text, type ConstraintError } from '../http/route.ts'

export const hotelsPerSearchMax = 200
export const roomsPerStayMax = 20
export const guestsPerRoomMax = 99
export const guestAgeMax = 99
export const stayNightsMax = 365
/** In characters: about 50,000 offers. */
export const offersAnswerMax = 32 * 1024 * 1024

/**
 * Rules that can prevent a booking of a room-rate, in the order of answers, which list failed rules first.
 */
export const offerRules = [
  'hotelAvailable',
  'productAvailable',
  'arrivalDate',
  'occupancy',
  'inventory',
  'price',
  ...restrictionNames,
  'taxes',
  'cancelPolicy',
  'total',
  'liveSoldOut',
] as const
export type OfferRule = (typeof offerRules)[number]

/** For the platform: its reference doesn't match any hotel. */
export const unknownReferenceError = {
  type: 'HOTEL_NOT_FOUND',
  message: 'Hotel not found',
  hint: 'Check platformHotelId, or supplier and hotelId',
} as const satisfies ConstraintError

/** Faults that involve several members. */
export const offerErrors = {
  referenceMissing: {
    type: 'HOTEL_REFERENCE_REQUIRED',
    message: 'Each hotel requires platformHotelId, or supplier and hotelId',
    hint: 'Send platformHotelId alone, or supplier together with hotelId',
  },
  referenceAmbiguous: {
    type: 'HOTEL_REFERENCE_AMBIGUOUS',
    message: 'platformHotelId cannot be sent together with supplier or hotelId',
    hint: 'Send platformHotelId alone, or supplier together with hotelId',
  },
  datesReversed: {
    type: 'DATES_REVERSED',
    message: 'checkout must be later than checkin',
    hint: 'The night before checkout is the last of the stay',
  },
  stayTooLong: {
    type: 'STAY_TOO_LONG',
    message: `A stay must have at most ${stayNightsMax} nights`,
    hint: 'Request a shorter stay',
  },
  answerTooLarge: {
    type: 'ANSWER_TOO_LARGE',
    message: 'The answer would be too large',
    hint: 'Request fewer hotels, or a shorter stay',
  },
} as const satisfies Record<string, ConstraintError>

/** A hotel reference as the platform sends it. */
export const hotelReference = Type.Object(
  {
    platformHotelId: Type.Optional(code({ description: "The platform's own identifier, sent alone" })),
    supplier: Type.Optional(text({ maxLength: 255, description: 'Name of the supplier account' })),
    hotelId: Type.Optional(code({ description: "The supplier's code of the hotel, with `supplier`" })),
  },
  { description: '`platformHotelId`, or `supplier` with `hotelId`' },
)
export type HotelReference = Static<typeof hotelReference>

/** The guests in one room. */
export const requestedRoom = Type.Object({
  adults: integer({ minimum: 1, maximum: guestsPerRoomMax }),
  childAges: Type.Optional(
    Type.Array(integer({ minimum: 0, maximum: guestAgeMax }), {
      maxItems: guestsPerRoomMax,
      description:
        'The age of each child: below the hotel’s minChildAge an infant, up to maxChildAge a child, above that an adult',
    }),
  ),
})

const taxLine = Type.Object({
  type: oneOf(taxTypes),
  included: Type.Boolean({ description: 'Included in the nightly amounts' }),
  payNow: Type.Boolean({ description: 'false: due at the property' }),
  amount: amount('For all rooms and nights'),
})

export const offer = Type.Object({
  roomId: Type.String(),
  platformRoomId: Type.String(),
  roomName: Type.String(),
  rateId: Type.String(),
  platformRateId: Type.String(),
  rateName: Type.String(),
  mealPlan: Type.Union([Type.String(), Type.Null()]),
  unitsLeft: Type.Integer({ description: 'Units that can be sold on every night' }),
  rooms: Type.Array(
    Type.Object({
      nights: Type.Array(Type.Object({ date: Type.String(), amount: amount('The price as pushed') })),
    }),
    { description: 'The requested rooms, in the same order' },
  ),
  taxes: Type.Array(taxLine, { description: 'One line for each pushed tax that applies to the stay' }),
  total: stayTotal,
  ...cancellationMembers,
  cancelPolicy: Type.Union([cancelPolicyOfStay, Type.Null()], {
    description: 'What counts for the date of arrival; null: no policy holds it, so the terms are unknown',
  }),
  termsDigest: digestOfTerms,
  fees: Type.Array(feeLine('For all rooms and nights'), {
    description: 'The fees of the cancellation policy',
  }),
  live: Type.Optional(liveOfOffer(stayTotal)),
  trace: Type.Optional(trace),
})

const setBy = Type.Object(
  {
    requestId: Type.Optional(
      Type.String({ description: 'x-request-id of the push, or of the call by the operator' }),
    ),
    reservationId: Type.Optional(Type.String({ description: 'The reservation that lowered the inventory' })),
    operator: Type.Optional(Type.String({ description: 'The operator who stopped or reopened the sale' })),
    at: Type.String(),
    item: Type.Optional(Type.Integer({ description: 'Index in the list of the push' })),
  },
  {
    description:
      'The origin of the value: a push, as long as the push log retains it, a reservation, or an operator of the platform',
  },
)

export const testedRule = Type.Object({
  rule: oneOf(offerRules),
  pass: Type.Boolean(),
  of: Type.Optional(
    oneOf(['room', 'rate'], { description: 'Whether the value is the room’s or the room-rate’s' }),
  ),
  dates: Type.Array(Type.String(), {
    description: 'Dates with this value; empty if the rule does not depend on the date',
  }),
  held: Type.Unknown({ description: 'The stored value; null if there is none' }),
  asked: Type.Unknown({ description: 'The value that the stay requires' }),
  missing: Type.Optional(
    Type.Object(
      { ageCategory: Type.String(), guests: Type.Integer() },
      { description: 'The price line that the party needs and the room-rate lacks' },
    ),
  ),
  reason: Type.Optional(
    Type.String({
      description:
        'FORMER_CURRENCY: an amount that the stay needs is of a currency that the hotel had before, and unknown until it is pushed again. TAXES_EXCEED_PRICE: the included taxes exceed the price. TOTAL_TOO_LARGE: what guests would pay is too large to be exact',
    }),
  ),
  pushAgain: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With FORMER_CURRENCY: what the supplier must push again, in the hotel’s currency',
    }),
  ),
  setBy: Type.Optional(setBy),
})

const unavailable = Type.Object({
  roomId: Type.String(),
  rateId: Type.String(),
  rules: Type.Array(testedRule, {
    description:
      'Every rule tested, failed rules first; one line for each stored value and the push that set it',
  }),
  nearest: Type.Optional(
    Type.Object(
      {
        checkin: Type.String(),
        checkout: Type.String(),
        rooms: Type.Array(requestedRoom),
        change: Type.String({ description: 'The change in words', examples: ['3 nights instead of 2'] }),
      },
      { description: 'The smallest change that makes the stay bookable, within 14 days' },
    ),
  ),
})

const answer = Type.Object({
  ...success,
  hotels: Type.Array(
    Type.Object({
      platformHotelId: Type.String(),
      supplier: Type.String(),
      hotelId: Type.String(),
      currency: Type.String(),
      revision: Type.Integer({ description: 'Revision of the hotel’s data that the offers are based on' }),
      offers: Type.Array(offer, { description: 'Each is one room-rate for all requested rooms' }),
      unavailable: Type.Optional(Type.Array(unavailable, { description: 'With `explain`' })),
    }),
  ),
  notFound: Type.Array(hotelReference, { description: 'The requested hotels that do not exist' }),
})

const exampleStay = { checkin: '2027-04-20', checkout: '2027-04-23' }

export const offerRoutes = {
  findOffers: route({
    method: 'POST',
    path: '/booking/offers',
    access: 'platform',
    tag: 'Booking',
    summary: 'Find bookable room-rates and their prices',
    description: [
      'Every room-rate of up to 200 hotels that can be booked for a stay: nightly prices, taxes, totals, the cancellation policy and units left. The offers reflect everything acknowledged before the request.',
      'An offer is one room-rate for all requested rooms. With `explain`, room-rates that cannot be booked are listed too: every rule tested, the stored value, the push that set it, and the smallest change of the stay that makes it bookable. With `trace`, each price is explained step by step.',
    ].join('\n\n'),
    body: Type.Object({
      hotels: Type.Array(hotelReference, { minItems: 1, maxItems: hotelsPerSearchMax }),
      checkin: date({ description: 'First night' }),
      checkout: date({ description: 'Day of departure' }),
      rooms: Type.Array(requestedRoom, {
        minItems: 1,
        maxItems: roomsPerStayMax,
        description: 'The guests in each room; all rooms have the same room-rate',
      }),
      explain: Type.Optional(
        Type.Boolean({ description: 'Explain why the other room-rates cannot be booked' }),
      ),
      trace: Type.Optional(Type.Boolean({ description: 'Explain how each price is calculated' })),
    }),
    answer,
    errors: { 400: 'A rule is broken, or the answer would be too large' },
    examples: [
      {
        summary: 'Three nights for two adults and a child',
        request: {
          hotels: [{ platformHotelId: '1' }, { platformHotelId: '999999' }],
          ...exampleStay,
          rooms: [{ adults: 2, childAges: [5] }],
        },
        answer: { status: 200, body: { code: '200', message: 'Offers retrieved successfully' } },
      },
      {
        summary: 'Why a room-rate cannot be booked',
        request: {
          hotels: [{ platformHotelId: '1' }],
          checkin: '2027-04-20',
          checkout: '2027-04-21',
          rooms: [{ adults: 2 }],
          explain: true,
        },
        answer: { status: 200, body: { code: '200', message: 'Offers retrieved successfully' } },
      },
    ],
  }),
}
