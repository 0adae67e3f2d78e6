import type { Block, Blocks, Stamp } from './block.ts'

/** Blocks to try a push on: thrown away after a dry run, and where later items undo what earlier ones changed. */
export class Scratch implements Blocks {
  readonly #real: Blocks
  readonly #copies = new Map<Block, Block>()

  constructor(real: Blocks) {
    this.#real = real
  }

  of(roomNo: number, rateNo: number, month: number): Block {
    const block = this.#real.of(roomNo, rateNo, month)
    const copy = this.#copies.get(block) ?? block.copy()
    this.#copies.set(block, copy)
    return copy
  }

  /** What is held with the push, for those who only read: no copy is made of what it leaves as it is. */
  readonly after: Blocks = {
    of: (roomNo, rateNo, month) => {
      const block = this.#real.of(roomNo, rateNo, month)
      return this.#copies.get(block) ?? block
    },
  }

  isUnchanged({ currencyRevision }: Stamp): boolean {
    return [...this.#copies].every(([real, copy]) => copy.holdsSameAs(real, currencyRevision))
  }

  /** Makes the copies real; of values that are as before only the sequences, where the push has one. */
  adopt(isUndone: boolean, { sequence }: Stamp): void {
    if (isUndone && sequence === undefined) return
    for (const [real, copy] of this.#copies) {
      if (isUndone) copy.takeRevisionsOf(real)
      real.become(copy)
    }
  }
}
