import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import {
  connectionConfig,
  waitsWith,
  type PostgresAddress,
  findHost,
} from '../connections/connection-config.ts'

/** Valid from both src/postgres and, by scripts/build.ts, dist/. */
const folder = new URL('../../../db/migrations/', import.meta.url)
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/

/**
 * How a file begins whose statements would otherwise block pushes for as long as a large table takes. They are separated by
 * empty lines, and each runs outside a transaction, so that it can create an index concurrently or commit in batches. After a
 * crash all of them run again: each must allow that.
 */
const onlineMark = '-- Online.'

/** Any fixed number; it only has to be the same in every process. */
const advisoryLock = 4_726_001
const lockPollMs = 100

const noLimit = { ...waitsWith(1), statementMs: 0 }

/**
 * A file with this line only adds: the version before it works on the new schema too, and starts on it. It may be the
 * first line, or the second below `-- Online.`.
 */
const expandMark = /^(?:-- Online\.\n)?-- Expand\.\n/

type Migration = { name: string; sql: string; checksum: string }

export type Migrated = { applied: string[]; version: string }

/** As `ARI_MIGRATE` says: `off` changes nothing, and throws if migrations are missing. */
export async function migrateAs(
  choice: 'auto' | 'only' | 'off',
  address: PostgresAddress,
): Promise<Migrated> {
  if (choice !== 'off') return migrate(address)
  const { missing, version } = await lookAtSchema(address)
  if (missing.length === 0) return { applied: [], version }
  throw new Error(
    `The database lacks ${missing.length === 1 ? 'the migration' : `${missing.length} migrations:`} ${missing.join(', ')}, and ARI_MIGRATE is off: run "ari migrate" of this version first`,
  )
}

/**
 * The migrations that the database lacks, and the schema that it will have with them. Changes nothing. Throws if its schema
 * doesn't fit this program.
 */
export async function lookAtSchema(
  address: PostgresAddress,
): Promise<{ missing: string[]; version: string; isEmpty: boolean }> {
  const client = await connected(connectionConfig(await findHost(address)))
  try {
    const { rows } = await client.query<{ found: boolean }>(
      "select to_regclass('schema_migration') is not null as found",
    )
    const applied = rows[0]?.found === true ? await appliedTo(client) : []
    const { missing, version } = await compare(applied, await migrationFiles())
    return { missing: missing.map(({ name }) => name), version, isEmpty: applied.length === 0 }
  } finally {
    await client.end()
  }
}

/**
 * Brings the schema up to date: runs every file of db/migrations once, in order, each in a transaction of its
 * own or online. In an empty database, whose locks nobody waits for, consecutive files share a transaction. Several processes
 * may start at once: one works, and the others wait for it. If a file changed after it was applied, or the schema is too new
 * for this program, the start fails. With `upTo`, files after that one are left for later: for a restore.
 */
