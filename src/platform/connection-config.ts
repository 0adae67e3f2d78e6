import type pg from 'pg'

/** Which PostgreSQL, and what every connection to it has. */

export type PostgresAddress =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }

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
export const sessionOptions =
  '-c synchronous_commit=on -c timezone=UTC -c jit=off -c max_parallel_workers_per_gather=0 -c default_transaction_isolation=read\\ committed -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c idle_in_transaction_session_timeout=60s'

export function connectionConfig(
  address: PostgresAddress,
  { connectMs, statementMs }: Pick<Waits, 'connectMs' | 'statementMs'> = usualWaits,
): pg.ClientConfig {
  return {
    ...address,
    application_name: applicationName,
    options: sessionOptions,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  }
}
