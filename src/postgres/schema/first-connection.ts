import { randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  addressText,
  bareConfig,
  type Pooler,
  type PostgresAddress,
  findHost,
  NoWritableHost,
} from '../connections/connection-config.ts'
import { schemaName } from './migrate.ts'

/**
 * Checks an external database before anything else uses it: whether it is usable, and if not, what the
 * operator has to fix.
 */

const oldestVersion = 150_000
const waits = { connectMs: 5_000, statementMs: 5_000 }

/** Explains in one line why the database can't be used and how to fix that. */
export class UnusableDatabase extends Error {
  constructor(line: string, options?: ErrorOptions) {
    super(line, options)
    this.name = 'UnusableDatabase'
  }
}

type Server = {
  version: string
  versionNumber: number
  isReadOnly: boolean
  pid: number
  user: string
  mayCreate: boolean
}

/**
 * Returns the address with the details found; fails with UnusableDatabase. `patience` multiplies the wait.
 */
export async function checkDatabase(address: PostgresAddress, patience = 1): Promise<PostgresAddress> {
  const { isReadOnly, mayCreate, user, version, versionNumber, pooler } = await readServer(address, patience)
  const where = addressText(address)
  if (versionNumber < oldestVersion)
    throw new UnusableDatabase(
      `PostgreSQL ${version} at ${where} is too old: upgrade it to version 15 to 18, or name another in DATABASE_URL`,
    )
  if (isReadOnly)
    throw new UnusableDatabase(
      `The database at ${where} is read-only: name the primary in DATABASE_URL, or all hosts, as in postgres://user@db1:5432,db2:5432/database; if it is not a standby, check default_transaction_read_only`,
    )
  if (!mayCreate)
    throw new UnusableDatabase(
      `User ${quoted(user)} may not create tables in the database at ${where}: as the database's owner, grant create on schema public to ${quoted(user)}`,
    )
  return pooler ? { ...address, pooler } : address
}

async function readServer(
  address: PostgresAddress,
  patience: number,
): Promise<Server & { pooler: Pooler | undefined }> {
  let client: pg.Client | undefined
  try {
    const opened = new pg.Client({
      ...bareConfig(await findHost(address), waits.connectMs * patience),
      query_timeout: waits.statementMs * patience,
    })
    client = opened
    opened.on('error', () => {})
    await opened.connect()
    const { rows } = await opened.query<Server>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
         current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_backend_pid() as pid, current_user as user,
         coalesce(has_schema_privilege(current_user, current_schema(), 'create'), false) as "mayCreate"`,
    )
    const [server] = rows
    if (!server) throw new Error('PostgreSQL reported no version')
    return { ...server, pooler: await poolerBefore(opened, server.pid) }
  } catch (cause) {
    throw unusable(cause, address)
  } finally {
    client?.end().catch(() => {})
  }
}

/**
 * Detects a pooler: it gives its clients process ids of its own. One that keeps prepared statements also
 * gives them names of its own.
 */
async function poolerBefore(client: pg.Client, pid: number): Promise<Pooler | undefined> {
  if (!('processID' in client) || client.processID === pid) return undefined
  const name = `ari_${randomUUID()}`
  await client.query('begin')
  await client.query({ name, text: 'select 1' })
  const { rows } = await client.query<{ name: string }>(
    'select name from pg_prepared_statements where name = $1',
    [name],
  )
  if (rows.length > 0) await client.query(`deallocate "${name}"`)
  await client.query('commit')
  return rows.length > 0 ? { keeps: 'nothing' } : { keeps: 'prepared statements', schema: await schemaName() }
}

function unusable(cause: unknown, address: PostgresAddress): unknown {
  const where = addressText(address)
  const message = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof NoWritableHost)
    return new UnusableDatabase(
      `No host of ${where} accepts writes: promote one of them, or name the primary in DATABASE_URL`,
      { cause },
    )
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  switch (code.slice(0, 2)) {
    case '28':
      return new UnusableDatabase(
        `PostgreSQL at ${where} refuses these credentials (${message}): correct the user and password in DATABASE_URL, or pg_hba.conf there`,
        { cause },
      )
    case '3D':
      return new UnusableDatabase(
        `PostgreSQL at ${where} has no such database (${message}): create it with createdb, or correct the name in DATABASE_URL`,
        { cause },
      )
    default:
      return cause
  }
}

function quoted(name: string): string {
  return `"${name}"`
}
