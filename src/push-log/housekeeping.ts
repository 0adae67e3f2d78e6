import { sweep } from '../postgres/sweep.ts'
import type { Database, Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'

/**
 * The days of the push log: created ahead, dropped when they are old. A push must not wait for either, so
 * days are created by attaching (which doesn't block pushes) and dropped with a short lock timeout. Failed
 * attempts are retried next time.
 */

const daysAhead = 14
const dayMs = 86_400_000

/** An arbitrary number that every process must share and nothing else may use. */
const advisoryLock = 4_726_002

/**
 * A drop locks the whole log for an instant, and pushes queue behind it for at most this long. Attaching
 * doesn't block pushes to other days, but reads queue behind it in the same way.
 */
const patience = '200ms'

const partitionName = /^push_log_(\d{4})_(\d\d)_(\d\d)$/

/**
 * Takes pushes of days without a partition: housekeeping that was off for two weeks, or a wrong clock, must
 * not cause refusals. Usually empty.
 */
const restTable = 'push_log_rest'

/**
 * Creates the missing days from yesterday (UTC) to `daysAhead` ahead. Call it before the first push is
 * accepted and then at least daily. Several processes may do so at once. Returns the created days, as
 * YYYY-MM-DD.
 */
export async function preparePartitions(db: Database, nowMs: number): Promise<string[]> {
  const today = Math.floor(nowMs / dayMs)
  const wanted = Array.from({ length: daysAhead + 2 }, (_, index) => today - 1 + index)
  const existing = await selectPartitions(db)
  if (existing.has(restTable) && wanted.every((day) => existing.has(nameOf(day)))) return []
  return transaction(db, async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    await connection.query(`set local lock_timeout = '${patience}'`)
    // Read again: the previous holder of the lock may have created them.
    const partitions = await selectPartitions(connection)
    const made: string[] = []
    for (const day of wanted) {
      if (partitions.has(nameOf(day)) || (await isInRest(connection, partitions, day))) continue
      const outcome = await attachDay(connection, day)
      if (outcome === 'made') made.push(dateOf(day))
      // A session that reads the rest partition now blocks every other day too.
      if (outcome === 'inUse') break
    }
    if (!partitions.has(restTable)) await attach(connection, restTable, 'default')
    return made
  })
}

/** `taken`: a row of this day went to the rest partition meanwhile; the day's other rows will follow it. */
async function attachDay(connection: Queryable, day: number): Promise<'made' | 'inUse' | 'taken'> {
  await connection.query('savepoint day')
  try {
    await attach(connection, nameOf(day), `for values from ('${midnight(day)}') to ('${midnight(day + 1)}')`)
    return 'made'
  } catch (error) {
    if (!isLockTimeout(error) && !hasCode(error, '23514')) throw error
    await connection.query('rollback to savepoint day')
    return isLockTimeout(error) ? 'inUse' : 'taken'
  }
}

/** `create table … partition of` would lock out all pushes; attaching an existing table doesn't. */
async function attach(connection: Queryable, name: string, bounds: string): Promise<void> {
  // Without the identity: it belongs to the parent, and PostgreSQL 17 refuses a table that has its own.
  await connection.query(
    `create table ${name} (like push_log including defaults including constraints including storage)`,
  )
  await connection.query(`alter table push_log attach partition ${name} ${bounds}`)
}

/** Rows in the rest partition keep their day from being created; they are deleted with its old rows. */
async function isInRest(
  connection: Queryable,
  partitions: ReadonlySet<string>,
  day: number,
): Promise<boolean> {
  if (!partitions.has(restTable)) return false
  const { rows } = await connection.query<{ isThere: boolean }>(
    `select exists (select from ${restTable} where at >= $1 and at < $2) as "isThere"`,
    [midnight(day), midnight(day + 1)],
  )
  return rows[0]?.isThere ?? false
}

async function selectPartitions(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = 'push_log'::regclass`,
  )
  return new Set(rows.map(({ name }) => name))
}

/** The number of the oldest day (UTC) with a partition; Infinity if there is none. */
export async function selectOldestDay(db: Queryable): Promise<number> {
  const days = [...(await selectPartitions(db))].map(dayOf).filter((day) => day !== undefined)
  return Math.min(...days)
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

function midnight(day: number): string {
  return `${dateOf(day)} 00:00:00+00`
}

function nameOf(day: number): string {
  return `push_log_${dateOf(day).replaceAll('-', '_')}`
}

/** Undefined if the partition is not a day. */
function dayOf(partition: string): number | undefined {
  const date = partitionName.exec(partition)?.slice(1).join('-')
  return date === undefined ? undefined : Date.parse(date) / dayMs
}

type Dropped = {
  /** YYYY-MM-DD. */
  days: string[]
  /** Days in use, or beyond the limit per run; they are dropped next time. */
  postponed: string[]
  /** Number of rows deleted from the rest partition. */
  rows: number
}

/** Per run. Usually one day is due; after the retention was shortened, the others follow hour by hour. */
const daysDroppedMax = 7

/** Drops the days that ended at least `retentionDays` ago, oldest first. */
export async function dropOldPartitions(
  db: Database,
  nowMs: number,
  retentionDays: number,
): Promise<Dropped> {
  const keptFromMs = nowMs - retentionDays * dayMs
  const dropped: Dropped = { days: [], postponed: [], rows: 0 }
  const partitions = await selectPartitions(db)
  for (const name of [...partitions].sort()) {
    const day = dayOf(name)
    if (day === undefined || (day + 1) * dayMs > keptFromMs) continue
    // A session that locks one partition usually locks them all: don't make pushes wait again for each.
    const isDropped =
      dropped.postponed.length === 0 &&
      dropped.days.length < daysDroppedMax &&
      (await dropPartition(db, name))
    const list = isDropped ? dropped.days : dropped.postponed
    list.push(dateOf(day))
  }
  if (partitions.has(restTable)) dropped.rows = await deleteOld(db, restTable, keptFromMs)
  return dropped
}

/** False if the lock wasn't available in time. */
async function dropPartition(db: Database, name: string): Promise<boolean> {
  try {
    await transaction(db, async (connection) => {
      await connection.query(`set local lock_timeout = '${patience}'`)
      await connection.query(`drop table if exists ${name}`)
    })
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** 55P03, lock_not_available. */
function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

const idempotencyHours = 24

/** Deletes answers stored for repeats more than 24 hours ago. Returns how many. */
export function deleteOldIdempotency(db: Database, nowMs: number): Promise<number> {
  return deleteOld(db, 'idempotency', nowMs - idempotencyHours * 3_600_000)
}

function deleteOld(db: Database, table: 'idempotency' | typeof restTable, beforeMs: number): Promise<number> {
  return sweep(
    db,
    `delete from ${table} where ctid in (
       select ctid from ${table} where at <= instant($1) limit $2 for update skip locked)`,
    beforeMs,
  )
}
