import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../src/postgres/postgres.ts'

const pollMs = 5

/**
 * Resolves once the feed can report every change: transactions of other tests on the same server delay it for
 * a moment.
 */
export async function changesSettled(db: Queryable): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      'select from change where turn >= pg_snapshot_xmin(pg_current_snapshot())::text::int8',
    )
    if (rowCount === 0) return
    await wait(pollMs)
  }
}
