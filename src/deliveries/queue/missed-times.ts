import type { Queryable } from '../../postgres/postgres.ts'

/** Deliveries are given up after 72 hours; older ones have no newer version that is still to be sent. */
const lookedBack = `interval '4 days'`

/**
 * Does for newer versions what `passOnTimes` does, where a process ended, or the store was away, between the statement that
 * settled an older version and that one. A version that arrived meanwhile ends what was undelivered. Returns how many.
 */
export async function passOnMissedTimes(db: Queryable, nowMs: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'pass-on-missed-delivery-times',
    text: `
      with missed as (
        select newer.id, min(older.undelivered_since) as undelivered_since, min(older.alerted_at) as alerted_at
        from delivery as older
          join delivery as newer on newer.reservation_id = older.reservation_id and newer.version > older.version
        where older.status = 'superseded' and not older.is_repeat and older.created_at > instant($1) - ${lookedBack}
          and newer.status in ('queued', 'sending', 'dead') and not newer.is_outdated
          and (newer.undelivered_since > older.undelivered_since
            or older.alerted_at is not null and newer.alerted_at is null)
          and not exists (
            select from delivery as arrived where arrived.reservation_id = older.reservation_id
              and arrived.version between older.version and newer.version and arrived.status = 'delivered')
        group by newer.id
      ), locked as (
        -- In the order in which the test clock locks them too.
        select missed.* from missed join delivery using (id) order by id for no key update of delivery
      )
      update delivery set undelivered_since = least(delivery.undelivered_since, locked.undelivered_since),
        alerted_at = least(delivery.alerted_at, locked.alerted_at)
      from locked where delivery.id = locked.id`,
    values: [nowMs],
  })
  return rowCount ?? 0
}
