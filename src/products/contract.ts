import Type, { type Static } from 'typebox'
import { assertedCurrency } from '../hotels/asserted-currency.ts'
import { hotelId } from '../hotels/contract.ts'
import { commonLimits } from '../keys/contract.ts'
import {
  answerMembers,
  code,
  integer,
  nameText,
  route,
  success,
  warning,
  type ConstraintError,
} from '../http/route.ts'
import { cancelPolicy } from './policies/contract.ts'

export const productsPerPushMax = commonLimits.productsPerRequest
/** Limits per hotel, including archived rooms and rates. */
export const roomsPerHotelMax = 2_000
export const ratesPerHotelMax = 2_000
export const roomRatesPerHotelMax = 20_000
export const cancelPoliciesPerProductMax = 50
export const occupancyMax = 99

/** Faults that the schema alone can't find. */
export const productErrors = {
  roomType: {
    type: 'ROOM_TYPE_INVALID',
    message: 'RoomType is not valid',
    hint: 'Send the name of a room type as listed by GET /v1/push/reference',
  },
  mealPlan: {
    type: 'MEAL_PLAN_INVALID',
    message: 'MealPlan is not valid',
    hint: 'Send a code of a meal plan as listed by GET /v1/push/reference',
  },
  repeated: { type: 'DUPLICATE_PRODUCT', message: 'roomId and rateId appear twice in one request' },
  tooManyRooms: {
    type: 'TOO_MANY_ROOMS',
    message: `Maximum ${roomsPerHotelMax} rooms can be kept for a hotel`,
    hint: 'Archived rooms count too; reuse the code of one',
  },
  tooManyRates: {
    type: 'TOO_MANY_RATES',
    message: `Maximum ${ratesPerHotelMax} rates can be kept for a hotel`,
    hint: 'Archived rates count too; reuse the code of one',
  },
  tooManyProducts: {
    type: 'TOO_MANY_PRODUCTS',
    message: `Maximum ${roomRatesPerHotelMax} products can be kept for a hotel`,
    hint: 'Archived products count too; make one of them available again',
  },
} as const satisfies Record<string, ConstraintError>

/** Faults of read-back requests. */
export const productReadErrors = {
  roomNotFound: {
    type: 'ROOM_NOT_FOUND',
    message: 'RoomID not found',
    hint: 'Use a code pushed with POST /push/products',
  },
  rateNotFound: {
    type: 'RATE_NOT_FOUND',
    message: 'RateID not found',
    hint: 'Use a code pushed with POST /push/products',
  },
  readTooLarge: {
    type: 'READ_TOO_LARGE',
    message: `More than ${productsPerPushMax} products are requested`,
    hint: 'Request fewer roomIds or rateIds, and read the rest with more requests',
  },
} as const satisfies Record<string, ConstraintError>

/** Warnings about accepted values. */
export const productWarnings = {
  occupancyLowered: {
    type: 'OCCUPANCY_LOWERED',
    message: 'Occupancy was lowered: stored prices for more guests cannot be sold',
    hint: 'They are kept, but not read back; they can be sold again once the occupancy allows them',
  },
  policiesCleared: {
    type: 'POLICIES_CLEARED',
    message: 'The cancellation policies of the product were cleared: none were sent',
    hint: 'A product is pushed as a whole: send its cancelPolicies again, or [] if it no longer has any',
  },
  infantsStillSold: {
    type: 'INFANTS_STILL_SOLD',
    message: 'maxChild is 0, but infants can still be booked: they are no children',
    hint: 'Send maxInfant 0 too for a house for adults alone, or the number of infants that a room takes',
  },
  /** `pushed`: when, in words. */
  pricesOld: (pushed: string) => ({
    type: 'PRICES_OLD',
    message: `On sale again at the stored prices: the newest was pushed ${pushed}`,
    hint: 'Push the prices with POST /push/ari if they are no longer right, or archive the product until you have',
  }),
  cleared: (members: readonly string[]) => ({
    type: 'CLEARED',
    message: `Cleared, because the push left it out: ${members.join(', ')}`,
    hint: 'A product is pushed as a whole: send what still applies again',
  }),
} as const satisfies Record<string, ConstraintError | ((...facts: never[]) => ConstraintError)>

function limit(member: string, minimum: number, description: string) {
  return integer({
    minimum,
    maximum: occupancyMax,
    description,
    errors: {
      minimum: {
        type: 'OCCUPANCY_INVALID',
        message: minimum === 0 ? `${member} must not be negative` : `${member} must be greater than zero`,
        hint: `Send an integer from ${minimum} to ${occupancyMax}`,
      },
    },
  })
}

export const occupancy = Type.Object({
  maxOccupancy: limit('maxOccupancy', 1, 'Maximum number of guests'),
  maxAdult: Type.Optional(limit('maxAdult', 1, 'Maximum number of adults; absent: the same as maxOccupancy')),
  maxChild: Type.Optional(
    limit('maxChild', 0, 'Maximum number of children; absent: the same as maxOccupancy'),
  ),
  maxInfant: Type.Optional(
    limit(
      'maxInfant',
      0,
      'Maximum number of infants (below the minChildAge of the hotel), who do not count towards maxOccupancy; absent: the same as maxOccupancy. 0 beside maxChild 0: adults alone',
    ),
  ),
})

