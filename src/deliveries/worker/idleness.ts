import type { Queryable } from '../../postgres/postgres.ts'

/**
 * For how long the oldest delivery has been due, and since when none was tried; undefined: none is due, or none was ever
 * tried. Attempts in the future of a test clock don't count.
 */
export async function selectIdleness(
  db: Queryable,
): Promise<{ dueSeconds: number | undefined; attemptSeconds: number | undefined }> {
  const { rows } = await db.query<{ dueSeconds: number | null; attemptSeconds: number | null }>(
    `select extract(epoch from now() - (select min(due_at) from delivery where status = 'queued' and due_at <= now()))::float8
        as "dueSeconds",
      extract(epoch from now() - (select max(at) from delivery_attempt where at <= now()))::float8 as "attemptSeconds"`,
  )
  return {
    dueSeconds: rows[0]?.dueSeconds ?? undefined,
    attemptSeconds: rows[0]?.attemptSeconds ?? undefined,
  }
}
