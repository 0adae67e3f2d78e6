import type { Needs } from '../postgres/needs.ts'
import { updateLastUses, usedTables, type UsedTable } from './store.ts'

const writeEveryMs = 5_000

/** Collects times of last use in memory and writes them every few seconds: no request waits for them. */
export class LastUses {
  readonly #needs: Needs
  readonly #timer: NodeJS.Timeout
  #atMsById: Record<UsedTable, Map<number, number>> = emptyUses()
  #writing: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timer = setInterval(() => void this.#write(), writeEveryMs).unref()
  }

  key(id: number, atMs: number): void {
    this.#atMsById.api_key.set(id, atMs)
  }

  token(id: number, atMs: number): void {
    this.#atMsById.access_token.set(id, atMs)
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
    const uses = this.#atMsById
    this.#atMsById = emptyUses()
    for (const table of usedTables) {
      if (uses[table].size === 0) continue
      try {
        await updateLastUses(this.#needs.db, table, uses[table])
      } catch (error) {
        // No request depends on this; keys still in use are included in the next batch.
        this.#needs.log.warn({ err: error }, 'times of last use could not be written')
        const since = this.#atMsById[table]
        for (const [id, atMs] of uses[table]) if (!since.has(id)) since.set(id, atMs)
      }
    }
  }
}

function emptyUses(): Record<UsedTable, Map<number, number>> {
  return { api_key: new Map(), access_token: new Map() }
}
