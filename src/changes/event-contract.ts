import Type from 'typebox'

/**
 * Changes that are events: something happened that raises no revision, such as a report of a hotel. They are told one by
 * one and never left out, whatever happens later. For a new kind: its members here, `insertEvents` (write-events.ts) where
 * it happens, and its row in docs/changes.md; the table of changes takes `held`, `live` and `delivery` already.
 */

/** What an event adds to a change. A member of several kinds has one meaning. */
export const eventMembers = {
  reservationId: Type.Optional(
    Type.String({ description: 'Kinds `confirmation` and `report`: the reservation' }),
  ),
  report: Type.Optional(
    Type.String({ description: 'Kind `report`: what the hotel reported', examples: ['no_show'] }),
  ),
}

/** The members that the events of a kind have. */
export const eventKinds = {
  confirmation: ['reservationId'],
  report: ['reservationId', 'report'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof eventMembers)[]>>
export type EventKind = keyof typeof eventKinds
