import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { allOf, connected, type Answers, type Begun, type Connection } from './connection.ts'
import type { Database, Queryable } from './postgres.ts'
import { selectStoreStamp, type StoreEpoch } from './store-epoch.ts'
import { commitFailure, isConsequence, isTransient } from './store-faults.ts'

/** The connection of a transaction. */
export type Transaction = Queryable & {
  /**
   * Sends the statements that `start` begins in one write. Those with which a transaction opens must only read or lock:
   * they leave with its beginning.
   */
  together: <const Statements extends Begun>(start: () => Statements) => Promise<Answers<Statements>>
  /**
   * A statement of which nobody needs the rows: `start` is called at once, and what it asks of `later` leaves in one
   * write with the commit, in the order of the calls. If one fails, nothing is committed.
   */
  lastly: (start: (later: Queryable) => Promise<unknown>) => void
}

const attemptsMax = 8

/**
 * Runs the work in one transaction and commits it. Serialization failures and deadlocks are tried again from
 * the start, so the work must have no effect but its statements.
 */
export async function transaction<Result>(
  db: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  await db.beforeWriting()
  return readTransaction(db, work)
}

/** The same for work that only reads, which goes on where nothing can be written. */
export async function readTransaction<Result>(
  db: Pick<Database, 'pool' | 'epoch'>,
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
  db: Pick<Database, 'pool' | 'epoch'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const { client, onBroken, release } = await connected(db.pool, db.epoch)
  const { connection, commit, end, firstFailure } = opened(client, db.epoch)
  try {
    const result = await work(connection)
    await commit()
    return result
  } catch (error) {
    end()
    const first = await firstFailure(error)
    await client.query('rollback').catch(onBroken)
    throw first
  } finally {
    release()
  }
}

type Opened = {
  connection: Transaction
  commit: () => Promise<void>
  end: () => void
  firstFailure: (error: unknown) => Promise<unknown>
}

function opened(client: Connection, epoch: StoreEpoch): Opened {
  const later: (() => void)[] = []
  const ending: Promise<unknown>[] = []
  let failed: { error: unknown } | undefined
  let begun: Promise<unknown> | undefined
  let state: 'closed' | 'open' | 'ended' = 'closed'
  const begin = (): Promise<unknown> =>
    (begun ??= client.query('begin').then(() => {
      if (state === 'closed') state = 'open'
    }))
  const stamp = firstStamp(client)
  const refuseAfterEnd = (): void => {
    if (state === 'ended') throw new Error('a statement comes after the end of its transaction')
  }
  const laterOn: Queryable = {
    query: async (query, values) => {
      refuseAfterEnd()
      return new Promise((resolve, reject) => {
        later.push(() => void client.query(query, values).then(resolve, reject))
      })
    },
  }
  const connection: Transaction = {
    query: async <Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) => {
      if (state === 'closed') await begin()
      refuseAfterEnd()
      const answered = client.query<Row>(query, values)
      void stamp()
      return answered
    },
    together: async (start) => {
      refuseAfterEnd()
      const [, answers] = await client.together(() => {
        const beginning = begin()
        state = 'open'
        const answering = allOf(start())
        void stamp()
        return [beginning, answering]
      })
      return answers
    },
    lastly: (start) => {
      const started = start(laterOn)
      started.catch((error: unknown) => (failed ??= { error }))
      ending.push(started)
    },
  }
  const commit = async (): Promise<void> => {
    if (failed) throw failed.error
    if (later.length > 0) await begin()
    if (!begun) return
    // A pooler may have led this transaction to a store that was promoted since the connection was opened.
    epoch.confirm(await stamp())
    const [, { command }] = await client
      .together(() => {
        for (const send of later) send()
        state = 'ended'
        return [allOf(ending), client.query('commit')]
      })
      .catch((error: unknown) => {
        throw commitFailure(error)
      })
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
  }
  const end = (): void => {
    state = 'ended'
  }
  return { connection, commit, end, firstFailure: (error) => firstFailureOf(error, stamp) }
}

/** Where asking for the stamp failed, the statements behind it say only that the transaction had failed. */
async function firstFailureOf(error: unknown, stamp: () => Promise<unknown>): Promise<unknown> {
  if (!isConsequence(error)) return error
  return stamp().then(
    () => error,
    (stampError: unknown) => stampError,
  )
}

/**
 * Asks for the stamp of the store once: behind the first statement of a transaction, which may say what kind of
 * transaction it is, and before its last ones.
 */
function firstStamp(client: Connection): () => Promise<string | undefined> {
  let stamped: Promise<string | undefined> | undefined
  return () => {
    if (stamped) return stamped
    stamped = selectStoreStamp(client)
    // What fails with the statements before it is theirs to tell.
    stamped.catch(() => {})
    return stamped
  }
}
