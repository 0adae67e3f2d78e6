type Turns = { passing: number; waiting: (() => void)[] }

/** Lets a few through at a time of each key, in the order in which they came; so no key takes what is for all. */
export class Gate {
  readonly #passingMax: number
  readonly #waitingMax: number
  readonly #turnsByKey = new Map<number, Turns>()

  constructor(max: { passing: number; waiting: number }) {
    this.#passingMax = max.passing
    this.#waitingMax = max.waiting
  }

  /** Resolves when it is one's turn, which ends with `leave`; undefined when too many of the key wait already. */
  enter(keyId: number): Promise<void> | undefined {
    const turns = this.#turnsByKey.get(keyId) ?? { passing: 0, waiting: [] }
    this.#turnsByKey.set(keyId, turns)
    if (turns.passing < this.#passingMax) {
      turns.passing++
      return Promise.resolve()
    }
    if (turns.waiting.length >= this.#waitingMax) return undefined
    return new Promise((resolve) => turns.waiting.push(resolve))
  }

  leave(keyId: number): void {
    const turns = this.#turnsByKey.get(keyId)
    if (!turns) return
    const next = turns.waiting.shift()
    if (next) next()
    else if (--turns.passing === 0) this.#turnsByKey.delete(keyId)
  }
}
