import { setTimeout as delay } from 'node:timers/promises'
import { Gate } from '../base/gate.ts'
import type { Committer } from '../ari/commit.ts'

type Traffic = Pick<Committer, 'waiting' | 'submitted'>

/** How much one transaction of a load does. */
export type ChunkSize = { lines: number; cells: number }

const least: ChunkSize = { lines: 8, cells: 3_000 }
const most: ChunkSize = { lines: 256, cells: 40_000 }
/** A chunk that takes longer than this isn't made larger. */
const longChunkMs = 80
/** A load that always waited for a quiet moment might never end. */
const waitsAtMostMs = 500
const waitStepMs = 3
/** While other pushes arrive, a load works for at most a third of the time. */
const restFactor = 2
const restAtMostMs = 200

/**
 * The turns of all loads in this process: one chunk at a time. While other pushes arrive, chunks are small, begin when no
 * push is waiting, and leave pauses.
 */
export class Lane {
  readonly #traffic: Traffic
  readonly #turns = new Gate<string>({
    passing: 1,
    waiting: Infinity,
    inAll: { passing: 1, keptForOthers: 0 },
  })
  #size = least
  #seen = 0

  constructor(traffic: Traffic) {
    this.#traffic = traffic
  }

  async turn<Result>(job: string, work: (size: ChunkSize) => Promise<Result>): Promise<Result> {
    await this.#turns.enter(job)
    try {
      for (let waitedMs = 0; this.#traffic.waiting() > 0 && waitedMs < waitsAtMostMs; waitedMs += waitStepMs)
        await delay(waitStepMs)
      const startedMs = performance.now()
      const result = await work(this.#size)
      await this.#rest(performance.now() - startedMs)
      return result
    } finally {
      this.#turns.leave(job)
    }
  }

  async #rest(tookMs: number): Promise<void> {
    const submitted = this.#traffic.submitted()
    const isQuiet = submitted === this.#seen
    this.#seen = submitted
    if (!isQuiet) {
      this.#size = least
      await delay(Math.min(tookMs * restFactor, restAtMostMs))
    } else if (tookMs < longChunkMs) {
      this.#size = {
        lines: Math.min(this.#size.lines * 2, most.lines),
        cells: Math.min(this.#size.cells * 2, most.cells),
      }
    }
  }
}
