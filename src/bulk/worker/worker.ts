import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Needs } from '../../postgres/postgres.ts'
import type { BulkBell } from '../jobs/bell.ts'
import type { BulkTask } from '../contract.ts'
import { runExport } from '../export/export-job.ts'
import type { ExportNeeds } from '../export/export-lines.ts'
import { ChunkTurns } from '../jobs/chunk-turns.ts'
import { runJob, type RunNeeds } from '../load/run-job.ts'
import { releaseLease, renewLease, takeJob, type JobLease } from '../jobs/store.ts'

export type BulkWorker = {
  /** Ends after the transactions in progress; other processes go on with the jobs. */
  close: () => Promise<void>
}

/** One that can tell how many jobs it works on. */
type CountedWorker = BulkWorker & { jobs: () => number }

export type BulkNeeds = RunNeeds &
  ExportNeeds & {
    bulkBell: BulkBell
    /** The number of other pushes, which have the right of way, since the start. */
    submitted: () => number
  }

/** Jobs of other processes, and those whose process died, are looked for this often. */
const lookEveryMs = 1_000
/** A process that dies leaves its job for this long. */
const leaseMs = 5_000
const renewEveryMs = 1_500
const runByTask = { load: runJob, export: runExport } as const satisfies Record<BulkTask, unknown>

/** They take turns. */
const jobsAtOnceMax = 4

/** Works on jobs until it is closed. Any number of processes may do so: each job has one at a time. */
export function startBulkWorker(needs: BulkNeeds): CountedWorker {
  const by = randomUUID()
  const turns = new ChunkTurns(needs.submitted)
  const stop = new AbortController()
  const underWay = new Map<string, Promise<void>>()
  let looking: Promise<void> | undefined
  const lease = (): JobLease => {
    const nowMs = needs.clock.now()
    return { by, nowMs, untilMs: nowMs + leaseMs }
  }
  const take = async (): Promise<void> => {
    while (!stop.signal.aborted && underWay.size < jobsAtOnceMax) {
      const job = await takeJob(needs.db, lease())
      // Its lease could not be renewed for a while, and has been now.
      if (!job || underWay.has(job.id)) return
      const work: Promise<void> = keepLease(needs, job.id, lease, (lost) =>
        runByTask[job.task]({ ...needs, turns }, job.id, {
          lease,
          over: AbortSignal.any([stop.signal, lost]),
        }),
      )
        .catch((error: unknown) =>
          needs.log.error({ err: error, jobId: job.id }, 'a load or export was interrupted'),
        )
        .finally(() => {
          underWay.delete(job.id)
          needs.telemetry.bulkJobs.set(underWay.size)
          look()
        })
      underWay.set(job.id, work)
      needs.telemetry.bulkJobs.set(underWay.size)
    }
  }
  const look = (): void => {
    if (stop.signal.aborted) return
    looking ??= take()
      .catch((error: unknown) => needs.log.debug({ err: error }, 'a job could not be claimed'))
      .finally(() => (looking = undefined))
  }
  needs.bulkBell.answer(look)
  const timer = setInterval(look, lookEveryMs).unref()
  look()
  return {
    jobs: () => underWay.size,
    close: async () => {
      clearInterval(timer)
      stop.abort()
      await looking
      await Promise.all(underWay.values())
    },
  }
}

/** Renews the lease meanwhile, and gives the job back at the end. */
async function keepLease(
  needs: Needs,
  id: string,
  lease: () => JobLease,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController()
  const ended = new AbortController()
  const renewing = (async () => {
    for (;;) {
      await delay(renewEveryMs, undefined, { signal: ended.signal, ref: false })
      // While the database is away, no other process can take the job either.
      const isRenewed = await renewLease(needs.db, id, lease()).catch(() => true)
      if (!isRenewed) lost.abort()
    }
  })().catch(() => {})
  try {
    await work(lost.signal)
  } finally {
    ended.abort()
    await renewing
    await releaseLease(needs.db, id, lease().by).catch(() => {})
  }
}
