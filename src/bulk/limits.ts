/** The limits of first loads and exports, and what can be wrong with them. */

export const bulkEncodings = ['identity', 'gzip', 'zstd'] as const
export type BulkEncoding = (typeof bulkEncodings)[number]

export const bulkLimits = {
  /** Of the data, as sent and unpacked. */
  dataBytesMax: 2 * 1024 ** 3,
  lineBytesMax: 64 * 1024,
  /** A line of products: a single one can't be divided, and may have 50 policies with 50 fees each. */
  productLineBytesMax: 4 * 1024 * 1024,
  /** Of a refused line, beside the line itself. */
  reasonsBytesMax: 128 * 1024,
  linesMax: 20_000_000,
  /** Jobs of an account that have not ended. */
  openJobsMax: 10,
  /** Of the data of all of them together. */
  openBytesMax: 4 * 1024 ** 3,
  /** Beyond either, the job fails: that many errors have one cause. The bytes are of lines with their reasons. */
  refusedLinesMax: 100_000,
  refusedBytesMax: 256 * 1024 * 1024,
  /** A job that was not started, since its last request. */
  uploadKeptHours: 24,
  /** The errors and figures of a job that has ended. */
  jobKeptDays: 7,
  /** Loads of an account that have ended, and bytes of their refused lines; older ones are removed before. */
  loadsKept: 200,
  refusedBytesKept: 512 * 1024 * 1024,
  /** Exports of an account that have ended; the oldest is removed when another is created. */
  exportsKept: 5,
  exportHotelsNamedMax: 1_000,
} as const

/** A few years of many room-rates as lines. */
const bytesPerHotel = 5 * 1024 * 1024

/** Bytes of the data of a job, and of all open jobs of its account; less for one that may have few hotels. */
export function dataLimitsOf({ hotelsMax }: { hotelsMax: number }): { ofJob: number; ofAccount: number } {
  const { dataBytesMax, openBytesMax } = bulkLimits
  if (hotelsMax === 0) return { ofJob: dataBytesMax, ofAccount: openBytesMax }
  const ofHotels = hotelsMax * bytesPerHotel
  return { ofJob: Math.min(dataBytesMax, ofHotels), ofAccount: Math.min(openBytesMax, ofHotels) }
}

export const bulkErrors = {
  notFound: {
    type: 'BULK_JOB_NOT_FOUND',
    message: 'Job not found',
    hint: `Jobs are kept for ${bulkLimits.jobKeptDays} days after their end, and for ${bulkLimits.uploadKeptHours} hours without a start`,
  },
  formatOfKind: {
    type: 'FORMAT_NOT_OFFERED',
    message: 'format csv is for kind ari only',
    path: '/format',
    hint: 'Send ndjson: a line is the body of a push',
  },
  tooMany: {
    type: 'TOO_MANY_JOBS',
    message: `Maximum ${bulkLimits.openJobsMax} jobs of an account can be open at a time`,
    hint: "Wait until one has ended, or cancel one that you don't need",
  },
  started: {
    type: 'BULK_JOB_STARTED',
    message: 'The job was started or has ended: it takes no more data',
    hint: 'Create another job for further data',
  },
  noData: {
    type: 'BULK_NO_DATA',
    message: 'The job has no data',
    hint: 'Send the data with PUT /push/bulk/{jobId}/data first',
  },
  uploadOpen: {
    type: 'BULK_DATA_INCOMPLETE',
    message: 'The request that sends the data is still in progress',
    hint: 'Wait for its answer; if its connection broke, GET the job and go on with Content-Range at bytesReceived',
  },
  incomplete: (received: number, announced: number) => ({
    type: 'BULK_DATA_INCOMPLETE',
    message: `The job has ${received} of ${announced} bytes`,
    hint: `Go on with Content-Range: bytes ${received}-${announced - 1}/${announced}`,
  }),
  wrongOffset: (received: number) => ({
    type: 'WRONG_OFFSET',
    message: `The next byte is ${received}`,
    path: 'content-range',
    hint: `Go on with Content-Range: bytes ${received}-…/…, or send everything again without Content-Range`,
  }),
  wrongLength: {
    type: 'WRONG_LENGTH',
    message: 'The data has another length than its Content-Range',
    path: 'content-range',
    hint: 'Send exactly the bytes FIRST to LAST, both included',
  },
  replaced: {
    type: 'UPLOAD_REPLACED',
    message: 'A later request sends the data of this job',
    hint: 'Send the data of a job in one request at a time; GET the job for bytesReceived',
  },
  rangeInvalid: {
    type: 'INVALID_RANGE',
    message: 'Content-Range is not valid',
    path: 'content-range',
    hint: 'Send bytes FIRST-LAST/TOTAL, or * for an unknown total',
  },
  encoding: {
    type: 'UNSUPPORTED_ENCODING',
    message: 'Content-Encoding is not supported',
    path: 'content-encoding',
    hint: `Use one of ${bulkEncodings.join(', ')}`,
  },
  encodingChanged: (encoding: string) => ({
    type: 'ENCODING_CHANGED',
    message: `The data before this has Content-Encoding ${encoding}`,
    path: 'content-encoding',
    hint: 'All parts of the data are one stream: send the same Content-Encoding, or everything again without Content-Range',
  }),
  dataTooLarge: (bytesMax: number) => ({
    type: 'BULK_DATA_TOO_LARGE',
    message: `The data is larger than ${bytesMax} bytes`,
    hint: 'Divide it between several jobs; the limit applies before and after decompression',
  }),
  accountDataTooLarge: (bytesMax: number) => ({
    type: 'BULK_ACCOUNT_FULL',
    message: `The data of all open jobs is larger than ${bytesMax} bytes`,
    hint: 'Wait until a job has ended, or cancel one that is not needed',
  }),
  form: {
    type: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The data must not be a form',
    path: 'content-type',
    hint: 'Send the file itself as the body, for example with curl -T FILE',
  },
  notText: {
    type: 'DATA_NOT_TEXT',
    message: 'The data is not text: it begins like a compressed file',
    path: 'content-encoding',
    hint: 'Send Content-Encoding gzip or zstd with such a file; unpack a ZIP file, and save a workbook as CSV',
  },
  unreadable: {
    type: 'UNREADABLE_BODY',
    message: 'The data could not be read to the end',
    hint: 'What arrived is stored: GET the job, and go on with Content-Range at bytesReceived',
  },
  exportNotDone: {
    type: 'EXPORT_NOT_DONE',
    message: 'The export is not done',
    hint: 'GET /push/bulk/{jobId} until its state is done',
  },
  ended: {
    type: 'BULK_JOB_ENDED',
    message: 'The job has ended',
    hint: 'Its lines and errors can still be read',
  },
} as const

