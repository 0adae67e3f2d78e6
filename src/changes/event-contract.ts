import Type from 'typebox'
import { integer, oneOf } from '../http/route.ts'
import { liveOfChange } from './live-contract.ts'

/**
 * Changes that are events: something happened that raises no revision, such as a delivery that arrived. They are told one by
 * one and never left out, whatever happens later. For a new kind: its name and members here, `insertEvents` (write-events.ts) where
 * it happens, and its row in docs/changes.md; the table of changes takes `held` already.
 */

/** What an event adds to a change. A member of several kinds has one meaning. */
export const eventMembers = {
  reservationId: Type.Optional(
    Type.String({ description: 'Kinds `delivery`, `confirmation` and `report`: the reservation' }),
  ),
  version: Type.Optional(
    integer({ description: 'Kind `delivery`: the version that was delivered or given up' }),
  ),
  delivery: Type.Optional(
    Type.Object(
      { status: oneOf(['delivered', 'dead']) },
      { description: 'Kind `delivery`: `delivered`: the supplier has the version; `dead`: given up' },
    ),
  ),
  report: Type.Optional(
    Type.String({ description: 'Kind `report`: what the hotel reported', examples: ['no_show'] }),
  ),
  live: Type.Optional(liveOfChange),
}

export const eventKinds = ['delivery', 'confirmation', 'report', 'live'] as const
export type EventKind = (typeof eventKinds)[number]
