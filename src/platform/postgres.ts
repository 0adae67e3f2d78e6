import pg from 'pg'
import { setTimeout as wait } from 'node:timers/promises'
import { Gate } from './gate.ts'

/**
 * How this service talks to PostgreSQL: results as text with the parsers set here once, never in binary form
 * (pg would misread numbers, dates and bytea), parameters numbered, whole statements.
 */

pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  // Identifiers, revisions and amounts all stay below 2^53; a larger one would be read wrong silently.
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 beyond 2^53: ${text}`)
  return value
})

export type PostgresAddress =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }

/** What a query needs: the pool, or the one connection of a transaction. */
export type Queryable = {
  query: <Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ) => Promise<pg.QueryResult<Row>>
}

export type Database = Queryable & {
  readonly pool: pg.Pool
  readonly address: PostgresAddress
  /** Connections of their own for looking up who calls, so that callers are known while others hold all the rest. */
  readonly signIn: Queryable
  /** Before a transaction of a key: those that wait for locks must not hold connections that others need. */
  readonly writes: Gate
  close: () => Promise<void>
}

export const poolConnectionsMax = 20
const signInConnectionsMax = 3
/** Of all keys together fewer than there are connections, so that reads always find one. */
const writesMax = { passing: 4, waiting: 200, inAll: { passing: 14, keptForOthers: 8 } }
const idleTimeoutMs = 60_000
const connectTimeoutMs = 5_000
const statementTimeoutMs = 30_000

/**
 * Settings every connection of ours has; `synchronous_commit` because an acknowledged write is on disk. Without parallel
 * workers: to start them takes longer than they spare, and no one caller should have all processors.
 */
const sessionOptions =
  '-c synchronous_commit=on -c timezone=UTC -c jit=off -c max_parallel_workers_per_gather=0 -c default_transaction_isolation=read\\ committed'

export function connectionConfig(address: PostgresAddress): pg.ClientConfig {
  return {
    ...address,
    application_name: 'ari-gateway',
    options: sessionOptions,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
  }
}

export function openDatabase(
  address: PostgresAddress,
  log: { warn: (fields: object, message: string) => void },
  connectionsMax = poolConnectionsMax,
): Database {
  const poolOf = (max: number): pg.Pool => {
    const pool = new pg.Pool({ ...connectionConfig(address), max, idleTimeoutMillis: idleTimeoutMs })
    // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
    pool.on('error', (error) => log.warn({ err: error }, 'an idle PostgreSQL connection broke'))
    return pool
  }
  const pool = poolOf(connectionsMax)
  const signInPool = poolOf(signInConnectionsMax)
  return {
    pool,
    address,
    signIn: { query: (query, values) => signInPool.query(query, values) },
    writes: new Gate(writesMax),
    query: (query, values) => pool.query(query, values),
    close: async () => {
      await Promise.all([endPool(pool), endPool(signInPool)])
    },
  }
}

/** pg's own end() comes back before the connections are gone; a PostgreSQL that stops then would break them. */
async function endPool(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount
  const gone = new Promise<void>((resolve) => {
    if (open === 0) resolve()
    pool.on('remove', () => --open === 0 && resolve())
  })
  await pool.end()
  await gone
}

const attemptsMax = 8

/**
 * Runs the work in one transaction and commits it. Serialization failures and deadlocks are tried again from
 * the start, so the work must have no effect but its statements.
 */
export async function transaction<Result>(
  db: Database,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactionOnce(db, work)
    } catch (error) {
      if (attempt === attemptsMax || !isTransient(error)) throw error
      await wait(Math.random() * 2 ** attempt * 5)
    }
  }
}

async function transactionOnce<Result>(
  db: Database,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect()
  let isBroken = false
  const onBroken = (): void => {
    isBroken = true
  }
  // A connection that breaks also says so by an event, which would end the process if nobody listened. The pool
  // listens only while the connection is its own.
  client.on('error', onBroken)
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(onBroken)
    throw error
  } finally {
    client.off('error', onBroken)
    client.release(isBroken)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** 40001 serialization failure, 40P01 deadlock: PostgreSQL asks for the same again. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** 08 connection, 53 out of resources, 57P operator intervention, 58 system error (disk), 25006 read-only standby. */
const unavailableClasses = /^(?:08|53|57P|58|25006|57014|XX001)/
const driverMessages =
  /connection terminated|timeout exceeded when trying to connect|not queryable|client was closed|connection error/i

/** Whether PostgreSQL could not be reached or could not work, so that the caller should try again later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = codeOf(error)
  return (
    networkCodes.has(code) ||
    unavailableClasses.test(code) ||
    (code === '' && driverMessages.test(error.message))
  )
}

/**
 * A parameter of a prepared statement whose value the planner does not see. Where it sees a list of one, or an instant
 * before which little is due, it takes its plan for just that to be so much better than one for all that it plans the
 * statement anew at each call, and that takes several times as long as to run it.
 */
export function unseen(parameter: string): string {
  return `(select ${parameter})`
}

/**
 * An array of numbers (or nulls) as PostgreSQL reads it. The driver would look at each element for characters to
 * escape, which for a commit group costs more than the statement.
 */
export function numberArray(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join()}}`
}

const plainText = /^[A-Za-z0-9._-]+$/

/** The same for texts, most of which need no escaping. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(textElement).join()}}`
}

function textElement(value: string | null): string {
  if (value === null) return 'null'
  return plainText.test(value) && value.toLowerCase() !== 'null'
    ? value
    : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
