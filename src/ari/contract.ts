import Type, { type Static } from 'typebox'
import { answerMembers, code, date, integer, oneOf, problem, route, success, warning } from '../http/route.ts'
import { ariItem, itemsMax, pricingModel, pricingModels } from './item-contract.ts'
import { assertedCurrency } from '../hotels/asserted-currency.ts'
import { hotelId } from '../hotels/contract.ts'
import { expiredMembers, moment } from './history/history-contract.ts'
import { itemHold } from './guard/contract.ts'
import { impact, impactMembers } from './impact/contract.ts'
import { occupancy } from '../products/contract.ts'
import { reading, readingsMax } from './readings-contract.ts'

export const pushAriBody = Type.Object(
  {
    hotelId,
    pricingModel: Type.Optional(pricingModel),
    currency: assertedCurrency,
    mode: Type.Optional(
      oneOf(['delta', 'overlay'], {
        description:
          '`delta` (default): absent members stay unchanged. `overlay`: on the room-rates and dates of the push, absent members are cleared',
      }),
    ),
    atomic: Type.Optional(
      Type.Boolean({ description: 'true: all items or none', alsoCalled: ['allOrNothing', 'transactional'] }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({
        description: 'true: the same answer, but nothing is applied',
        alsoCalled: ['test', 'testMode', 'simulate', 'validateOnly'],
      }),
    ),
    echo: Type.Optional(
      Type.Boolean({
        description:
          'true: the results explain what each field of each item means (`readings`), in words and as data. By default as set for the key, else false',
        alsoCalled: ['explain', 'verbose', 'readings'],
      }),
    ),
    ...impactMembers,
    sequence: Type.Optional(
      integer({
        minimum: 0,
        examples: [4711],
        description:
          'Per key and hotel: each cell field keeps the value with the highest sequence, regardless of the order of arrival',
      }),
    ),
    ari: Type.Array(ariItem, {
      maxItems: itemsMax,
      description:
        'Applied in this order; an empty list changes nothing. By default a key may send 1,000 items in one push (GET /v1/push/limits states its limit); maxItems is the highest limit that a key can have',
    }),
  },
  { ignored: [...answerMembers] },
)
export type PushAriBody = Static<typeof pushAriBody>

export const itemStatuses = ['applied', 'partial', 'rejected', 'superseded', 'unchanged', 'held'] as const
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
    held: Type.Optional(
      Type.Integer({ description: 'Items with values that the guard holds; absent if there are none' }),
    ),
    cellsChanged: Type.Integer({ description: 'Nights of a room or room-rate that changed' }),
  }),
  results: Type.Array(
    Type.Object({
      index: count,
      status: oneOf(itemStatuses),
      cellsChanged: count,
      errors: Type.Optional(Type.Array(problem, { description: 'At most 100 across all results' })),
      moreErrors: Type.Optional(
        Type.Integer({ description: 'Number of problems of the item that are not listed' }),
      ),
      holds: Type.Optional(
        Type.Array(itemHold, {
          description: 'What the guard holds of the item; everything else of it was applied',
        }),
      ),
      warnings: Type.Optional(Type.Array(warning)),
      readings: Type.Optional(
        Type.Array(reading, {
          description: 'With `echo`: what the item means, one entry a field; not for what was rejected',
        }),
      ),
    }),
  ),
  moreErrors: Type.Optional(Type.Integer({ description: 'Number of problems that the results do not list' })),
  moreReadings: Type.Optional(
    Type.Integer({ description: `Number of readings beyond the ${readingsMax} that the results list` }),
  ),
  impact: Type.Optional(impact),
})

/** The members about items that a refusal has, if the items could be judged. */
const { hotelId: ofHotel, revision, dryRun, summary, results } = pushAriAnswer.properties
const refusedPush = Type.Partial(Type.Object({ hotelId: ofHotel, revision, dryRun, summary, results }))

