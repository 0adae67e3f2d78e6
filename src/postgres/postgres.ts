import pg from 'pg'
import type { StoreClock } from '../base/clock.ts'
import {
  applicationName,
  waitsWith,
  type PostgresAddress,
  type SessionSettings,
} from './connection-config.ts'
import { connected, type Answers, type Begun, type Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { Gate } from '../base/gate.ts'
import type { Queryable } from './queryable.ts'
import type { StoreEpoch } from './store-epoch.ts'

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

export type { Queryable }

export type Database = Queryable & {
  readonly pool: pg.Pool
  /** Sends the statements that `start` begins in one write, over one connection. */
  readonly together: <const Statements extends Begun>(
    start: (connection: Queryable) => Statements,
  ) => Promise<Answers<Statements>>
  readonly address: PostgresAddress
  /** Whether the store is still the one from which something is remembered. */
  readonly epoch: StoreEpoch
  /** The database's time. */
  readonly clock: StoreClock
  /** Connections of their own for looking up who calls, so that callers are known while others hold all the rest. */
  readonly signIn: Queryable
  /** For statements that may take a minute: housekeeping, searches of people. They hold up nobody who calls the API. */
  readonly unhurried: Database
  /** Before a transaction of a key: those that wait for locks must not hold connections that others need. */
  readonly writes: Gate
  /** Opens a connection beside the pool's, with further settings of its session; the caller ends it. */
  readonly connect: (settings?: SessionSettings) => Promise<Connection>
  /** Throws while nothing can be committed, so that no connection is spent on trying; undefined when all is well. */
  readonly beforeWriting: () => Promise<void> | undefined
  /** Why nothing can be committed; undefined when a commit just went well. */
  readonly writeFault: () => Promise<string | undefined>
  close: () => Promise<void>
}

export const poolConnectionsMax = 20
const signInConnectionsMax = 3
const unhurriedConnectionsMax = 4
/** Of all keys together fewer than there are connections, so that reads always find one. */
const writesMax = { passing: 4, waiting: 200, inAll: { passing: 14, keptForOthers: 8 } }
export type DatabaseOptions = {
  connectionsMax?: number
  /** How many times longer than usual PostgreSQL is waited for. */
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
    writeFault: () => connections.writeFault(),
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

function queriesOf(pool: pg.Pool, epoch: StoreEpoch): Pick<Database, 'query' | 'together'> {
  const on = async <Result>(ask: (client: Connection) => Promise<Result>): Promise<Result> => {
    const { client, onBroken, release } = await connected(pool, epoch)
    try {
      return await ask(client)
    } catch (error) {
      // Which connections a failure leaves of use is not told by it.
      onBroken()
      throw error
    } finally {
      release()
    }
  }
  return {
    query: (query, values) => on((client) => client.query(query, values)),
    together: (start) => on((client) => client.together(() => start(client))),
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
