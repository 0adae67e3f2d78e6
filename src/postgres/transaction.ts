import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { allOf, connected, type Answers, type Begun, type Connection } from './connections/connection.ts'
import type { Database, Queryable } from './postgres.ts'
import { selectStoreStamp, type StoreEpoch } from './connections/store-epoch.ts'
import { commitFailure, isConsequence, isTransient } from './connections/store-errors.ts'

/** The connection of a transaction. */
export type Transaction = Queryable & {
  /**
   * Sends the statements that `start` begins in one write. Statements that open a transaction must only read
   * or lock: they are sent together with its BEGIN.
   */
  pipelined: <const Statements extends Begun>(start: () => Statements) => Promise<Answers<Statements>>
  /**
   * For statements whose rows nobody needs. `start` is called at once; the queries that it sends through
   * `later` leave in one write with the commit, in the order of the calls. If one fails, nothing is
   * committed.
   */
  lastly: (start: (later: Queryable) => Promise<unknown>) => void
}

const attemptsMax = 8

type TransactionNeeds = Pick<Database, 'pool' | 'epoch' | 'beginsWith' | 'inTurn'>

/**
 * Runs the work in one transaction and commits it. After a serialization failure or deadlock it runs again
 * from the start, so the work must have no effect except its statements.
 */
export async function transaction<Result>(
  db: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  await db.beforeWriting()
  return readTransaction(db, work)
}

/** The same for work that only reads, which still works when nothing can be written. */
export function readTransaction<Result>(
  db: TransactionNeeds,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.inTurn ? db.inTurn(() => repeated(db, work)) : repeated(db, work)
}

async function repeated<Result>(
  db: TransactionNeeds,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactionOnce(db, work)
    } catch (error) {
      if (attempt === attemptsMax || !isTransient(error)) throw error
      await wait(Math.random() * 2 ** attempt * 5)
    }
  }
}

async function transactionOnce<Result>(
  db: TransactionNeeds,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  // Before there is a connection that a failure would keep.
  const beginning = db.beginsWith?.()
  const { client, onBroken, release } = await connected(db.pool, db.epoch)
  const opened = new OpenTransaction(client, db.epoch, beginning)
  try {
    const result = await work(opened)
    await opened.commit()
    return result
  } catch (error) {
    const first = await opened.fail(error)
    await client.query('rollback').catch(onBroken)
    throw first
  } finally {
    release()
  }
}

/** It begins with its first statements, and ends with those that are sent with its commit. */
class OpenTransaction implements Transaction {
  readonly #client: Connection
  readonly #epoch: StoreEpoch
  readonly #beginning: string
  #state: 'closed' | 'open' | 'ended' = 'closed'
  #begun: Promise<unknown> | undefined
  #stamp: Promise<string | undefined> | undefined
  /** Each sends a statement that leaves with the commit. */
  readonly #lastSends: (() => void)[] = []
  /** The work that `lastly` started; it settles with those statements. */
  readonly #lastWork: Promise<unknown>[] = []
  #lastFailure: { error: unknown } | undefined

  constructor(client: Connection, epoch: StoreEpoch, beginning = 'begin') {
    this.#client = client
    this.#epoch = epoch
    this.#beginning = beginning
  }

  async query<Row extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    if (this.#state === 'closed') await this.#begin()
    this.#refuseAfterEnd()
    const answered = this.#client.query<Row>(query, values)
    void this.#storeStamp()
    return answered
  }

  async pipelined<const Statements extends Begun>(start: () => Statements): Promise<Answers<Statements>> {
    this.#refuseAfterEnd()
    const [, answers] = await this.#client.pipelined(() => {
      const beginning = this.#begin()
      this.#state = 'open'
      const answering = allOf(start())
      void this.#storeStamp()
      return [beginning, answering]
    })
    return answers
  }

  lastly(start: (later: Queryable) => Promise<unknown>): void {
    const later: Queryable = {
      query: async (query, values) => {
        this.#refuseAfterEnd()
        return new Promise((resolve, reject) => {
          this.#lastSends.push(() => void this.#client.query(query, values).then(resolve, reject))
        })
      },
    }
    const started = start(later)
    started.catch((error: unknown) => (this.#lastFailure ??= { error }))
    this.#lastWork.push(started)
  }

  async commit(): Promise<void> {
    if (this.#lastFailure) throw this.#lastFailure.error
    if (this.#lastSends.length > 0) await this.#begin()
    if (!this.#begun) return
    // A pooler may have moved this transaction to a store that was promoted after the connection was opened.
    this.#epoch.confirm(await this.#storeStamp())
    const [, { command }] = await this.#client
      .pipelined(() => {
        for (const send of this.#lastSends) send()
        this.#state = 'ended'
        return [allOf(this.#lastWork), this.#client.query('commit')]
      })
      .catch((error: unknown) => {
        throw commitFailure(error)
      })
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
  }

  /**
   * Ends the transaction and returns the original error: the stamp's, if the given one only follows from it.
   */
  async fail(error: unknown): Promise<unknown> {
    this.#state = 'ended'
    if (!isConsequence(error)) return error
    return this.#storeStamp().then(
      () => error,
      (stampError: unknown) => stampError,
    )
  }

  #begin(): Promise<unknown> {
    this.#begun ??= this.#client.query(this.#beginning).then(() => {
      if (this.#state === 'closed') this.#state = 'open'
    })
    return this.#begun
  }

  /** Queried once, after the first statement, because that may set the kind of the transaction. */
  #storeStamp(): Promise<string | undefined> {
    if (this.#stamp) return this.#stamp
    this.#stamp = selectStoreStamp(this.#client)
    // If it fails because of earlier statements, their errors report the cause.
    this.#stamp.catch(() => {})
    return this.#stamp
  }

  #refuseAfterEnd(): void {
    if (this.#state === 'ended') throw new Error('a statement comes after the end of its transaction')
  }
}
