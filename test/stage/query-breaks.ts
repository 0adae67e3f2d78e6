/**
 * Preloaded into a service, changes what it sends to PostgreSQL. ARI_PROOF_BREAK names the changes, separated
 * by commas: deliberate breaks, and commits that take their time.
 */
import pg from 'pg'
import { setTimeout as wait } from 'node:timers/promises'

type Query = (...parameters: unknown[]) => unknown

const latestCommitMs = 15
/**
 * Longer than a broken service lives, so that the crash always comes before. The first real commit would also
 * commit everything its connection was sent until then.
 */
const neverMs = 60_000

let isSignalled = false
const versionsKnown = new Map<string, unknown>()

const breaks: Readonly<Record<string, (send: Query, client: pg.Client, parameters: unknown[]) => unknown>> = {
  /** Half of the commits are delayed, so that their order differs from that of the writes. */
  slowCommits: (send, _client, parameters) => {
    if (parameters[0] !== 'commit' || Math.random() < 0.5) return send(...parameters)
    return wait(Math.random() * latestCommitMs).then(() => send(...parameters))
  },

  /** Changes are reported in order of id, even while earlier ones are in progress. */
  changesById: (send, _client, [statement, ...rest]) => send(withChangesById(statement), ...rest),

  /** Each process believes the versions of hotels that it has read once. */
  oldVersions: (send, _client, parameters) => {
    const [statement] = parameters
    if (!isNamed(statement, 'select-hotel-versions')) return send(...parameters)
    const known = versionsKnown.get(String(statement.values)) ?? send(...parameters)
    versionsKnown.set(String(statement.values), known)
    return known
  },

  /** From SIGUSR2 on, the process that publishes dies after an acknowledgement, before it stores how far it got. */
  publisherDies: (send, _client, parameters) => {
    if (isSignalled && textOf(parameters[0]).startsWith('update feed_publisher set epoch'))
      process.kill(process.pid, 'SIGKILL')
    return send(...parameters)
  },

  /** Bookings no longer lock their hotel. */
  unlockedHotels: (send, _client, [statement, ...rest]) => {
    const unlocked = (text: string): string => text.replace(' for no key update of hotel', '')
    if (typeof statement === 'string') return send(unlocked(statement), ...rest)
    if (typeof statement !== 'object' || statement === null || !('text' in statement))
      return send(statement, ...rest)
    return send({ ...statement, text: unlocked(String(statement.text)) }, ...rest)
  },

  /** Groups of pushes rely on cached hotels, whatever their versions are now. */
  uncomparedHotels: (send, _client, [statement, ...rest]) => send(withClaimBy(statement, 'id'), ...rest),

  /** Groups of pushes compare every version of cached hotels but that of the blocks. */
  uncomparedBlocks: (send, _client, [statement, ...rest]) =>
    send(withClaimBy(statement, 'id, revision, catalog_version, currency_revision'), ...rest),

  /** From SIGUSR2 on, commits are acknowledged long before they are made. */
  earlyAnswers: (send, client, parameters) => {
    if (!isSignalled || parameters[0] !== 'commit') return send(...parameters)
    setTimeout(() => void client.query(new pg.Query('commit')), neverMs)
    return Promise.resolve({ command: 'COMMIT', rows: [], rowCount: 0 })
  },

  /** From SIGUSR2 on, commits are acknowledged before they are on disk. */
  volatileCommits: (send, client, parameters) => {
    const sent = send(...parameters)
    if (isSignalled && parameters[0] === 'begin')
      void client.query(new pg.Query('set local synchronous_commit = off'))
    return sent
  },

  /** From SIGUSR2 on there are no transactions, and the blocks of a push are written in two halves. */
  halfPushes: (send, _client, parameters) => {
    const [statement] = parameters
    if (!isSignalled) return send(...parameters)
    if (statement === 'begin' || statement === 'commit')
      return Promise.resolve({ command: statement.toUpperCase(), rows: [], rowCount: 0 })
    const values = blockValues(statement)
    if (!values) return send(...parameters)
    const half = (part: (rows: string[]) => string[]): unknown =>
      send({
        ...Object(statement),
        values: values.map((value) => (isList(value) ? `{${part(elementsOf(value)).join()}}` : value)),
      })
    const first = half((rows) => rows.slice(0, rows.length >> 1))
    return wait(neverMs).then(async () => {
      await half((rows) => rows.slice(rows.length >> 1))
      return first
    })
  },
}

for (const name of (process.env['ARI_PROOF_BREAK'] ?? '').split(',')) {
  const breaking = breaks[name]
  if (!breaking) throw new Error(`ARI_PROOF_BREAK names no break: ${name}`)
  const query = Reflect.get(pg.Client.prototype, 'query')
  Object.defineProperty(pg.Client.prototype, 'query', {
    configurable: true,
    writable: true,
    value(this: pg.Client, ...parameters: unknown[]): unknown {
      return breaking((...changed) => Reflect.apply(query, this, changed), this, parameters)
    },
  })
}
process.on('SIGUSR2', () => (isSignalled = true))

function isNamed(statement: unknown, name: string): statement is { name: string; values?: unknown } {
  return typeof statement === 'object' && statement !== null && 'name' in statement && statement.name === name
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : String(Object(statement).text)
}

function withChangesById(statement: unknown): unknown {
  if (!isNamed(statement, 'select-changes') && !isNamed(statement, 'select-end-of-changes')) return statement
  const text = String(Object(statement).text)
    .replace('(turn, id) >= ($1::int8, $2::int8)', '$1::int8 is not null and id >= $2::int8')
    .replace('(turn, id, reported.no) > ($1, $2, $3)', '(id, reported.no) > ($2, $3)')
    .replace(/turn < pg_snapshot_xmin\S+/, 'true')
    .replaceAll(/order by (\w+\.)?turn( desc)?, /g, 'order by ')
  return { ...statement, text }
}

function withClaimBy(statement: unknown, columns: string): unknown {
  if (typeof statement !== 'object' || statement === null || !('name' in statement)) return statement
  if (statement.name !== 'claim-hotels') return statement
  const text = String(Object(statement).text)
  const changed = text.replace(/join hotel using \([^)]*\)/, `join hotel using (${columns})`)
  if (changed === text) throw new Error('the claim of hotels has changed: the break does not fit it any more')
  return { ...statement, text: changed }
}

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
