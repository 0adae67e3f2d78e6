import { packCells, plainEncoding } from '../bodies/plain-answer.ts'
import { withoutRequestId } from '../request-ids.ts'
import { inBatch, isBatched, pack, type Packed } from '../bodies/stored-bytes.ts'

/** `start`: in the batch if the encoding is `inBatch`, otherwise in the other bytes. */
type Place = { encoding: string; start: number; length: number }

/** A push with its answer, and the cells that each item changed if the answer can be rebuilt from them. */
type Answered = {
  push: { requestId: string }
  answer: { json: string }
  kept: { cellsByItem?: Parameters<typeof packCells>[0] | undefined }
}

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

  /** Of an answer that can be rebuilt byte for byte, little or nothing is stored. */
  placeAnswer({ push, answer, kept: { cellsByItem } }: Answered): Place {
    if (cellsByItem) return this.placePacked({ encoding: plainEncoding, bytes: packCells(cellsByItem) })
    return this.place(Buffer.from(withoutRequestId(answer.json, push.requestId)))
  }

  batch(): Buffer {
    return Buffer.concat(this.#batch)
  }

  others(): Buffer {
    return Buffer.concat(this.#others)
  }
}
