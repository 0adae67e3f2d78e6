import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connectionConfig, waitsWith, type PostgresAddress, findHost } from './connection-config.ts'

/** Valid from both src/postgres and, by scripts/build.ts, dist/. */
const folder = new URL('../../db/migrations/', import.meta.url)
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

type Migration = { name: string; sql: string; checksum: string }

export type Migrated = { applied: string[]; version: string }

/**
 * Brings the schema up to date: runs every file of db/migrations once, in order, each in a transaction of its
 * own or online. In an empty database, whose locks nobody waits for, consecutive files share a transaction. Several processes
 * may start at once: one works, and the others wait for it. If a file changed after it was applied, or the schema is newer
 * than this program, the start fails.
 */
export async function migrate(address: PostgresAddress): Promise<Migrated> {
  const files = await migrationFiles()
  const host = await findHost(address)
  const client = await connected(connectionConfig(host))
  try {
    await locked(client, async () => {
      await client.query(`create table if not exists schema_migration (
        name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    })
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migration order by name',
    )
    const checksumByName = new Map(rows.map((row) => [row.name, row.checksum]))
    const unknown = rows.find((row) => !files.includes(row.name))
    if (unknown)
      throw new Error(
        `The database has migration ${unknown.name}, which this version does not know: start the newer version`,
      )
    const missing: Migration[] = []
    for (const name of files) {
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      const known = checksumByName.get(name)
      if (known === undefined) missing.push({ name, sql, checksum })
      else if (known !== checksum)
        throw new Error(`Migration ${name} was changed after it was applied: add a new file instead`)
    }
    const applied: string[] = []
    for (const together of inTransactions(missing, rows.length === 0))
      applied.push(...(await apply(host, client, together)))
    return { applied, version: files.at(-1) ?? 'none' }
  } finally {
    await client.end()
  }
}

/** The schema that this program works on, named after its last migration. */
export async function schemaName(): Promise<string> {
  return (await migrationFiles()).at(-1) ?? 'none'
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
    await client.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, checksum])
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
