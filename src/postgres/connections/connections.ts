import pg from 'pg'
import { StoreClock } from '../../base/clock.ts'
import {
  addressText,
  connectionConfig,
  settingsWithin,
  type PostgresAddress,
  type SessionSettings,
  type Waits,
  Hosts,
} from './connection-config.ts'
import { Connection, type Watch } from './connection.ts'
import { PooledSession } from './pooled-session.ts'
import { StoreEpoch } from './store-epoch.ts'
import { storeProblems, StoreUnavailable } from './store-errors.ts'
import { WriteProbe } from './write-probe.ts'

const idleTimeoutMs = 60_000

type Log = { warn: (fields: object, message: string) => void }

/** All connections of a process to its PostgreSQL: they share the faults that one of them detects. */
export class Connections {
  readonly #hosts: Hosts
  readonly #waits: Waits
  readonly #log: Log
  readonly #open = new Set<Connection>()
  readonly clock = new StoreClock()
  readonly epoch: StoreEpoch
  readonly #probe: WriteProbe
  /** Set when a connection was silent, until a commit succeeds. */
  #isInDoubt = false

  constructor(address: PostgresAddress, waits: Waits, log: Log) {
    this.#hosts = new Hosts(address)
    this.#waits = waits
    this.#log = log
    const enterAnew = async (): Promise<void> => (await this.connect()).end()
    this.epoch = new StoreEpoch({ clock: this.clock, log, enterAnew })
    this.#probe = new WriteProbe((limits) => this.#connect({}, { ...waits, ...limits }))
  }

  pool(max: number, { isUnhurried = false } = {}): pg.Pool {
    const { connectMs, statementMs, silentMs, unhurriedStatementMs } = this.#waits
    const statement = isUnhurried ? unhurriedStatementMs : statementMs
    const watch = this.#watch(silentMs - statementMs + statement)
    const hosts = this.#hosts
    const pooled = (): PooledSession | undefined => this.#pooled(statement, {})
    class Watched extends Connection {
      constructor(config: pg.ClientConfig = {}) {
        super({ ...config, ...hosts.current }, watch, pooled())
      }
    }
    const config = connectionConfig(hosts.current, { connectMs, statementMs: statement })
    const pool = new pg.Pool({
      ...config,
      max,
      idleTimeoutMillis: idleTimeoutMs,
      Client: Watched,
      // oxlint-disable-next-line typescript/no-misused-promises -- The pool awaits it before anybody has the connection.
      onConnect: async (client) => this.epoch.enter(client),
    })
    // A broken idle connection is replaced at its next use; without a listener it would end the process.
    pool.on('error', (error) => this.#log.warn({ err: error }, 'an idle PostgreSQL connection broke'))
    return pool
  }

  /** A separate connection with further session settings. */
  connect(settings: SessionSettings = {}): Promise<Connection> {
    return this.#connect(settings, this.#waits)
  }

  /** The reason that nothing can be committed; undefined if a commit has just succeeded. */
  writeProblem(): Promise<string | undefined> {
    return this.#probe.problem()
  }

  /** Throws while nothing can be committed; undefined if there is no doubt. */
  beforeWriting(): Promise<void> | undefined {
    return this.#isInDoubt ? this.#resolveDoubt() : undefined
  }

  close(): Promise<void> {
    return this.#probe.close()
  }

  async #resolveDoubt(): Promise<void> {
    const problem = await this.#probe.problem()
    if (problem !== undefined) throw new StoreUnavailable(problem)
    this.#isInDoubt = false
  }

  async #connect(
    settings: SessionSettings,
    { connectMs, statementMs, silentMs }: Omit<Waits, 'unhurriedStatementMs'>,
  ): Promise<Connection> {
    const config = connectionConfig(this.#hosts.current, { connectMs, statementMs }, settings)
    const connection = new Connection(config, this.#watch(silentMs), this.#pooled(statementMs, settings))
    // The statement in progress reports a broken connection; unhandled, the event would end the process.
    connection.on('error', () => {})
    try {
      await connection.connect()
      await this.epoch.enter(connection)
      return connection
    } catch (error) {
      connection.end().catch(() => {})
      throw error
    }
  }

  #pooled(statementMs: number, settings: SessionSettings): PooledSession | undefined {
    const { pooler } = this.#hosts.current
    return pooler && new PooledSession(pooler, settingsWithin(statementMs, settings))
  }

  #watch(silentMaxMs: number): Watch {
    return {
      silentMaxMs,
      opened: (connection) => this.#open.add(connection),
      closed: (connection) => this.#open.delete(connection),
      silent: (connection) => this.#doubt(connection, silentMaxMs),
      misplaced: () => void this.#findHost(),
    }
  }

  /** Moves to another host, if there is one and it takes writes. */
  async #findHost(): Promise<void> {
    if (!this.#hosts.areSeveral) return
    const before = this.#hosts.current
    const next = await this.#hosts.find().catch(() => before)
    if (next === before) return
    this.#log.warn({ host: addressText(next) }, 'PostgreSQL is now on another host')
    for (const connection of this.#open) connection.retire()
  }

  #doubt(silent: Connection, waitedMs: number): void {
    this.#log.warn({ waitedMs }, 'a PostgreSQL connection was closed because it was silent')
    this.#isInDoubt = true
    void this.#findHost()
    // If one connection is dead, others probably are too: don't let them fail requests one after the other.
    for (const connection of this.#open)
      if (connection !== silent && !connection.isWaiting) void connection.answers()
    void this.#probe.doubt().then((problem) => {
      if (problem !== storeProblems.silent) return
      for (const connection of this.#open) if (connection.isWaiting) connection.giveUp(waitedMs)
    })
  }
}
