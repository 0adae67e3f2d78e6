import { randomUUIDv7 } from 'node:crypto'
import { Readable } from 'node:stream'
import { lockAccount } from '../hotels/hotel-clock.ts'
import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { answer, on, onTransfer, type Mounted } from '../http/mount.ts'
import { Rejected, rejectIfAny } from '../http/rejected.ts'
import type { Needs } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import { contentTypes, jobOf, rendered } from './bulk-endpoints.ts'
import { bulkRoutes } from './contract.ts'
import { exportFile } from './export-file.ts'
import { deleteOlderExports, insertOptionalExport, selectKnownCodes } from './export-store.ts'
import { bulkErrors, bulkLimits } from './limits.ts'
import type { BulkBell } from './worker.ts'

/** POST /push/export */
export const createExport = (needs: Needs & { bulkBell: BulkBell }): Mounted =>
  on(bulkRoutes.createExport, async ({ body, caller }) => {
    const { kind, format, hotelIds } = body
    const { supplierId, keyId } = caller
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
      return insertOptionalExport(connection, wanted, {
        openMax: bulkLimits.openJobsMax,
        nowMs: needs.clock.now(),
      })
    })
    if (!job)
      throw new Rejected(429, bulkErrors.tooMany, { headers: { 'retry-after': '60' }, limit: 'bulk_jobs' })
    needs.bulkBell.ring()
    return answer(201, { code: '201', message: 'Job created', ...rendered(job, needs.clock.now()) })
  })

/** GET /push/export/{jobId}/data */
export const getExportData = (needs: Needs): Mounted =>
  onTransfer(bulkRoutes.getExportData, async ({ params, caller, transfer }) => {
    const job = await jobOf(needs, params, caller)
    if (job.task !== 'export') throw new Rejected(404, bulkErrors.notFound)
    if (job.state !== 'done') throw new Rejected(409, bulkErrors.exportNotDone)
    const encoding = takesGzip(transfer.headers['accept-encoding']) ? 'gzip' : 'identity'
    return {
      contentType: contentTypes[job.format],
      contentEncoding: encoding,
      stream: Readable.from(exportFile(needs.db, job, encoding), { objectMode: false }),
    }
  })

/** Whoever names gzip at all can read it, unless its weight is zero. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i.test(String(accepted ?? ''))
}
