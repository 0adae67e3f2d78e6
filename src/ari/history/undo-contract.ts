import Type, { type Static } from 'typebox'
import { code, integer, oneOf, route, success, text } from '../../http/route.ts'
import { hotelId } from '../../hotels/contract.ts'
import { ageCategories } from '../fields.ts'
import { changedBy, expiredMembers, historyErrors } from './history-contract.ts'
import { pushedRestrictions } from '../restrictions.ts'

/** The fields that an undo can be narrowed to; `inventory` is left out unless it is among them. */
export const undoFields = ['inventory', ...pushedRestrictions, 'price'] as const

export const onConflicts = ['abort', 'skip'] as const

/** Ranges of nights that one answer lists, of changes and of conflicts each; the rest are counted. */
export const undoRangesMax = 100

const { revisionAhead, expired, tooLong } = historyErrors

export const undoErrors = {
  revisionAhead,
  expired,
  tooLong,
  pushUnclear: {
    type: 'PUSH_UNCLEAR',
    message: 'Either requestId or revision is required',
    hint: 'Send exactly one of them: that of the push to undo',
  },
  pushNotFound: {
    type: 'PUSH_NOT_FOUND',
    message: 'No push of this hotel with that request id is stored',
    hint: 'GET /push/log lists the stored pushes',
  },
  requestIdShared: {
    type: 'REQUEST_ID_SHARED',
    message: 'Several pushes of this hotel that changed ARI have that request id',
    hint: 'Send the revision of the push instead; GET /push/log lists them',
  },
  notUndoable: {
    type: 'NOT_UNDOABLE',
    message: 'Revision 7 is not a push that changed ARI',
    hint: 'Only pushes of ARI, and undos of them, can be undone',
  },
  conflict: {
    type: 'UNDO_CONFLICT',
    message: '3 nights no longer have what that push wrote',
    hint: 'Look at conflicts; with onConflict skip everything else is undone',
  },
} as const

const value = (description: string) =>
  Type.Unsafe<number | boolean | null>({ type: ['number', 'boolean', 'null'], description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const nights = {
  roomId: Type.String(),
  rateId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null: a value of the room, which its rates share',
  }),
  startDate: Type.String({ description: 'First night' }),
  endDate: Type.String({ description: 'Last night, included' }),
  field: oneOf(undoFields),
  guests: Type.Optional(Type.Integer()),
  ageCategory: Type.Optional(oneOf(ageCategories)),
}

const undoneChange = Type.Object({
  ...nights,
  before: value('The value until now; null if there was none'),
  after: value('The value after the undo; null if it is cleared'),
})
export type UndoneChange = Static<typeof undoneChange>

const undoConflict = Type.Object({
  ...nights,
  pushed: value('What that push wrote; null if it cleared the value'),
  now: value('The present value, which stays; null if there is none'),
  by: oneOf(changedBy, { description: 'What changed it since, the last time' }),
  requestId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'x-request-id of that later push; null for a booking',
  }),
  reservationId: Type.Optional(Type.String({ description: 'The reservation of a booking' })),
  revision: Type.Integer({ description: "The hotel's revision with that later change" }),
  at: Type.String({ description: 'When it was made (UTC)', examples: ['2027-01-15T10:00:00.000Z'] }),
})
export type UndoConflict = Static<typeof undoConflict>

export const notUndone = ['products', 'taxes'] as const

const outcomeMembers = {
  hotelId: Type.String(),
  revision: Type.Integer({ description: "The hotel's revision after the undo" }),
  dryRun: Type.Optional(Type.Boolean()),
  undone: Type.Object(
    {
      requestId: Type.String({ description: 'x-request-id of the push' }),
      revision: Type.Integer({ description: 'The revision that it made' }),
      at: Type.String({ description: 'When it was made (UTC)', examples: ['2027-01-15T10:00:00.000Z'] }),
    },
    { description: 'The push that is undone' },
  ),
  summary: Type.Object(
    {
      cellsChanged: count('Nights that get a former value back'),
      conflicts: count('Nights with a value that was changed since, and stays'),
      inventoryLeftOut: count(
        'Nights whose inventory stays: `fields` does not name inventory, or it would rise',
      ),
      pastNights: count('Nights before yesterday; they stay as they are'),
    },
    { description: 'Each counts nights of a room or room-rate' },
  ),
  changes: Type.Array(undoneChange, { description: `At most ${undoRangesMax} ranges of nights` }),
  moreChanges: Type.Optional(Type.Integer({ description: 'Number of ranges that `changes` does not list' })),
  conflicts: Type.Array(undoConflict, { description: `At most ${undoRangesMax} ranges of nights` }),
  moreConflicts: Type.Optional(
    Type.Integer({ description: 'Number of ranges that `conflicts` does not list' }),
  ),
  holdsEnded: Type.Optional(
    Type.Array(
      Type.Object({
        holdId: Type.String(),
        cells: count('Nights of rooms and room-rates that it no longer holds'),
      }),
      { description: 'What the guard held of the push, and gives up; in a dry run, would give up' },
    ),
  ),
  notCovered: Type.Array(oneOf(notUndone), {
    description: 'What an undo never changes: push these again to restore them',
  }),
}

const undoAnswer = Type.Object({ ...success, ...outcomeMembers, requestId: Type.String() })
/** What an answer to an undo says, whether it was applied, refused for conflicts, or a dry run. */
const outcome = Type.Object(outcomeMembers)
export type UndoOutcome = Static<typeof outcome>

export const undoRoutes = {
  undo: route({
    method: 'POST',
    path: '/push/undo',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Undo a push of ARI',
    description: [
      'Puts the values back that a push of ARI replaced, as a push of its own: with a revision, an entry in the push log, and one in the change feed, and it can be undone in turn.',
      'A value that no longer is what that push wrote is a conflict: it stays, and `conflicts` names what changed it since.',
      'Inventory is left out unless `fields` names it, and is never raised: the units may have been booked. Nights before yesterday, products and taxes stay as they are. No `sequence` changes.',
      'What the guard still holds of the push is given up, as a discard would: `holdsEnded`.',
    ].join('\n'),
    pushKind: 'undo',
    body: Type.Object({
      hotelId,
      requestId: Type.Optional(
        text({ maxLength: 200, description: 'x-request-id of the push to undo; or send `revision`' }),
      ),
      revision: Type.Optional(
        integer({ minimum: 1, description: 'The revision that the push to undo made; or send `requestId`' }),
      ),
      roomIds: Type.Optional(
        Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rooms' }),
      ),
      fields: Type.Optional(
        Type.Array(oneOf(undoFields), {
          minItems: 1,
          maxItems: undoFields.length,
          description: 'Only these fields; by default all except `inventory`',
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ description: 'true: the same answer, but nothing is applied' })),
      onConflict: Type.Optional(
        oneOf(onConflicts, {
          description:
            '`abort` (default): a single conflict refuses the undo with 409. `skip`: everything else is undone (207)',
        }),
      ),
    }),
    answer: undoAnswer,
    answers: { 207: undoAnswer },
    errors: {
      404: 'Unknown hotel, push or room',
      409: 'Conflicts, which the answer lists, and nothing was changed (`UNDO_CONFLICT`); or not a push that can be undone',
      410: 'The push is further back than the stored history; `oldestRevision` is the earliest state that can be read',
    },
    refusals: { 409: Type.Partial(outcome), 410: expiredMembers },
    examples: [
      {
        summary: 'What an undo would change',
        request: { hotelId: 'H1', revision: 4, dryRun: true },
        answer: { status: 200, body: { code: '200', message: 'Push undone' } },
      },
    ],
  }),
}
