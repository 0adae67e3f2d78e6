import { packCells, plainEncoding } from './plain-answer.ts'
import { inBatch, isBatched, pack, type Packed } from './stored-bytes.ts'

/** `start`: in the batch if the encoding is `inBatch`, otherwise in the other bytes. */
type Place = { encoding: string; start: number; length: number }

/** Short bodies and answers follow each other in a batch, uncompressed; the others are compressed one by one. */
export class Places {
  readonly #batch: Buffer[] = []
  readonly #others: Buffer[] = []
  #batchLength = 0
  #othersLength = 0

  place(bytes: Buffer): Place {
    if (!isBatched(bytes)) return this.placePacked(pack(bytes))
    this.#batch.push(bytes)
    const start = this.#batchLength
    this.#batchLength += bytes.length
    return { encoding: inBatch, start, length: bytes.length }
  }

  placePacked({ encoding, bytes }: Packed): Place {
    return { encoding, ...this.placeBytes(bytes) }
  }

  /** Among the other bytes, as they are; no bytes have the length 0. */
  placeBytes(bytes: Buffer | undefined): Omit<Place, 'encoding'> {
    const start = this.#othersLength
    if (bytes === undefined) return { start, length: 0 }
    this.#others.push(bytes)
    this.#othersLength += bytes.length
    return { start, length: bytes.length }
  }

  /** `cellsByItem`: of an answer that can be rebuilt byte for byte, of which little or nothing is stored. */
  placeAnswer(json: string, cellsByItem: readonly number[] | undefined): Place {
    if (cellsByItem === undefined) return this.place(Buffer.from(json))
    return this.placePacked({ encoding: plainEncoding, bytes: packCells(cellsByItem) })
  }

  batch(): Buffer {
    return Buffer.concat(this.#batch)
  }

  others(): Buffer {
    return Buffer.concat(this.#others)
  }
}
