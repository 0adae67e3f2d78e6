import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { mock, test } from 'node:test'
import { until } from '../../test/stage/pace.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { readConfig } from '../settings/config.ts'
import { startProcesses } from './processes.ts'

test('a process that the system refuses to start is tried again', async () => {
  const forked: EventEmitter[] = []
  const fork = mock.method(cluster, 'fork', () => {
    const isRefused = forked.length === 0
    const worker = Object.assign(new EventEmitter(), {
      process: { pid: isRefused ? undefined : 4242 },
      isConnected: () => false,
      isDead: () => true,
    })
    forked.push(worker)
    if (isRefused)
      setImmediate(() => worker.emit('error', Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What of a worker is used here.
    return worker as unknown as Worker
  })
  try {
    const processes = startProcesses(
      readConfig({ ARI_PROCESSES: '1' }).settings,
      openLog('silent'),
      telemetry(),
    )
    await until(async () => forked.length === 2)
    // A message that doesn't reach a running one starts none.
    forked[1]?.emit('error', new Error('write EPIPE'))
    await processes.stop()
    assert.equal(forked.length, 2)
  } finally {
    fork.mock.restore()
  }
})
