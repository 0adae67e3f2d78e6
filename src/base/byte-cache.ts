const slabBytes = 4 * 1024 * 1024
/** An entry's key and length, and whether it was read since it was written. */
const headBytes = 9
const usedAt = 8

/**
 * Bytes by number, in a few large buffers outside the heap: they take exactly the memory of the buffers, and
 * cost the garbage collector nothing. When all buffers are full, the oldest is overwritten; what was read
 * since it was written stays, up to half of the buffer.
 */
export class ByteCache {
  readonly #slabsMax: number
  readonly #slabs: { bytes: Buffer; end: number }[] = []
  /** Where each entry begins, counted through all buffers. */
  readonly #positions = new Map<number, number>()
  #current = -1

  constructor(bytesMax: number) {
    this.#slabsMax = Math.ceil(bytesMax / slabBytes)
  }

  has(key: number): boolean {
    return this.#positions.has(key)
  }

  /** Valid until the next `set`. */
  get(key: number): Buffer | undefined {
    const position = this.#positions.get(key)
    const slab = position === undefined ? undefined : this.#slabs[Math.floor(position / slabBytes)]
    if (position === undefined || !slab) return undefined
    const at = position % slabBytes
    slab.bytes[at + usedAt] = 1
    const begin = at + headBytes
    return slab.bytes.subarray(begin, begin + slab.bytes.readUInt32LE(at + 4))
  }

  /** An entry that is larger than half of a buffer is not cached. */
  set(key: number, value: Buffer): void {
    this.#positions.delete(key)
    const length = headBytes + value.length
    if (length > slabBytes / 2) return
    let slab = this.#slabs[this.#current]
    if (!slab || slab.end + length > slabBytes) slab = this.#nextSlab()
    const { bytes, end: at } = slab
    bytes.writeUInt32LE(key, at)
    bytes.writeUInt32LE(value.length, at + 4)
    bytes[at + usedAt] = 0
    value.copy(bytes, at + headBytes)
    slab.end += length
    this.#positions.set(key, this.#current * slabBytes + at)
  }

  delete(key: number): void {
    this.#positions.delete(key)
  }

  clear(): void {
    this.#positions.clear()
    this.#slabs.length = 0
    this.#current = -1
  }

  #nextSlab(): { bytes: Buffer; end: number } {
    this.#current = (this.#current + 1) % this.#slabsMax
    const oldest = this.#slabs[this.#current]
    if (oldest) {
      oldest.end = this.#compact(oldest)
      return oldest
    }
    const added = { bytes: Buffer.allocUnsafeSlow(slabBytes), end: 0 }
    this.#slabs.push(added)
    return added
  }

  /** Moves the used entries of the current buffer to its beginning, and drops the others. */
  #compact({ bytes, end }: { bytes: Buffer; end: number }): number {
    const first = this.#current * slabBytes
    let kept = 0
    for (let at = 0; at < end;) {
      const key = bytes.readUInt32LE(at)
      const length = headBytes + bytes.readUInt32LE(at + 4)
      const isCurrent = this.#positions.get(key) === first + at
      if (isCurrent && bytes[at + usedAt] === 1 && kept + length <= slabBytes / 2) {
        bytes.copyWithin(kept, at, at + length)
        bytes[kept + usedAt] = 0
        this.#positions.set(key, first + kept)
        kept += length
      } else if (isCurrent) this.#positions.delete(key)
      at += length
    }
    return kept
  }
}
