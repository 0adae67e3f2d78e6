/**
 * A deliberate break, preloaded into a service: from SIGUSR2 on there are no transactions, and the blocks of
 * a push are written in two halves.
 */
import pg from 'pg'
import { setTimeout as wait } from 'node:timers/promises'

/** Longer than its service lives, so that the crash always comes between them. */
const betweenHalvesMs = 60_000
const query = Reflect.get(pg.Client.prototype, 'query')
let isOn = false
process.on('SIGUSR2', () => (isOn = true))

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement] = parameters
    const send = (...changed: unknown[]): unknown => Reflect.apply(query, this, changed)
    if (!isOn) return send(...parameters)
    if (statement === 'begin' || statement === 'commit') {
      return Promise.resolve({ command: statement.toUpperCase(), rows: [], rowCount: 0 })
    }
    const values = blockValues(statement)
    if (!values) return send(...parameters)
    const half = (part: (rows: string[]) => string[]): unknown =>
      send({
        ...Object(statement),
        values: values.map((value) => (isList(value) ? `{${part(elementsOf(value)).join()}}` : value)),
      })
    const first = half((rows) => rows.slice(0, rows.length >> 1))
    return wait(betweenHalvesMs).then(async () => {
      await half((rows) => rows.slice(rows.length >> 1))
      return first
    })
  },
})

/** The values of a statement that writes several blocks. */
function blockValues(statement: unknown): unknown[] | undefined {
  if (typeof statement !== 'object' || statement === null || !('text' in statement)) return undefined
  if (!/^\s*(?:update|insert into) ari_month\b/.test(String(statement.text))) return undefined
  const values: unknown = 'values' in statement ? statement.values : undefined
  return Array.isArray(values) && values.some((value) => isList(value) && elementsOf(value).length > 1)
    ? values
    : undefined
}

/** Lists are sent as PostgreSQL array literals: `{1,2}`. */
function isList(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('{')
}

function elementsOf(list: string): string[] {
  return list.slice(1, -1).split(',')
}
