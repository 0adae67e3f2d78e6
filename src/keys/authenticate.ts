import { Memory } from '../postgres/memory.ts'
import type { Needs } from '../postgres/postgres.ts'
import type { Caller } from '../http/calls/call.ts'
import { hashSecret, recogniseSecret, type Environment } from './secret.ts'
import {
  selectOptionalKey,
  selectOptionalToken,
  updateLastUses,
  uses,
  type KnownKey,
  type KnownToken,
  type Use,
} from './store.ts'

export type Authenticator = {
  /** An API key's caller; undefined if malformed, unknown, revoked, expired or of the other environment. */
  callerOf: (apiKey: string | undefined) => Promise<Caller | undefined>
  /** The same for the token of an Authorization header. */
  tokenOf: (
    authorization: string | undefined,
  ) => Promise<Pick<KnownToken, 'id' | 'role' | 'rate'> | undefined>
  /** Writes the remaining times of last use. */
  close: () => Promise<void>
}

/** A revocation must take effect everywhere within a second: half for the cache, half for the query. */
const memory = { trustedMs: 500, entriesMax: 10_000 }

const bearer = /^Bearer +(\S+) *$/i

export function authenticator(needs: Needs, options: { environment: Environment }): Authenticator {
  const { epoch, signIn } = needs.db
  const counted = (cache: string) => {
    const lookups = {
      hit: needs.telemetry.cacheLookups.labels(cache, 'hit'),
      miss: needs.telemetry.cacheLookups.labels(cache, 'miss'),
    }
    return { ...memory, count: (outcome: 'hit' | 'miss') => lookups[outcome].inc() }
  }
  const keys = new Memory<KnownKey | undefined>(epoch, counted('keys'))
  const tokens = new Memory<KnownToken | undefined>(epoch, counted('tokens'))
  const lastUses = new LastUses(needs)
  return {
    callerOf: async (apiKey) => {
      const meaning = apiKey === undefined ? undefined : recogniseSecret(apiKey)
      if (apiKey === undefined || meaning?.kind !== 'supplier') return undefined
      if (meaning.environment !== options.environment) return undefined
      const hash = hashSecret(apiKey)
      const key = await keys.get(hash, () => selectOptionalKey(signIn, hash))
      const nowMs = needs.clock.now()
      if (!key) return undefined
      const works = !key.isRevoked && !isOver(key.expiresAtMs, nowMs)
      lastUses.note(works ? 'key' : 'refusedKey', key.caller.keyId, nowMs)
      return works ? key.caller : undefined
    },
    tokenOf: async (authorization) => {
      const presented = authorization === undefined ? undefined : bearer.exec(authorization)?.[1]
      const meaning = presented === undefined ? undefined : recogniseSecret(presented)
      if (presented === undefined || !meaning || meaning.kind === 'supplier') return undefined
      if (meaning.environment !== options.environment) return undefined
      const hash = hashSecret(presented)
      const token = await tokens.get(hash, () => selectOptionalToken(signIn, hash))
      const nowMs = needs.clock.now()
      if (!token || isOver(token.expiresAtMs, nowMs)) return undefined
      lastUses.note('token', token.id, nowMs)
      return { id: token.id, role: token.role, rate: token.rate }
    },
    close: () => lastUses.close(),
  }
}

function isOver(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs
}

const writeEveryMs = 5_000

/** Collects times of last use, also in vain, in memory and writes them every few seconds: no request waits for them. */
export class LastUses {
  readonly #needs: Needs
  readonly #timer: NodeJS.Timeout
  #atMsById: Record<Use, Map<number, number>> = noUses()
  #writing: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timer = setInterval(() => void this.#write(), writeEveryMs).unref()
  }

  note(use: Use, id: number, atMs: number): void {
    this.#atMsById[use].set(id, atMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write()
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow())
    return this.#writing
  }

  async #writeNow(): Promise<void> {
    const noted = this.#atMsById
    this.#atMsById = noUses()
    for (const use of uses) {
      if (noted[use].size === 0) continue
      try {
        await updateLastUses(this.#needs.db, use, noted[use])
      } catch (error) {
        // No request depends on this; keys still in use are included in the next batch.
        this.#needs.log.warn({ err: error }, 'times of last use could not be written')
        const since = this.#atMsById[use]
        for (const [id, atMs] of noted[use]) if (!since.has(id)) since.set(id, atMs)
      }
    }
  }
}

function noUses(): Record<Use, Map<number, number>> {
  return { key: new Map(), refusedKey: new Map(), token: new Map() }
}
