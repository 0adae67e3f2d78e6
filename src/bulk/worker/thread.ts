import { Worker } from 'node:worker_threads'
import { Counter } from 'prom-client'
import type { Needs } from '../../postgres/postgres.ts'
import { isJobFree } from '../jobs/store.ts'
import { isFromThread, type Gained, type ToThread } from './thread-messages.ts'
import type { BulkBell } from '../jobs/bell.ts'
import type { BulkWorker } from './worker.ts'

type ThreadNeeds = Needs & {
  bulkBell: BulkBell
  /** The number of pushes that this process has applied since its start; those of other processes don't count. */
  submitted: () => number
}

/** The program of the thread, which calls `workInThread`, and its data. */
export type ThreadProgram = { file: URL; data: unknown }

/** Jobs of other processes, and those whose process died, are looked for this often; the thread hears of traffic as often. */
const lookEveryMs = 1_000

/**
 * Works on jobs in a thread of its own, so that their lines, and the garbage that these leave, delay no request: beside 50
 * pushes a second, the 99th percentile of these was four times that without a load, and is 1.6 times (decision 048). The
 * thread starts with a job and ends some time after the last one. One that dies leaves its jobs to the next.
 */
export function startBulkThread(needs: ThreadNeeds, { file, data }: ThreadProgram): BulkWorker {
  let thread: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let looking: Promise<void> | undefined
  let isClosed = false
  const send = (message: ToThread): void => thread?.postMessage(message)
  const start = (): void => {
    const started = new Worker(file, { workerData: data })
    thread = started
    started.on('message', (message: unknown) => {
      if (!isFromThread(message)) return
      count(needs, message.gained)
      needs.telemetry.bulkJobs.set(message.jobs)
    })
    started.on('error', (error) =>
      needs.log.error(
        { err: error },
        'the thread of first loads and exports died; the next one continues its work',
      ),
    )
    ended = new Promise((resolve) =>
      started.on('exit', () => {
        thread = undefined
        needs.telemetry.bulkJobs.set(0)
        resolve()
      }),
    )
    send({ kind: 'traffic', submitted: needs.submitted() })
  }
  const startOrTell = (): void => {
    try {
      start()
    } catch (error) {
      needs.log.error(
        { err: error },
        'the thread of first loads and exports could not be started; this will be repeated',
      )
    }
  }
  const look = (): void => {
    if (isClosed) return
    if (thread) return send({ kind: 'look' })
    looking ??= isJobFree(needs.db, needs.clock.now())
      .then((isFree) => {
        if (isFree && !isClosed && !thread) startOrTell()
      })
      .catch((error: unknown) => needs.log.debug({ err: error }, 'open jobs could not be looked up'))
      .finally(() => (looking = undefined))
  }
  needs.bulkBell.answer(look)
  const timer = setInterval(() => {
    if (thread) send({ kind: 'traffic', submitted: needs.submitted() })
    else look()
  }, lookEveryMs).unref()
  look()
  return {
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await looking
      send({ kind: 'close' })
      await ended
    },
  }
}

function count({ telemetry }: Needs, gained: readonly Gained[]): void {
  for (const { name, labels, by } of gained) {
    const counter = telemetry.registry.getSingleMetric(name)
    if (counter instanceof Counter) counter.inc(labels, by)
  }
}
