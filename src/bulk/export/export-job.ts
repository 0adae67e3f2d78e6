import { setTimeout as delay } from 'node:timers/promises'
import type { Problem } from '../../http/rejected.ts'
import { selectOptionalCaller } from '../../keys/store.ts'
import { isUnavailable } from '../../postgres/connections/store-errors.ts'
import { readTransaction, transaction } from '../../postgres/transaction.ts'
import { exportColumns } from './export-csv.ts'
import { PartsWriter } from './export-file.ts'
import { deleteData } from '../jobs/data-store.ts'
import { linesByKind, type ExportNeeds } from './export-lines.ts'
import {
  moveExport,
  selectGuestsMax,
  selectNextHotels,
  type ExportProgress,
  type HotelToExport,
} from './export-store.ts'
import type { ChunkTurns } from '../jobs/chunk-turns.ts'
import { bulkLimits, failures } from '../limits.ts'
import { DataFault } from '../jobs/data-fault.ts'
import { endJob, keepHeader, selectCheckpoint, type JobRow, type JobLease } from '../jobs/store.ts'

type Running = { lease: () => JobLease; over: AbortSignal }
type End = { state: 'done' | 'failed'; failure: Problem | undefined }

const triesAgainAfterMs = 500
const hotelsAtOnce = 50

/** Works on an export from its checkpoint to its end, or until it is over for this process. */
export async function runExport(
  needs: ExportNeeds & { turns: ChunkTurns },
  id: string,
  running: Running,
): Promise<void> {
  const { by } = running.lease()
  while (!running.over.aborted) {
    try {
      const job = await selectCheckpoint(needs.db, id, by)
      if (!job) return
      const end = await exportHotels(needs, job, running)
      if (!end) return
      await endJob(needs.db, id, by, { ...end, nowMs: needs.clock.now() })
      if (end.state === 'failed') await deleteData(needs.db, id)
      return
    } catch (error) {
      if (!isUnavailable(error))
        needs.log.warn({ err: error, jobId: id }, 'an export was interrupted and continues in a moment')
      await delay(triesAgainAfterMs)
    }
  }
}

/** Undefined if the job is over for this process. */
async function exportHotels(
  needs: ExportNeeds & { turns: ChunkTurns },
  job: JobRow,
  running: Running,
): Promise<End | undefined> {
  const columns = await columnsOf(needs, job)
  const writer = new PartsWriter()
  if (job.format === 'csv' && job.line === 0) await writer.add(`${columns.join(',')}\n`)
  let stored: ExportProgress = job
  let { afterHotel, hotels } = job
  /** False if this process no longer has the job. */
  const store = async (): Promise<boolean> => {
    const parts = await writer.take()
    const now = {
      afterHotel,
      hotels,
      parts: stored.parts + parts.length,
      line: job.line + writer.lines,
      bytes: job.bytes + writer.bytes,
    }
    const before = stored
    const isStored = await transaction(needs.db, (connection) =>
      moveExport(connection, job.id, running.lease(), { before, now, parts }),
    )
    stored = now
    return isStored
  }
  try {
    for (;;) {
      if (!(await selectOptionalCaller(needs.db, job.keyId, needs.clock.now())))
        return { state: 'failed', failure: failures.keyRevoked }
      const next = await selectNextHotels(needs.db, job, afterHotel, hotelsAtOnce)
      for (const hotel of next) {
        if (running.over.aborted) return undefined
        await needs.turns.turn(job.id, () => exportHotel(needs, { job, hotel, columns }, writer))
        afterHotel = hotel.id
        hotels++
        if (job.bytes + writer.bytes > bulkLimits.dataBytesMax)
          return { state: 'failed', failure: failures.exportTooLarge }
        if (writer.isFull && !(await store())) return undefined
      }
      if (next.length === 0) return (await store()) ? { state: 'done', failure: undefined } : undefined
    }
  } catch (error) {
    if (error instanceof DataFault) return { state: 'failed', failure: error.problem }
    throw error
  }
}

/** Writes a hotel as it is at one moment. */
async function exportHotel(
  needs: ExportNeeds,
  { job, hotel, columns }: { job: JobRow; hotel: HotelToExport; columns: readonly string[] },
  writer: PartsWriter,
): Promise<void> {
  let isAgain = false
  await readTransaction(needs.db, async (connection) => {
    // Its lines are already among the others: the job goes on from its checkpoint.
    if (isAgain) throw new Error('the lines of a hotel were written twice')
    isAgain = true
    await connection.query('set transaction isolation level repeatable read read only')
    for await (const line of linesByKind[job.kind]({ needs, connection, job, hotel, columns }))
      await writer.add(line)
  })
}

/** The columns of CSV, which stay the same to the end of the job. */
async function columnsOf(needs: ExportNeeds, job: JobRow): Promise<readonly string[]> {
  if (job.format !== 'csv') return []
  if (job.header) return job.header.toString().split(',')
  const columns = exportColumns(await selectGuestsMax(needs.db, job))
  await keepHeader(needs.db, job.id, Buffer.from(columns.join(',')))
  return columns
}
