import Type, { type Static } from 'typebox'
import { integer, oneOf, route, success, text } from '../../http/route.ts'
import { hotelId } from '../../hotels/contract.ts'
import { ageCategories } from '../fields.ts'
import { historyFields } from '../history/history-contract.ts'
import { exampleOfHold, guardLimits, onExpiry, reasons } from './contract.ts'

export const holdStates = ['open', 'released', 'discarded', 'expired', 'replaced'] as const
export type HoldState = (typeof holdStates)[number]
/**
 * Who or what ended a hold; `push`: newer ones replaced all of it, `undo`: its own push was undone, `limit`: the hotel
 * had too many.
 */
export const holdEnders = ['supplier', 'platform', 'expiry', 'push', 'undo', 'limit'] as const
export type HoldEnder = (typeof holdEnders)[number]

const listedHold = Type.Object({
  holdId: Type.String(),
  hotelId: Type.String(),
  rule: oneOf(reasons),
  cells: Type.Integer({ description: 'Nights of rooms and room-rates that are still held' }),
  requestId: Type.String({ description: 'x-request-id of the push' }),
  at: Type.String({ examples: ['2027-01-15T10:00:00.000Z'] }),
  expiresAt: Type.String({
    description: 'By the clock of the account, in the sandbox its test clock',
    examples: ['2027-01-18T10:00:00.000Z'],
  }),
  onExpiry,
  state: oneOf(holdStates, {
    description: '`replaced`: newer pushes replaced all of it',
  }),
  resolvedAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  resolvedBy: Type.Unsafe<HoldEnder | null>({
    type: ['string', 'null'],
    enum: [...holdEnders, null],
    description: '`push`: newer pushes replaced all of it; `limit`: the hotel had too many open holds',
  }),
  examples: Type.Array(exampleOfHold),
})
export type ListedHold = Static<typeof listedHold>

const holdIds = Type.Array(text({ maxLength: 60 }), { minItems: 1, maxItems: guardLimits.holdsPerRequestMax })

const skippedCells = Type.Object({
  holdId: Type.String(),
  roomId: Type.String(),
  rateId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  startDate: Type.String(),
  endDate: Type.String(),
  field: oneOf(historyFields),
  guests: Type.Optional(Type.Integer()),
  ageCategory: Type.Optional(oneOf(ageCategories)),
  reason: oneOf(['changed', 'currency', 'product', 'past'] as const, {
    description:
      '`changed`: the value is not the one that was stored when the push was held. `currency`: the hotel’s currency changed. `product`: the room-rate is not available, or for fewer guests. `past`: the night is over',
  }),
})
export type SkippedCells = Static<typeof skippedCells>

const releaseAnswer = Type.Object({
  ...success,
  hotelId: Type.String(),
  revision: Type.Integer({ description: "The hotel's revision after the release" }),
  requestId: Type.String(),
  cellsChanged: Type.Integer(),
  holds: Type.Array(Type.Object({ holdId: Type.String(), cellsChanged: Type.Integer() })),
  skipped: Type.Array(skippedCells, {
    description: `Held cells that were not applied, at most ${guardLimits.skippedListedMax}`,
  }),
  moreSkipped: Type.Optional(Type.Integer({ description: 'Number of those that are not listed' })),
  hasMore: Type.Optional(
    Type.Boolean({ description: 'true: more holds of the hotel are open; release again' }),
  ),
})

export const holdRoutes = {
  listHolds: route({
    method: 'POST',
    path: '/push/guard/holds',
    access: 'supplier',
    tag: 'Guard',
    summary: 'List what the guard holds',
    description: 'Newest first; open holds by default.',
    body: Type.Object({
      hotelId: Type.Optional(hotelId),
      state: Type.Optional(oneOf(holdStates, { description: 'open by default' })),
      limit: Type.Optional(
        integer({
          minimum: 1,
          maximum: guardLimits.holdsPerPage.max,
          description: `Maximum number of holds: ${guardLimits.holdsPerPage.usual} by default`,
        }),
      ),
      cursor: Type.Optional(text({ maxLength: 200, description: 'nextCursor of the previous page' })),
    }),
    answer: Type.Object({
      ...success,
      holds: Type.Array(listedHold),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null at the end' }),
    }),
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'The open holds of all hotels',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Holds retrieved successfully' } },
      },
    ],
  }),
  releaseHolds: route({
    method: 'POST',
    path: '/push/guard/release',
    access: 'supplier',
    tag: 'Guard',
    summary: 'Apply held values after all',
    description:
      'A push of its own, with the sequence of the held one. Cells that have another value than when they were held, that are past, or whose product or currency changed, are left out and listed (HTTP 207).',
    body: Type.Object({
      hotelId,
      holdIds: Type.Optional({
        ...holdIds,
        description: `Absent: all open holds of the hotel, at most the ${guardLimits.holdsPerRequestMax} oldest (\`hasMore\`)`,
      }),
    }),
    answer: releaseAnswer,
    answers: { 207: releaseAnswer },
    errors: { 404: 'Unknown hotel or hold', 409: 'The hold is no longer open' },
    pushKind: 'release',
    examples: [
      {
        summary: 'An unknown hold',
        request: { hotelId: 'H1', holdIds: ['hld_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'] },
        answer: { status: 404, body: { code: '404', message: 'Hold not found' } },
      },
    ],
  }),
  discardHolds: route({
    method: 'POST',
    path: '/push/guard/discard',
    access: 'supplier',
    tag: 'Guard',
    summary: 'Discard held values',
    description: 'The stored values stay as they are. All holds or none.',
    body: Type.Object({ hotelId, holdIds }),
    answer: Type.Object({ ...success, hotelId: Type.String(), discarded: Type.Integer() }),
    errors: { 404: 'Unknown hotel or hold', 409: 'The hold is no longer open' },
    examples: [
      {
        summary: 'An unknown hold',
        request: { hotelId: 'H1', holdIds: ['hld_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d'] },
        answer: { status: 404, body: { code: '404', message: 'Hold not found' } },
      },
    ],
  }),
}
