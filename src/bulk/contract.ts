import Type, { type Static } from 'typebox'
import { code, integer, oneOf, route, success } from '../http/route.ts'
import { bulkErrors, bulkLimits } from './limits.ts'

export const bulkKinds = ['hotels', 'products', 'taxes', 'ari'] as const
export type BulkKind = (typeof bulkKinds)[number]
export const bulkFormats = ['ndjson', 'csv'] as const
export type BulkFormat = (typeof bulkFormats)[number]
export const bulkTasks = ['load', 'export'] as const
export type BulkTask = (typeof bulkTasks)[number]
/**
 * `stopped`: at a refused line, with `onError` stop. `failed`: the data can't be read, or its key was revoked.
 */
export const bulkStates = [
  'uploading',
  'queued',
  'running',
  'done',
  'stopped',
  'cancelled',
  'failed',
] as const
export type BulkState = (typeof bulkStates)[number]

const count = (description: string) => integer({ minimum: 0, description })
const instantOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

export const jobId = Type.String({ description: 'jobId of the answer that created the job' })

const bulkJob = Type.Object({
  jobId: Type.String({ format: 'uuid' }),
  task: oneOf(bulkTasks, { description: '`export`: created by POST /push/export' }),
  kind: oneOf(bulkKinds),
  format: oneOf(bulkFormats),
  onError: oneOf(['continue', 'stop']),
  dryRun: Type.Boolean(),
  state: oneOf(bulkStates, {
    description:
      '`stopped`: at the first refused line, with onError stop. `failed`: `failure` says why; lines before it are applied',
  }),
  bytesReceived: count(
    'Bytes of the data that are stored, as they were sent; of an export, as it is downloaded without compression',
  ),
  lines: count('Lines that are done; empty lines and the header count'),
  applied: count('Pushes of the lines that changed something'),
  unchanged: count('Lines whose values were stored already'),
  partial: count('Lines some of whose items were refused; they are among the errors'),
  refused: count('Lines of which nothing was applied'),
  hotels: count('Different hotels of lines that were not refused, or exported'),
  linesPerSecond: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'Since the start' }),
  remainingSeconds: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'At the rate so far; null before the start and at the end',
  }),
  createdAt: Type.String({ format: 'date-time' }),
  startedAt: instantOrNull('When the first line was read'),
  endedAt: instantOrNull('When the job ended'),
  failure: Type.Optional(
    Type.Object({ type: Type.String(), message: Type.String(), hint: Type.Optional(Type.String()) }),
  ),
})
export type BulkJob = Static<typeof bulkJob>

const jobAnswer = Type.Object({ ...success, ...bulkJob.properties })
const params = Type.Object({ jobId })
const unknownJob = '00000000-0000-7000-8000-000000000000'
const notFoundAnswer = { status: 404, body: { code: '404', message: bulkErrors.notFound.message } }
const unknownExample = {
  summary: 'A job that does not exist',
  params: { jobId: unknownJob },
  answer: notFoundAnswer,
}

