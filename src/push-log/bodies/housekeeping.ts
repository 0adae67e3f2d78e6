import { dayMs } from '../../base/calendar.ts'
import { sweep } from '../../postgres/connections/queryable.ts'
import type { Database, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { codeOf } from '../../postgres/connections/store-errors.ts'

/**
 * The days of the push log and of its packed bodies: created ahead, dropped when they are old. A push must
 * not wait for either, so days are created by attaching (which doesn't block pushes) and dropped with a short
 * lock timeout. Failed attempts are retried next time.
 */

/** An arbitrary number that every process must share and nothing else may use. */
const advisoryLock = 4_726_002

/**
 * A drop locks the whole log for an instant, and pushes queue behind it for at most this long. Attaching
 * doesn't block pushes to other days, but reads queue behind it in the same way.
 */
const patience = '200ms'

/**
 * Tables that are partitioned alike, with the number of days ahead for which there are partitions. Bodies are packed
 * after their day began, so nothing is written to their next days. A day leaves both tables at once.
 */
const daysAhead = { push_log: 14, push_body_segment: 2 } as const
type Table = keyof typeof daysAhead
const tables: readonly Table[] = ['push_log', 'push_body_segment']

const partitionName = /^(?:push_log|push_body_segment)_(\d{4})_(\d\d)_(\d\d)$/

/**
 * Takes pushes of days without a partition: housekeeping that was off for two weeks, or a wrong clock, must
 * not cause refusals. Usually empty.
 */
const restOf = (table: Table): `${Table}_rest` => `${table}_rest`

/**
 * Creates the missing days from yesterday (UTC) to two weeks ahead, or `aheadDays`. Call it before the first push is
 * accepted and then at least daily. Several processes may do so at once. Returns the created days, as
 * YYYY-MM-DD.
 */
export async function preparePartitions(
  db: Database,
  nowMs: number,
  aheadDays: number = daysAhead.push_log,
): Promise<string[]> {
  const today = Math.floor(nowMs / dayMs)
  const wanted = Array.from({ length: aheadDays + 2 }, (_, index) => today - 1 + index)
  const existing = await selectPartitions(db)
  const lacking = (day: number, names: ReadonlySet<string>): Table[] =>
    tables.filter((table) => day <= today + daysAhead[table] && !names.has(nameOf(table, day)))
  const hasRests = tables.every((table) => existing.has(restOf(table)))
  if (hasRests && wanted.every((day) => lacking(day, existing).length === 0)) return []
  return transaction(db, async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    await connection.query(`set local lock_timeout = '${patience}'`)
    // Read again: the previous holder of the lock may have created them.
    const partitions = await selectPartitions(connection)
    const made: string[] = []
    for (const day of wanted) {
      const missing = lacking(day, partitions)
      if (missing.length === 0 || (await isInRest(connection, partitions, day))) continue
      const outcome = await attachDay(connection, day, missing)
      if (outcome === 'made' && missing.includes('push_log')) made.push(dateOf(day))
      // A session that reads the rest partition now blocks every other day too.
      if (outcome === 'inUse') break
    }
    for (const table of tables)
      if (!partitions.has(restOf(table))) await attach(connection, table, restOf(table), 'default')
    return made
  })
}

/** `taken`: a row of this day went to the rest partition meanwhile; the day's other rows will follow it. */
async function attachDay(
  connection: Queryable,
  day: number,
  missing: readonly Table[],
): Promise<'made' | 'inUse' | 'taken'> {
  await connection.query('savepoint day')
  try {
    for (const table of missing) await attach(connection, table, nameOf(table, day), boundsOf(day))
    return 'made'
  } catch (error) {
    if (!isLockTimeout(error) && codeOf(error) !== '23514') throw error
    await connection.query('rollback to savepoint day')
    return isLockTimeout(error) ? 'inUse' : 'taken'
  }
}

const boundsOf = (day: number): string => `for values from ('${midnight(day)}') to ('${midnight(day + 1)}')`

/** `create table … partition of` would lock out all pushes; attaching an existing table doesn't. */
async function attach(connection: Queryable, table: Table, name: string, bounds: string): Promise<void> {
  // Without the identity: it belongs to the parent, and PostgreSQL 17 refuses a table that has its own.
  await connection.query(
    `create table ${name} (like ${table} including defaults including constraints including storage)`,
  )
  await connection.query(`alter table ${table} attach partition ${name} ${bounds}`)
}

/** Creates days that another store had, and only those: for its backup. Other names are ignored. */
export async function attachPartitions(connection: Queryable, names: readonly string[]): Promise<void> {
  const present = await selectPartitions(connection)
  for (const table of tables) {
    const ofTable = names.filter((name) => name.startsWith(`${table}_`) && !present.has(name))
    if (ofTable.includes(restOf(table))) await attach(connection, table, restOf(table), 'default')
    for (const day of daysOf(ofTable)) await attach(connection, table, nameOf(table, day), boundsOf(day))
  }
}

/** Rows in the rest partition keep their day from being created; they are deleted with its old rows. */
async function isInRest(
  connection: Queryable,
  partitions: ReadonlySet<string>,
  day: number,
): Promise<boolean> {
  for (const rest of tables.map(restOf).filter((name) => partitions.has(name))) {
    const { rows } = await connection.query<{ isThere: boolean }>(
      `select exists (select from ${rest} where at >= $1 and at < $2) as "isThere"`,
      [midnight(day), midnight(day + 1)],
    )
    if (rows[0]?.isThere) return true
  }
  return false
}

