import Type from 'typebox'
import {
  bulkFormats,
  bulkKinds,
  type BulkFormat,
  type BulkKind,
  type BulkState,
} from '../../bulk/contract.ts'
import { consoleRoute, oneOf, text } from '../../http/route.ts'

/** Exports of what is stored of a supplier: the same jobs as those of POST /push/export. */

export type Export = {
  exportId: string
  kind: BulkKind
  format: BulkFormat
  state: BulkState
  createdAt: string
  hotels: number
  lines: number
  /** Of its file, uncompressed. */
  bytes: number
  /** Why it failed. */
  failure: string | null
}

export const exportsShownMax = 20

const supplierId = text({ maxLength: 20, description: 'Number of the supplier' })
const ofSupplier = { forSuppliers: 'command', params: Type.Object({ supplierId }) } as const

export const exportRoutes = {
  listExports: consoleRoute<{ exports: Export[] }>()({
    ...ofSupplier,
    method: 'GET',
    path: '/suppliers/{supplierId}/exports',
  }),
  createExport: consoleRoute<{ export: Export }>()({
    ...ofSupplier,
    method: 'POST',
    path: '/suppliers/{supplierId}/exports',
    role: 'operator',
    body: Type.Object({ kind: oneOf(bulkKinds), format: oneOf(bulkFormats) }),
    status: 201,
  }),
  downloadExport: consoleRoute<string>()({
    ...ofSupplier,
    method: 'GET',
    path: '/suppliers/{supplierId}/exports/{exportId}/data',
    transfers: 'download',
    params: Type.Object({ supplierId, exportId: text({ maxLength: 40 }) }),
  }),
}
