import { dayIn, monthOf, type MonthNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'

/** The zone in which each day begins last: a month that is past there is past everywhere. */
const lastZone = 'Etc/GMT+12'

/** Hotels whose past months are removed by one statement. */
const hotelsAtOnce = 500

/** The first month that is not past everywhere on earth; earlier ones are removed. */
export function firstStoredMonth(nowMs: number): MonthNumber {
  return monthOf(dayIn(lastZone, nowMs) - 1)
}

/**
 * Removes months that are past everywhere on earth. Yesterday can still be pushed, so it isn't past yet. Goes through
 * all hotels by the primary key, once for each month: an index by month would cost every push of a new month.
 */
export async function removePastMonths(db: Queryable, nowMs: number): Promise<number> {
  const firstKeptMonth = firstStoredMonth(nowMs)
  const { rows: known } = await db.query(
    'select from housekeeping_mark where months_removed_before >= $1::int',
    [firstKeptMonth],
  )
  if (known.length > 0) return 0
  let removed = 0
  let afterId: number | null = 0
  while (afterId !== null) {
    const { rows }: { rows: { lastId: number | null; months: number }[] } = await db.query(
      // Under the hotels' locks, in the order in which pushes take them; cached blocks of the former version are no longer used.
      `with few as materialized (select id from hotel where id > $1 order by id limit ${hotelsAtOnce}),
       locked as materialized (
         select id from hotel where id in (select id from few)
           and exists (select from ari_month where hotel_id = hotel.id and month < $2::int)
         order by id for no key update
       ),
       gone as (
         delete from ari_month using locked where ari_month.hotel_id = locked.id and month < $2::int returning 1
       ),
       raised as (update hotel set ari_version = ari_version + 1 from locked where hotel.id = locked.id)
       select (select max(id) from few) as "lastId", (select count(*)::int from gone) as months`,
      [afterId, firstKeptMonth],
    )
    removed += rows[0]?.months ?? 0
    afterId = rows[0]?.lastId ?? null
  }
  await db.query('update housekeeping_mark set months_removed_before = $1', [firstKeptMonth])
  return removed
}
