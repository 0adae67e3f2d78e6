import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { checkDatabase } from '../../src/platform/first-connection.ts'
import { openDatabase } from '../../src/platform/postgres.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { startProgram } from '../programs.ts'

/**
 * PgBouncer in transaction mode, as Debian has it (1.18, which keeps no prepared statements), before a PostgreSQL whose
 * own settings are all wrong for us. Both are installed where they are missing and this user may.
 */

const root = resolve(import.meta.dirname, '../..')
/** What holds locks, pipelines statements and prepares them. */
const files = [
  'src/platform/transaction.test.ts',
  'src/ari/push-ari.test.ts',
  'src/ari/get-room-rate-mappings.test.ts',
  'src/changes/list-changes.test.ts',
  'src/reservations/create-reservation.test.ts',
]
let programs: { initdb: string; postgres: string; pgbouncer: string } | string
let folder = ''
let ports = { postgres: 0, pgbouncer: 0 }
const running: ChildProcess[] = []

before(async () => {
  programs = installed()
  if (typeof programs === 'string') return
  folder = mkdtempSync(join(tmpdir(), 'ari-pgbouncer-'))
  chmodSync(folder, 0o777)
  ports = { postgres: await freePort(), pgbouncer: await freePort() }
  const data = join(folder, 'data')
  asPostgres(programs.initdb, '-D', data, '-A', 'trust', '-U', 'ari', '-E', 'UTF8', '--locale=C.UTF-8')
  const wrong = [
    'fsync=off',
    'synchronous_commit=off',
    'timezone=America/New_York',
    'jit=on',
    'max_connections=200',
  ]
  const settings = [
    ...wrong,
    `port=${ports.postgres}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ]
  run(programs.postgres, '-D', data, ...settings.flatMap((setting) => ['-c', setting]))
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${ports.postgres} user=ari
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pgbouncer}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 2000
`,
  )
  run(programs.pgbouncer, '-q', file)
  for (const port of [ports.postgres, ports.pgbouncer]) await untilListening(port)
})
after(async () => {
  for (const child of running.toReversed()) {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
  }
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const through = () => ({ host: '127.0.0.1', port: ports.pgbouncer, user: 'ari', database: 'postgres' })

test('what a session of ours has holds in every transaction, and is left to nobody else', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  const address = await checkDatabase(through())
  assert.deepEqual(address.pooler, { keeps: 'nothing' })
  const settings = `select current_setting('synchronous_commit') as commit, current_setting('timezone') as zone,
    current_setting('jit') as jit, current_setting('statement_timeout') as timeout`
  const ours = { commit: 'on', zone: 'UTC', jit: 'off', timeout: '3500ms' }
  const served = await serviceOn(through())
  const migrated = openDatabase(address, { warn: () => {} })
  try {
    const alone = await Promise.all(Array.from({ length: 40 }, () => migrated.query(settings)))
    assert.deepEqual(
      alone.flatMap(({ rows }) => rows),
      Array.from({ length: 40 }, () => ours),
    )
    const within = await transaction(migrated, (connection) => connection.query(settings))
    assert.deepEqual(within.rows, [ours])
    const other = new pg.Client(through())
    await other.connect()
    const { rows } = await other.query(settings)
    await other.end()
    assert.deepEqual(rows, [{ commit: 'off', zone: 'America/New_York', jit: 'on', timeout: '0' }])
  } finally {
    await migrated.close()
    await served.stop()
  }
})

test('pushes, bookings and the change feed are through it what they are without', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  // Without the mark by which a test run within another runs nothing.
  const environ = { ...process.env }
  delete environ['NODE_TEST_CONTEXT']
  const child = spawn(process.execPath, [join(root, 'test/run.ts'), ...files], {
    cwd: root,
    env: {
      ...environ,
      TEST_DATABASE_URL: `postgres://ari@127.0.0.1:${ports.postgres}/postgres`,
      ARI_TEST_POOLER: `127.0.0.1:${ports.pgbouncer}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = await once(child, 'exit')
  running.pop()
  assert.equal(code, 0, output.slice(-8_000))
  assert.match(output, /all [1-9]\d* passed/)
  context.diagnostic(output.trim().split('\n').at(-1) ?? '')
})

async function serviceOn({ host, port, user, database }: ReturnType<typeof through>) {
  const environ = {
    DATABASE_URL: `postgres://${user}@${host}:${port}/${database}`,
    PORT: '0',
    LOG_LEVEL: 'silent',
  }
  const service = startProgram('serve', environ)
  await service.printed(/ready in/)
  return {
    stop: async () => {
      service.child.kill('SIGTERM')
      assert.equal((await service.ended).code, 0)
    },
  }
}

/** The programs, or why this can't be tested here. */
function installed(): typeof programs {
  if (process.getuid?.() !== 0) return 'NOT TESTED: PgBouncer and a PostgreSQL are started by root'
  const find = () => ({
    initdb: globSync('/usr/lib/postgresql/1[5-9]/bin/initdb').at(-1),
    postgres: globSync('/usr/lib/postgresql/1[5-9]/bin/postgres').at(-1),
    pgbouncer: existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : undefined,
  })
  try {
    const { initdb, pgbouncer } = find()
    const missing = [...(initdb ? [] : ['postgresql']), ...(pgbouncer ? [] : ['pgbouncer'])]
    if (missing.length > 0) {
      execFileSync('/usr/bin/apt-get', ['update', '-qq'], { stdio: 'ignore' })
      execFileSync('/usr/bin/apt-get', ['install', '-y', '-qq', ...missing], { stdio: 'ignore' })
    }
  } catch (error) {
    return `NOT TESTED: PgBouncer can't be installed here (${String(error)})`
  }
  const { initdb, postgres, pgbouncer } = find()
  if (!initdb || !postgres || !pgbouncer) return 'NOT TESTED: there is no PgBouncer here'
  return { initdb, postgres, pgbouncer }
}

const postgresUser = ['-u', 'postgres', '--']

function asPostgres(program: string, ...parameters: string[]): void {
  execFileSync('/usr/sbin/runuser', [...postgresUser, program, ...parameters], { stdio: 'ignore' })
}

function run(program: string, ...parameters: string[]): void {
  const uid = Number(execFileSync('/usr/bin/id', ['-u', 'postgres'], { encoding: 'utf8' }))
  const gid = Number(execFileSync('/usr/bin/id', ['-g', 'postgres'], { encoding: 'utf8' }))
  running.push(spawn(program, parameters, { uid, gid, cwd: '/', stdio: 'ignore' }))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await new Promise<boolean>((tried) => {
      socket.once('connect', () => tried(true)).once('error', () => tried(false))
    })
    socket.destroy()
    if (isThere) return
    await wait(50)
  }
}
