import Type, { type Static } from 'typebox'
import { commonLimits } from '../keys/contract.ts'
import { code, integer, oneOf, queriedLimit, route, success, text } from '../http/route.ts'

/** For suppliers: the hotel was never pushed, or belongs to another supplier. */
export const unknownHotelError = {
  type: 'HOTEL_NOT_FOUND',
  message: 'Hotel not found',
  hint: 'Push the hotel with POST /push/hotels first',
} as const

/**
 * The kinds of pushes, plus `stopSell`, an action by an operator of the platform on a supplier's hotel. `release`:
 * what the guard held is applied.
 */
export const pushKinds = [
  'hotels',
  'products',
  'taxes',
  'ari',
  'availabilityWebhook',
  'pushbookWebhook',
  'stopSell',
  'undo',
  'release',
] as const
export type PushKind = (typeof pushKinds)[number]

/** `partial`: some items of an ARI push were not applied. `rejected`: nothing was applied. */
export const pushOutcomes = ['applied', 'unchanged', 'partial', 'rejected', 'dryRun'] as const
export type PushOutcome = (typeof pushOutcomes)[number]

/** The form in which a push's body is shown: JSON if it is JSON, otherwise text, otherwise base64. */
export const bodyEncodings = ['json', 'text', 'base64'] as const
export type BodyEncoding = (typeof bodyEncodings)[number]

export const pageLimit = { max: commonLimits.pushLogEntriesPerPage, usual: 50 }
/** The most earlier pushes listed for a request id, besides the newest. */
export const earlierMax = 100

/** Limits on the problems that the log stores per push. */
export const problemTypesMax = 20
export const problemMessageMax = 300

const problems = Type.Object({
  count: integer({ minimum: 1 }),
  types: Type.Array(Type.String(), {
    maxItems: problemTypesMax,
    description: 'Each type once, beginning with that of the first problem of the answer',
    examples: [['ROOM_NOT_FOUND']],
  }),
  message: Type.String({ maxLength: problemMessageMax, description: 'Message of the first problem' }),
})
export type PushProblems = Static<typeof problems>

const entryMembers = {
  requestId: Type.String({ description: 'x-request-id of the push' }),
  at: Type.String({ description: 'When it was answered (UTC)', examples: ['2027-01-15T10:00:00.000Z'] }),
  kind: oneOf(pushKinds),
  hotelId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null if the push concerned none or several',
  }),
  outcome: oneOf(pushOutcomes),
  problems: Type.Union([problems, Type.Null()], {
    description: 'Summary of the problems; null if there are none. The answer has them in full',
  }),
  warnings: Type.Union([problems, Type.Null()], {
    description:
      'Summary of the warnings, also those about unknown members in a refused push; null if there are none',
  }),
  status: integer({ description: 'HTTP status of the answer' }),
  revision: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: "The hotel's revision after the push; null when nothing was applied to one hotel",
  }),
  cellsChanged: integer({
    minimum: 0,
    description: 'Nights of rooms and room-rates that an ARI push changed',
  }),
  durationMs: integer({ minimum: 0 }),
  bodyBytes: integer({ minimum: 0, description: 'Size of the decompressed body' }),
  keyId: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The API key that was used; null for a stopSell or an undo by the platform',
  }),
}

const entry = Type.Object(entryMembers)
export type PushEntry = Static<typeof entry>

/** All query members are text; the handler parses numbers, times and cursors. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const pushLogRoutes = {
  listPushes: route({
    method: 'GET',
    path: '/push/log',
    access: 'supplier',
    tag: 'Push log',
    summary: 'List your pushes and their outcomes',
    description:
      'Every push of this account, accepted or refused (except those rejected unread: 401, 429, 503), newest first, for as long as the service retains them. Follow `nextCursor` for older pushes: no push is listed twice or skipped, even while new ones arrive. A search for rare pushes among very many is done in parts: a page may have fewer pushes than `limit`, or none, and a `nextCursor` that continues the search.',
    query: Type.Object({
      hotelId: Type.Optional(code({ description: 'Only pushes for this hotel' })),
      since: queried('At or after this: a date (UTC) or an ISO 8601 instant'),
      until: queried('Before this instant, or up to and including this date (UTC)'),
      kind: Type.Optional(oneOf(pushKinds)),
      outcome: Type.Optional(oneOf(pushOutcomes)),
      problem: Type.Optional(
        code({
          description:
            'Only pushes with a problem or a warning of this type, such as `ROOM_NOT_FOUND` or `UNKNOWN_FIELD`',
        }),
      ),
      cursor: queried('nextCursor of the previous page'),
      limit: queriedLimit('pushes', pageLimit),
    }),
    answer: Type.Object({
      ...success,
      pushes: Type.Array(entry),
      nextCursor: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'null at the end, and only there: even a page without pushes may have a cursor',
      }),
    }),
    errors: { 400: 'A parameter is not valid', 404: 'Unknown hotel (`Hotel not found`)' },
    examples: [
      {
        summary: 'The newest pushes for a hotel',
        request: { hotelId: 'H1', limit: '10' },
        answer: { status: 200, body: { code: '200', message: 'Pushes retrieved successfully' } },
      },
    ],
  }),
  getPush: route({
    method: 'GET',
    path: '/push/log/{requestId}',
    access: 'supplier',
    tag: 'Push log',
    summary: 'One push with its body and its answer',
    description:
      'The newest push with this request id, with the body as it was received and the answer as it was sent (without a signing secret). If the id was used for several pushes, `earlier` lists the others, newest first.',
    params: Type.Object({ requestId: Type.String({ description: 'x-request-id of the push' }) }),
    answer: Type.Object({
      ...success,
      push: Type.Object({
        ...entryMembers,
        bodyEncoding: oneOf(bodyEncodings),
        body: Type.Unknown({ description: 'The body; as text or base64 if it is not JSON' }),
        answer: Type.Unknown({ description: 'The answer' }),
      }),
      earlier: Type.Array(entry, { maxItems: earlierMax }),
    }),
    errors: { 404: 'Unknown request id (`Push not found`)' },
    examples: [
      {
        summary: 'A request id that was not used',
        request: { requestId: 'no-such-push' },
        answer: { status: 404, body: { code: '404', message: 'Push not found' } },
      },
    ],
  }),
}
