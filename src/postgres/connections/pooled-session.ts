import type pg from 'pg'
import type { Pooler } from './connection-config.ts'

/**
 * A connection to a pooler that lends PostgreSQL's connections one transaction at a time, like PgBouncer: no
 * session state lasts. So every transaction begins with our session settings, before what else it begins with (`begin; set
 * local role …`), and a single statement is a transaction too. If the pooler keeps no prepared statements, ours have no names. If it does, it identifies
 * them by their text, and a plan made before a migration changed a column's type would fail forever: so their
 * text names the schema.
 */

type Send = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

/** What opens or ends a transaction, however it is spelled; not what belongs to a savepoint. */
const boundary =
  /^(?:\s|--[^\n]*(?:\n|$)|\/\*.*?\*\/)*(?:begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:work\s+|transaction\s+)?to\b))\b/is

export class PooledSession {
  readonly #begin: string
  readonly #pooler: Pooler
  /** Keyed by the statement's name. */
  readonly #textOfSchema = new Map<string, string>()
  #isWithinTransaction = false

  constructor(pooler: Pooler, settings: Readonly<Record<string, string>>) {
    this.#pooler = pooler
    const set = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)
    this.#begin = ['begin isolation level read committed', ...set].join('; ')
  }

  run(send: Send, query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const text = typeof query === 'string' ? query : query.text
    const opening = /^begin(?<more>;.*)?$/s.exec(text)
    if (opening) {
      const { more = '' } = opening.groups ?? {}
      refuseBoundaries(more.split(';'))
      this.#isWithinTransaction = true
      return send(this.#begin + more)
    }
    if (text === 'commit' || text === 'rollback') {
      this.#isWithinTransaction = false
      return send(text)
    }
    refuseBoundaries([text])
    const statement = typeof query === 'string' ? query : this.#prepared(query)
    return this.#isWithinTransaction ? send(statement, values) : this.#alone(send, statement, values)
  }

  #prepared(query: pg.QueryConfig): pg.QueryConfig {
    if (this.#pooler.keeps === 'nothing') return nameless(query)
    if (query.name === undefined) return query
    const { text, name, ...rest } = query
    const known = this.#textOfSchema.get(name)
    if (known?.endsWith(text)) return { ...rest, name, text: known }
    const ofSchema = `/* ${this.#pooler.schema} */ ${text}`
    this.#textOfSchema.set(name, ofSchema)
    return { ...rest, name, text: ofSchema }
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

/** Taken for a single statement, what follows one would run without the transaction's role. */
function refuseBoundaries(statements: readonly string[]): void {
  const stray = statements.find((statement) => boundary.test(statement))
  if (stray !== undefined)
    throw new Error(`behind a pooler, a transaction is spelled begin, commit and rollback, not: ${stray}`)
}

function nameless({ text, values, types }: pg.QueryConfig): pg.QueryConfig {
  return { text, ...(values ? { values } : {}), ...(types ? { types } : {}) }
}
