import Type, { type Static } from 'typebox'
import { guestAgeMax, guestsPerRoomMax, roomsPerStayMax, stayNightsMax } from '../offers/contract.ts'
import { code, date, decimal, integer } from '../http/route.ts'
import { cancelPenalty } from '../reference/cancel-penalty-contract.ts'
import type { CallbackDescription } from '../webhooks/callback-contract.ts'

/** The price check of the specification: the platform's request and the supplier's answer. */

const currency = Type.String({ description: 'ISO currency code', pattern: '^[A-Z]{3}$', examples: ['USD'] })

/** The members of a request that describe the stay. */
export const stayToCheck = {
  roomId: code({ description: 'Your room code, as in products and ARI' }),
  rateId: code({ description: 'Your rate code, as in products and ARI' }),
  checkin: date({ description: 'Arrival' }),
  checkout: date({ description: 'Departure' }),
  roomCount: integer({ minimum: 1, maximum: roomsPerStayMax, description: 'Rooms of this kind' }),
  adultCount: integer({ minimum: 1, maximum: guestsPerRoomMax, description: 'Adults in one room' }),
  childAges: Type.Array(integer({ minimum: 0, maximum: guestAgeMax }), {
    maxItems: guestsPerRoomMax,
    description: 'Age of each child in one room',
  }),
}

export const priceCheckRequest = Type.Object({
  hotelId: code({ description: 'Your hotel code' }),
  ...stayToCheck,
})
export type PriceCheckRequest = Static<typeof priceCheckRequest>

const amounts = (description: string) =>
  Type.Array(decimal({ atLeastZero: true }), { minItems: 1, maxItems: stayNightsMax, description })

/** The members that a booking relies on. An answer in which one is missing or malformed is invalid. */
const needed = {
  roomId: code({ description: 'As requested' }),
  rateId: code({ description: 'As requested' }),
  currency,
  inventory: integer({
    description: 'Units available; less than roomCount is sold out, below zero counts as 0',
  }),
  amountBeforeTax: amounts('One element for each night, for one room, without taxes'),
  amountAfterTax: amounts(
    'One element for each night, for one room, with the taxes charged; not less than before tax',
  ),
}

export const priceCheckNeeded = Type.Object({ roomRate: Type.Object(needed) })
export type PriceCheckNeeded = Static<typeof priceCheckNeeded>

/** The documented answer of suppliers; `mealPlan` and `cancelPolicy` are compared with what is sold. */
export const priceCheckAnswer = Type.Object({
  roomRate: Type.Object({
    ...needed,
    mealPlan: Type.Optional(
      Type.String({
        description: 'Meal plan code; another one than you pushed is told and may refuse the booking',
      }),
    ),
    cancelPolicy: Type.Optional(
      Type.Object({
        code: Type.Optional(Type.String({ description: 'Policy code' })),
        description: Type.Optional(Type.String({ description: 'For people' })),
        cancelPenalties: Type.Optional(
          Type.Array(cancelPenalty, {
            description: 'Others than you pushed, by time or cost, are told and may refuse the booking',
          }),
        ),
      }),
    ),
  }),
})
export type PriceCheckAnswer = Static<typeof priceCheckAnswer>

export const priceCheckCallback = {
  summary: 'Price check',
  description: [
    'Sent to the URL of `POST /push/webhook/availability` after a guest has chosen a rate and before the booking is made. Answer with your live price and availability, within 2 seconds, connection included; an answer that comes later does not count.',
    'It is sent a second time only if no byte of the first attempt could be sent. The codes, the currency and the number of nights must be as requested.',
  ].join('\n\n'),
  body: priceCheckRequest,
  answer: priceCheckAnswer,
  answers: { 200: 'The live price', default: 'Anything else is a failed price check' },
  example: {
    request: {
      hotelId: 'H1',
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: '2027-04-15',
      checkout: '2027-04-17',
      roomCount: 1,
      adultCount: 2,
      childAges: [5],
    },
    answer: {
      roomRate: {
        roomId: 'DBL',
        rateId: 'BAR',
        currency: 'USD',
        inventory: 4,
        amountBeforeTax: [100, 110],
        amountAfterTax: [110, 121],
        mealPlan: 'BB',
        cancelPolicy: {
          code: 'FLEX',
          description: 'Free until two days before arrival',
          cancelPenalties: [
            {
              noShow: false,
              cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
              penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
            },
            { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } },
          ],
        },
      },
    },
  },
} as const satisfies CallbackDescription
