import { setImmediate as breathe } from 'node:timers/promises'
import { overloaded } from '../http/body.ts'
import { Gate } from '../base/gate.ts'

/** Searches of more hotels have turns, because their answers are large and many of them would take all memory. */
const smallSearchHotelsMax = 20
/** Large searches at once, by token; the last places are for tokens of which none is under way. */
export const largeSearchesMax = { passing: 4, waiting: 100, inAll: { passing: 8, keptForOthers: 4 } }

/** Lets searches share the process fairly by token, however many one token asks for at once. */
export class SearchTurns {
  readonly #large = new Gate(largeSearchesMax)
  readonly #slices = new Gate({ passing: 1, waiting: Infinity, inAll: { passing: 1, keptForOthers: 0 } })
  readonly #limited: () => void

  /** `limited` is called for every search that is turned away. */
  constructor(limited: () => void) {
    this.#limited = limited
  }

  /** Runs a search when it is its token's turn. Throws OVERLOADED when too many of the token wait already. */
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
   * Between two slices of a search's work: what came meanwhile is looked after first, then one slice of one search runs
   * in a turn of the event loop, and the next is another token's, if one waits.
   */
  async nextSlice(tokenId: number): Promise<void> {
    await this.#slices.enter(tokenId)
    await breathe()
    setImmediate(() => this.#slices.leave(tokenId))
  }
}
