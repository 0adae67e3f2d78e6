/**
 * The one PostgreSQL of a test run, a schema check or a bench: TEST_DATABASE_URL, or an embedded one of its
 * own.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'

/** A password, if any, goes through PGPASSWORD. */
export type TestAddress = { host: string; port: number; user: string; database: string }

type TestServer = { address: TestAddress }

export type TestPostgres = TestServer & { version: string; stop: () => Promise<void> }

/** The variable that tells test files, each a process of its own, where it is. */
export const serverVariable = 'ARI_TEST_POSTGRES'

/** The one of the run that this run is part of, which ends it. */
export function outerPostgres(): TestPostgres {
  const { ARI_TEST_POSTGRES: outer = '' } = process.env
  return { ...JSON.parse(outer), stop: async () => {} }
}

/** Several services of several processes, each of which may open 30. */
const connectionsMax = 300

/** The space that a run may need on a file system in memory, and the space that must remain free. */
const memory = { folder: '/dev/shm', fileBytes: 2 * 2 ** 30, freeBytes: 4 * 2 ** 30 }

/** The same database through a pooler, which is named as host:port; undefined: there is none. */
export function behindPooler(address: TestAddress): TestAddress | undefined {
  const { ARI_TEST_POOLER: pooler } = process.env
  if (!pooler) return undefined
  const [host = '', port = ''] = pooler.split(':')
  return { ...address, host, port: Number(port) }
}

/**
 * Called by a test that necessarily has its own connection, so that its result isn't mistaken for one through
 * the pooler.
 */
export function notThroughPooler(context: Pick<TestContext, 'diagnostic'>, why: string): void {
  if (process.env['ARI_TEST_POOLER']) context.diagnostic(`NOT THROUGH THE POOLER: ${why}`)
}

/**
 * `durable: false`: the data would not survive a crash of the machine; the only other difference is speed.
 * `bufferMegabytes`: instead of PostgreSQL's own default; not of TEST_DATABASE_URL.
 */
export async function startTestPostgres({
  durable = true,
  bufferMegabytes,
}: { durable?: boolean; bufferMegabytes?: number | undefined } = {}): Promise<TestPostgres> {
  const { TEST_DATABASE_URL: url } = process.env
  if (url) return ready({ address: addressOf(url) }, async () => {})
  const folder = await mkdtemp(join(durable ? tmpdir() : await quickest(), 'ari-test-'))
  // When run as root, the server uses another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const start = () =>
    startEmbeddedPostgres({ dataDir: join(folder, 'data'), connectionsMax, log: complaints })
  let started = await start()
  if (bufferMegabytes !== undefined) {
    await asAdmin(started.connection, `alter system set shared_buffers = '${bufferMegabytes}MB'`)
    await started.stop()
    started = await start()
  }
  if (!durable) {
    await asAdmin(started.connection, 'alter system set fsync = off')
    // Each copy of the template is a checkpoint, after which whole pages would be logged again.
    await asAdmin(started.connection, 'alter system set full_page_writes = off')
    await asAdmin(started.connection, 'select pg_reload_conf()')
  }
  return ready({ address: started.connection }, async () => {
    await started.stop()
    // Its data are elsewhere when root's temporary folder is closed to the server.
    await rm(started.dataDir, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })
}

/** A database is a thousand files: in memory it is copied in a tenth of the time. */
async function quickest(): Promise<string> {
  const files = await statfs(memory.folder).catch(() => undefined)
  const hasRoom = files !== undefined && files.bavail * files.bsize >= memory.fileBytes
  return hasRoom && freemem() >= memory.freeBytes ? memory.folder : tmpdir()
}

/** The settings that lead a service in its own process to the database. */
export function environOf({ host, port, user, database }: TestAddress): Record<string, string> {
  const { PGPASSWORD: password } = process.env
  const where = new URLSearchParams({ host, port: String(port) })
  return {
    DATABASE_URL: `postgres://${encodeURIComponent(user)}@localhost/${database}?${where.toString()}`,
    ...(password === undefined ? {} : { PGPASSWORD: password }),
  }
}

async function ready(server: TestServer, stop: () => Promise<void>): Promise<TestPostgres> {
  const client = new pg.Client(server.address)
  await client.connect()
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await client.end()
  return { ...server, version: rows[0]?.server_version ?? 'of unknown version', stop }
}

function addressOf(url: string): TestAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  if (password !== '') process.env.PGPASSWORD = decodeURIComponent(password)
  return {
    host: searchParams.get('host') ?? (hostname || 'localhost'),
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    database: decodeURIComponent(pathname.slice(1)) || 'postgres',
  }
}

/** Warnings are mostly about statements that a test means to fail. */
const complaints = {
  info: () => {},
  warn: () => {},
  error: (fields: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
}

/** One statement on a connection of its own. */
export async function asAdmin(address: TestAddress, sql: string): Promise<void> {
  const admin = new pg.Client(address)
  await admin.connect()
  try {
    await admin.query(sql)
  } finally {
    await admin.end()
  }
}

/** The PostgreSQL of the run; a file that runs alone gets its own. */
export async function testServer(): Promise<TestServer & { stop: () => Promise<void> }> {
  const given = process.env[serverVariable]
  return given === undefined ? startTestPostgres() : { ...JSON.parse(given), stop: async () => {} }
}

/** An empty database for services in processes of their own. */
export async function newTestDatabase(): Promise<{ address: TestAddress; drop: () => Promise<void> }> {
  const { address, stop } = await testServer()
  const database = `proof_${randomBytes(8).toString('hex')}`
  await asAdmin(address, `create database ${database}`)
  return {
    address: { ...address, database },
    drop: async () => {
      await asAdmin(address, `drop database ${database} with (force)`)
      await stop()
    },
  }
}
