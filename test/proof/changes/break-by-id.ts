/**
 * A deliberate break, preloaded into a service: changes are reported in order of id, even while earlier ones
 * are in progress.
 */
import pg from 'pg'

const query = Reflect.get(pg.Client.prototype, 'query')

Object.defineProperty(pg.Client.prototype, 'query', {
  configurable: true,
  writable: true,
  value(this: pg.Client, ...parameters: unknown[]): unknown {
    const [statement, ...rest] = parameters
    return Reflect.apply(query, this, [broken(statement), ...rest])
  },
})

function broken(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || !('name' in statement)) return statement
  if (statement.name !== 'select-changes' && statement.name !== 'select-end-of-changes') return statement
  const text = String(Object(statement).text)
    .replace('(turn, id) >= ($1::int8, $2::int8)', '$1::int8 is not null and id >= $2::int8')
    .replace('(turn, id, told.no) > ($1, $2, $3)', '(id, told.no) > ($2, $3)')
    .replace(/turn < pg_snapshot_xmin\S+/, 'true')
    .replaceAll(/order by (\w+\.)?turn( desc)?, /g, 'order by ')
  return { ...statement, text }
}
