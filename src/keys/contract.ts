import Type from 'typebox'
import {
  bodyNamesMax,
  bodyNestingMax,
  bodyValuesMax,
  objectMembersMax,
  integer,
  route,
  success,
} from '../http/route.ts'
import { problemsListedMax } from '../http/rejected.ts'

/**
 * Limits that are the same for every key. Features import their limits from here, or this imports the
 * platform's; where neither is possible, test/lists/published-limits.test.ts compares them with the enforced
 * limits.
 */
export const commonLimits = {
  bodyValuesMax,
  bodyNestingMax,
  bodyNamesMax,
  objectMembersMax,
  hotelsPerRequest: 500,
  productsPerRequest: 10_000,
  taxesPerScope: 50,
  taxScopesPerRequest: 2_000,
  ariDaysBack: 1,
  ariDaysAhead: 760,
  pushLogEntriesPerPage: 500,
  webhookUrlLength: 2_048,
  idempotencyKeyLength: 64,
  idempotencyHours: 24,
  errorsListed: problemsListedMax,
} as const

const counted = (description: string) => integer({ minimum: 0, description })

const limits = Type.Object({
  requestsPerMinute: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Sustained rate of this key; null: no limit',
  }),
  burst: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Requests that may arrive at once before the rate applies; null: no limit',
  }),
  bodyBytesMax: counted('Bytes of a request body, also after decompression'),
  ariItemsMax: counted('Items of one ARI push'),
  ariCellsMax: counted('Cells that one ARI push may change: nights times rooms or room-rates'),
  bodyValuesMax: counted(
    'Keys of a request body, in all its objects; commas, in all its lists and objects; and lists',
  ),
  bodyNestingMax: counted('Levels of objects and lists in a request body'),
  bodyNamesMax: counted(
    'Member names of a request body: each counts once after the same names before it in its object, so that objects with the same members in the same order count once',
  ),
  objectMembersMax: counted('Members of one object of a request body, unknown ones included'),
  hotelsPerRequest: counted('Hotels in one POST /push/hotels or POST /push/getHotels'),
  productsPerRequest: counted('Products in one POST /push/products'),
  taxesPerScope: counted('Taxes of the property, of a room, of a rate or of a room-rate'),
  taxScopesPerRequest: counted('Entries of products in one POST /push/taxes'),
  ariDaysBack: counted("How many days before the hotel's today a night may lie in an ARI push"),
  ariDaysAhead: counted("How many days after the hotel's today a night may lie in an ARI push"),
  pushLogEntriesPerPage: counted('Largest limit of GET /push/log'),
  webhookUrlLength: counted('Characters of a webhook URL'),
  idempotencyKeyLength: counted('Characters of an Idempotency-Key'),
  idempotencyHours: counted('How long an Idempotency-Key gives the stored answer'),
  errorsListed: counted('Problems that one answer lists; the rest are counted in moreErrors'),
})

export const keyRoutes = {
  getLimits: route({
    method: 'GET',
    path: '/push/limits',
    access: 'supplier',
    tag: 'Account',
    summary: 'The limits of this API key',
    description:
      'Limits for one request and for one minute. Rate, body size and the size of an ARI push may differ between keys; the other limits are the same for all keys.',
    answer: Type.Object({ ...success, limits }),
    examples: [
      {
        summary: 'The limits of a key without its own limits',
        request: {},
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Limits retrieved successfully',
            limits: {
              requestsPerMinute: 6_000,
              burst: 1_000,
              bodyBytesMax: 10_485_760,
              ariItemsMax: 1_000,
              ariCellsMax: 200_000,
              ...commonLimits,
            },
          },
        },
      },
    ],
  }),
}
