import { byteOrderMark } from '../../http/validation/byte-order-mark.ts'
import type { BulkKind } from '../contract.ts'
import { bulkLimits } from '../limits.ts'

/** A line of the data, without its end. */
export type Line = {
  /** 1 is the first. */
  number: number
  /** As it came; of a line that is too long, the beginning. */
  bytes: Buffer
  isTooLong: boolean
}

const newline = 10
const carriageReturn = 13
/** Of a line that is too long, as many bytes are kept for its report. */
const longLineKeptBytes = 1_000

export function lineBytesMaxOf(kind: BulkKind): number {
  return kind === 'products' ? bulkLimits.productLineBytesMax : bulkLimits.lineBytesMax
}

/** A line that is too long, for its report. */
export function shortened({ number, bytes }: Line): Line {
  return { number, bytes: Buffer.from(bytes.subarray(0, longLineKeptBytes)), isTooLong: true }
}

/**
 * Splits bytes into lines, whatever their pieces. A line ends with LF or CRLF, in CSV too: no value may contain either, so
 * that an open quote spoils one line and not the rest.
 */
export class LineSplitter {
  readonly #bytesMax: number
  #rest: Buffer[] = []
  #restBytes = 0
  #number = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The lines that this piece ends, without empty ones, which have numbers too. */
  push(piece: Buffer): Line[] {
    const lines: Line[] = []
    for (let from = 0; ;) {
      // Millions of empty lines fit into a small compressed file.
      for (; this.#restBytes === 0 && piece[from] === newline; from++) this.#number++
      const end = piece.indexOf(newline, from)
      if (end === -1) {
        this.#keep(piece.subarray(from))
        return lines
      }
      this.#keep(piece.subarray(from, end))
      const line = this.#take()
      if (line.bytes.length > 0) lines.push(line)
      from = end + 1
    }
  }

  /** The number of lines so far, empty ones included. */
  get lines(): number {
    return this.#number
  }

  /** The last line, if it has no end. */
  last(): Line[] {
    const line = this.#take()
    return line.bytes.length > 0 ? [line] : []
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    // The longest line, a byte order mark before it and CR after it, and a byte that shows whether it is longer.
    const room = byteOrderMark.length + this.#bytesMax + 2 - this.#restBytes
    // A copy: what is kept must not hold its whole piece.
    if (room > 0) this.#rest.push(Buffer.from(bytes.subarray(0, room)))
    this.#restBytes += bytes.length
  }

  #take(): Line {
    const whole = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest)
    let bytes = whole ?? Buffer.alloc(0)
    let length = this.#restBytes
    this.#rest = []
    this.#restBytes = 0
    if (length === bytes.length && bytes.at(-1) === carriageReturn) {
      bytes = bytes.subarray(0, -1)
      length--
    }
    const number = ++this.#number
    if (number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) {
      bytes = bytes.subarray(3)
      length -= 3
    }
    const line = { number, bytes, isTooLong: false }
    return length > this.#bytesMax ? shortened(line) : line
  }
}
