import pg from 'pg'
import { connected, Connection, type Answers, type Begun } from './connection.ts'
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
  /** Sends the statements that `start` begins in one write, over one connection. */
  readonly together: <const Statements extends Begun>(
    start: (connection: Queryable) => Statements,
  ) => Promise<Answers<Statements>>
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

const applicationName = 'ari-gateway'

/**
 * Settings every connection of ours has; `synchronous_commit` because an acknowledged write is on disk. Without parallel
 * workers: to start them takes longer than they spare, and no one caller should have all processors.
 */
const sessionOptions =
  '-c synchronous_commit=on -c timezone=UTC -c jit=off -c max_parallel_workers_per_gather=0 -c default_transaction_isolation=read\\ committed'

export function connectionConfig(address: PostgresAddress): pg.ClientConfig {
  return {
    ...address,
    application_name: applicationName,
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
    const config = { ...connectionConfig(address), max, idleTimeoutMillis: idleTimeoutMs, Client: Connection }
    const pool = new pg.Pool(config)
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
    together: async (start) => {
      const { client, onBroken, release } = await connected(pool)
      try {
        return await client.together(() => start(client))
      } catch (error) {
        // As the pool does it for a statement alone: which connections a failure leaves of use is not told by it.
        onBroken()
        throw error
      } finally {
        release()
      }
    },
    close: async () => {
      await Promise.all([endPool(pool), endPool(signInPool)])
    },
  }
}

/** How many connections services and commands have to the database, but for the one that asks. */
export async function countOtherConnections(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
    [applicationName],
  )
  return rows[0]?.count ?? 0
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
