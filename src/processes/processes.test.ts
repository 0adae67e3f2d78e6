import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { mock, test } from 'node:test'
import { until } from '../../test/stage/pace.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { readConfig } from '../settings/config.ts'
import { aliveCheck, startProcesses } from './processes.ts'

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

test('a process that answers nothing any more is ended, and another one takes its place; one that answers late stays', async () => {
  const forked: (EventEmitter & { answers: boolean; killed: unknown[] })[] = []
  const fork = mock.method(cluster, 'fork', () => {
    const killed: unknown[] = []
    const worker = Object.assign(new EventEmitter(), {
      answers: true,
      killed,
      process: {
        pid: 4242 + forked.length,
        kill: (signal: unknown) => {
          killed.push(signal)
          worker.emit('exit', null, signal)
        },
      },
      isConnected: () => true,
      isDead: () => killed.length > 0,
      send: ({ kind }: { kind: string }) => {
        if (kind === 'are you there' && worker.answers) worker.emit('message', { kind: 'here' })
      },
    })
    forked.push(worker)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What of a worker is used here.
    return worker as unknown as Worker
  })
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const { settings } = readConfig({ ARI_PROCESSES: '3' })
    const processes = startProcesses(settings, openLog('silent'), telemetry())
    const [hung, late, starting] = forked
    assert.ok(hung && late && starting)
    for (const ready of [hung, late]) ready.emit('message', { kind: 'ready', url: '', notes: [] })
    hung.answers = false
    late.answers = false
    starting.answers = false
    mock.timers.tick(aliveCheck.everyMs * (aliveCheck.unansweredMax - 1))
    late.answers = true
    mock.timers.tick(aliveCheck.everyMs)
    assert.deepEqual([hung.killed, late.killed], [[], []])
    mock.timers.tick(aliveCheck.everyMs)
    // SIGTERM doesn't reach one that is stopped.
    assert.deepEqual([hung.killed, late.killed, starting.killed], [['SIGKILL'], [], []])
    await until(async () => forked.length === 4)
    await processes.stop()
  } finally {
    mock.timers.reset()
    fork.mock.restore()
  }
})
