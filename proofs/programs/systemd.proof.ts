import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { postmasterPid } from '../../src/embedded-postgres/processes.ts'
import { postgresProxy } from '../../test/stage/servers/postgres-proxy.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import {
  missing,
  programsForTests,
  runAri,
  startProgram,
  type Running,
} from '../../test/stage/programs/programs.ts'

/** The service reports to systemd: what a socket like systemd's receives. */

const { newFolder, track } = programsForTests()
const notifier = '/usr/bin/systemd-notify'
const why = (await missing(notifier, 'systemd')) ?? (await missing('python3', 'python3'))
const options = { skip: why ?? false }

/** Often enough to be seen, and no time that a slow machine would miss. */
const watchdog = { WATCHDOG_USEC: '2000000' }

type Socket = { path: string; received: () => string[]; of: (state: string) => number }
const receivers: ReturnType<typeof spawn>[] = []
after(() => receivers.map((receiver) => receiver.kill()))

/** A socket for datagrams, which Node has not. What is received is a line each, and passed files are closed. */
async function notifySocket(): Promise<Socket> {
  const folder = await newFolder()
  await mkdir(folder)
  const path = join(folder, 'notify')
  const program = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(s.recv(4096).decode().strip().replace('\\n', ' '), flush=True)`
  const receiver = spawn('python3', ['-c', program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  receivers.push(receiver)
  let text = ''
  receiver.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
  await once(receiver.stdout, 'data')
  const received = (): string[] =>
    text.split('\n').filter((line) => line !== '' && line !== 'bound' && line !== 'BARRIER=1')
  return { path, received, of: (state) => received().filter((line) => line.includes(state)).length }
}

async function serving(socket: Socket, environ: Record<string, string>): Promise<Running & { url: string }> {
  const PATH = process.env['PATH'] ?? '/usr/bin:/bin'
  const usual = { PATH, PORT: '0', LOG_LEVEL: 'warn', NOTIFY_SOCKET: socket.path }
  const service = track(startProgram('serve', { ...usual, ...environ }))
  const [, url = ''] = /ready in \S+ s at (http:\S+)/.exec(await service.printed(/ready in .*\n/)) ?? []
  return { ...service, url }
}

async function stopped({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(50)
}

const readyText = async (url: string): Promise<string> => (await fetch(`${url}/readyz`)).text()
const silent = 'not ready: the store does not answer\n'

describe('a service that systemd asked to report', options, () => {
  test('says once that it is ready, then signs of life, then that it stops; with several processes too', async () => {
    for (const ARI_PROCESSES of ['1', '2']) {
      const socket = await notifySocket()
      const environ = { ARI_DATA_DIR: await newFolder(), ARI_PROCESSES, ...watchdog }
      const service = await serving(socket, environ)
      await until(() => socket.of('READY=1') === 1)
      assert.equal(await readyText(service.url), 'ready\n')
      await until(() => socket.of('WATCHDOG=1') >= 3)
      await stopped(service)
      await until(() => socket.of('STOPPING=1') === 1)
      const states = socket.received().map((line) => /^\w+/.exec(line)?.[0])
      assert.deepEqual(new Set(states), new Set(['READY', 'WATCHDOG', 'STOPPING']))
      assert.match(socket.received().find((line) => line.startsWith('READY')) ?? '', / STATUS=Ready at http:/)
      assert.deepEqual([socket.of('READY=1'), socket.of('STOPPING=1')], [1, 1])
    }
  })

  test('without a watchdog it sends no signs of life', async () => {
    const socket = await notifySocket()
    const service = await serving(socket, { ARI_DATA_DIR: await newFolder() })
    await until(() => socket.of('READY=1') === 1)
    await stopped(service)
    await until(() => socket.of('STOPPING=1') === 1)
    assert.equal(socket.of('WATCHDOG=1'), 0)
  })

  test('gives no sign of life while its own PostgreSQL hangs, nor while its event loop does', async () => {
    const socket = await notifySocket()
    const ARI_DATA_DIR = await newFolder()
    const service = await serving(socket, { ARI_DATA_DIR, ...watchdog })
    await until(() => socket.of('WATCHDOG=1') > 0)
    const frozen = postgresOf(join(ARI_DATA_DIR, 'postgres', 'cluster'))
    for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    await until(async () => (await readyText(service.url)) === silent)
    await assertNone(socket)
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
    await assertMore(socket)

    service.child.kill('SIGSTOP')
    await assertNone(socket)
    service.child.kill('SIGCONT')
    await assertMore(socket)
    await stopped(service)
  })

  test('lives while a database of somebody else hangs: a restart would not help', async (context) => {
    const { address, drop } = await newTestDatabase()
    context.after(drop)
    const proxy = await postgresProxy()
    context.after(proxy.close)
    const environ = { ...environOf(proxy.through(address)), ARI_DATA_DIR: await newFolder() }
    assert.equal((await runAri(environOf(address), 'migrate')).code, 0)
    const socket = await notifySocket()
    const service = await serving(socket, { ...environ, ...watchdog })
    proxy.hold()
    await until(async () => (await readyText(service.url)) === silent)
    await assertMore(socket)
    proxy.release()
    await stopped(service)
  })

  test('without systemd-notify it runs, and says so in its log', async () => {
    const socket = await notifySocket()
    const service = await serving(socket, { ARI_DATA_DIR: await newFolder(), PATH: '/nowhere' })
    await service.printed(/"msg":"systemd could not be notified: systemd-notify failed"/)
    assert.deepEqual(socket.received(), [])
    await stopped(service)
  })
})

/** One may be on its way; then none comes, for as long as three usually take. */
async function assertNone(socket: Socket): Promise<void> {
  await wait(1_000)
  const before = socket.of('WATCHDOG=1')
  await wait(1_500)
  assert.equal(socket.of('WATCHDOG=1'), before)
}

async function assertMore(socket: Socket): Promise<void> {
  const before = socket.of('WATCHDOG=1')
  await until(() => socket.of('WATCHDOG=1') >= before + 2)
}

/** The server and its processes. */
function postgresOf(clusterDir: string): number[] {
  const server = postmasterPid(clusterDir)
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter((pair) => server !== undefined && pair.includes(server)).map(([pid = 0]) => pid)
}
