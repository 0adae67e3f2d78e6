import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestAddress } from '../test/postgres.ts'
import { row, type Row } from './table.ts'

const laterStarts = 5

/** From the command to /readyz, on the embedded store: the first start creates it, later ones find it. */
export async function startTimes(_server: TestAddress): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-bench-'))
  try {
    const store = { ARI_DATA_DIR: join(folder, 'data') }
    const first = await startedWithinMs(store)
    const later: number[] = []
    for (let start = 0; start < laterStarts; start++) later.push(await startedWithinMs(store))
    const middle = later.sort((left, right) => left - right)[Math.floor(laterStarts / 2)] ?? 0
    return [
      row('first start to ready', `${Math.round(first)} ms`, '', first / 1000, { atMost: 1.2 }, 's'),
      row(
        `later start to ready (median of ${laterStarts})`,
        `${Math.round(middle)} ms`,
        '',
        middle / 1000,
        { atMost: 0.5 },
        's',
      ),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `store`: the settings that lead to the service's data. */
export async function startedWithinMs(store: Record<string, string>): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../src/bin/serve.ts')], {
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
