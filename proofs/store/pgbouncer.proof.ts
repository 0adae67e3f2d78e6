import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { checkDatabase } from '../../src/postgres/schema/first-connection.ts'
import { openDatabase, type Database } from '../../src/postgres/postgres.ts'
import { transaction } from '../../src/postgres/transaction.ts'
import { root, testFiles } from '../../test/stage/files.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { missing, runAri, startProgram, withoutPostgres15 } from '../../test/stage/programs/programs.ts'

/**
 * PgBouncer in transaction mode, as Debian has it (1.18, which does not support prepared statements), in
 * front of a PostgreSQL whose own settings are all wrong for us. Both are installed if they are missing and
 * this user may install them. ARI_TEST_PGBOUNCER names another PgBouncer, which supports prepared statements
 * from 1.21 on.
 */

/**
 * Tests that hold locks, pipeline or prepare statements, take a role for a transaction, or rely on notifications from other
 * processes.
 */
const first = [
  'src/postgres/transaction.test.ts',
  'src/ari/push/push-ari.test.ts',
  'src/ari/push/push-ari-outcomes.test.ts',
  'src/ari/push/push-ari-sequence.test.ts',
  'src/ari/commit/commit-group.test.ts',
  'src/ari/read/get-room-rate-mappings.test.ts',
  'src/changes/list-changes.test.ts',
  'src/changes/wait-for-changes.test.ts',
  'src/bookings/book/create-reservation.test.ts',
  'src/bookings/idempotency/idempotent-booking.test.ts',
  'src/offers/search/find-offers.test.ts',
  'src/offers/explain/explain-offers.test.ts',
  'src/deliveries/send/deliver.test.ts',
  'src/cards/card-vault.test.ts',
  'src/keys/authenticate.test.ts',
  'src/push-log/read/list-pushes.test.ts',
  'src/start/housekeeping.test.ts',
  'test/access/roles.test.ts',
  'test/operation/store-epoch.test.ts',
  'test/access/supplier-sessions.test.ts',
]
/** The others follow in this many batches, as time permits. */
const turnsOfOthers = 3
let programs: { initdb: string; postgres: string; pgbouncer: string } | string
let keepsStatements = false
let folder = ''
let ports = { postgres: 0, pgbouncer: 0 }
const running: ChildProcess[] = []

before(async () => {
  programs = await installed()
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
    'max_connections=300',
  ]
  const settings = [
    ...wrong,
    `port=${ports.postgres}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ]
  run(programs.postgres, '-D', data, ...settings.flatMap((setting) => ['-c', setting]))
  const said = execFileSync(programs.pgbouncer, ['--version'], { encoding: 'utf8' })
  const [, major = '0', minor = '0'] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? []
  keepsStatements = Number(major) > 1 || Number(minor) >= 21
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
${keepsStatements ? 'max_prepared_statements = 200' : ''}
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

test('our session settings hold in every transaction, and leak to no other client', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  const address = await checkDatabase(through())
  assert.equal(address.pooler?.keeps, keepsStatements ? 'prepared statements' : 'nothing')
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

test('prepared statements do not outlive the schema for which they were prepared', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  const { pooler, ...address } = await checkDatabase(through())
  assert.ok(pooler)
  const ofSchema = (schema: string): Database => {
    const ofOne = pooler.keeps === 'nothing' ? pooler : { ...pooler, schema }
    return openDatabase({ ...address, pooler: ofOne }, { warn: () => {} }, { connectionsMax: 1 })
  }
  const statement = { name: 'select-kept', text: 'select * from kept' }
  const older = ofSchema('0001')
  await older.query('create table kept as select 1::int as id')
  assert.deepEqual((await older.query(statement)).rows, [{ id: 1 }])
  await older.query("alter table kept alter id type text using 'one'")
  const newer = ofSchema('0002')
  try {
    for (let round = 0; round < 3; round++)
      assert.deepEqual((await newer.query(statement)).rows, [{ id: 'one' }])
  } finally {
    await older.query('drop table kept')
    await older.close()
    await newer.close()
  }
})

test('ari doctor says what the pooler keeps, and nothing is wrong with it', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  await (await serviceOn(through())).stop()
  const { host, port, user, database } = through()
  const environ = { DATABASE_URL: `postgres://${user}@${host}:${port}/${database}`, PORT: '0' }
  const { code, stdout } = await runAri(environ, 'doctor', '--json')
  const report: { findings: { check: string; level: string; message: string; remedy: string | null }[] } =
    JSON.parse(stdout)
  assert.equal(code, 0, stdout)
  assert.deepEqual(
    report.findings
      .filter(({ check }) => check === 'pooler')
      .map(({ level, message, remedy }) => [level, message, remedy]),
    keepsStatements
      ? [['ok', 'a pooler that keeps prepared statements', null]]
      : [
          [
            'warning',
            'a pooler that does not keep prepared statements',
            'With PgBouncer 1.21 or newer, set max_prepared_statements = 200',
          ],
        ],
  )
})

test('the tests of npm test pass through it: first those about connections, then the rest while there is time', async (context) => {
  if (typeof programs === 'string') return context.skip(programs)
  const others = testFiles('tests').filter((file) => !first.includes(file))
  const size = Math.ceil(others.length / turnsOfOthers)
  const turns = [
    first,
    ...Array.from({ length: turnsOfOthers }, (_, turn) => others.slice(turn * size, (turn + 1) * size)),
  ]
  const rounds = roundsWithin({ full: turns.length, floor: 1, share: 0.06 })
  for (let turn = rounds.next(); turn !== undefined; turn = rounds.next()) {
    const files = turns[turn] ?? []
    context.diagnostic(`${files.length} of ${first.length + others.length} files, ${await throughIt(files)}`)
  }
  context.diagnostic(rounds.summary())
})

/** Runs them, and returns the summary of their run. */
async function throughIt(files: readonly string[]): Promise<string> {
  // Without the variable that keeps a test run within another from running anything.
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
  return output.trim().split('\n').at(-1) ?? ''
}

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

/** The programs, or the reason why they can't be tested here. */
async function installed(): Promise<typeof programs> {
  if (process.getuid?.() !== 0) return 'PgBouncer and a PostgreSQL are started by root'
  const { ARI_TEST_PGBOUNCER = '/usr/sbin/pgbouncer' } = process.env
  const find = () => ({
    initdb: globSync('/usr/lib/postgresql/1[5-9]/bin/initdb').at(-1),
    postgres: globSync('/usr/lib/postgresql/1[5-9]/bin/postgres').at(-1),
    pgbouncer: existsSync(ARI_TEST_PGBOUNCER) ? ARI_TEST_PGBOUNCER : undefined,
  })
  const why =
    (find().initdb === undefined && (await withoutPostgres15())) ||
    (await missing(ARI_TEST_PGBOUNCER, 'pgbouncer'))
  if (why) return why
  const { initdb, postgres, pgbouncer } = find()
  if (!initdb || !postgres || !pgbouncer) return 'PostgreSQL is installed without its tools'
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
