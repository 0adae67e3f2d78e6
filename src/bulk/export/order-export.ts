import { randomUUIDv7 } from 'node:crypto'
import { Readable } from 'node:stream'
import { lockAccount } from '../../hotels/hotel-clock.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import type { Caller } from '../../http/calls/call.ts'
import type { Streamed } from '../../http/calls/mount.ts'
import { Rejected, rejectIfAny } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isUuid } from '../../push-log/request-ids.ts'
import type { bulkRoutes } from '../contract.ts'
import { exportFile } from './export-file.ts'
import { deleteOlderExports, insertOptionalExport, selectKnownCodes } from './export-store.ts'
import { bulkErrors, bulkLimits } from '../limits.ts'
import { contentTypes } from '../jobs/render-job.ts'
import { selectOptionalJob, type JobRow } from '../jobs/store.ts'
import type { BulkBell } from '../jobs/bell.ts'

/** Exports, as a supplier's key and its people in the console order and download them. */

export type ExportOrderNeeds = Needs & { bulkBell: BulkBell }

/**
 * The job, which waits for its turn. Refuses unknown hotels, CSV of another kind than ARI, and too many open jobs.
 * `alongside` runs in the transaction that makes the job.
 */
export async function orderExport(
  needs: ExportOrderNeeds,
  { supplierId, keyId }: Pick<Caller, 'supplierId' | 'keyId'>,
  { kind, format, hotelIds }: BodyOf<typeof bulkRoutes.createExport>,
  alongside: (connection: Queryable) => Promise<void> = async () => {},
): Promise<JobRow> {
  if (format === 'csv' && kind !== 'ari') throw new Rejected(400, bulkErrors.formatOfKind)
  if (hotelIds) {
    const known = await selectKnownCodes(needs.db, supplierId, hotelIds)
    const unknown = hotelIds.flatMap((code, index) =>
      known.has(code) ? [] : [hotelNotFound(code, undefined, `/hotelIds/${index}`)],
    )
    rejectIfAny(unknown, 404)
  }
  const wanted = { id: randomUUIDv7(), supplierId, keyId, kind, format, hotelCodes: hotelIds ?? null }
  const job = await transaction(needs.db, async (connection) => {
    await lockAccount(connection, supplierId)
    await deleteOlderExports(connection, supplierId, bulkLimits.exportsKept - 1)
    const limits = { openMax: bulkLimits.openJobsMax, nowMs: needs.clock.now() }
    const inserted = await insertOptionalExport(connection, wanted, limits)
    if (inserted) await alongside(connection)
    return inserted
  })
  if (!job)
    throw new Rejected(429, bulkErrors.tooMany, { headers: { 'retry-after': '60' }, limit: 'bulk_jobs' })
  needs.bulkBell.ring()
  return job
}

/** The file of an export that is done; another supplier's job is unknown. */
export async function downloadExport(
  { db }: Needs,
  { supplierId, jobId }: { supplierId: number; jobId: string },
  accepted: string | string[] | undefined,
): Promise<Streamed> {
  const job = await exportOf(db, { supplierId, jobId })
  if (job.state !== 'done') throw new Rejected(409, bulkErrors.exportNotDone)
  const encoding = takesGzip(accepted) ? 'gzip' : 'identity'
  return {
    contentType: contentTypes[job.format],
    contentEncoding: encoding,
    stream: Readable.from(exportFile(db, job, encoding), { objectMode: false }),
  }
}

async function exportOf(
  db: Queryable,
  { supplierId, jobId }: { supplierId: number; jobId: string },
): Promise<JobRow> {
  const job = isUuid(jobId) ? await selectOptionalJob(db, { id: jobId, supplierId }) : undefined
  if (job?.task !== 'export') throw new Rejected(404, bulkErrors.notFound)
  return job
}

/** Whoever names gzip at all can read it, unless its weight is zero. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(?:^|,)\s*(?:x-)?gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i.test(String(accepted ?? ''))
}
