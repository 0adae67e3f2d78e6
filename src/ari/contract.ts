import Type, { type Static } from 'typebox'
import { weekdays } from '../platform/calendar.ts'
import {
  code,
  date,
  integer,
  nullableBoolean,
  nullableInteger,
  oneOf,
  problem,
  route,
  success,
  warning,
} from '../platform/route.ts'
import { ageCategories, guestsMax, type RestrictionField } from './fields.ts'

/** Nights that may be pushed: from yesterday to this many days ahead, in the hotel's zone. */
export const daysAheadMax = 760
export const inventoryMax = 99_999
export const restrictionMax = 999
/** Rate lines an item may carry. */
export const ratesPerItemMax = 500
export const pricesPerRateMax = 300
/** The most that any key may be allowed; its own limit is smaller. */
export const itemsMax = 100_000

export const pricingModels = ['unit', 'guest'] as const
export type PricingModel = (typeof pricingModels)[number]

const pricingModel = oneOf(pricingModels, {
  description:
    'Exactly `unit` (a price for the room) or `guest` (a price by number of guests). Required when a price is sent',
  errors: {
    '*': {
      type: 'PRICING_MODEL_INVALID',
      message: 'pricingModel must be unit or guest',
      hint: 'Lower case; Daily and LOS are not pricing models',
    },
  },
})

const nullableAmount = Type.Unsafe<number | string | null>({
  type: ['number', 'string', 'null'],
  decimal: 'any',
  description: "A number or decimal string with at most the currency's minor digits; null clears",
  examples: [110, '110.50'],
})

const closed = nullableBoolean({ description: 'true stops the sale; false and null open it' })

const restrictionDescriptions: Readonly<Record<RestrictionField, string>> = {
  minLengthStay: 'Stay-through: shortest stay that may include the night',
  maxLengthStay: 'Stay-through: longest stay that may include the night',
  minStayArrival: 'Shortest stay that may arrive on the date',
  maxStayArrival: 'Longest stay that may arrive on the date',
  minAdvanceDays: 'Fewest days between booking and arrival on the date',
  maxAdvanceDays: 'Most days between booking and arrival on the date',
}

function restriction(field: RestrictionField) {
  const description = `${restrictionDescriptions[field]}. 0 and null clear`
  return Type.Optional(nullableInteger({ minimum: 0, maximum: restrictionMax, description }))
}

const restrictions = {
  closedToArrival: Type.Optional(nullableBoolean({ description: 'No stay may arrive on the date' })),
  closedToDeparture: Type.Optional(nullableBoolean({ description: 'No stay may depart on the date' })),
  minLengthStay: restriction('minLengthStay'),
  maxLengthStay: restriction('maxLengthStay'),
  minStayArrival: restriction('minStayArrival'),
  maxStayArrival: restriction('maxStayArrival'),
  minAdvanceDays: restriction('minAdvanceDays'),
  maxAdvanceDays: restriction('maxAdvanceDays'),
} satisfies Record<RestrictionField | 'closedToArrival' | 'closedToDeparture', unknown>

const inventory = Type.Optional(
  nullableInteger({
    minimum: 0,
    maximum: inventoryMax,
    description: 'Units that can be sold, absolute; null clears (not sellable)',
  }),
)

const guests = integer({
  minimum: 1,
  maximum: guestsMax,
  description: 'How many guests of the category the amount is for, in total',
})
const ageCategory = oneOf(ageCategories, { description: 'Only in the guest model' })

const priceLine = Type.Object({
  guests: Type.Optional(guests),
  ageCategory: Type.Optional(ageCategory),
  amount: nullableAmount,
})
export type PriceLine = Static<typeof priceLine>

const prices = Type.Optional(
  Type.Unsafe<PriceLine[] | null>({
    type: ['array', 'null'],
    items: priceLine,
    maxItems: pricesPerRateMax,
    description: 'Price lines; each touches only its own (ageCategory, guests). null clears all prices',
  }),
)

const rateLine = Type.Object({
  rateId: code({
    description: 'As in products',
    errors: { required: { type: 'RATE_ID_REQUIRED', message: 'rateId is required' } },
  }),
  pricingModel: Type.Optional(pricingModel),
  inventory,
  closed: Type.Optional(closed),
  ...restrictions,
  prices,
  price: Type.Optional(nullableAmount),
})
export type RateLine = Static<typeof rateLine>

const ariItem = Type.Object({
  roomId: code({
    description: 'As in products',
    errors: { required: { type: 'ROOM_ID_REQUIRED', message: 'roomId is required' } },
  }),
  date: Type.Optional(date({ description: 'One night; or startDate with endDate' })),
  startDate: Type.Optional(date({ description: 'First night' })),
  endDate: Type.Optional(date({ description: 'Last night, included' })),
  daysOfWeek: Type.Optional(
    Type.Array(oneOf(weekdays), { minItems: 1, maxItems: 7, description: 'Only these nights of the range' }),
  ),
  inventory,
  closed: Type.Optional(closed),
  rates: Type.Optional(Type.Array(rateLine, { minItems: 1, maxItems: ratesPerItemMax })),
  // The flat form: one rate line an item.
  rateId: Type.Optional(code({ description: 'Flat form: the item itself is the rate line' })),
  pricingModel: Type.Optional(pricingModel),
  ...restrictions,
  prices,
  price: Type.Optional(nullableAmount),
  amount: Type.Optional(nullableAmount),
  guests: Type.Optional(guests),
  ageCategory: Type.Optional(ageCategory),
})
export type AriItem = Static<typeof ariItem>

