import pg from 'pg'
import type { StoreClock, Clock } from '../base/clock.ts'
import {
  applicationName,
  waitsWith,
  type PostgresAddress,
  type SessionSettings,
} from './connections/connection-config.ts'
import { connected, type Answers, type Begun, type Connection } from './connections/connection.ts'
import { Connections } from './connections/connections.ts'
import { Gate } from '../base/gate.ts'
import type { Queryable } from './connections/queryable.ts'
import type { StoreEpoch } from './connections/store-epoch.ts'
import type { Log } from '../base/log.ts'
import type { Telemetry } from '../base/telemetry.ts'

/**
 * How this service talks to PostgreSQL: results as text with the parsers set here once, never in binary form
 * (pg would misread numbers, dates and bytea), numbered parameters, whole statements.
 */

pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  // Identifiers, revisions and amounts all stay below 2^53; a larger one would silently be read wrong.
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 beyond 2^53: ${text}`)
  return value
})

export type { Queryable }

export type Database = Queryable & {
  readonly pool: pg.Pool
  /** Sends the statements that `start` begins in one write, over one connection. */
  readonly pipelined: <const Statements extends Begun>(
    start: (connection: Queryable) => Statements,
  ) => Promise<Answers<Statements>>
  readonly address: PostgresAddress
  /** What opens a transaction; absent: `begin`. */
  readonly beginsWith?: () => string
  /** What every transaction waits for before it takes a connection; absent: nothing. Work in one begins no other. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Tracks whether the store is still the one that cached data came from. */
  readonly epoch: StoreEpoch
  /** The database's time. */
  readonly clock: StoreClock
  /** Separate connections to look up callers, so that they are identified even while all others are taken. */
  readonly signIn: Queryable
  /**
   * For statements that may take a minute: housekeeping, searches by operators. They never delay API callers.
   */
  readonly unhurried: Database
  /**
   * Enter before a transaction of a key: those that wait for locks must not take connections that others
   * need.
   */
  readonly writes: Gate
  /** Opens a connection outside the pool, with further session settings; the caller ends it. */
  readonly connect: (settings?: SessionSettings) => Promise<Connection>
  /**
   * Throws while nothing can be committed, so that no connection is wasted on trying; otherwise undefined.
   */
  readonly beforeWriting: () => Promise<void> | undefined
  /** The reason that nothing can be committed; undefined if a commit has just succeeded. */
  readonly writeProblem: () => Promise<string | undefined>
  close: () => Promise<void>
}

export const poolConnectionsMax = 20
const signInConnectionsMax = 3
export const unhurriedConnectionsMax = 4
/** For all keys together fewer than there are connections, so that reads always find one. */
const writesMax = { passing: 4, waiting: 200, inAll: { passing: 14, keptForOthers: 8 } }
type DatabaseOptions = {
  connectionsMax?: number
  /** Multiplies the waits for PostgreSQL. */
  patience?: number
}

export function openDatabase(
  address: PostgresAddress,
  log: { warn: (fields: object, message: string) => void },
  { connectionsMax = poolConnectionsMax, patience = 1 }: DatabaseOptions = {},
): Database {
  const connections = new Connections(address, waitsWith(patience), log)
  const pool = connections.pool(connectionsMax)
  const signInPool = connections.pool(signInConnectionsMax)
  const unhurriedPool = connections.pool(Math.min(connectionsMax, unhurriedConnectionsMax), {
    isUnhurried: true,
  })
  const { epoch, clock } = connections
  const shared = {
    address,
    epoch,
    clock,
    signIn: queriesOf(signInPool, epoch),
    writes: new Gate(writesMax),
    connect: (settings?: SessionSettings) => connections.connect(settings),
    beforeWriting: () => connections.beforeWriting(),
    writeProblem: () => connections.writeProblem(),
    close: async () => {
      await Promise.all([pool, signInPool, unhurriedPool].map(endPool))
      await connections.close()
    },
  }
  const unhurried: Database = {
    ...shared,
    ...queriesOf(unhurriedPool, epoch),
    pool: unhurriedPool,
    get unhurried() {
      return unhurried
    },
  }
  return { ...shared, ...queriesOf(pool, epoch), pool, unhurried }
}

function queriesOf(pool: pg.Pool, epoch: StoreEpoch): Pick<Database, 'query' | 'pipelined'> {
  const on = async <Result>(ask: (client: Connection) => Promise<Result>): Promise<Result> => {
    const { client, onBroken, release } = await connected(pool, epoch)
    try {
      return await ask(client)
    } catch (error) {
      // The error doesn't tell whether the connection is still usable.
      onBroken()
      throw error
    } finally {
      release()
    }
  }
  return {
    query: (query, values) => on((client) => client.query(query, values)),
    pipelined: (start) => on((client) => client.pipelined(() => start(client))),
  }
}

/** Counts the database connections of services and commands, without the given one. */
export async function countOtherConnections(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
    [applicationName],
  )
  return rows[0]?.count ?? 0
}

/** pg's own end() returns before the connections are gone; if PostgreSQL stops then, it would break them. */
async function endPool(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount
  const gone = new Promise<void>((resolve) => {
    if (open === 0) resolve()
    pool.on('remove', () => --open === 0 && resolve())
  })
  await pool.end()
  await gone
}

/**
 * Hides the value of a prepared statement's parameter from the planner. If the planner sees a list of one
 * element, or an instant before which little is due, it considers a plan for just that value so much cheaper
 * than the generic one that it plans the statement again at each call, and that takes several times as long
 * as running it.
 */
export function hideFromPlanner(parameter: string): string {
  return `(select ${parameter})`
}

/** In SQL, a time as text in UTC, such as `2027-02-18T16:14:54Z`. */
export function sqlIsoSeconds(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
}

/** The same with milliseconds. */
export function sqlIsoMillis(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * An array of numbers (or nulls) in PostgreSQL's syntax. The driver would search each element for characters
 * to escape, which costs more for a commit group than the statement itself.
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

/** The surroundings that an endpoint may need; passed in once by app.ts. */
export type Needs = { db: Database; clock: Clock; log: Log; telemetry: Telemetry }
