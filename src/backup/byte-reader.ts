/** Reads a stream of buffers by numbers of bytes, with no more in memory than was asked for and one buffer. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer[] = []
  #restBytes = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next bytes; undefined if the stream ends before. */
  async take(bytes: number): Promise<Buffer | undefined> {
    while (this.#restBytes < bytes) {
      const next = await this.#source.next()
      if (next.done === true) return undefined
      this.#rest.push(next.value)
      this.#restBytes += next.value.length
    }
    const all = this.#rest.length === 1 ? (this.#rest[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#rest)
    const left = all.subarray(bytes)
    this.#rest = left.length > 0 ? [left] : []
    this.#restBytes = left.length
    return all.subarray(0, bytes)
  }

  /** Whether nothing follows. */
  async isAtEnd(): Promise<boolean> {
    while (this.#restBytes === 0) {
      const next = await this.#source.next()
      if (next.done === true) return true
      this.#rest.push(next.value)
      this.#restBytes += next.value.length
    }
    return false
  }

  /** Frees the source when reading ends early. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
