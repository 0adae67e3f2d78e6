import type { Block, Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import { haveSameValues } from '../blocks/same-values.ts'

/** Blocks for trying out a push, discarded after a dry run and when later items undo earlier ones. */
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

  /** The blocks with the push applied, read-only: blocks that the push leaves as they are aren't copied. */
  readonly after: Blocks = {
    of: (roomNo, rateNo, month) => {
      const block = this.#real.of(roomNo, rateNo, month)
      return this.#copies.get(block) ?? block
    },
  }

  isUnchanged({ currencyRevision }: Stamp): boolean {
    return [...this.#copies].every(([real, copy]) => haveSameValues(real, copy, currencyRevision))
  }

  /** Makes the copies real. If the values are as before, takes over only the push's sequences, if any. */
  adopt(isUndone: boolean, { sequence }: Stamp): void {
    if (isUndone && sequence === undefined) return
    for (const [real, copy] of this.#copies) {
      if (isUndone) copy.takeRevisionsOf(real)
      else copy.takeRevisionsOfUnpriced(real)
      real.become(copy)
    }
  }
}