export const getAriBody = Type.Object({
  hotelId,
  roomIds: Type.Optional(Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rooms' })),
  rateIds: Type.Optional(Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rates' })),
  startDate: date({ description: 'First night' }),
  endDate: date({ description: 'Last night, included' }),
  asOf: Type.Optional(moment('An earlier state instead of the present one: exactly one of the members')),
})

const getAriAnswer = Type.Object({
  ...success,
  hotelId: Type.String(),
  revision: Type.Integer(),
  currency: Type.String(),
  pricingModel: Type.Optional(oneOf(pricingModels)),
  ari: Type.Array(ariItem),
})

export const ariRoutes = {
  pushAri: route({
    method: 'POST',
    path: '/push/ari',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Push availability, rates, inventory and restrictions',
    description: [
      'Daily ARI of one hotel, in ranges of dates. Items are validated one by one: valid items are applied, the others',
      'are reported with the reason (HTTP 207). Dates are nights in the hotel’s time zone, from yesterday to 760 days ahead.',
      'Pushes of one hotel are applied one after another; an acknowledged push is on disk and visible to every later read.',
      '`inventory` and `closed` of an item belong to the room and are shared by its rates; in the flat form `closed` belongs to the rate.',
      'A rate line may state its own `pricingModel` if it differs from that of the push.',
    ].join('\n'),
    body: pushAriBody,
    answer: pushAriAnswer,
    answers: { 207: pushAriAnswer },
    errors: {
      400: 'Nothing was applied: a rule was broken, a type was wrong, or every item was rejected',
      404: 'Unknown hotel, or every item names an unknown room or rate',
      409: 'The hotel has changed since the plan was made (`PLAN_STALE`): nothing was applied',
    },
    refusals: { 400: refusedPush, 404: refusedPush, 409: refusedPush },
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
        summary: 'The flat form: higher prices and a minimum stay on weekends',
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
    summary: 'Read back the stored ARI',
    description:
      "The same shape as the push, in as few ranges as possible: posting it back changes nothing. Prices that cannot be sold are omitted, with a warning: prices in a former currency, and prices for more guests than the product allows. With `asOf`, the ARI as it was at a revision or at a time; `revision` is then the requested one, or that of the last change of ARI at that time. History reaches back as far as the push log does, but not behind the last change of the hotel's currency, and not to months whose last night was before yesterday. Products and taxes are those of now.",
    body: getAriBody,
    answer: getAriAnswer,
    errors: {
      404: 'Unknown hotel, room or rate',
      410: '`asOf` is further back than the stored history; `oldestRevision` is the earliest state that can be read',
    },
    refusals: { 410: expiredMembers },
    examples: [
      {
        summary: 'Two weeks of one room',
        request: { hotelId: 'H1', roomIds: ['DBL'], startDate: '2027-04-15', endDate: '2027-04-28' },
        answer: { status: 200, body: { code: '200', message: 'ARI retrieved successfully' } },
      },
      {
        summary: 'The same as it was at an earlier revision',
        request: {
          hotelId: 'H1',
          roomIds: ['DBL'],
          startDate: '2027-04-15',
          endDate: '2027-04-28',
          asOf: { revision: 2 },
        },
        answer: { status: 200, body: { code: '200', message: 'ARI retrieved successfully' } },
      },
    ],
  }),
}

/** `archived`: the product is not available. `no_ari`: it is available, but has no values on any night. */
const mappingStatuses = ['active', 'archived', 'no_ari'] as const

const nightOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.Null()], { description })

const mapping = Type.Object({
  roomId: Type.String(),
  roomName: Type.String(),
  roomType: Type.String(),
  platformRoomId: Type.String({ description: "The platform's identifier of the room; opaque and stable" }),
  rateId: Type.String(),
  rateName: Type.String(),
  platformRateId: Type.String({ description: "The platform's identifier of the rate; opaque and stable" }),
  mealPlan: Type.Union([Type.String(), Type.Null()]),
  occupancy,
  isAvailable: Type.Boolean(),
  pricingModel: Type.Union([Type.String(), Type.Null()], {
    description: '`unit` or `guest`, as last pushed with a price; null if no price was ever pushed',
  }),
  ariFrom: nightOrNull('First night on which the room-rate has a value of its own'),
  ariTo: nightOrNull('Last night on which the room-rate has a value of its own'),
  lastAriAt: Type.Union([Type.String(), Type.Null()], {
    description: "When the room-rate's ARI was last changed (UTC)",
  }),
  status: oneOf(mappingStatuses, {
    description: '`archived`: not available; `no_ari`: available, but without any value; otherwise `active`',
  }),
})
export type Mapping = Static<typeof mapping>

export const mappingRoutes = {
  getRoomRateMappings: route({
    method: 'POST',
    path: '/push/getRoomRateMappings',
    access: 'supplier',
    tag: 'Products',
    summary: 'Read the mappings of rooms and rates',
    description:
      "Every room-rate of the hotel, including archived ones, with rooms and rates in the order in which they were first pushed: the supplier's codes next to the platform's identifiers, and the range of nights with ARI. Inventory and closures of the room, which its rates share, don't count for `ariFrom` and `ariTo`.",
    body: Type.Object({ hotelId }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      platformHotelId: Type.String(),
      mappings: Type.Array(mapping),
    }),
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'The room-rates of one hotel',
        request: { hotelId: 'H1' },
        answer: {
          status: 200,
          body: { code: '200', message: 'Room and rate mappings retrieved successfully' },
        },
      },
    ],
  }),
}
