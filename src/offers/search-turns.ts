import { setImmediate as breathe } from 'node:timers/promises'
import { overloaded } from '../http/body.ts'
import { Gate } from '../base/gate.ts'

/** Searches of more hotels take turns: their answers are large, and many at once would exhaust memory. */
const smallSearchHotelsMax = 20
/** Large searches at once, by token. The last places are reserved for tokens that have no search running. */
export const largeSearchesMax = { passing: 4, waiting: 100, inAll: { passing: 8, keptForOthers: 4 } }

/** Shares the process fairly between tokens, however many searches one token sends at once. */
export class SearchTurns {
  readonly #large = new Gate(largeSearchesMax)
  readonly #slices = new Gate({ passing: 1, waiting: Infinity, inAll: { passing: 1, keptForOthers: 0 } })
  readonly #limited: () => void

  /** `limited` is called for every search that is refused. */
  constructor(limited: () => void) {
    this.#limited = limited
  }

  /** Runs a search when it is its token's turn; throws OVERLOADED if too many of its searches are waiting. */
  async run<Result>(tokenId: number, hotels: number, search: () => Promise<Result>): Promise<Result> {
    if (hotels <= smallSearchHotelsMax) return search()
    const turn = this.#large.enter(tokenId)
    if (!turn) {
      this.#limited()
      throw overloaded()
    }
    await turn
    try {
      return await search()
    } finally {
      this.#large.leave(tokenId)
    }
  }

  /**
   * Called between two slices of a search's work. Handles newly arrived events first. Each turn of the event
   * loop then runs one slice of one search, and the next slice belongs to another token if one is waiting.
   */
  async nextSlice(tokenId: number): Promise<void> {
    await this.#slices.enter(tokenId)
    await breathe()
    setImmediate(() => this.#slices.leave(tokenId))
  }
}
