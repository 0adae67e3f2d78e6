import { instantOf, optionalInstant } from '../../base/calendar.ts'
import type { BulkFormat, BulkJob } from '../contract.ts'
import type { JobRow } from './store.ts'

export const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<BulkFormat, string>

/** A job as its supplier sees it. */
export function renderJob(job: JobRow, nowMs: number): BulkJob {
  const { startedMs, endedMs, bytes, bytesDone, line, failure } = job
  const seconds = startedMs === null ? 0 : Math.max(0.001, ((endedMs ?? nowMs) - startedMs) / 1000)
  const remaining = ((bytes - bytesDone) * seconds) / bytesDone
  return {
    jobId: job.id,
    task: job.task,
    kind: job.kind,
    format: job.format,
    onError: job.stopsAtError ? 'stop' : 'continue',
    dryRun: job.isDryRun,
    state: job.state,
    bytesReceived: bytes,
    lines: line,
    applied: job.applied,
    unchanged: job.unchanged,
    partial: job.partial,
    refused: job.refused,
    hotels: job.hotels,
    linesPerSecond: startedMs === null ? null : Math.round((line / seconds) * 10) / 10,
    remainingSeconds: job.state === 'running' && bytesDone > 0 ? Math.ceil(remaining) : null,
    createdAt: instantOf(job.createdMs),
    startedAt: optionalInstant(startedMs),
    endedAt: optionalInstant(endedMs),
    ...(failure
      ? {
          failure: {
            type: failure.type,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
          },
        }
      : {}),
  }
}
