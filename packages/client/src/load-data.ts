import type { CreateBulkJobBody, GetBulkJobAnswer, SupplierCalls } from './api.ts'
import { gzipped } from './call.ts'
import { isGatewayError, type GatewayError } from './gateway-error.ts'
import type { CallOptions, UploadOptions } from './operations.ts'
import { pause } from './retry-wait.ts'
import { piecesOf, type Data, type FileStream } from './transfers.ts'

export type FollowJobOptions = {
  /** Called with each state that was read. */
  onProgress?: (job: GetBulkJobAnswer) => void
  /** Ends the wait with its reason; the job goes on. */
  signal?: AbortSignal
}

export type LoadOptions = CreateBulkJobBody &
  FollowJobOptions & {
    /** The lines; a file of the disk is `createReadStream(path)`. */
    data: Data
    /** The data is compressed already; by default it is compressed on its way. */
    contentEncoding?: 'gzip' | 'zstd'
    /** Called if lines were refused, in whole or in part, with the file that has them and the reasons. */
    saveErrors?: (file: FileStream) => Promise<unknown>
    /** Bytes of the data that are kept in memory and sent by one request; default 4 MB. */
    partBytes?: number
  }

type FollowCalls = Pick<SupplierCalls, 'getBulkJob'>
type LoadCalls = FollowCalls &
  Pick<SupplierCalls, 'createBulkJob' | 'uploadBulkData' | 'startBulkJob' | 'cancelBulkJob' | 'getBulkErrors'>

const usualPartBytes = 4 * 1024 * 1024
const firstWaitMs = 100
const longestWaitMs = 2_000

/**
 * Loads a file: creates a job, sends the data, starts it, waits for its end and saves the refused lines. Resolves with the
 * job as it ended; `state` says whether everything was read. If the data can't be sent, or the signal aborts meanwhile, the
 * job is cancelled, and nothing is applied. If the start is aborted or gets no answer, the job may have begun: what it applied
 * before it was cancelled stays, and it goes on if the cancel gets no answer either. The same load again runs after it.
 */
export async function loadBulkData(gateway: LoadCalls, options: LoadOptions): Promise<GetBulkJobAnswer> {
  const {
    data,
    contentEncoding,
    saveErrors,
    partBytes = usualPartBytes,
    onProgress,
    signal,
    ...wanted
  } = options
  const common = signal ? { signal } : {}
  const { jobId } = await gateway.createBulkJob(wanted, common)
  try {
    await sendData(gateway, jobId, { data, contentEncoding, partBytes, common })
    await start(gateway, jobId, common)
  } catch (error) {
    await gateway.cancelBulkJob({ jobId }, { retryForMs: 0 }).catch(() => {})
    throw error
  }
  const job = await followBulkJob(gateway, jobId, { ...(onProgress ? { onProgress } : {}), ...common })
  if (saveErrors && job.refused + job.partial > 0)
    await saveErrors(await gateway.getBulkErrors({ jobId }, common))
  return job
}

async function start(gateway: LoadCalls, jobId: string, options: CallOptions): Promise<void> {
  try {
    await gateway.startBulkJob({ jobId }, options)
  } catch (error) {
    // By an attempt without an answer.
    if (!isGatewayError(error) || !error.has('BULK_JOB_STARTED')) throw error
  }
}

/** Waits until a load or an export has ended, however it ended. */
export async function followBulkJob(
  { getBulkJob }: FollowCalls,
  jobId: string,
  { onProgress, signal }: FollowJobOptions = {},
): Promise<GetBulkJobAnswer> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const job = await getBulkJob({ jobId }, signal ? { signal } : {})
    onProgress?.(job)
    if (!['uploading', 'queued', 'running'].includes(job.state)) return job
    await pause(waitMs, signal)
  }
}

/** Parts are small enough to be sent again: a connection that breaks costs only one of them. */
async function sendData(
  gateway: LoadCalls,
  jobId: string,
  {
    data,
    contentEncoding,
    partBytes,
    common,
  }: { data: Data; contentEncoding: 'gzip' | 'zstd' | undefined; partBytes: number; common: CallOptions },
): Promise<void> {
  let sent = 0
  for await (const part of partsOf(data, partBytes)) {
    // Compressed streams that follow each other are one stream.
    const bytes = contentEncoding === undefined ? await gzipped(part) : part
    await sendPart(gateway, jobId, {
      bytes,
      first: sent,
      options: { ...common, contentEncoding: contentEncoding ?? 'gzip' },
    })
    sent += bytes.length
  }
}

async function sendPart(
  gateway: LoadCalls,
  jobId: string,
  { bytes, first, options }: { bytes: Uint8Array<ArrayBuffer>; first: number; options: UploadOptions },
): Promise<void> {
  const end = first + bytes.length
  for (let stored = first; stored < end;) {
    const contentRange = `bytes ${stored}-${end - 1}/*`
    try {
      await gateway.uploadBulkData({ jobId }, bytes.subarray(stored - first), { ...options, contentRange })
      return
    } catch (error) {
      if (!isGatewayError(error) || !isBroken(error)) throw error
      // An attempt without an answer stored some of it, or everything.
      const { bytesReceived } = await gateway.getBulkJob({ jobId }, options)
      if (bytesReceived <= stored || bytesReceived > end) throw error
      stored = bytesReceived
    }
  }
}

function isBroken(error: GatewayError): boolean {
  return error.has('WRONG_OFFSET') || error.has('UNREADABLE_BODY')
}

/** The data in parts of this size, the last one smaller. */
async function* partsOf(data: Data, partBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let part = new Uint8Array(partBytes)
  let length = 0
  for await (const piece of piecesOf(data)) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + partBytes - length)
      part.set(taken, length)
      length += taken.length
      at += taken.length
      if (length < partBytes) continue
      yield part
      part = new Uint8Array(partBytes)
      length = 0
    }
  }
  if (length > 0) yield part.subarray(0, length)
}
