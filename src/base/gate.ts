type Turns = { passing: number; waiting: (() => void)[] }

export type GateMax = {
  /** Of one key. */
  passing: number
  /** Of one key; who comes beyond is turned away. */
  waiting: number
  /** Of all keys together; the last places are kept for keys of which none passes. */
  inAll?: { passing: number; keptForOthers: number }
}

/**
 * Lets a few through at a time of each key, in the order in which they came; so no key takes what is for all. Where
 * there is a limit for all, a place goes to the key that has the fewest, and of these to the one served longest ago.
 */
export class Gate<Key = number> {
  readonly #max: GateMax
  readonly #turnsByKey = new Map<Key, Turns>()
  #passing = 0

  constructor(max: GateMax) {
    this.#max = max
  }

  /** Resolves when it is one's turn, which ends with `leave`; undefined when too many of the key wait already. */
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

  /** Keys stand in the order in which they were served last. */
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
