import Type, { type Static } from 'typebox'
import { eventKinds, eventMembers, type EventKind } from './event-contract.ts'
import { date, integer, oneOf, queriedInteger, queriedLimit, route, success, text } from '../http/route.ts'

/**
 * The kinds of a change that raises its hotel's revision. `hotel`, `products`, `taxes`: that data was pushed, for the whole hotel. `ari`:
 * nights of rooms and rates changed. `reservation`: a reservation lowered the inventory of nights.
 * `stopSell`: an operator of the platform closed or reopened nights. `removed`: a reset of the sandbox
 * removed the hotel.
 */
const revisionKinds = ['hotel', 'products', 'taxes', 'ari', 'reservation', 'stopSell', 'removed'] as const
export type ChangeKind = (typeof revisionKinds)[number] | EventKind

export const changeKinds: readonly ChangeKind[] = [...revisionKinds, ...eventKinds]

export const changesKeptDays = 7
export const waitSecondsMax = 30
export const changesPerPage = { max: 1_000, usual: 200 }

const cursor = Type.String({ description: 'Send it as `after`; opaque' })

const nights = Type.Object(
  {
    roomId: Type.String(),
    platformRoomId: Type.String(),
    rateId: Type.Optional(
      Type.String({ description: "Absent: the room's own inventory and closure, which its rates share" }),
    ),
    platformRateId: Type.Optional(Type.String()),
    startDate: date({ description: 'First night' }),
    endDate: date({ description: 'Last night, included' }),
  },
  { description: 'Nights of a room or a room-rate whose values changed' },
)
export type ChangedNights = Static<typeof nights>

const change = Type.Object({
  cursor,
  kind: oneOf(changeKinds, {
    description:
      '`hotel`, `products`, `taxes`: data of the whole hotel was pushed. `ari`, `reservation` (which lowered inventory), `stopSell` (an operator closed or reopened nights): the listed `nights` changed. `removed`, only in the sandbox: the hotel no longer exists. `delivery`: a reservation reached its supplier, or was given up; `confirmation`: the hotel told its own number of a reservation; `report`: it reported what became of a stay; read the reservation. `live`: what a supplier said when it was asked for a price, or that it can’t be asked, as `live` says. Such events have no `revision` and are never left out',
  }),
  at: Type.String({
    description: 'When its transaction began (UTC)',
    examples: ['2027-01-15T10:00:00.000Z'],
  }),
  platformHotelId: Type.Optional(Type.String({ description: 'Absent: an event of the supplier as a whole' })),
  supplier: Type.String(),
  hotelId: Type.Optional(Type.String({ description: "The supplier's own code" })),
  revision: Type.Optional(
    integer({
      description: "The hotel's revision after the change; increases with every change. Events have none",
    }),
  ),
  nights: Type.Optional(Type.Array(nights)),
  ...eventMembers,
})
export type Change = Static<typeof change>

/** All query members are text; the handler parses numbers and cursors. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const changeRoutes = {
  listChanges: route({
    method: 'GET',
    path: '/booking/changes',
    access: 'platform',
    tag: 'Booking',
    summary: 'Follow changes, hotel by hotel',
    description: [
      'The hotels, rooms, rates and nights that changed, in the order in which the changes of a hotel were made; none is',
      'skipped. Intended for caches: read the listed data again. The first call, without `after`, returns no changes but the',
      'current `cursor`: store it, read all the data that you cache, then follow. Nights that changed again in the meantime are',
      'reported with the later change only. Events, which have no `revision`, are each reported.',
      `Changes are kept for ${changesKeptDays} days. With \`Accept: text/event-stream\` the changes come as server-sent events`,
      'for as long as the connection lasts; the id of an event is its cursor, so `Last-Event-ID` resumes.',
    ].join('\n'),
    query: Type.Object({
      after: queried('`cursor` of the previous answer; absent: from now on'),
      wait: queriedInteger(
        `Seconds to wait for a change when there is none: 0 to ${waitSecondsMax}, 0 by default; ignored for events`,
        { minimum: 0, maximum: waitSecondsMax, default: 0 },
      ),
      limit: queriedLimit('changes', changesPerPage),
    }),
    answer: Type.Object({
      ...success,
      changes: Type.Array(change),
      cursor,
      hasMore: Type.Boolean({ description: 'true: more changes are available; request them at once' }),
    }),
    events: [
      'event: change',
      'id: Y2hhbmdlIDkyOCA0MQ',
      'data: {"cursor":"Y2hhbmdlIDkyOCA0MQ","kind":"taxes","at":"2027-03-01T12:00:00.000Z","platformHotelId":"1","supplier":"Acme","hotelId":"H1","revision":7}',
      '',
      '',
    ].join('\n'),
    errors: {
      400: 'A parameter is not valid',
      410: `The cursor is older than ${changesKeptDays} days, or from another database: read everything again, then follow from now on`,
    },
    examples: [
      {
        summary: 'The current cursor',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Changes retrieved successfully' } },
      },
    ],
  }),
}
