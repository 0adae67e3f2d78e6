type Turns = { passing: number; waiting: (() => void)[] }

export type GateMax = {
  /** Per key. */
  passing: number
  /** Per key; callers beyond it are turned away. */
  waiting: number
  /** For all keys together; the last places are reserved for keys that have none. */
  inAll?: { passing: number; keptForOthers: number }
}

/**
 * Lets a few callers of each key through at a time, in order of arrival, so that no key takes the capacity of
 * all. If there is a limit for all keys, a free place goes to the key with the fewest places, and among these
 * to the one served longest ago.
 */
export class Gate<Key = number> {
  readonly #max: GateMax
  readonly #turnsByKey = new Map<Key, Turns>()
  #passing = 0

  constructor(max: GateMax) {
    this.#max = max
  }

  /**
   * Resolves when the caller may pass, until `leave`. Undefined if too many callers of the key wait already.
   */
  enter(key: Key): Promise<void> | undefined {
    const turns = this.#turnsByKey.get(key) ?? { passing: 0, waiting: [] }
    if (turns.waiting.length === 0 && this.#mayPass(turns)) {
      this.#count(key, turns)
      return Promise.resolve()
    }
    if (turns.waiting.length >= this.#max.waiting) return undefined
    this.#turnsByKey.set(key, turns)
    return new Promise((resolve) => turns.waiting.push(resolve))
  }

  leave(key: Key): void {
    const turns = this.#turnsByKey.get(key)
    if (!turns || turns.passing === 0) return
    turns.passing--
    this.#passing--
    this.#turnsByKey.delete(key)
    if (turns.passing > 0 || turns.waiting.length > 0) this.#turnsByKey.set(key, turns)
    const next = this.#max.inAll ? this.#nextOfAll() : key
    const nextTurns = next === undefined ? undefined : this.#turnsByKey.get(next)
    const enters = nextTurns && this.#mayPass(nextTurns) ? nextTurns.waiting.shift() : undefined
    if (next === undefined || !nextTurns || !enters) return
    this.#count(next, nextTurns)
    enters()
  }

  #mayPass({ passing }: Turns): boolean {
    const { inAll } = this.#max
    if (passing >= this.#max.passing) return false
    return !inAll || this.#passing < inAll.passing - (passing === 0 ? 0 : inAll.keptForOthers)
  }

  /** Keeps the keys in the order in which they were last served. */
  #count(key: Key, turns: Turns): void {
    turns.passing++
    this.#passing++
    this.#turnsByKey.delete(key)
    this.#turnsByKey.set(key, turns)
  }

  #nextOfAll(): Key | undefined {
    let next: { key: Key; passing: number } | undefined
    for (const [key, turns] of this.#turnsByKey) {
      if (turns.waiting.length === 0 || !this.#mayPass(turns)) continue
      if (!next || turns.passing < next.passing) next = { key, passing: turns.passing }
      if (turns.passing === 0) break
    }
    return next?.key
  }
}
