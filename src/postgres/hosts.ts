import pg from 'pg'
import { bareConfig, type PostgresAddress } from './connection-config.ts'

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
    super('no host of the address takes writes')
    this.name = 'NoWritableHost'
  }
}

export function isHostWant(text: string): text is HostWant {
  return hostWants.some((want) => want === text)
}
