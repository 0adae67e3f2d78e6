import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestAddress } from '../test/postgres.ts'
import { row, type Row } from './table.ts'

const port = 18_080
const laterStarts = 5

/** From the command to /readyz, on the embedded store: the first start creates it, later ones find it. */
export async function startTimes(_server: TestAddress): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-bench-'))
  try {
    const first = await startedWithinMs(folder)
    const later: number[] = []
    for (let start = 0; start < laterStarts; start++) later.push(await startedWithinMs(folder))
    const middle = later.sort((left, right) => left - right)[Math.floor(laterStarts / 2)] ?? 0
    return [
      row('first start to ready', `${Math.round(first)} ms`, '', first / 1000, { atMost: 3 }, 's'),
      row(
        `later start to ready (median of ${laterStarts})`,
        `${Math.round(middle)} ms`,
        '',
        middle / 1000,
        { atMost: 1.5 },
        's',
      ),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function startedWithinMs(folder: string): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../src/bin/serve.ts')], {
    env: {
      ...process.env,
      ARI_DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      DATABASE_URL: '',
    },
    stdio: 'ignore',
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  try {
    while (!(await isReady())) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
      await wait(5)
    }
    return performance.now() - from
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200
  } catch {
    return false
  }
}
