import type { StoreClock } from '../../base/clock.ts'
import type { Queryable } from './queryable.ts'

/**
 * Tracks whether the store is still the one that this process's cached data came from. An epoch is a stretch
 * of a store's history without any loss; it ends with a failover, a restore, or another database behind the
 * same address. A stamp names the epoch and the server that answers: data read under one stamp proves nothing
 * about the contents under another.
 */

const serverStamp = `extract(epoch from pg_postmaster_start_time()) || ' ' || pg_is_in_recovery()`

/**
 * The stamp as a column for any query. A connection pooler may change the server behind a connection at any
 * moment, so only a stamp from the same statement, or the same transaction, identifies the origin of a row.
 */
export const storeStamp = `(select ${serverStamp} || ' ' || id from store_epoch)`

/** The epoch that a stamp names; it outlives restarts of the server. */
export function epochIdOf(stamp: string): string {
  return stamp.slice(stamp.lastIndexOf(' ') + 1)
}

/**
 * The store is no longer the one with which a request began. Nothing was written; a retry uses the new one.
 */
export class StoreChanged extends Error {
  constructor() {
    super('the store was replaced by another one meanwhile')
  }
}

type Known = { stamp: string; id: string; number: number; beat: number }

type Needs = {
  clock: StoreClock
  log: { warn: (fields: object, message: string) => void }
  /** Enters over a separate connection, which leads to the server that is behind the address now. */
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

  /** The name of the epoch, as cursors contain it. */
  get id(): string | undefined {
    return this.#known?.id
  }

  /** The number of epochs so far; 0 before the store was first reached. */
  get number(): number {
    return this.#known?.number ?? 0
  }

  /** `forget` drops everything cached from the store; it runs whenever the store was replaced. */
  onChange(forget: () => void): void {
    this.#forgetters.push(forget)
  }

  /**
   * Runs on every new connection before its first use. If the store turns out to be a different one, a new
   * epoch begins: new ids start far above all earlier ones, and the change feed starts anew.
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
    // Beginning an epoch takes a while, and a clock estimate over a long time would be inaccurate.
    if (!row.hasBegun) clock.measured(row.nowMs, { sentMs, receivedMs: performance.now() })
    const { stamp, id, number, beat, hasBegun } = row
    if (hasBegun) log.warn({ epoch: id, number }, 'the store lost commits or was replaced: a new epoch began')
    this.#stampOfConnection.set(connection, stamp)
    this.#learn({ stamp, id, number, beat })
  }

  /** Whether a connection leads to the currently known store; false for one that was never entered. */
  isCurrentOn(connection: object): boolean {
    return this.#isKnown(this.#stampOfConnection.get(connection))
  }

  /** Records a beat that was read with a stamp. */
  heard(stamp: string, beat: number): void {
    const known = this.#known
    if (known?.stamp !== stamp || beat < known.beat) return this.saw(undefined)
    known.beat = beat
  }

  /** Enters the store again if the stamp isn't that of the known one. */
  saw(stamp: string | undefined): void {
    if (this.#isKnown(stamp)) return
    if (this.#isEntering) return
    this.#isEntering = true
    this.#needs
      .enterAnew()
      // The store is unreachable: the next connection enters it.
      .catch(() => {})
      .finally(() => (this.#isEntering = false))
  }

  /** Throws if the stamp isn't that of the currently known store. Call it before a transaction commits. */
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
    // If two connections enter one store at once, the later answer may carry the earlier beat.
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

/**
 * For a store that was restored in a way that leaves no trace. Programs that use it notice within a second.
 */
export async function beginEpoch(transaction: Queryable): Promise<void> {
  await transaction.query('select from store_epoch for update')
  await transaction.query('select begin_store_epoch(null)')
}
