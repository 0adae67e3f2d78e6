import type pg from 'pg'

/** Which PostgreSQL, and what every connection to it has. */

export type PostgresAddress = (
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }
) & { pooler?: Pooler }

/**
 * What is between us and PostgreSQL and lends its connections by the transaction. Where it keeps prepared statements, it
 * keeps them longer than any process lives: `schema` tells those of this one's schema from those of another.
 */
export type Pooler = { keeps: 'nothing' } | { keeps: 'prepared statements'; schema: string }

/** How long callers wait for PostgreSQL before they are told that it is not available. */
export type Waits = {
  /** For a place in the pool, and then for a connection. */
  connectMs: number
  /** Until PostgreSQL itself gives a statement up, as when it waits for a lock. */
  statementMs: number
  /** Until a connection on which nothing comes is given up. Longer, so that PostgreSQL may say why. */
  silentMs: number
  unhurriedStatementMs: number
}

/** A caller has an answer within five seconds, whatever PostgreSQL does. */
const usualWaits: Waits = {
  connectMs: 2_400,
  statementMs: 3_500,
  silentMs: 4_250,
  unhurriedStatementMs: 60_000,
}

/** On a machine so slow that a second is short, all waits are so many times as long. */
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
 * Settings every connection of ours has; `synchronous_commit` because an acknowledged write is on disk. Without parallel
 * workers: to start them takes longer than they spare, and no one caller should have all processors. What a machine of
 * ours held that died without a word is let go of within a minute.
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

/** What a session is set to, transaction by transaction where a pooler keeps nothing of it. */
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

/** Without settings of the session, which a pooler refuses. */
export function bareConfig(address: PostgresAddress, connectMs = usualWaits.connectMs): pg.ClientConfig {
  return {
    ...address,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  }
}
