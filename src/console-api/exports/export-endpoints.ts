import { instantOf } from '../../base/calendar.ts'
import { selectExports } from '../../bulk/export/export-store.ts'
import {
  downloadExport as download,
  orderExport,
  type ExportOrderNeeds,
} from '../../bulk/export/order-export.ts'
import type { JobRow } from '../../bulk/jobs/store.ts'
import { answer, on, onTransfer, type Mounted } from '../../http/calls/mount.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { noValidKey, supplierNamed, supplierSubject } from '../suppliers/rules.ts'
import { selectNewestKey } from '../suppliers/store.ts'
import { exportRoutes, exportsShownMax, type Export } from './contract.ts'

/** GET /suppliers/{supplierId}/exports: newest first. */
export const listExports = ({ db }: Needs): Mounted =>
  on(exportRoutes.listExports, async ({ params }) => {
    const { supplierId } = await supplierNamed(db, params.supplierId)
    const jobs = await selectExports(db, supplierId, exportsShownMax)
    return answer(200, { exports: jobs.map(shown) })
  })

/** POST /suppliers/{supplierId}/exports: as the supplier's newest key would order it. */
export const createExport = (needs: ExportOrderNeeds): Mounted =>
  on(exportRoutes.createExport, async ({ params, body, operator, requestId }) => {
    const { db, clock } = needs
    const supplier = await supplierNamed(db, params.supplierId)
    const { supplierId } = supplier
    const key = await selectNewestKey(db, supplierId, clock.now())
    if (!key) throw noValidKey(supplier)
    const subject = supplierSubject(supplier)
    const job = await orderExport(needs, { supplierId, keyId: key.keyId }, body, (connection) =>
      audit(connection, { operator, requestId, action: 'export.create', subject, after: body }),
    )
    return answer(201, { export: shown(job) })
  })

/** GET /suppliers/{supplierId}/exports/{exportId}/data. */
export const downloadExport = (needs: Needs): Mounted =>
  onTransfer(exportRoutes.downloadExport, async ({ params, transfer }) => {
    const { supplierId } = await supplierNamed(needs.db, params.supplierId)
    const of = { supplierId, jobId: params.exportId }
    return download(needs, of, transfer.headers['accept-encoding'])
  })

function shown({ id, kind, format, state, createdMs, hotels, line, bytes, failure }: JobRow): Export {
  return {
    exportId: id,
    kind,
    format,
    state,
    createdAt: instantOf(createdMs),
    hotels,
    lines: line,
    bytes,
    failure: failure?.message ?? null,
  }
}