export async function migrate(address: PostgresAddress, { upTo }: { upTo?: string } = {}): Promise<Migrated> {
  const all = await migrationFiles()
  const files = upTo === undefined ? all : all.slice(0, all.indexOf(upTo) + 1)
  const host = await findHost(address)
  const client = await connected(connectionConfig(host))
  try {
    await locked(client, async () => {
      await client.query(`create table if not exists schema_migration (
        name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
      // Only where it is missing: a backup in progress has read the table, and would be waited for.
      const { rowCount } = await client.query(`select from pg_attribute
        where attrelid = to_regclass('schema_migration') and attname = 'expands'`)
      if (rowCount === 0)
        await client.query('alter table schema_migration add column expands boolean not null default false')
    })
    const rows = await appliedTo(client)
    const { missing, version } = await compare(rows, files)
    const applied: string[] = []
    for (const together of inTransactions(missing, rows.length === 0))
      applied.push(...(await apply(host, client, together)))
    return { applied, version }
  } finally {
    await client.end()
  }
}

type Applied = { name: string; checksum: string; expands: boolean }

/** A store that only an older version has migrated has no column `expands`. */
async function appliedTo(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    `select name, checksum, coalesce((to_jsonb(one) ->> 'expands')::boolean, false) as expands
     from schema_migration as one order by name`,
  )
  return rows
}

/** What a database lacks, and the schema that it will then have. Throws if it doesn't fit this program. */
async function compare(
  rows: readonly Applied[],
  files: readonly string[],
): Promise<{ missing: Migration[]; version: string }> {
  const unknown = rows.filter((row) => !files.includes(row.name))
  const newest = unknown.at(-1)?.name ?? files.at(-1) ?? 'none'
  if (unknown.some(({ expands }) => !expands))
    throw new Error(
      `The database's schema is at ${newest}, but this version only knows it up to ${files.at(-1) ?? 'none'}: start the newer version again, or restore the backup from before the upgrade into an empty database (ari backup restore)`,
    )
  const checksumByName = new Map(rows.map((row) => [row.name, row.checksum]))
  const missing: Migration[] = []
  for (const name of files) {
    const sql = await readFile(new URL(name, folder), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    const known = checksumByName.get(name)
    if (known === undefined) missing.push({ name, sql, checksum })
    else if (known !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied: add a new file instead`)
  }
  return { missing, version: newest }
}

/** The schema that this program works on, named after its last migration. */
export async function schemaName(): Promise<string> {
  return (await schemaNames()).at(-1) ?? 'none'
}

/** All schemas that this program can bring up to date, oldest first. */
export function schemaNames(): Promise<string[]> {
  return migrationFiles()
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => fileName.test(name)).sort()
}

/** Whether the database contains a schema of ours, of any version. */
export async function isMigrated(address: PostgresAddress): Promise<boolean> {
  const client = new pg.Client(connectionConfig(await findHost(address)))
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ found: boolean }>(
      "select to_regclass('schema_migration') is not null as found",
    )
    return rows[0]?.found === true
  } finally {
    await client.end()
  }
}

function inTransactions(migrations: readonly Migration[], isEmpty: boolean): Migration[][] {
  const groups: Migration[][] = []
  for (const migration of migrations) {
    const last = groups.at(-1)
    if (isEmpty && last && ![migration, ...last].some(isOnline)) last.push(migration)
    else groups.push([migration])
  }
  return groups
}

function isOnline({ sql }: Migration): boolean {
  return sql.startsWith(onlineMark)
}

/** In one transaction. Returns the names of those that no other process has applied in the meantime. */
async function apply(
  host: PostgresAddress,
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<string[]> {
  return locked(client, async () => {
    const applied: string[] = []
    for (const migration of migrations)
      if (await applyOne(host, client, migration)) applied.push(migration.name)
    return applied
  })
}

async function applyOne(host: PostgresAddress, client: pg.Client, migration: Migration): Promise<boolean> {
  const { name, sql, checksum } = migration
  try {
    // Without a parameter: after one with parameters its snapshot remains, for which a concurrent index would wait.
    const { rowCount } = await client.query(`select from schema_migration where name = '${name}'`)
    if (rowCount) return false
    if (isOnline(migration)) await runOnline(host, sql)
    else await client.query(sql)
    await client.query('insert into schema_migration (name, checksum, expands) values ($1, $2, $3)', [
      name,
      checksum,
      expandMark.test(sql),
    ])
    return true
  } catch (cause) {
    throw new Error(`Migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** On a second connection: the first one has the lock, in a transaction. */
async function runOnline(host: PostgresAddress, sql: string): Promise<void> {
  const client = await connected(connectionConfig(host, noLimit, { statement_timeout: '0' }))
  try {
    for (const statement of sql.split(/\n{2,}/)) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  // The statement in progress reports a broken connection; unhandled, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * One process at a time, with one transaction each: behind a pooler, a session lock would be lost. The others try again
 * and again, because an index created concurrently would wait for a statement that waits for the lock.
 */
async function locked<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const done = await ifUnlocked(client, work)
    if (done) return done.result
    await delay(lockPollMs)
  }
}

async function ifUnlocked<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  await client.query('begin')
  try {
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
      set local timezone = 'UTC'; set local synchronous_commit = on`)
    const { rows } = await client.query(`select where pg_try_advisory_xact_lock(${advisoryLock})`)
    const done = rows.length > 0 ? { result: await work() } : undefined
    await client.query('commit')
    return done
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}
