import type { StoreClock } from '../base/clock.ts'
import type { Queryable } from './queryable.ts'

/**
 * Whether the store is still the one from which this process has what it remembers. A store's epoch is a stretch of its
 * history that lost nothing; it ends with a failover, a restore, or another database behind the same address. A stamp
 * names the epoch and the server that answers: what was read with one stamp says nothing of another one's contents.
 */

const serverStamp = `extract(epoch from pg_postmaster_start_time()) || ' ' || pg_is_in_recovery()`

/**
 * The stamp as a column of whatever is read. A connection pooler may change the server behind a connection at any
 * moment, so only a stamp of the same statement, or of the same transaction, says where something comes from.
 */
export const storeStamp = `(select ${serverStamp} || ' ' || id from store_epoch)`

/** The store is not the one any more with which a request began. Nothing was written; the next try finds the new one. */
export class StoreChanged extends Error {
  constructor() {
    super('the store was replaced by another one meanwhile')
  }
}

type Known = { stamp: string; id: string; number: number; beat: number }

type Needs = {
  clock: StoreClock
  log: { warn: (fields: object, message: string) => void }
  /** Enters over a connection of its own, which leads where the address leads now. */
  enterAnew: () => Promise<unknown>
}

export class StoreEpoch {
  readonly #needs: Needs
  readonly #forgetters: (() => void)[] = []
  readonly #stampOfConnection = new WeakMap<object, string>()
  #known: Known | undefined
  #isEntering = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The epoch by its name, as cursors have it. */
  get id(): string | undefined {
    return this.#known?.id
  }

  /** How many there have been; 0 before the store was reached. */
  get number(): number {
    return this.#known?.number ?? 0
  }

  /** `forget` empties what is remembered of the store, whenever it is another one. */
  onChange(forget: () => void): void {
    this.#forgetters.push(forget)
  }

  /**
   * What every new connection does before it is used. Where the store turns out to be another one, a new epoch begins
   * with it: ids go on far behind those that were given out, and the change feed starts anew.
   */
  async enter(connection: Queryable): Promise<void> {
    const { clock, log } = this.#needs
    const known = this.#known
    const sentMs = performance.now()
    const { rows } = await connection.query<Known & { hasBegun: boolean; nowMs: number }>(
      `select ${serverStamp} || ' ' || id as stamp, id, number, beat, has_begun as "hasBegun",
         extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"
       from enter_store($1, $2, $3)`,
      [known?.id ?? null, known?.number ?? null, known?.beat ?? null],
    )
    const [row] = rows
    if (!row) throw new Error('enter_store() says nothing')
    // Beginning an epoch takes a while, and an estimate over a long time would be a bad one.
    if (!row.hasBegun) clock.measured(row.nowMs, { sentMs, receivedMs: performance.now() })
    const { stamp, id, number, beat, hasBegun } = row
    if (hasBegun)
      log.warn({ epoch: id, number }, 'the store lost commits or is another one: a new epoch began')
    this.#stampOfConnection.set(connection, stamp)
    this.#learn({ stamp, id, number, beat })
  }

  /** Whether a connection leads to the store that is known now; one that was never entered does not. */
  isCurrentOn(connection: object): boolean {
    return this.#isKnown(this.#stampOfConnection.get(connection))
  }

  /** A beat that was read with a stamp. */
  heard(stamp: string, beat: number): void {
    const known = this.#known
    if (known?.stamp !== stamp || beat < known.beat) return this.saw(undefined)
    known.beat = beat
  }

  /** Looks what the store is now, where the stamp isn't that of the one known. */
  saw(stamp: string | undefined): void {
    if (this.#isKnown(stamp)) return
    if (this.#isEntering) return
    this.#isEntering = true
    this.#needs
      .enterAnew()
      // It is not reachable: the next connection enters it.
      .catch(() => {})
      .finally(() => (this.#isEntering = false))
  }

  /** Throws where the stamp isn't that of the store known now. To be asked before a transaction commits. */
  confirm(stamp: string | undefined): void {
    if (this.#isKnown(stamp)) return
    this.saw(stamp)
    throw new StoreChanged()
  }

  #isKnown(stamp: string | undefined): boolean {
    return stamp !== undefined && stamp === this.#known?.stamp
  }

  #learn(learned: Known): void {
    const before = this.#known
    // Of two connections that enter one store at once, the later answer may be of the earlier beat.
    const beat = before?.id === learned.id ? Math.max(before.beat, learned.beat) : learned.beat
    this.#known = { ...learned, beat }
    if (before && before.stamp !== learned.stamp) for (const forget of this.#forgetters) forget()
  }
}

/** The stamp of the store in which a transaction works. */
export async function selectStoreStamp(connection: Queryable): Promise<string | undefined> {
  const { rows } = await connection.query<{ stamp: string }>({
    name: 'select-store-stamp',
    text: `select ${storeStamp} as stamp`,
  })
  return rows[0]?.stamp
}

/** For a store that was put back in a way that leaves no trace. Programs that work on it notice within a second. */
export async function beginEpoch(transaction: Queryable): Promise<void> {
  await transaction.query('select from store_epoch for update')
  await transaction.query('select begin_store_epoch(null)')
}