const createBody = Type.Object({
  kind: oneOf(bulkKinds, { description: 'The endpoint whose pushes the lines are' }),
  format: oneOf(bulkFormats, {
    description:
      '`ndjson`: a line is the body of a push. `csv`: a line is a range of nights of a room or room-rate, for kind ari',
  }),
  onError: Type.Optional(
    oneOf(['continue', 'stop'], {
      description:
        '`continue` (default): refused lines are kept with their reasons. `stop`: the job ends at the first one',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({
      description: 'true: every line is judged by what is stored, and nothing is applied',
      alsoCalled: ['test', 'testMode', 'simulate', 'validateOnly'],
    }),
  ),
})

const tag = 'First load'

export const bulkRoutes = {
  createBulkJob: route({
    method: 'POST',
    path: '/push/bulk',
    access: 'supplier',
    tag,
    summary: 'Create a job that loads many pushes',
    description:
      'For a first load, or after a long pause: millions of lines, each of them a push, applied one after another behind the pushes of day-to-day business. Create a job, send the data, start it, then read its state until it has ended. Jobs of an account run one after another, in the order of their start.',
    body: createBody,
    status: 201,
    answer: jobAnswer,
    errors: { 429: `More than ${bulkLimits.openJobsMax} open jobs (\`TOO_MANY_JOBS\`), or the rate limit` },
    examples: [
      {
        summary: 'Products, one push per line',
        request: { kind: 'products', format: 'ndjson' },
        answer: { status: 201, body: { code: '201', message: 'Job created' } },
      },
    ],
  }),
  createExport: route({
    method: 'POST',
    path: '/push/export',
    access: 'supplier',
    tag,
    summary: 'Export all stored data of one kind',
    description:
      "Creates a job that writes a file of the account's hotels, products, taxes or ARI from today on, in the format that a job of `POST /push/bulk` loads. It begins by itself, behind the account's earlier jobs; read its state until it is `done`, then download its data. What is written about a hotel is of one moment, and each line has the hotel's `revision` of that moment.",
    body: Type.Object({
      kind: oneOf(bulkKinds, { description: 'The endpoint whose pushes the lines are' }),
      format: oneOf(bulkFormats, {
        description:
          '`ndjson`: a line is the body of a push. `csv`: a line is a range of nights of a room or room-rate, for kind ari',
      }),
      hotelIds: Type.Optional(
        Type.Array(code(), {
          minItems: 1,
          maxItems: bulkLimits.exportHotelsNamedMax,
          description: 'Only these hotels',
        }),
      ),
    }),
    status: 201,
    answer: jobAnswer,
    errors: {
      404: 'Unknown hotel (`Hotel ID is not found`)',
      429: `More than ${bulkLimits.openJobsMax} open jobs (\`TOO_MANY_JOBS\`), or the rate limit`,
    },
    examples: [
      {
        summary: 'All ARI, a push per line',
        request: { kind: 'ari', format: 'ndjson' },
        answer: { status: 201, body: { code: '201', message: 'Job created' } },
      },
    ],
  }),
  getExportData: route({
    method: 'GET',
    path: '/push/export/{jobId}/data',
    access: 'supplier',
    transfers: 'download',
    tag,
    summary: 'Download an export',
    description:
      'The file of an export that is `done`, compressed if `Accept-Encoding` names gzip. It can be sent as the data of a job of `POST /push/bulk`, compressed or not.',
    params,
    answer: Type.String({ description: 'The lines' }),
    errors: {
      404: 'Unknown job, or no export (`Job not found`)',
      409: 'The export is not done (`EXPORT_NOT_DONE`)',
    },
    examples: [
      { summary: 'A job that does not exist', request: { jobId: unknownJob }, answer: notFoundAnswer },
    ],
  }),
  uploadBulkData: route({
    method: 'PUT',
    path: '/push/bulk/{jobId}/data',
    access: 'supplier',
    transfers: 'upload',
    tag,
    summary: 'Send the data of a job',
    description:
      'The lines as bytes, at most 2 GB, with Content-Encoding gzip or zstd if compressed. A request must end within a minute: send what is large in parts, each with `Content-Range: bytes FIRST-LAST/TOTAL` (offsets in the bytes as sent). After a broken connection, go on at `bytesReceived` of the job. Without Content-Range, the data replaces all that was sent before.',
    params,
    answer: Type.Object({
      ...success,
      jobId: Type.String(),
      bytesReceived: count('Bytes of the data that are stored, as they were sent'),
    }),
    errors: {
      400: 'Content-Range is not valid or not what was sent, or the connection broke: what arrived is stored',
      404: 'Unknown job (`Job not found`)',
      409: 'The job was started, these are not the next bytes (`WRONG_OFFSET`), or a later request sends them',
      413: 'The data is larger than 2 GB, or that of all open jobs than 4 GB (`BULK_ACCOUNT_FULL`)',
      415: 'Content-Encoding is not supported, the data is not UTF-8, a form, or a compressed file without its encoding',
    },
    examples: [{ ...unknownExample, request: undefined }],
  }),
  startBulkJob: route({
    method: 'POST',
    path: '/push/bulk/{jobId}/start',
    access: 'supplier',
    tag,
    summary: 'Start a job',
    description: 'Its data is complete: from now on its lines are applied.',
    params,
    answer: jobAnswer,
    errors: {
      404: 'Unknown job (`Job not found`)',
      409: 'It has no data, not all that was announced, data is being sent, or it was started before',
    },
    examples: [{ ...unknownExample, request: {} }],
  }),
  cancelBulkJob: route({
    method: 'POST',
    path: '/push/bulk/{jobId}/cancel',
    access: 'supplier',
    tag,
    summary: 'Cancel a job',
    description: 'No further line is applied. Lines that were applied stay; `lines` says how many were read.',
    params,
    answer: jobAnswer,
    errors: { 404: 'Unknown job (`Job not found`)', 409: 'The job has ended' },
    examples: [{ ...unknownExample, request: {} }],
  }),
  getBulkJob: route({
    method: 'GET',
    path: '/push/bulk/{jobId}',
    access: 'supplier',
    tag,
    summary: 'The state of a job',
    description: 'How far it is, and how long the rest will take.',
    params,
    answer: jobAnswer,
    errors: { 404: 'Unknown job (`Job not found`)' },
    examples: [
      { summary: 'A job that does not exist', request: { jobId: unknownJob }, answer: notFoundAnswer },
    ],
  }),
  getBulkErrors: route({
    method: 'GET',
    path: '/push/bulk/{jobId}/errors',
    access: 'supplier',
    transfers: 'download',
    tag,
    summary: 'The refused lines of a job, with their reasons',
    description:
      'The lines as you sent them, in the format of the job: correct them, and send the file as the data of another job. NDJSON lines have a member `_refused` with the line number and the reasons; CSV has a first column `refused`. An upload ignores both.',
    params,
    answer: Type.String({ description: 'The lines' }),
    errors: { 404: 'Unknown job (`Job not found`)' },
    examples: [
      { summary: 'A job that does not exist', request: { jobId: unknownJob }, answer: notFoundAnswer },
    ],
  }),
}