async function selectPartitions(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = any($1::regclass[])`,
    [tables],
  )
  return new Set(rows.map(({ name }) => name))
}

/** The number of the oldest day (UTC) with a partition; Infinity if there is none. */
export async function selectOldestDay(db: Queryable): Promise<number> {
  return (await selectDays(db))[0] ?? Infinity
}

/** The numbers of the days (UTC) with a partition, oldest first. */
export async function selectDays(db: Queryable): Promise<number[]> {
  return daysOf(await selectPartitions(db))
}

function daysOf(partitions: Iterable<string>): number[] {
  return [...new Set([...partitions].map(dayOf).filter((day) => day !== undefined))].sort(
    (left, right) => left - right,
  )
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

function midnight(day: number): string {
  return `${dateOf(day)} 00:00:00+00`
}

function nameOf(table: Table, day: number): string {
  return `${table}_${dateOf(day).replaceAll('-', '_')}`
}

/** Undefined if the partition is not a day. */
function dayOf(partition: string): number | undefined {
  const date = partitionName.exec(partition)?.slice(1).join('-')
  return date === undefined ? undefined : Date.parse(date) / dayMs
}

type Dropped = {
  /** YYYY-MM-DD. */
  days: string[]
  /** Those of them that were dropped only because the log was too large. */
  forSize: string[]
  /** Days in use, or beyond the limit per run; they are dropped next time. */
  postponed: string[]
  /** Number of rows deleted from the rest partition. */
  rows: number
}

/** Per run. Usually one day is due; after the retention was shortened, the others follow hour by hour. */
const daysDroppedMax = 7

/**
 * Drops the days that ended at least `retentionDays` ago, oldest first, and then the oldest days until the rest takes at most
 * `bytesMax`. A day that isn't over stays.
 */
export async function dropOldPartitions(
  db: Database,
  nowMs: number,
  retentionDays: number,
  bytesMax = Infinity,
): Promise<Dropped> {
  const keptFromMs = nowMs - retentionDays * dayMs
  const dropped: Dropped = { days: [], forSize: [], postponed: [], rows: 0 }
  const partitions = await selectPartitions(db)
  const days = daysOf(partitions).filter((day) => (day + 1) * dayMs <= nowMs)
  const isOld = (day: number): boolean => (day + 1) * dayMs <= keptFromMs
  const retained = days.filter((day) => !isOld(day))
  const tooMany =
    bytesMax === Infinity ? [] : await selectDaysBeyond(db, retained, days.filter(isOld), bytesMax)
  for (const day of [...days.filter(isOld), ...tooMany]) {
    // A session that locks one partition usually locks them all: don't make pushes wait again for each.
    const isDropped =
      dropped.postponed.length === 0 && dropped.days.length < daysDroppedMax && (await dropDay(db, day))
    const list = isDropped ? dropped.days : dropped.postponed
    list.push(dateOf(day))
    if (isDropped && !isOld(day)) dropped.forSize.push(dateOf(day))
  }
  for (const table of tables)
    if (partitions.has(restOf(table))) dropped.rows += await deleteOld(db, restOf(table), keptFromMs)
  return dropped
}

/**
 * The first of the retained days, without which the others and the rest of the log take at most `bytesMax`. Days without rows
 * stay: they take next to nothing, and the partition of yesterday would be created again in every round.
 */
async function selectDaysBeyond(
  db: Database,
  retained: readonly number[],
  leaving: readonly number[],
  bytesMax: number,
): Promise<number[]> {
  const { rows } = await db.query<{ name: string; bytes: number; hasRows: boolean }>(
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes, pg_relation_size(oid) > 0 as "hasRows" from pg_class
     where oid = 'push_body_batch'::regclass
       or oid in (select inhrelid from pg_inherits where inhparent = any($1::regclass[]))`,
    [tables],
  )
  const bytesByDay = new Map<number | undefined, number>()
  const daysWithRows = new Set<number | undefined>()
  let left = 0
  for (const { name, bytes, hasRows } of rows) {
    const day = dayOf(name)
    if (hasRows) daysWithRows.add(day)
    bytesByDay.set(day, (bytesByDay.get(day) ?? 0) + bytes)
    left += bytes
  }
  const bytesOf = (day: number): number => bytesByDay.get(day) ?? 0
  for (const day of leaving) left -= bytesOf(day)
  const beyond: number[] = []
  for (const day of retained.filter((each) => daysWithRows.has(each))) {
    if (left <= bytesMax) break
    beyond.push(day)
    left -= bytesOf(day)
  }
  return beyond
}

/** False if the lock wasn't available in time. */
async function dropDay(db: Database, day: number): Promise<boolean> {
  try {
    await transaction(db, async (connection) => {
      await connection.query(`set local lock_timeout = '${patience}'`)
      await connection.query(`drop table if exists ${tables.map((table) => nameOf(table, day)).join()}`)
    })
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** 55P03, lock_not_available. */
function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

const idempotencyHours = 24

/** Deletes answers stored for repeats more than 24 hours ago. Returns how many. */
export function deleteOldIdempotency(db: Database, nowMs: number): Promise<number> {
  return deleteOld(db, 'idempotency', nowMs - idempotencyHours * 3_600_000)
}

function deleteOld(
  db: Database,
  table: 'idempotency' | ReturnType<typeof restOf>,
  beforeMs: number,
): Promise<number> {
  return sweep(
    db,
    `delete from ${table} where ctid in (
       select ctid from ${table} where at <= instant($1) limit $2 for update skip locked)`,
    beforeMs,
  )
}
