import { randomUUIDv7 } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Caller } from '../../http/calls/call.ts'
import { answer, on, onTransfer, type Mounted } from '../../http/calls/mount.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isUuid } from '../../push-log/request-ids.ts'
import { lockAccount } from '../../hotels/hotel-clock.ts'
import { bulkRoutes } from '../contract.ts'
import { bulkErrors, bulkLimits } from '../limits.ts'
import { deleteData } from '../jobs/data-store.ts'
import { errorsFile } from './errors-file.ts'
import { contentTypes, renderJob } from '../jobs/render-job.ts'
import type { BulkBell } from '../jobs/bell.ts'
import {
  cancelJob,
  deleteOlderLoads,
  insertOptionalLoad,
  selectOptionalJob,
  startLoad,
  type JobRow,
} from '../jobs/store.ts'
import { receiveData, type UploadNeeds } from './upload.ts'

/** POST /push/bulk */
export const createBulkJob = (needs: Needs): Mounted =>
  on(bulkRoutes.createBulkJob, async ({ body, caller }) => {
    const { kind, format, onError = 'continue', dryRun = false } = body
    if (format === 'csv' && kind !== 'ari') throw new Rejected(400, bulkErrors.formatOfKind)
    const wanted = {
      id: randomUUIDv7(),
      supplierId: caller.supplierId,
      keyId: caller.keyId,
      kind,
      format,
      stopsAtError: onError === 'stop',
      isDryRun: dryRun,
    }
    const job = await transaction(needs.db, async (connection) => {
      await lockAccount(connection, caller.supplierId)
      await deleteOlderLoads(connection, caller.supplierId, {
        loads: bulkLimits.loadsKept - 1,
        refusedBytes: bulkLimits.refusedBytesKept,
      })
      return insertOptionalLoad(connection, wanted, bulkLimits.openJobsMax, needs.clock.now())
    })
    if (!job)
      throw new Rejected(429, bulkErrors.tooMany, { headers: { 'retry-after': '60' }, limit: 'bulk_jobs' })
    return answer(201, { code: '201', message: 'Job created', ...renderJob(job, needs.clock.now()) })
  })

/** PUT /push/bulk/{jobId}/data */
export const uploadBulkData = (needs: UploadNeeds): Mounted =>
  onTransfer(bulkRoutes.uploadBulkData, async ({ params, caller, transfer }) => {
    const id = idOf(params)
    const bytesReceived = await receiveData(needs, caller.supplierId, id, transfer)
    return answer(200, { code: '200', message: 'Data stored', jobId: id, bytesReceived })
  })

/** POST /push/bulk/{jobId}/start */
export const startBulkJob = (needs: Needs & { bulkBell: BulkBell }): Mounted =>
  on(bulkRoutes.startBulkJob, async ({ params, caller }) => {
    const { id } = await loadOf(needs, params, caller)
    const nowMs = needs.clock.now()
    const job = await startLoad(needs.db, id, nowMs)
    if (!job) throw new Rejected(409, whyNotStarted(await loadOf(needs, params, caller)))
    needs.bulkBell.ring()
    return answer(200, { code: '200', message: 'Job started', ...renderJob(job, nowMs) })
  })

function whyNotStarted({ state, bytes, bytesAnnounced }: JobRow): Problem {
  if (state !== 'uploading') return bulkErrors.started
  if (bytesAnnounced !== null && bytes !== bytesAnnounced) return bulkErrors.incomplete(bytes, bytesAnnounced)
  // Another request sends data, or has just sent it.
  return bytes === 0 ? bulkErrors.noData : bulkErrors.uploadOpen
}

/** POST /push/bulk/{jobId}/cancel */
export const cancelBulkJob = (needs: Needs): Mounted =>
  on(bulkRoutes.cancelBulkJob, async ({ params, caller }) => {
    const { id } = await jobOf(needs, params, caller)
    const nowMs = needs.clock.now()
    const job = await cancelJob(needs.db, id, nowMs)
    if (!job) throw new Rejected(409, bulkErrors.ended)
    await deleteData(needs.db, id)
    return answer(200, { code: '200', message: 'Job cancelled', ...renderJob(job, nowMs) })
  })

/** GET /push/bulk/{jobId} */
export const getBulkJob = (needs: Needs): Mounted =>
  on(bulkRoutes.getBulkJob, async ({ params, caller }) => {
    const job = await jobOf(needs, params, caller)
    return answer(200, {
      code: '200',
      message: 'Job retrieved successfully',
      ...renderJob(job, needs.clock.now()),
    })
  })

/** GET /push/bulk/{jobId}/errors */
export const getBulkErrors = (needs: Needs): Mounted =>
  onTransfer(bulkRoutes.getBulkErrors, async ({ params, caller }) => {
    const job = await loadOf(needs, params, caller)
    return {
      contentType: contentTypes[job.format],
      stream: Readable.from(errorsFile(needs.db, job), { objectMode: false }),
    }
  })

async function loadOf(needs: Needs, params: { jobId: string }, caller: Caller): Promise<JobRow> {
  const job = await jobOf(needs, params, caller)
  if (job.task !== 'load') throw new Rejected(404, bulkErrors.notFound)
  return job
}

async function jobOf(needs: Needs, params: { jobId: string }, { supplierId }: Caller): Promise<JobRow> {
  const job = await selectOptionalJob(needs.db, { id: idOf(params), supplierId })
  if (!job) throw new Rejected(404, bulkErrors.notFound)
  return job
}

function idOf({ jobId }: { jobId: string }): string {
  if (!isUuid(jobId)) throw new Rejected(404, bulkErrors.notFound)
  return jobId
}
