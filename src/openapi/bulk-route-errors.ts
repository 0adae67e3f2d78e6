import { bulkErrors, bulkLimits } from '../bulk/limits.ts'
import { hotelErrors } from '../hotels/contract.ts'
import type { RouteName } from '../contract.ts'
import type { ListedError } from './shapes.ts'

/** Those of first loads and exports. */
export const bulkRouteErrors: Readonly<Partial<Record<RouteName, readonly ListedError[]>>> = {
  createBulkJob: [bulkErrors.formatOfKind, bulkErrors.tooMany],
  createExport: [hotelErrors.notFound, bulkErrors.formatOfKind, bulkErrors.tooMany],
  getExportData: [bulkErrors.notFound, bulkErrors.exportNotDone],
  uploadBulkData: [
    bulkErrors.notFound,
    bulkErrors.started,
    { ...bulkErrors.wrongOffset(0), message: 'The next byte is …' },
    bulkErrors.replaced,
    bulkErrors.wrongLength,
    bulkErrors.rangeInvalid,
    bulkErrors.encoding,
    { ...bulkErrors.encodingChanged(''), message: 'The data before this has Content-Encoding …' },
    bulkErrors.dataTooLarge(bulkLimits.dataBytesMax),
    bulkErrors.unreadable,
  ],
  startBulkJob: [
    bulkErrors.notFound,
    bulkErrors.noData,
    { ...bulkErrors.incomplete(0, 0), message: 'The job has … of … bytes' },
    bulkErrors.started,
  ],
  cancelBulkJob: [bulkErrors.notFound, bulkErrors.ended],
  getBulkJob: [bulkErrors.notFound],
  getBulkErrors: [bulkErrors.notFound],
}
