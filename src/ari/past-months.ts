import { dayIn, monthOf } from '../base/calendar.ts'
import type { Queryable } from '../postgres/postgres.ts'

/** The zone in which each day begins last: a month that is past there is past everywhere. */
const lastZone = 'Etc/GMT+12'

/** Hotels whose past months are removed by one statement. */
const hotelsAtOnce = 500

/**
 * Removes months that are past everywhere on earth. Yesterday can still be pushed, so it isn't past yet. Goes through
 * all hotels by the primary key, once for each month: an index by month would cost every push of a new month.
 */
export async function removePastMonths(db: Queryable, nowMs: number): Promise<number> {
  const firstKeptMonth = monthOf(dayIn(lastZone, nowMs) - 1)
  const { rows: known } = await db.query(
    'select from housekeeping_mark where months_removed_before >= $1::int',
    [firstKeptMonth],
  )
  if (known.length > 0) return 0
  let removed = 0
  let afterId: number | null = 0
  while (afterId !== null) {
    const { rows }: { rows: { lastId: number | null; months: number }[] } = await db.query(
      `with few as materialized (select id from hotel where id > $1 order by id limit ${hotelsAtOnce}),
       gone as (
         delete from ari_month using few where ari_month.hotel_id = few.id and month < $2::int returning 1
       )
       select (select max(id) from few) as "lastId", (select count(*)::int from gone) as months`,
      [afterId, firstKeptMonth],
    )
    removed += rows[0]?.months ?? 0
    afterId = rows[0]?.lastId ?? null
  }
  await db.query('update housekeeping_mark set months_removed_before = $1', [firstKeptMonth])
  return removed
}
