import pg from 'pg'

/** The address of PostgreSQL, and the settings of every connection to it. */

export type PostgresAddress = (
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }
) & { pooler?: Pooler }

/**
 * A pooler between this service and PostgreSQL that lends its connections one transaction at a time. If it
 * keeps prepared statements, it keeps them longer than any process lives; `schema` separates the statements
 * for this process's schema from those for another.
 */
export type Pooler = { keeps: 'nothing' } | { keeps: 'prepared statements'; schema: string }

/** How long callers wait for PostgreSQL before they get an error that it is not available. */
export type Waits = {
  /** For a slot in the pool, and then for a connection. */
  connectMs: number
  /** Until PostgreSQL itself cancels a statement, for example while it waits for a lock. */
  statementMs: number
  /**
   * Until a silent connection is destroyed. Longer than `statementMs`, so that PostgreSQL can report the
   * cause.
   */
  silentMs: number
  unhurriedStatementMs: number
}

/** A caller gets an answer within five seconds, whatever PostgreSQL does. */
const usualWaits: Waits = {
  connectMs: 2_400,
  statementMs: 3_500,
  silentMs: 4_250,
  unhurriedStatementMs: 60_000,
}

/** Multiplies all waits by `patience`, for machines so slow that a second is short. */
export function waitsWith(patience: number): Waits {
  const times = (ms: number): number => ms * patience
  return {
    connectMs: times(usualWaits.connectMs),
    statementMs: times(usualWaits.statementMs),
    silentMs: times(usualWaits.silentMs),
    unhurriedStatementMs: times(usualWaits.unhurriedStatementMs),
  }
}

const keepAliveAfterMs = 10_000

export const applicationName = 'ari-gateway'

/**
 * Settings of every connection of this service. `synchronous_commit`: an acknowledged write is on disk. No
 * parallel workers: starting them takes longer than they save, and no single caller should get all
 * processors. If one of our machines dies silently, PostgreSQL releases the locks it had within a minute.
 */
const sessionSettings = {
  synchronous_commit: 'on',
  timezone: 'UTC',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  idle_in_transaction_session_timeout: '60s',
}
const connectionSettings = {
  default_transaction_isolation: 'read committed',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
}

export type SessionSettings = Readonly<Record<string, string>>

/** The settings of a session; behind a pooler, which keeps none of them, they are set in each transaction. */
export function settingsWithin(statementMs: number, further: SessionSettings = {}): SessionSettings {
  return { ...sessionSettings, statement_timeout: String(statementMs), ...further }
}

export function connectionConfig(
  address: PostgresAddress,
  { connectMs, statementMs }: Pick<Waits, 'connectMs' | 'statementMs'> = usualWaits,
  further: SessionSettings = {},
): pg.ClientConfig {
  if (address.pooler) return bareConfig(address, connectMs)
  const settings = { ...sessionSettings, ...connectionSettings, ...further }
  return {
    ...bareConfig(address, connectMs),
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    statement_timeout: statementMs,
  }
}

/** Without session settings, which a pooler refuses. */
export function bareConfig(address: PostgresAddress, connectMs = usualWaits.connectMs): pg.ClientConfig {
  return {
    ...address,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  }
}

/** Several hosts in one address, one of which takes writes: `postgres://ari@db1:5432,db2:5432/ari`. */

export const hostWants = ['read-write', 'primary', 'any'] as const
type HostWant = (typeof hostWants)[number]

const url = /^(?<before>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<after>.*)$/s

/** One address per host. */
export function hostsOf(address: PostgresAddress): PostgresAddress[] {
  if (!('connectionString' in address)) return [address]
  const { before = '', hosts = '', after = '' } = url.exec(address.connectionString)?.groups ?? {}
  if (!hosts.includes(',')) return [address]
  return hosts.split(',').map((host) => ({ ...address, connectionString: `${before}${host}${after}` }))
}

/** The requirement that the host must meet; `read-write` by default. */
export function hostWantOf(address: PostgresAddress): string {
  const [first] = hostsOf(address)
  const text = first && 'connectionString' in first ? first.connectionString : ''
  return URL.parse(text)?.searchParams.get('target_session_attrs') ?? 'read-write'
}

const answersWithinMs = 2_000

/**
 * Chooses the host to connect to. The search is repeated when that host fails, or turns out to be a standby.
 */
export class Hosts {
  readonly #all: readonly PostgresAddress[]
  readonly #want: string
  #current: PostgresAddress
  #finding: Promise<PostgresAddress> | undefined

  constructor(address: PostgresAddress) {
    this.#all = hostsOf(address)
    this.#want = hostWantOf(address)
    this.#current = this.#all[0] ?? address
  }

  get current(): PostgresAddress {
    return this.#current
  }

  get areSeveral(): boolean {
    return this.#all.length > 1
  }

  /**
   * Asks all hosts at once, because a dead one doesn't answer; the first that fits becomes the current one.
   */
  find(): Promise<PostgresAddress> {
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined))
    return this.#finding
  }

  async #find(): Promise<PostgresAddress> {
    if (!this.areSeveral) return this.#current
    try {
      this.#current = await Promise.any(this.#all.map((one) => fitting(one, this.#want)))
      return this.#current
    } catch (error) {
      // The first host's own error says more than an error that none of them fits.
      throw error instanceof AggregateError ? error.errors[0] : error
    }
  }
}

/** Without user and password. */
export function addressText(address: PostgresAddress): string {
  const hosts = hostsOf(address).map((host) =>
    'connectionString' in host ? (URL.parse(host.connectionString)?.host ?? '') : `${host.host}:${host.port}`,
  )
  return hosts.join(',') || 'its address'
}

/** The host that takes writes, if the address names several. */
export function findHost(address: PostgresAddress): Promise<PostgresAddress> {
  return new Hosts(address).find()
}

async function fitting(address: PostgresAddress, want: string): Promise<PostgresAddress> {
  const client = new pg.Client({ ...bareConfig(address, answersWithinMs), query_timeout: answersWithinMs })
  client.on('error', () => {})
  try {
    await client.connect()
    if (want === 'any') return address
    const { rows } = await client.query<{ isReadOnly: boolean; isStandby: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby"`,
    )
    const [server] = rows
    if (want === 'primary' ? server?.isStandby : server?.isReadOnly) throw new NoWritableHost()
    return address
  } finally {
    // A dead host doesn't answer the goodbye.
    client.end().catch(() => {})
  }
}

/** All hosts that answer are standbys. */
export class NoWritableHost extends Error {
  constructor() {
    super('no host of the address accepts writes')
    this.name = 'NoWritableHost'
  }
}

export function isHostWant(text: string): text is HostWant {
  return hostWants.some((want) => want === text)
}
