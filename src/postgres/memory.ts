import { performance } from 'node:perf_hooks'
import type { StoreEpoch } from './connections/store-epoch.ts'

type Entry<Found> = { beganMs: number; found: Promise<Found> }

export type MemoryLimits = {
  /**
   * Counted from the beginning of the read. If absent, callers share the answer while the read runs;
   * afterwards it is forgotten.
   */
  trustedMs?: number
  /** Beyond this number, the oldest entries are dropped first. */
  entriesMax: number
  /** Called with what each look-up met. */
  count?: (outcome: 'hit' | 'miss') => void
}

/**
 * Caches recent reads by key. Callers that ask during a read share it. Its answer is trusted for a short
 * time, counted from the read's beginning, so that no answer is older than that, however long the read took.
 * A failed read is not cached; absence is cached like presence. No entry outlives the epoch of the store.
 */
export class Memory<Found> {
  readonly #entries = new Map<string, Entry<Found>>()
  readonly #limits: MemoryLimits

  constructor(epoch: Pick<StoreEpoch, 'onChange'>, limits: MemoryLimits) {
    this.#limits = limits
    epoch.onChange(() => this.#entries.clear())
  }

  get(key: string, read: () => Promise<Found>): Promise<Found> {
    const { trustedMs, entriesMax, count } = this.#limits
    // Not the service's clock: a correction of the system time must not prolong trust.
    const nowMs = performance.now()
    const cached = this.#entries.get(key)
    const isTrusted = cached !== undefined && nowMs - cached.beganMs < (trustedMs ?? Infinity)
    count?.(isTrusted ? 'hit' : 'miss')
    if (isTrusted) return cached.found
    const entry = { beganMs: nowMs, found: read() }
    // Delete first, so that the map stays in the order in which the reads began.
    this.#entries.delete(key)
    const oldest = this.#entries.size < entriesMax ? undefined : this.#entries.keys().next().value
    if (oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, entry)
    const drop = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    entry.found.then(trustedMs === undefined ? drop : undefined, drop)
    return entry.found
  }

  /** This process changed the entry: the next caller reads it again. */
  forget(key: string): void {
    this.#entries.delete(key)
  }
}
