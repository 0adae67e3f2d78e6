const bytesAtFirst = 64 * 1024
/** The most bytes per character: one beyond the basic plane is two characters and four bytes. */
const bytesACharacter = 3

/** An answer's bytes, assembled part by part, so that each part's text can be freed at once. */
export class AnswerBytes {
  #bytes: Buffer = Buffer.allocUnsafeSlow(bytesAtFirst)
  #length = 0

  add(text: string): void {
    const free = this.#bytes.length - this.#length
    if (text.length * bytesACharacter > free) {
      const needed = Buffer.byteLength(text)
      if (needed > free) this.#grow(this.#length + needed)
    }
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** No more parts may be added afterwards. */
  all(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
