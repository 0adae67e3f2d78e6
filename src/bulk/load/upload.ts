import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gunzipSync, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { Gate } from '../../base/gate.ts'
import type { Transfer } from '../../http/calls/call.ts'
import { compressionNamed, notUtf8, wideEncodingIn } from '../../http/encodings.ts'
import { overloaded, Rejected, reportedValue } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { bulkEncodings, bulkErrors, bulkLimits, dataLimitsOf, type BulkEncoding } from '../limits.ts'
import { appendPart, clearData, continueData, selectOtherBytes } from '../jobs/data-store.ts'
import { selectOptionalJob, type JobRow } from '../jobs/store.ts'

const pack = promisify(zstdCompress)
const packingParams = { [constants.ZSTD_c_compressionLevel]: 1 }

/** What one statement writes. */
const partBytes = 1024 * 1024

/** Each has up to two parts in memory. */
const uploadsMax = { passing: 2, waiting: 10, inAll: { passing: 8, keptForOthers: 4 } }

export type UploadGate = Gate
export const uploadGate = (): UploadGate => new Gate(uploadsMax)

export type UploadNeeds = Needs & { uploads: UploadGate }

type Range = { first: number; last: number; total: number | null }

/** Stores the data of a request part by part; what was stored when the connection breaks stays. Returns the bytes stored. */
export async function receiveData(
  needs: UploadNeeds,
  supplierId: number,
  id: string,
  transfer: Transfer,
): Promise<number> {
  if (/^multipart\//i.test(transfer.headers['content-type'] ?? '')) throw new Rejected(415, bulkErrors.form)
  const range = rangeIn(transfer)
  const encoding = encodingIn(transfer)
  const announced = range ? range.total : lengthIn(transfer)
  const turn = needs.uploads.enter(supplierId)
  if (!turn) {
    needs.telemetry.limited.inc({ limit: 'uploads_of_key' })
    throw overloaded()
  }
  await turn
  try {
    const job = await selectOptionalJob(needs.db, { id, supplierId })
    if (job?.task !== 'load') throw new Rejected(404, bulkErrors.notFound)
    const contentType = transfer.headers['content-type']
    const upload = new Upload(needs, job, { encoding, range, announced, contentType })
    await upload.begin()
    return await upload.receive(transfer)
  } finally {
    needs.uploads.leave(supplierId)
  }
}

type Announced = {
  encoding: BulkEncoding
  range: Range | undefined
  /** The length of all the data, if it is known. */
  announced: number | null
  contentType: string | undefined
}

class Upload {
  readonly #needs: Needs
  readonly #id: string
  readonly #job: JobRow
  readonly #encoding: BulkEncoding
  readonly #range: Range | undefined
  readonly #contentType: string | undefined
  readonly #announced: number | null
  readonly #by = randomUUID()
  #stored = 0
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(needs: Needs, job: JobRow, { encoding, range, announced, contentType }: Announced) {
    this.#contentType = contentType
    this.#needs = needs
    this.#id = job.id
    this.#job = job
    this.#encoding = encoding
    this.#range = range
    this.#announced = announced
  }

  async begin(): Promise<void> {
    const { state, bytes, encoding } = this.#job
    if (state !== 'uploading') throw new Rejected(409, bulkErrors.started)
    const first = this.#range?.first ?? 0
    const others = await selectOtherBytes(this.#needs.db, this.#job)
    const { ofJob, ofAccount } = dataLimitsOf(this.#job)
    if ((this.#announced ?? 0) > ofJob) throw new Rejected(413, bulkErrors.dataTooLarge(ofJob))
    if (others + Math.max(first, this.#announced ?? 0) >= ofAccount)
      throw new Rejected(413, bulkErrors.accountDataTooLarge(ofAccount))
    const nowMs = this.#needs.clock.now()
    if (this.#range && first !== 0) {
      if (first !== bytes) throw new Rejected(409, bulkErrors.wrongOffset(bytes))
      if (encoding !== null && encoding !== this.#encoding)
        throw new Rejected(409, bulkErrors.encodingChanged(encoding))
      this.#stored = bytes
      if (!(await continueData(this.#needs.db, this.#id, { by: this.#by, offset: bytes, nowMs })))
        throw await this.#whyNot()
      return
    }
    const data = { by: this.#by, encoding: this.#encoding, announced: this.#announced, nowMs }
    const isCleared = await transaction(this.#needs.db, (connection) => clearData(connection, this.#id, data))
    if (!isCleared) throw new Rejected(409, bulkErrors.started)
  }

  async receive({ stream }: Transfer): Promise<number> {
    const { ofJob } = dataLimitsOf(this.#job)
    try {
      // A refusal is answered on the same connection, which the end of a loop would close.
      for await (const piece of stream.iterator({ destroyOnReturn: false })) {
        if (!Buffer.isBuffer(piece)) continue
        // Before this piece: the last part must not be empty, because the data ends with it.
        if (this.#bytes >= partBytes) await this.#store({ isLast: false })
        this.#pieces.push(piece)
        this.#bytes += piece.length
        const received = this.#stored + this.#bytes
        if (this.#range && received > this.#range.last + 1) throw new Rejected(400, bulkErrors.wrongLength)
        if (received > ofJob) throw new Rejected(413, bulkErrors.dataTooLarge(ofJob))
      }
    } catch (error) {
      if (!isBroken(error)) throw error
      await this.#store({ isLast: false })
      throw new Rejected(400, bulkErrors.unreadable)
    }
    const isLast = !this.#range || this.#stored + this.#bytes > this.#range.last
    await this.#store({ isLast })
    if (!isLast) throw new Rejected(400, bulkErrors.unreadable)
    return this.#stored
  }

  async #store({ isLast }: { isLast: boolean }): Promise<void> {
    if (this.#bytes === 0) return
    const bytes = Buffer.concat(this.#pieces)
    if (this.#stored === 0) this.#refuseOtherThanText(bytes)
    this.#pieces = []
    this.#bytes = 0
    const stored = this.#encoding === 'identity' ? await pack(bytes, { params: packingParams }) : bytes
    const at = {
      by: this.#by,
      offset: this.#stored,
      isLast,
      encoding: this.#encoding,
      announced: this.#announced,
      nowMs: this.#needs.clock.now(),
    }
    const isStored = await appendPart(this.#needs.db, this.#id, at, { length: bytes.length, stored })
    if (isStored) this.#stored += bytes.length
    else throw await this.#whyNot()
  }

  #refuseOtherThanText(begin: Buffer): void {
    if (this.#encoding === 'identity' && isCompressed(begin)) throw new Rejected(415, bulkErrors.notText)
    const wide = wideEncodingIn(this.#contentType, beginOfText(begin, this.#encoding))
    if (wide !== undefined) throw notUtf8('data', wide)
  }

  /** Another request sent data meanwhile, or started the job. */
  async #whyNot(): Promise<Rejected> {
    const { supplierId } = this.#job
    const now = await selectOptionalJob(this.#needs.db, { id: this.#id, supplierId })
    if (!now) return new Rejected(404, bulkErrors.notFound)
    if (now.state !== 'uploading') return new Rejected(409, bulkErrors.started)
    return new Rejected(
      409,
      now.bytes === this.#stored ? bulkErrors.replaced : bulkErrors.wrongOffset(now.bytes),
    )
  }
}

/** gzip, zstd, or ZIP, as workbooks are: without its encoding, such a file would be lines of rubbish. */
const compressedBeginnings = ['1f8b', '28b52ffd', '504b0304'].map((hex) => Buffer.from(hex, 'hex'))

function isCompressed(bytes: Buffer): boolean {
  return compressedBeginnings.some((beginning) => bytes.subarray(0, beginning.length).equals(beginning))
}

const charactersBegin = 4
/** As many compressed bytes are enough for them. */
const packedBegin = 512
const unpackedMax = 1024 * 1024
const unpackSome = {
  gzip: (bytes: Buffer) =>
    gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: unpackedMax }),
  zstd: (bytes: Buffer) =>
    zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush, maxOutputLength: unpackedMax }),
}

/** The first bytes of the text; none if they can't be unpacked, which the job says when it reads them. */
function beginOfText(bytes: Buffer, encoding: BulkEncoding): Buffer {
  if (encoding === 'identity') return bytes.subarray(0, charactersBegin)
  try {
    return unpackSome[encoding](bytes.subarray(0, packedBegin)).subarray(0, charactersBegin)
  } catch {
    return Buffer.alloc(0)
  }
}

/** The client closed the connection, or was too slow. */
function isBroken(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
  )
}

const rangeText = /^bytes (\d{1,12})-(\d{1,12})\/(?:(\d{1,12})|\*)$/

/** Content-Length, or null for chunks. */
function lengthIn({ headers }: Transfer): number | null {
  const header = headers['content-length']
  return header === undefined ? null : Number(header)
}

function rangeIn(transfer: Transfer): Range | undefined {
  const header = transfer.headers['content-range']
  const bytesMax = bulkLimits.dataBytesMax
  const length = lengthIn(transfer)
  if (header === undefined) {
    if ((length ?? 0) > bytesMax) throw new Rejected(413, bulkErrors.dataTooLarge(bytesMax))
    return undefined
  }
  const [, first, last, total] = rangeText.exec(String(header)) ?? []
  const range = {
    first: Number(first),
    last: Number(last),
    total: total === undefined ? null : Number(total),
  }
  const isRight = first !== undefined && range.first <= range.last && range.last < (range.total ?? Infinity)
  if (!isRight) throw new Rejected(400, { ...bulkErrors.rangeInvalid, value: reportedValue(header) })
  if (Math.max(range.last + 1, range.total ?? 0) > bytesMax)
    throw new Rejected(413, bulkErrors.dataTooLarge(bytesMax))
  if (length !== null && length !== range.last - range.first + 1)
    throw new Rejected(400, { ...bulkErrors.wrongLength, value: reportedValue(header) })
  return range
}

function encodingIn({ headers }: Transfer): BulkEncoding {
  const name = compressionNamed(headers['content-encoding'])
  const encoding = bulkEncodings.find((known) => known === name)
  if (!encoding) throw new Rejected(415, { ...bulkErrors.encoding, value: reportedValue(name) })
  return encoding
}
