/** A map that drops its oldest entries while its values take more than a number of bytes. */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #bytesMax: number
  readonly #bytesOf: (value: Value) => number
  #bytes = 0

  /** `bytesOf` must give the same for a value until the value has left the map. */
  constructor(bytesMax: number, bytesOf: (value: Value) => number) {
    this.#bytesMax = bytesMax
    this.#bytesOf = bytesOf
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  /** The value becomes the youngest. */
  set(key: Key, value: Value): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#bytes += this.#bytesOf(value)
    // A Map iterates its keys in insertion order.
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax) break
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    const value = this.#values.get(key)
    if (value !== undefined) this.#bytes -= this.#bytesOf(value)
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
    this.#bytes = 0
  }
}
