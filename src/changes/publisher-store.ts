import type { Queryable } from '../postgres/postgres.ts'
import type { FeedPosition } from './cursor.ts'

/** How far the feed was published, as of the last acknowledgement; `position` is absent before the first. */
export type Published = { position: FeedPosition | undefined; sequence: number }

type Row = { [name in keyof FeedPosition]: FeedPosition[name] | null } & { sequence: number }

/** Leases the role to `holder`; undefined while another process holds it. */
export async function takePublisherRole(
  db: Queryable,
  holder: string,
  leaseMs: number,
): Promise<Published | undefined> {
  const { rows } = await db.query<Row>(
    `update feed_publisher set holder = $1, leased_until = clock_timestamp() + $2::float8 * interval '1 ms'
     where holder = $1 or leased_until is null or leased_until < clock_timestamp()
     returning epoch, turn, id, hotels, stream_sequence as sequence`,
    [holder, leaseMs],
  )
  const [row] = rows
  if (!row) return undefined
  const { epoch, turn, id, hotels, sequence } = row
  const isFirst = epoch === null || turn === null || id === null || hotels === null
  return { position: isFirst ? undefined : { epoch, turn, id, hotels }, sequence }
}

/** Also renews the lease. False if another process has the role by now. */
export async function savePublished(
  db: Queryable,
  holder: string,
  { position, sequence }: { position: FeedPosition; sequence: number },
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update feed_publisher set epoch = $2, turn = $3, id = $4, hotels = $5, stream_sequence = $6,
       leased_until = clock_timestamp() + $7::float8 * interval '1 ms'
     where holder = $1`,
    [holder, position.epoch, position.turn, position.id, position.hotels, sequence, leaseMs],
  )
  return rowCount === 1
}

export async function leavePublisherRole(db: Queryable, holder: string): Promise<void> {
  await db.query('update feed_publisher set holder = null, leased_until = null where holder = $1', [holder])
}

/** The age of the oldest change that is not published yet; 0 if there is none. */
export async function selectPublisherLagSeconds(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select greatest(0, extract(epoch from clock_timestamp() - waiting.at))::float8 as seconds
     from feed_publisher as published cross join lateral (
       -- Before the first publication nothing is published.
       select at from change
       where (change.turn, change.id) > (coalesce(published.turn, 0), coalesce(published.id, 0))
       order by turn, id limit 1
     ) as waiting`,
  )
  return rows[0]?.seconds ?? 0
}
