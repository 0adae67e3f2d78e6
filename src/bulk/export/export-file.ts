import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Queryable } from '../../postgres/postgres.ts'
import { selectOptionalPart, type DataPart } from '../jobs/data-store.ts'
import type { JobRow } from '../jobs/store.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

const partBytes = 1024 * 1024

/**
 * Lines on their way into parts. Each part is compressed by itself: parts that follow each other are a valid gzip file, so
 * that a download needs no further work, and a job goes on with the next part.
 */
export class PartsWriter {
  #texts: string[] = []
  #length = 0
  #parts: DataPart[] = []
  lines = 0
  bytes = 0

  /** `text` must be one line, with its end. */
  async add(text: string): Promise<void> {
    this.#texts.push(text)
    this.#length += text.length
    this.lines++
    if (this.#length >= partBytes) await this.#close()
  }

  /** Whether so much is waiting that it should be stored. */
  get isFull(): boolean {
    return this.#parts.length > 0 || this.#length >= partBytes / 2
  }

  async take(): Promise<DataPart[]> {
    await this.#close()
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  async #close(): Promise<void> {
    if (this.#texts.length === 0) return
    const bytes = Buffer.from(this.#texts.join(''))
    this.#texts = []
    this.#length = 0
    this.bytes += bytes.length
    this.#parts.push({ length: bytes.length, stored: await pack(bytes) })
  }
}

/** The file of an export that has ended. */
export async function* exportFile(
  db: Queryable,
  { id, parts }: Pick<JobRow, 'id' | 'parts'>,
  encoding: 'gzip' | 'identity',
): AsyncGenerator<Buffer> {
  for (let part = 1; part <= parts; part++) {
    const stored = await selectOptionalPart(db, id, part)
    if (!stored) throw new Error(`part ${part} of export ${id} was removed during a download`)
    yield encoding === 'gzip' ? stored.bytes : await unpack(stored.bytes)
  }
}