export const hotelId = code({
  description: "The supplier's own code of the hotel",
  errors: {
    required: {
      type: 'HOTEL_ID_REQUIRED',
      message: 'hotelId is required',
      hint: 'Send the hotelId pushed with POST /push/hotels',
    },
  },
})

export const pushAriBody = Type.Object({
  hotelId,
  pricingModel: Type.Optional(pricingModel),
  currency: Type.Optional(Type.String({ maxLength: 3, description: "Asserts the hotel's currency" })),
  mode: Type.Optional(
    oneOf(['delta', 'overlay'], {
      description:
        '`delta` (default): what is absent stays. `overlay`: on the named room-rates and dates, what is absent is cleared',
    }),
  ),
  atomic: Type.Optional(Type.Boolean({ description: 'true: all items or none' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: the same answer, nothing applied' })),
  sequence: Type.Optional(
    integer({
      minimum: 0,
      description:
        'Per key and hotel: each cell field keeps the value of the highest sequence, whatever the order of arrival',
    }),
  ),
  ari: Type.Array(ariItem, { minItems: 1, maxItems: itemsMax, description: 'Applied in this order' }),
})
export type PushAriBody = Static<typeof pushAriBody>

export const itemStatuses = ['applied', 'partial', 'rejected', 'superseded', 'unchanged'] as const
export type ItemStatus = (typeof itemStatuses)[number]

const count = Type.Integer({ minimum: 0 })
const pushAriAnswer = Type.Object({
  ...success,
  hotelId: Type.String(),
  revision: Type.Integer({ description: "The hotel's revision after the push" }),
  requestId: Type.String(),
  dryRun: Type.Optional(Type.Boolean()),
  summary: Type.Object({
    items: count,
    applied: count,
    partial: count,
    rejected: count,
    superseded: count,
    unchanged: count,
    cellsChanged: Type.Integer({ description: 'Nights of a room or room-rate that changed' }),
  }),
  results: Type.Array(
    Type.Object({
      index: count,
      status: oneOf(itemStatuses),
      cellsChanged: count,
      errors: Type.Optional(Type.Array(problem)),
      warnings: Type.Optional(Type.Array(warning)),
    }),
  ),
})

export const getAriBody = Type.Object({
  hotelId,
  roomIds: Type.Optional(Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rooms' })),
  rateIds: Type.Optional(Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rates' })),
  startDate: date({ description: 'First night' }),
  endDate: date({ description: 'Last night, included' }),
})

const getAriAnswer = Type.Object({
  ...success,
  hotelId: Type.String(),
  revision: Type.Integer(),
  currency: Type.String(),
  pricingModel: Type.Optional(oneOf(pricingModels)),
  ari: Type.Array(ariItem),
  warnings: Type.Optional(Type.Array(warning)),
})

export const ariRoutes = {
  pushAri: route({
    method: 'POST',
    path: '/push/ari',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Push availability, rates, inventory and restrictions',
    description: [
      'Daily ARI of one hotel, in ranges of dates. Items are judged one by one: those in order are applied, the others',
      'are reported with their reason (HTTP 207). Dates are nights in the hotel’s time zone, from yesterday to 760 days ahead.',
      'Pushes of one hotel are applied one after another; what is acknowledged is on disk and seen by every later read.',
      '`inventory` and `closed` of an item are the room’s and shared by its rates; in the flat form `closed` is the rate’s.',
      'A rate line may state its own `pricingModel`, where it differs from the push’s.',
    ].join('\n'),
    body: pushAriBody,
    answer: pushAriAnswer,
    answers: { 207: pushAriAnswer },
    errors: {
      400: 'Nothing was applied: a broken rule, a wrong type, or every item rejected',
      404: 'Unknown hotel, or every item names an unknown room or rate',
    },
    pushKind: 'ari',
    examples: [
      {
        summary: 'A month of prices, inventory and restrictions',
        request: {
          hotelId: 'H1',
          pricingModel: 'guest',
          currency: 'USD',
          ari: [
            {
              roomId: 'DBL',
              startDate: '2027-04-15',
              endDate: '2027-05-15',
              inventory: 6,
              rates: [
                {
                  rateId: 'BAR',
                  minLengthStay: 2,
                  prices: [
                    { guests: 1, ageCategory: 'adult', amount: 90 },
                    { guests: 2, ageCategory: 'adult', amount: 110 },
                    { guests: 1, ageCategory: 'child', amount: 15 },
                  ],
                },
              ],
            },
          ],
        },
        answer: { status: 200, body: { code: '200', message: 'ARI updated successfully' } },
      },
      {
        summary: 'The flat form: weekends dearer, not sold for one night only',
        request: {
          hotelId: 'H1',
          pricingModel: 'unit',
          ari: [
            {
              roomId: 'DBL',
              rateId: 'NRF',
              startDate: '2027-04-15',
              endDate: '2027-05-15',
              daysOfWeek: ['FRI', 'SAT'],
              price: 125,
              minStayArrival: 2,
            },
          ],
        },
        answer: { status: 200, body: { code: '200', message: 'ARI updated successfully' } },
      },
    ],
  }),
  getAri: route({
    method: 'POST',
    path: '/push/getAri',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Read back what is held',
    description:
      'The same shape as the push, in as few ranges as possible: posting it back changes nothing. Prices of a former currency are left out, with a warning.',
    body: getAriBody,
    answer: getAriAnswer,
    errors: { 404: 'Unknown hotel, room or rate' },
    examples: [
      {
        summary: 'Two weeks of one room',
        request: { hotelId: 'H1', roomIds: ['DBL'], startDate: '2027-04-15', endDate: '2027-04-28' },
        answer: { status: 200, body: { code: '200', message: 'ARI retrieved successfully' } },
      },
    ],
  }),
}
