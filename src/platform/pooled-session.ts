import type pg from 'pg'
import type { Pooler } from './connection-config.ts'

/**
 * A connection to a pooler that lends PostgreSQL's connections for a transaction at a time, as PgBouncer does: nothing of
 * a session lasts. So every transaction begins with the settings that a session of ours has, a statement by itself is a
 * transaction too, and where the pooler keeps no prepared statements they have no names.
 */

type Send = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

export class PooledSession {
  readonly #begin: string
  readonly #pooler: Pooler
  #isWithinTransaction = false

  constructor(pooler: Pooler, settings: Readonly<Record<string, string>>) {
    this.#pooler = pooler
    const set = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)
    this.#begin = ['begin isolation level read committed', ...set].join('; ')
  }

  ask(send: Send, query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const text = typeof query === 'string' ? query : query.text
    if (text === 'begin') {
      this.#isWithinTransaction = true
      return send(this.#begin)
    }
    if (text === 'commit' || text === 'rollback') {
      this.#isWithinTransaction = false
      return send(text)
    }
    const asked = typeof query === 'string' || this.#pooler === 'prepared' ? query : nameless(query)
    return this.#isWithinTransaction ? send(asked, values) : this.#alone(send, asked, values)
  }

  async #alone(send: Send, query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const all = await Promise.allSettled([send(this.#begin), send(query, values), send('commit')])
    const failed = all.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    const [, answered] = all
    if (answered.status === 'rejected') throw answered.reason
    return answered.value
  }
}

function nameless({ text, values, types }: pg.QueryConfig): pg.QueryConfig {
  return { text, ...(values ? { values } : {}), ...(types ? { types } : {}) }
}
