import { execFileSync, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestAddress } from '../test/stage/postgres.ts'
import { row, type Row } from './stage/table.ts'

const laterStarts = 5

const root = resolve(import.meta.dirname, '..')
const command = join(root, 'bin/ari.js')

/**
 * From the command to /readyz, on the embedded store: the first start creates it, later ones find it. `ari serve` of the
 * packed product, as npm installs it, and of the checkout; the first start of each has no cache of compiled modules.
 */
export async function startTimes(_server: TestAddress): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-bench-'))
  try {
    // PostgreSQL, which doesn't run as root, must be able to pass through.
    await chmod(folder, 0o711)
    return [
      ...(await startsOf('the package', await installedPackage(folder), join(folder, 'package-data'))),
      ...(await startsOf('the checkout', command, join(folder, 'checkout-data'))),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function startsOf(what: string, program: string, dataDir: string): Promise<Row[]> {
  const store = { ARI_DATA_DIR: dataDir }
  const first = await startedWithinMs(store, program)
  const later: number[] = []
  for (let start = 0; start < laterStarts; start++) later.push(await startedWithinMs(store, program))
  const middle = later.sort((left, right) => left - right)[Math.floor(laterStarts / 2)] ?? 0
  return [
    row(`${what}: first start to ready`, `${Math.round(first)} ms`, '', first / 1000, { atMost: 1.2 }, 's'),
    row(
      `${what}: later start to ready (median of ${laterStarts})`,
      `${Math.round(middle)} ms`,
      '',
      middle / 1000,
      { atMost: 0.5 },
      's',
    ),
  ]
}

/** Its command, with this checkout's dependencies. */
async function installedPackage(folder: string): Promise<string> {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: ['ignore', 'ignore', 2] })
  const [packed = ''] = globSync('*.tgz', { cwd: folder })
  execFileSync('tar', ['-xzf', packed], { cwd: folder })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'package/bin/ari.js')
}

/** `store`: the settings that lead to the service's data. */
export async function startedWithinMs(store: Record<string, string>, program = command): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: '',
      ...store,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  try {
    // The port is free until the service takes it, so nobody else's service can answer here.
    while (!(await isReady(/ at (http:\S+)/.exec(output)?.[1]))) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
      await wait(5)
    }
    return performance.now() - from
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function isReady(url: string | undefined): Promise<boolean> {
  return url !== undefined && (await fetch(`${url}/readyz`)).status === 200
}
