import { performance } from 'node:perf_hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { Gate } from '../base/gate.ts'

/** The parse of smaller bodies takes a few milliseconds at most. */
const smallBytes = 8 * 1024
/**
 * After a parse that took longer than this, the same owner waits for as long as it took before its next one.
 */
const longMs = 50
/** After a parse that took longer than this, other events get a turn before the body is validated. */
const noticedMs = 20

/** One body at a time, so that other events are handled between two bodies. */
const one = { passing: 1, waiting: Infinity }

/**
 * The process has one thread, and parsing and validating a large body blocks it. So large bodies are parsed
 * one per turn of the event loop, fairly by owner, and an owner whose bodies take long gets half of the time.
 */
export class ParseTurns {
  readonly #ofOwner = new Gate<string>(one)
  readonly #ofAll = new Gate<string>({ ...one, inAll: { passing: 1, keptForOthers: 0 } })

  async parse(owner: string, body: Buffer, parse: () => unknown): Promise<unknown> {
    if (body.length <= smallBytes) return parse()
    await this.#ofOwner.enter(owner)
    await this.#ofAll.enter(owner)
    const startedMs = performance.now()
    const leave = (): void => {
      const tookMs = performance.now() - startedMs
      this.#ofAll.leave(owner)
      if (tookMs > longMs) setTimeout(() => this.#ofOwner.leave(owner), tookMs)
      else this.#ofOwner.leave(owner)
    }
    try {
      const value = parse()
      if (performance.now() - startedMs > noticedMs) await breathe()
      return value
    } finally {
      // The validation of the body runs before this, right after the parse or the pause that follows it.
      setImmediate(leave)
    }
  }
}
