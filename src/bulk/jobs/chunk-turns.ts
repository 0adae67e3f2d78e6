import { setTimeout as delay } from 'node:timers/promises'
import { Gate } from '../../base/gate.ts'

/** How much one transaction of a load does. */
export type ChunkSize = { lines: number; cells: number }

const linesAtLeast = 4
const linesAtMost = 256
const cellsPerLine = 160
/** Chunks grow until they take half of this, and shrink when they take longer: beside other pushes, and alone. */
const busyChunkMs = 6
const quietChunkMs = 80
/** It is quiet when no push has arrived for so long; a thread of its own hears of them once a second only. */
const quietAfterMs = 2_500
/** While other pushes arrive, a load works for at most half of the time. */
const restAtMostMs = 200

/**
 * The turns of all loads in this process: one chunk at a time. While other pushes arrive, chunks are short, and leave
 * pauses.
 */
export class ChunkTurns {
  readonly #submitted: () => number
  readonly #turns = new Gate<string>({
    passing: 1,
    waiting: Infinity,
    inAll: { passing: 1, keptForOthers: 0 },
  })
  #lines = linesAtLeast
  #seen = 0
  #busyUntilMs = 0

  /** `submitted`: the number of other pushes since the start. */
  constructor(submitted: () => number) {
    this.#submitted = submitted
  }

  async turn<Result>(job: string, work: (size: ChunkSize) => Promise<Result>): Promise<Result> {
    await this.#turns.enter(job)
    try {
      // What arrived since the last chunk counts before this one.
      this.#look()
      const startedMs = performance.now()
      const result = await work({ lines: this.#lines, cells: this.#lines * cellsPerLine })
      const tookMs = performance.now() - startedMs
      const isBusy = this.#look()
      this.#resize(tookMs, isBusy ? busyChunkMs : quietChunkMs)
      if (isBusy) await delay(Math.min(tookMs, restAtMostMs))
      return result
    } finally {
      this.#turns.leave(job)
    }
  }

  /** Whether other pushes arrive. The first one after a quiet time finds the shortest chunks. */
  #look(): boolean {
    const nowMs = performance.now()
    const submitted = this.#submitted()
    if (submitted !== this.#seen) {
      if (nowMs >= this.#busyUntilMs) this.#lines = linesAtLeast
      this.#seen = submitted
      this.#busyUntilMs = nowMs + quietAfterMs
    }
    return nowMs < this.#busyUntilMs
  }

  #resize(tookMs: number, aimMs: number): void {
    if (tookMs > aimMs) this.#lines = Math.max(linesAtLeast, this.#lines / 2)
    else if (tookMs < aimMs / 2) this.#lines = Math.min(linesAtMost, this.#lines * 2)
  }
}
