import { answer, on, onTransfer, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { bulkRoutes } from '../contract.ts'
import { downloadExport, orderExport, type ExportOrderNeeds } from './order-export.ts'
import { renderJob } from '../jobs/render-job.ts'

/** POST /push/export */
export const createExport = (needs: ExportOrderNeeds): Mounted =>
  on(bulkRoutes.createExport, async ({ body, caller }) => {
    const job = await orderExport(needs, caller, body)
    return answer(201, { code: '201', message: 'Job created', ...renderJob(job, needs.clock.now()) })
  })

/** GET /push/export/{jobId}/data */
export const getExportData = (needs: Needs): Mounted =>
  onTransfer(bulkRoutes.getExportData, ({ params: { jobId }, caller: { supplierId }, transfer }) =>
    downloadExport(needs, { supplierId, jobId }, transfer.headers['accept-encoding']),
  )
