import Type, { type Static } from 'typebox'
import { code, date, integer, oneOf, route, success, text } from '../../http/route.ts'
import { hotelId } from '../../hotels/contract.ts'
import { commonLimits } from '../../keys/contract.ts'
import { ageCategories } from '../fields.ts'
import { restrictionNames } from '../restrictions.ts'

/** What changed a value: a push, a booking that took a unit, a stop-sell of the platform, or the undo of a push. */
export const changedBy = ['push', 'booking', 'stop', 'undo'] as const
export type ChangedBy = (typeof changedBy)[number]

/** Changes between a requested state and now that one request reads. */
export const changesReadMax = 20_000

/** A state of a hotel's ARI; exactly one member. */
export const momentMembers = {
  revision: Type.Optional(
    integer({ minimum: 0, description: 'As of this revision of the hotel, with its change' }),
  ),
  time: Type.Optional(
    text({
      maxLength: 64,
      description: 'As of this instant (ISO 8601), for example 2027-04-15T10:00:00Z',
    }),
  ),
}
export type MomentBody = Static<ReturnType<typeof moment>>

export function moment(description: string) {
  return Type.Object(momentMembers, { description })
}

export const historyErrors = {
  momentUnclear: {
    type: 'MOMENT_UNCLEAR',
    message: 'Either revision or time is required',
    hint: 'Send exactly one of them',
  },
  timeInvalid: {
    type: 'INVALID_TIME',
    message: 'time must be an ISO 8601 instant',
    hint: 'For example 2027-04-15T10:00:00Z',
  },
  revisionAhead: {
    type: 'REVISION_AHEAD',
    message: 'The hotel is at revision 7',
    hint: 'Send that revision or an earlier one',
  },
  expired: {
    type: 'HISTORY_EXPIRED',
    message: 'History does not reach behind revision 7: earlier changes are no longer stored',
    hint: 'oldestRevision is the earliest state that can be read',
  },
  tooLong: {
    type: 'HISTORY_TOO_LONG',
    message: `More than ${changesReadMax} changes lie between that state and now`,
    hint: 'Request a later revision or time',
  },
} as const

export const momentsReversed = {
  type: 'MOMENTS_REVERSED',
  message: 'from must not be after to',
  hint: 'Swap them',
} as const

export const expiredMembers = Type.Object({
  oldestRevision: Type.Optional(
    Type.Integer({ description: 'The earliest revision whose state can be read' }),
  ),
})

/** A `price` of guests has `guests` and `ageCategory`. */
export const historyFields = ['inventory', ...restrictionNames, 'price'] as const
export type HistoryField = (typeof historyFields)[number]

const value = (description: string) =>
  Type.Unsafe<number | boolean | null>({ type: ['number', 'boolean', 'null'], description })

const changedValue = {
  field: oneOf(historyFields, {
    description:
      '`price` with `guests` and `ageCategory` is a price for guests, without them one for the unit; `stopSell` is set by the platform',
  }),
  guests: Type.Optional(Type.Integer()),
  ageCategory: Type.Optional(oneOf(ageCategories)),
  before: value('The value that was replaced; null if there was none'),
  after: value('The new value; null if it was cleared'),
  by: oneOf(changedBy, { description: '`stop`: the platform stopped or resumed sales' }),
  requestId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'x-request-id of the push; null for a booking',
  }),
  reservationId: Type.Optional(Type.String({ description: 'The reservation of a booking' })),
  revision: Type.Integer({ description: "The hotel's revision with the change" }),
  at: Type.String({ description: 'When it was made (UTC)', examples: ['2027-01-15T10:00:00.000Z'] }),
}
const listedChange = Type.Object({
  roomId: Type.String(),
  rateId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null: a value of the room, which its rates share',
  }),
  startDate: Type.String({ description: 'First night' }),
  endDate: Type.String({ description: 'Last night, included' }),
  ...changedValue,
})
export type ListedChange = Static<typeof listedChange>

export const changesPerPage = { max: commonLimits.pushLogEntriesPerPage, usual: 50 }
const page = {
  limit: Type.Optional(
    integer({
      minimum: 1,
      maximum: changesPerPage.max,
      description: `Maximum number of changes: ${changesPerPage.usual} by default`,
    }),
  ),
  cursor: Type.Optional(text({ maxLength: 200, description: 'nextCursor of the previous page' })),
}
const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'null at the end',
})

export const historyRoutes = {
  getAriDiff: route({
    method: 'POST',
    path: '/push/getAriDiff',
    access: 'supplier',
    tag: 'ARI',
    summary: 'List the changes between two states',
    description:
      'Every change after `from`, up to and including `to` (by default now), newest first, with its origin: pushes, bookings that took a unit, stop-sells of the platform, and undos. Nights with the same change are one range. A page reads back from now, so `from` may be as far back as that of `asOf` of POST /push/getAri. `rateIds` narrows the rates; changes of the rooms themselves are included.',
    body: Type.Object({
      hotelId,
      from: moment('The earlier state; exactly one of the members'),
      to: Type.Optional(moment('The later state, by default now; exactly one of the members')),
      roomIds: Type.Optional(
        Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rooms' }),
      ),
      rateIds: Type.Optional(
        Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rates' }),
      ),
      startDate: Type.Optional(date({ description: 'Only nights from this one on' })),
      endDate: Type.Optional(date({ description: 'Only nights up to this one, included' })),
      ...page,
    }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      revision: Type.Integer({ description: "The hotel's present revision" }),
      currency: Type.String(),
      changes: Type.Array(listedChange),
      nextCursor,
    }),
    errors: {
      404: 'Unknown hotel, room or rate',
      410: '`from` is further back than the stored history; `oldestRevision` is the earliest state that can be read',
    },
    refusals: { 410: expiredMembers },
    examples: [
      {
        summary: 'What changed since revision 2',
        request: { hotelId: 'H1', from: { revision: 2 }, limit: 10 },
        answer: { status: 200, body: { code: '200', message: 'Changes retrieved successfully' } },
      },
    ],
  }),
  getCellHistory: route({
    method: 'POST',
    path: '/push/getCellHistory',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Who set the values of one night, and when',
    description:
      'The changes of one night of a room (`rateId` absent) or of a room-rate, newest first, as far back as history reaches.',
    body: Type.Object({
      hotelId,
      roomId: code(),
      rateId: Type.Optional(code({ description: 'Absent: the values of the room itself' })),
      date: date({ description: 'The night' }),
      field: Type.Optional(oneOf(historyFields, { description: 'Only this field' })),
      ...page,
    }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      revision: Type.Integer({ description: "The hotel's present revision" }),
      currency: Type.String(),
      changes: Type.Array(Type.Object(changedValue)),
      oldestRevision: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description:
          'The earliest revision to which these changes reach back; 0: there is no other change. null before the last page',
      }),
      nextCursor,
    }),
    errors: { 404: 'Unknown hotel, room or rate' },
    examples: [
      {
        summary: 'The prices of one night',
        request: { hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', date: '2027-04-20', field: 'price' },
        answer: { status: 200, body: { code: '200', message: 'History retrieved successfully' } },
      },
    ],
  }),
}
