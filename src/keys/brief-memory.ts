import { performance } from 'node:perf_hooks'

type Entry<Found> = { beganMs: number; found: Promise<Found | undefined> }

/**
 * Answers of lookups, trusted for a short time from the moment their query began, so that what is read is never
 * older than that, however long the query took. Whoever asks meanwhile shares the query under way. A failed query is
 * not remembered. Absence is remembered like presence; at most `entriesMax` answers are held, the oldest go first.
 */
export class BriefMemory<Found> {
  readonly #entries = new Map<string, Entry<Found>>()
  readonly #read: (key: string) => Promise<Found | undefined>
  readonly #trustedMs: number
  readonly #entriesMax: number

  constructor(
    read: (key: string) => Promise<Found | undefined>,
    limits: { trustedMs: number; entriesMax: number },
  ) {
    this.#read = read
    this.#trustedMs = limits.trustedMs
    this.#entriesMax = limits.entriesMax
  }

  get(key: string): Promise<Found | undefined> {
    // Not the service's clock: a correction of the system's time must not prolong trust.
    const nowMs = performance.now()
    const held = this.#entries.get(key)
    if (held && nowMs - held.beganMs < this.#trustedMs) return held.found
    const entry = { beganMs: nowMs, found: this.#read(key) }
    // Deleted first, so that the map stays in the order in which the queries began.
    this.#entries.delete(key)
    this.#makeRoom()
    this.#entries.set(key, entry)
    entry.found.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    })
    return entry.found
  }

  /** What changed by this process's own doing is known at once. */
  forget(key: string): void {
    this.#entries.delete(key)
  }

  /** What was read before says nothing of another store. */
  clear(): void {
    this.#entries.clear()
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#entriesMax) return
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }
}
