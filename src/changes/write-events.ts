import type { EventKind } from './event-contract.ts'

/**
 * SQL: a statement that writes events into the feed, as one row; to be part of the statement that makes them happen, so that
 * both are committed or neither. `happened` selects `hotel_id` and `event`, members of `eventMembers` as jsonb. An event
 * of a supplier as a whole has the hotel 0 and its `supplierId`, which is not told.
 */
export function insertEvents(kind: EventKind, happened: string): string {
  return `insert into change (kind, hotel_ids, revisions_from, revisions_to, events)
    select '${kind}', array_agg(hotel_id), array_agg(0::int8), array_agg(0::int8), array_agg(event)
    from (${happened}) as happened having count(*) > 0`
}
