import Type, { type Static } from 'typebox'
import { trace } from './trace-contract.ts'
import { restrictionNames } from '../ari/restrictions.ts'
import { feeAppliedPers } from '../products/cancel-policy-contract.ts'
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
    hint: 'Ask for shorter stays',
  },
  answerTooLarge: {
    type: 'ANSWER_TOO_LARGE',
    message: 'The answer would be too large',
    hint: 'Ask for fewer hotels, or for a shorter stay',
  },
} as const satisfies Record<string, ConstraintError>

/** A hotel reference as the platform sends it. */
export const hotelReference = Type.Object(
  {
    platformHotelId: Type.Optional(code({ description: "The platform's own identifier, alone" })),
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
        'The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult',
    }),
  ),
})

const amount = (description: string) => Type.String({ description, examples: ['110.00'] })

export const stayTotal = Type.Object(
  {
    beforeTax: amount('Prices without the taxes that they contain'),
    tax: amount('All taxes that are charged'),
    afterTax: amount('What is charged'),
    dueAtProperty: amount('Taxes with payNow false: paid at the property, besides'),
  },
  { description: 'For all rooms and nights' },
)

export const cancelPolicyOfStay = Type.Object({
  code: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  penalties: Type.Array(
    Type.Object({
      from: Type.Union([Type.String(), Type.Null()], {
        description:
          "Instant in the hotel's zone from which on the amount is charged; null: from the booking on",
        examples: ['2027-04-13T18:00:00+02:00'],
      }),
      amount: amount('What is charged then, of `total.afterTax`'),
      noShow: Type.Optional(Type.Boolean({ description: 'true: charged when the guests do not come' })),
    }),
    { description: 'Earliest first, no-show last; none: cancelling is free' },
  ),
})

const taxLine = Type.Object({
  type: oneOf(taxTypes),
  included: Type.Boolean({ description: 'Part of the nights’ amounts' }),
  payNow: Type.Boolean({ description: 'false: due at the property' }),
  amount: amount('Of all rooms and nights'),
})

export const feeLine = (of: string) =>
  Type.Object({
    name: Type.String(),
    amount: amount(of),
    appliedPer: oneOf(feeAppliedPers),
    payNow: Type.Literal(false, { description: 'Paid at the property, in no total' }),
  })

const offer = Type.Object({
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
    { description: 'As asked, in the same order' },
  ),
  taxes: Type.Array(taxLine, { description: 'One an entry of the pushed taxes that applies to the stay' }),
  total: stayTotal,
  cancelPolicy: Type.Union([cancelPolicyOfStay, Type.Null()], {
    description: 'The one that applies to the date of arrival',
  }),
  fees: Type.Array(feeLine('Of all rooms and nights'), { description: 'Those of the cancellation policy' }),
  trace: Type.Optional(trace),
})

const setBy = Type.Object(
  {
    requestId: Type.Optional(Type.String({ description: 'Of the push' })),
    reservationId: Type.Optional(Type.String({ description: 'Of a reservation that lowered the inventory' })),
    operator: Type.Optional(Type.String({ description: 'Who stopped the sale, or opened it' })),
    at: Type.String(),
    item: Type.Optional(Type.Integer({ description: 'Index in the list of the push' })),
  },
  {
    description:
      'What set the value: the push, while the push log keeps it, a reservation, or an operator of the platform',
  },
)

export const testedRule = Type.Object({
  rule: oneOf(offerRules),
  pass: Type.Boolean(),
  of: Type.Optional(
    oneOf(['room', 'rate'], { description: 'Whether the value is the room’s or the room-rate’s' }),
  ),
  dates: Type.Array(Type.String(), { description: 'On which the value was held; none: whatever the date' }),
  held: Type.Unknown({ description: 'The value; null where there is none' }),
  asked: Type.Unknown({ description: 'What the stay asks for' }),
  missing: Type.Optional(
    Type.Object(
      { ageCategory: Type.String(), guests: Type.Integer() },
      { description: 'The price line that the party lacks' },
    ),
  ),
  reason: Type.Optional(
    Type.String({ description: 'TAXES_EXCEED_PRICE: included taxes are more than the price' }),
  ),
  setBy: Type.Optional(setBy),
})

const unavailable = Type.Object({
  roomId: Type.String(),
  rateId: Type.String(),
  rules: Type.Array(testedRule, {
    description:
      'Every rule tested, those that fail first; one line for each value held and push that set it',
  }),
  nearest: Type.Optional(
    Type.Object(
      {
        checkin: Type.String(),
        checkout: Type.String(),
        rooms: Type.Array(requestedRoom),
        change: Type.String({ description: 'In words', examples: ['3 nights instead of 2'] }),
      },
      { description: 'The smallest change that makes it bookable, within 14 days' },
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
      revision: Type.Integer({ description: 'Of the hotel’s data that the offers were made of' }),
      offers: Type.Array(offer, { description: 'A room-rate for all the rooms asked' }),
      unavailable: Type.Optional(Type.Array(unavailable, { description: 'With `explain`' })),
    }),
  ),
  notFound: Type.Array(hotelReference, { description: 'Hotels that there are not, as asked' }),
})

const exampleStay = { checkin: '2027-04-20', checkout: '2027-04-23' }

export const offerRoutes = {
  findOffers: route({
    method: 'POST',
    path: '/booking/offers',
    access: 'platform',
    tag: 'Booking',
    summary: 'What can be booked, and for how much',
    description: [
      'Every room-rate of up to 200 hotels that can be booked for a stay: nightly prices, taxes, totals, the cancellation policy and units left. Made of everything acknowledged when the request came.',
      'An offer is one room-rate for all the rooms asked. With `explain`, what cannot be booked is listed too: every rule tested, the value held, the push that set it, and the smallest change of the stay that makes it bookable. With `trace`, each price step by step.',
    ].join('\n\n'),
    body: Type.Object({
      hotels: Type.Array(hotelReference, { minItems: 1, maxItems: hotelsPerSearchMax }),
      checkin: date({ description: 'First night' }),
      checkout: date({ description: 'Day of departure' }),
      rooms: Type.Array(requestedRoom, {
        minItems: 1,
        maxItems: roomsPerStayMax,
        description: 'Who stays in each room; all rooms are of one room-rate',
      }),
      explain: Type.Optional(Type.Boolean({ description: 'Say of all others why they cannot be booked' })),
      trace: Type.Optional(Type.Boolean({ description: 'Say how each price comes about' })),
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
        summary: 'Why it cannot be booked',
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
