import pg from 'pg'
import { StoreSilent, type Connection } from './connection.ts'
import { storeProblems } from './store-errors.ts'

/**
 * Tests by a commit whether PostgreSQL commits: a full disk, a standby or a missing replica can still read.
 */

const rememberedMs = 1_000
const limits = { connectMs: 1_500, statementMs: 1_500, silentMs: 1_750 }

type Connect = (within: typeof limits) => Promise<Connection>

export class WriteProbe {
  readonly #connect: Connect
  #connection: Connection | undefined
  #outcome: Promise<string | undefined> | undefined
  #writing: Promise<string | undefined> | undefined
  #isClosed = false

  constructor(connect: Connect) {
    this.#connect = connect
  }

  /** The reason that nothing can be committed. All calls within a second share one commit. */
  problem(): Promise<string | undefined> {
    if (this.#outcome) return this.#outcome
    return this.#remember(this.#write())
  }

  /**
   * A connection was silent. Until a commit succeeds, no other caller should wait as long to find that out.
   */
  doubt(): Promise<string | undefined> {
    void this.#remember(Promise.resolve(storeProblems.silent))
    return this.#write().then((problem) => this.#remember(Promise.resolve(problem)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#connection?.end()
  }

  #remember(outcome: Promise<string | undefined>): Promise<string | undefined> {
    this.#outcome = outcome
    void outcome.then(() => setTimeout(() => this.#forget(outcome), rememberedMs).unref())
    return outcome
  }

  #forget(outcome: Promise<string | undefined>): void {
    if (this.#outcome === outcome) this.#outcome = undefined
  }

  #write(): Promise<string | undefined> {
    this.#writing ??= this.#writeOnce().finally(() => (this.#writing = undefined))
    return this.#writing
  }

  async #writeOnce(): Promise<string | undefined> {
    let connection: Connection | undefined
    let isAnswering = false
    try {
      if (this.#connection?.isRetired) this.#drop(this.#connection)
      connection = this.#connection ?? (await this.#connected())
      const opened = connection
      await opened.pipelined(() => [
        opened.query('begin').then(() => (isAnswering = true)),
        // Writes a small file and removes it: rows and WAL may still fit into existing files.
        opened.query('select pg_export_snapshot()'),
        opened.query(
          `insert into write_probe (at) values (now()) on conflict (is_only) do update set at = excluded.at`,
        ),
        opened.query('commit'),
      ])
      return undefined
    } catch (error) {
      this.#drop(connection)
      return problemOf(error, isAnswering)
    }
  }

  #drop(connection: Connection | undefined): void {
    this.#connection = undefined
    connection?.end().catch(() => {})
  }

  async #connected(): Promise<Connection> {
    const connection = await this.#connect(limits)
    connection.on('error', () => {
      if (this.#connection === connection) this.#connection = undefined
    })
    if (this.#isClosed) await connection.end()
    else this.#connection = connection
    return connection
  }
}

const problemByCode: Readonly<Record<string, string>> = {
  '25006': storeProblems.readOnly,
  '53100': storeProblems.full,
  '57014': storeProblems.busy,
}

function problemOf(error: unknown, isAnswering: boolean): string {
  if (!(error instanceof pg.DatabaseError)) {
    if (isAnswering) return storeProblems.noCommit
    const isSilent =
      error instanceof StoreSilent || (error instanceof Error && error.message === 'timeout expired')
    return isSilent ? storeProblems.silent : storeProblems.away
  }
  return problemByCode[error.code ?? ''] ?? storeProblems.away
}