/** What can be wrong with a line, besides what can be wrong with a push. */
export const lineErrors = {
  tooLong: (bytesMax: number) => ({
    type: 'LINE_TOO_LONG',
    message: `The line is longer than ${bytesMax} bytes`,
    hint: 'Divide the push between several lines',
  }),
  notAnObject: {
    type: 'LINE_NOT_A_PUSH',
    message: 'The line is not the body of a push',
    hint: 'A line is one JSON object; a line of hotels may be a list of them too',
  },
  notUtf8: {
    type: 'INVALID_CHARACTERS',
    message: 'The line is not UTF-8',
    hint: 'Save the file as UTF-8',
  },
  openQuote: {
    type: 'LINE_QUOTES',
    message: 'A quote is not closed, or appears inside a value',
    hint: 'Put the value in quotes, and write each quote in it twice',
  },
  cells: (cells: number, columns: number) => ({
    type: 'LINE_CELLS',
    message: `The line has ${cells} cells; the header has ${columns} columns`,
    hint: 'Send a cell for each column, empty if there is no value; put values with a separator in quotes',
  }),
  empty: (column: string) => ({
    type: 'REQUIRED',
    message: `${column} is required`,
    hint: `Send a value in the column ${column}`,
  }),
  failed: {
    type: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side',
    hint: 'Send the line again in another job; if you contact us about it, quote the jobId',
  },
} as const

/** Why a job failed. */
export const failures = {
  dataTooLarge: bulkErrors.dataTooLarge,
  unreadable: {
    type: 'DATA_UNREADABLE',
    message: 'The data cannot be decompressed',
    hint: 'Lines before the fault are applied; send the others in another job',
  },
  unknownColumn: (column: string) => ({
    type: 'UNKNOWN_COLUMN',
    message: `The column ${column} is not known`,
    hint: 'The first line names the columns; prices are price, a1, a2, c1, i1 and so on',
  }),
  missingColumn: (column: string) => ({
    type: 'MISSING_COLUMN',
    message: `The column ${column} is missing`,
    hint: 'The first line names the columns',
  }),
  repeatedColumn: (column: string) => ({
    type: 'REPEATED_COLUMN',
    message: `The column ${column} appears twice`,
    hint: 'Name each column once',
  }),
  keyRevoked: {
    type: 'KEY_REVOKED',
    message: 'The key that started the job is revoked or has expired',
    hint: 'Create a job with another key',
  },
  tooManyRefused: {
    type: 'TOO_MANY_REFUSED',
    message: `More than ${bulkLimits.refusedLinesMax} lines, or ${bulkLimits.refusedBytesMax} bytes of them with their reasons, were refused`,
    hint: 'Look for a common cause in the errors; lines after the last one were not read',
  },
  exportTooLarge: {
    type: 'EXPORT_TOO_LARGE',
    message: `The export is larger than ${bulkLimits.dataBytesMax} bytes`,
    hint: 'Divide it between several exports with hotelIds',
  },
  columnMissing: {
    type: 'EXPORT_OUTDATED',
    message: 'A product accepts more guests than any did when the export began, so its prices have no column',
    hint: 'Create another export',
  },
  tooManyLines: {
    type: 'TOO_MANY_LINES',
    message: `The data has more than ${bulkLimits.linesMax} lines`,
    hint: 'Divide it between several jobs',
  },
} as const
