import { Readable } from 'node:stream'
import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createGunzip, createZstdDecompress, zstdDecompress } from 'node:zlib'
import type { Queryable } from '../../postgres/postgres.ts'
import { DataFault } from '../jobs/data-fault.ts'
import { selectOptionalPart } from '../jobs/data-store.ts'
import { bulkLimits, dataLimitsOf, failures } from '../limits.ts'
import { lineBytesMaxOf, LineSplitter, type Line } from './lines.ts'
import type { JobRow } from '../jobs/store.ts'

const unpack = promisify(zstdDecompress)

/** The lines of a job's data after its checkpoint, read part by part as they are taken. */
export class LineSource {
  readonly #batches: AsyncGenerator<Line[]>
  readonly #after: number
  #ready: Line[] = []
  #next = 0
  /** How many of the bytes that were sent have been read. */
  bytesRead = 0

  constructor(
    db: Queryable,
    job: Pick<JobRow, 'id' | 'kind' | 'format' | 'encoding' | 'line' | 'hotelsMax'>,
  ) {
    this.#after = job.line
    this.#batches = linesOf(db, job, (bytes) => (this.bytesRead += bytes))
  }

  /** The next lines: none at the end of the data, otherwise at least one, and at most as many as wanted. */
  async next(linesMax: number, bytesMax: number): Promise<Line[]> {
    while (this.#next >= this.#ready.length) {
      const batch = await this.#batches.next()
      if (batch.done === true) return []
      const { value } = batch
      this.#ready =
        value[0] && value[0].number > this.#after ? value : value.filter(({ number }) => number > this.#after)
      this.#next = 0
    }
    const taken: Line[] = []
    for (let bytes = 0; taken.length < linesMax && bytes < bytesMax; this.#next++) {
      const line = this.#ready[this.#next]
      if (!line) break
      taken.push(line)
      bytes += line.bytes.length
    }
    return taken
  }

  /** Gives back the last lines that were taken. */
  back(count: number): void {
    this.#next -= count
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}

/** A piece of very short lines would be hundreds of thousands of objects. */
const splitBytes = 64 * 1024

async function* linesOf(
  db: Queryable,
  job: Pick<JobRow, 'id' | 'kind' | 'format' | 'encoding' | 'hotelsMax'>,
  read: (bytes: number) => void,
): AsyncGenerator<Line[]> {
  const reasonsBytesMax = job.format === 'ndjson' ? bulkLimits.reasonsBytesMax : 0
  const splitter = new LineSplitter(lineBytesMaxOf(job.kind) + reasonsBytesMax)
  const bytesMax = dataLimitsOf(job).ofJob
  let bytes = 0
  for await (const piece of unpacked(db, job, read)) {
    bytes += piece.length
    if (bytes > bytesMax) throw new DataFault(failures.dataTooLarge(bytesMax))
    for (let at = 0; at < piece.length; at += splitBytes) {
      const lines = splitter.push(piece.subarray(at, at + splitBytes))
      if (splitter.lines > bulkLimits.linesMax) throw new DataFault(failures.tooManyLines)
      if (lines.length > 0) yield lines
      else await breathe()
    }
  }
  const last = splitter.last()
  if (last.length > 0) yield last
}

async function* unpacked(
  db: Queryable,
  { id, encoding }: Pick<JobRow, 'id' | 'encoding'>,
  read: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const parts = partsOf(db, id, read)
  if (encoding === null || encoding === 'identity') {
    for await (const part of parts) yield await unpack(part)
    return
  }
  const unpacking = encoding === 'gzip' ? createGunzip() : createZstdDecompress()
  let given = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      given += part.length
      yield part
    }
  }
  const source = Readable.from(counted())
  let storeError: Error | undefined
  source.on('error', (error) => {
    storeError = error
    unpacking.destroy(error)
  })
  try {
    for await (const piece of source.pipe(unpacking)) if (Buffer.isBuffer(piece)) yield piece
    // What is no compressed stream any more would be left out silently.
    if (unpacking.bytesWritten < given) throw new Error('the compressed data ends before its last byte')
  } catch (cause) {
    if (storeError !== undefined) throw storeError
    throw new DataFault(failures.unreadable, { cause })
  } finally {
    source.destroy()
  }
}

async function* partsOf(db: Queryable, id: string, read: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (let part = 1; ; part++) {
    const stored = await selectOptionalPart(db, id, part)
    if (!stored) return
    yield stored.bytes
    read(stored.length)
  }
}
