type Waiting<Key, Found> = {
  key: Key
  resolve: (found: Found | undefined) => void
  reject: (error: unknown) => void
}

/** Lookups of one turn of the event loop, done by one query; at most `atOnceMax` in each. */
export class Together<Key, Found> {
  readonly #read: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>
  readonly #atOnceMax: number
  #waiting: Waiting<Key, Found>[] = []

  constructor(read: (keys: readonly Key[]) => Promise<readonly (Found | undefined)[]>, atOnceMax: number) {
    this.#read = read
    this.#atOnceMax = atOnceMax
  }

  get(key: Key): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ key, resolve, reject }) === 1) setImmediate(() => this.#start())
    })
  }

  #start(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let from = 0; from < waiting.length; from += this.#atOnceMax)
      void this.#answer(waiting.slice(from, from + this.#atOnceMax))
  }

  async #answer(waiting: readonly Waiting<Key, Found>[]): Promise<void> {
    try {
      const found = await this.#read(waiting.map(({ key }) => key))
      for (const [index, { resolve }] of waiting.entries()) resolve(found[index])
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