const withoutOwnRequired = (name: string, fault: ConstraintError) => ({
  '*': fault,
  required: { type: 'REQUIRED', message: `${name} is required`, hint: `Send ${name}` },
})

export const product = Type.Object({
  roomId: code({ description: "The supplier's own code of the room" }),
  roomType: Type.String({
    description: 'Name of a room type of the reference data; belongs to the room',
    errors: withoutOwnRequired('roomType', productErrors.roomType),
    examples: ['Double'],
  }),
  rateId: code({ description: "The supplier's own code of the rate" }),
  roomName: nameText({ maxLength: 255, description: 'Display name; belongs to the room' }),
  rateName: nameText({ maxLength: 255, description: 'Display name; belongs to the rate' }),
  isAvailable: Type.Boolean({ description: 'false archives the room-rate' }),
  mealPlan: Type.Optional(
    Type.String({
      description: 'Code of a meal plan of the reference data',
      errors: { '*': productErrors.mealPlan },
      examples: ['BB'],
    }),
  ),
  occupancy,
  cancelPolicies: Type.Optional(
    Type.Array(cancelPolicy, { maxItems: cancelPoliciesPerProductMax, description: 'Cancellation rules' }),
  ),
})
export type Product = Static<typeof product>

const count = Type.Integer({ minimum: 0 })
const codes = (description: string) =>
  Type.Optional(Type.Array(code(), { minItems: 1, maxItems: 500, description }))

export const productRoutes = {
  pushProducts: route({
    method: 'POST',
    path: '/push/products',
    access: 'supplier',
    tag: 'Products',
    summary: 'Create or update rooms, rates and the room-rates of a hotel',
    description: [
      'All products or none: if one product is invalid, the push is refused, and the answer lists every invalid product.',
      'A product is a room with a rate. `roomType` and `roomName` belong to the room, `rateName` to the rate, the rest to the pair; the last push wins.',
      'Each product is the full state of its pair: an optional field that is left out is cleared. Products that are not sent stay as they are; `isAvailable: false` archives one.',
      'Infants are no children: a house for adults alone sends `maxInfant: 0` beside `maxChild: 0`.',
      'A lower occupancy keeps the stored prices, but those for more guests cannot be sold, and are not read back, until it allows them again.',
      '`channelManagerId` in the body is ignored: the key identifies the channel manager.',
    ].join('\n'),
    body: Type.Object(
      {
        hotelId,
        currency: assertedCurrency,
        products: Type.Array(product, { minItems: 1, maxItems: productsPerPushMax }),
      },
      { ignored: [...answerMembers] },
    ),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      revision: Type.Integer({ description: "The hotel's revision after the push" }),
      requestId: Type.String(),
      created: count,
      updated: count,
      unchanged: count,
      warnings: Type.Array(warning),
    }),
    errors: {
      400: 'At least one product breaks a rule; nothing was applied',
      404: 'Unknown hotel',
    },
    pushKind: 'products',
    examples: [
      {
        summary: 'A double room with a flexible and a non-refundable rate',
        request: {
          hotelId: 'H1',
          products: [
            {
              roomId: 'DBL',
              roomType: 'Double',
              roomName: 'Double Room with Courtyard View',
              rateId: 'BAR',
              rateName: 'Best Available Rate',
              isAvailable: true,
              mealPlan: 'BB',
              occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
              cancelPolicies: [
                {
                  code: 'FLEX2',
                  description: 'Free cancellation until 2 days before arrival, then the first night',
                  cancelPenalties: [
                    {
                      noShow: false,
                      cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: 2, deadline: '18:00' },
                      penaltyCharge: { chargeBase: 'NightBase', nights: 1 },
                    },
                    { noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } },
                  ],
                  fees: [{ name: 'Handling', valueType: 'fixed', value: 5, appliedPer: 'per_room_per_stay' }],
                },
              ],
            },
            {
              roomId: 'DBL',
              roomType: 'Double',
              roomName: 'Double Room with Courtyard View',
              rateId: 'NRF',
              rateName: 'Non-refundable',
              isAvailable: true,
              mealPlan: 'RO',
              occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
            },
          ],
        },
        answer: { status: 200, body: { code: '200', message: 'Hotel rates & rooms saved successfully' } },
      },
    ],
  }),
  getProducts: route({
    method: 'POST',
    path: '/push/getProducts',
    access: 'supplier',
    tag: 'Products',
    summary: 'Read back the products of a hotel',
    description: `The same shape as the push, policies and fees included, archived products too: posting it back changes nothing. At most ${productsPerPushMax} products in one answer.`,
    body: Type.Object({
      hotelId,
      roomIds: codes('Only these rooms'),
      rateIds: codes('Only these rates'),
    }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      revision: Type.Integer({ description: "The hotel's revision at the time of the read" }),
      products: Type.Array(product),
    }),
    errors: { 404: 'Unknown hotel, room or rate' },
    examples: [
      {
        summary: 'The products of one room',
        request: { hotelId: 'H1', roomIds: ['DBL'] },
        answer: { status: 200, body: { code: '200', message: 'Products retrieved successfully' } },
      },
    ],
  }),
}
