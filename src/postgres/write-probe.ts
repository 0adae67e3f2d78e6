import pg from 'pg'
import { StoreSilent, type Connection } from './connection.ts'
import { storeFaults } from './store-faults.ts'

/**
 * Tests by a commit whether PostgreSQL commits: a full disk, a standby or a missing replica can still read.
 */

const rememberedMs = 1_000
const limits = { connectMs: 1_500, statementMs: 1_500, silentMs: 1_750 }

type Connect = (within: typeof limits) => Promise<Connection>

export class WriteProbe {
  readonly #connect: Connect
  #connection: Connection | undefined
  #found: Promise<string | undefined> | undefined
  #writing: Promise<string | undefined> | undefined
  #isClosed = false

  constructor(connect: Connect) {
    this.#connect = connect
  }

  /** The reason that nothing can be committed. All calls within a second share one commit. */
  fault(): Promise<string | undefined> {
    if (this.#found) return this.#found
    return this.#remember(this.#write())
  }

  /**
   * A connection was silent. Until a commit succeeds, no other caller should wait as long to find that out.
   */
  doubt(): Promise<string | undefined> {
    void this.#remember(Promise.resolve(storeFaults.silent))
    return this.#write().then((fault) => this.#remember(Promise.resolve(fault)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#connection?.end()
  }

  #remember(found: Promise<string | undefined>): Promise<string | undefined> {
    this.#found = found
    void found.then(() => setTimeout(() => this.#forget(found), rememberedMs).unref())
    return found
  }

  #forget(found: Promise<string | undefined>): void {
    if (this.#found === found) this.#found = undefined
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
      await opened.together(() => [
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
      return faultOf(error, isAnswering)
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

const faultByCode: Readonly<Record<string, string>> = {
  '25006': storeFaults.readOnly,
  '53100': storeFaults.full,
  '57014': storeFaults.busy,
}

function faultOf(error: unknown, isAnswering: boolean): string {
  if (!(error instanceof pg.DatabaseError)) {
    if (isAnswering) return storeFaults.noCommit
    const isSilent =
      error instanceof StoreSilent || (error instanceof Error && error.message === 'timeout expired')
    return isSilent ? storeFaults.silent : storeFaults.away
  }
  return faultByCode[error.code ?? ''] ?? storeFaults.away
}
