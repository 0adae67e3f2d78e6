import Type from 'typebox'
import { changesKeptDays, changesPerPage, waitSecondsMax } from '../changes/contract.ts'
import {
  bodyNamesMax,
  bodyNestingMax,
  bodyValuesMax,
  integer,
  objectMembersMax,
  route,
  success,
  usualBodyBytesMax,
} from '../http/route.ts'
import { commonLimits } from '../keys/contract.ts'
import { hotelsPerSearchMax, roomsPerStayMax, stayNightsMax } from '../offers/contract.ts'
import { reservationsPerPage, summaryMax } from './search/search-contract.ts'

/** Limits that are the same for every token of the platform. */
export const limitsOfTokens = {
  bodyBytesMax: usualBodyBytesMax,
  bodyValuesMax,
  bodyNestingMax,
  bodyNamesMax,
  objectMembersMax,
  hotelsPerSearch: hotelsPerSearchMax,
  roomsPerStay: roomsPerStayMax,
  nightsPerStay: stayNightsMax,
  reservationsPerPage: reservationsPerPage.max,
  reservationsPerSummary: summaryMax.reservations,
  groupsPerSummary: summaryMax.groups,
  changesPerPage: changesPerPage.max,
  changesKeptDays,
  waitSeconds: waitSecondsMax,
  idempotencyKeyLength: commonLimits.idempotencyKeyLength,
  idempotencyHours: commonLimits.idempotencyHours,
  errorsListed: commonLimits.errorsListed,
} as const

const counted = (description: string) => integer({ minimum: 0, description })
const optional = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description })

const limits = Type.Object({
  requestsPerMinute: optional('Sustained rate of this token; null: no limit'),
  burst: optional('Requests that may arrive at once before the rate applies; null: no limit'),
  bodyBytesMax: counted('Bytes of a request body, also after decompression'),
  bodyValuesMax: counted(
    'Keys of a request body, in all its objects; commas, in all its lists and objects; and lists',
  ),
  bodyNestingMax: counted('Levels of objects and lists in a request body'),
  bodyNamesMax: counted(
    'Member names of a request body: each counts once after the same names before it in its object',
  ),
  objectMembersMax: counted('Members of one object of a request body'),
  hotelsPerSearch: counted('Hotels in one POST /booking/offers'),
  roomsPerStay: counted('Rooms of one stay'),
  nightsPerStay: counted('Nights of one stay'),
  reservationsPerPage: counted('Largest limit of GET /booking/reservations'),
  reservationsPerSummary: counted('Reservations that one GET /booking/reservations/summary adds up'),
  groupsPerSummary: counted('Groups of its answer'),
  changesPerPage: counted('Largest limit of GET /booking/changes'),
  changesKeptDays: counted('How long changes are kept'),
  waitSeconds: counted('Longest wait of GET /booking/changes'),
  waitingCalls: counted('Calls of this token that may wait for changes, or stream them, at one process'),
  idempotencyKeyLength: counted('Characters of an Idempotency-Key'),
  idempotencyHours: counted('How long an Idempotency-Key gives the stored answer'),
  errorsListed: counted('Problems that one answer lists; the rest are counted in moreErrors'),
})

export const tokenLimitRoutes = {
  getTokenLimits: route({
    method: 'GET',
    path: '/booking/limits',
    access: 'platform',
    tag: 'Booking',
    summary: 'The limits of this token',
    description:
      'Limits for one request and for one minute. The rate may differ between tokens; the other limits are the same for all. With a rate, every answer states in `ratelimit` how many requests are left; beyond it: 429 `RATE_LIMITED` with `Retry-After`.',
    answer: Type.Object({ ...success, limits }),
    examples: [
      {
        summary: 'The limits of a token without a rate of its own',
        request: {},
        answer: {
          status: 200,
          body: {
            code: '200',
            message: 'Limits retrieved successfully',
            limits: { requestsPerMinute: null, burst: null, ...limitsOfTokens, waitingCalls: 20 },
          },
        },
      },
    ],
  }),
}
