import type { Connection } from '../postgres/connection.ts'
import type { Needs } from '../postgres/needs.ts'
import { StoreChanged } from '../postgres/store-epoch.ts'
import { isTransient } from '../postgres/store-faults.ts'

const attemptsMax = 5

/** A connection on which one transaction at a time is run; it is opened when it is needed and replaced when it breaks. */
export class CommitConnection {
  readonly #needs: Needs
  #connection: Connection | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Runs a transaction, again where PostgreSQL asks for it. If it fails, none of it is done. */
  async run<Result>(transaction: (connection: Connection) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      // Nothing is awaited if all is well: the transaction's first statements leave before anything else is done.
      const doubt = this.#needs.db.beforeWriting()
      if (doubt) await doubt
      const held = this.#connection
      if (held?.isRetired || (held?.isRested && !(await held.answers()))) this.#drop(held)
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
    // Every statement here is a probe by key: before tables are analyzed the planner would rather scan them.
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
