import type { Connection } from '../../postgres/connections/connection.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { StoreChanged } from '../../postgres/connections/store-epoch.ts'
import { isTransient } from '../../postgres/connections/store-errors.ts'

const attemptsMax = 5

/** Runs one transaction at a time on a connection, opened on first use and replaced when it breaks. */
export class CommitConnection {
  readonly #needs: Needs
  #connection: Connection | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Runs a transaction and retries it when PostgreSQL asks for that. If it fails, nothing is committed. */
  async run<Result>(transaction: (connection: Connection) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      // Don't await unless there is doubt: the transaction's first statements are sent before anything else
      // runs.
      const doubt = this.#needs.db.beforeWriting()
      if (doubt) await doubt
      const current = this.#connection
      if (current?.isRetired || (current?.isRested && !(await current.answers()))) this.#drop(current)
      const connection = this.#connection ?? (await this.#open())
      try {
        return await transaction(connection)
      } catch (error) {
        if (error instanceof StoreChanged) this.#drop(connection)
        else await connection.query('rollback').catch(() => this.#drop(connection))
        if (attempt === attemptsMax || !isTransient(error)) throw error
      }
    }
  }

  async end(): Promise<void> {
    await this.#connection?.end()
    this.#connection = undefined
  }

  async #open(): Promise<Connection> {
    // Every statement on this connection is a lookup by key. Before tables are analyzed, the planner would
    // prefer scans.
    const connection = await this.#needs.db.connect({
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      plan_cache_mode: 'force_generic_plan',
    })
    connection.on('error', (error) => {
      this.#needs.log.warn({ err: error }, 'a commit connection to PostgreSQL broke')
      this.#drop(connection)
    })
    this.#connection = connection
    return connection
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined
    connection.end().catch(() => undefined)
  }
}
