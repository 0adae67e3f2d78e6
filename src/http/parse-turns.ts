import { performance } from 'node:perf_hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { Gate } from '../base/gate.ts'

/** The parse of smaller bodies takes a few milliseconds at the most. */
const smallBytes = 8 * 1024
/** Others have as much time as a parse took that took longer, before the next one of the same owner. */
const longMs = 50
/** A parse that took longer is a tick of its own: what came meanwhile goes before what judges the body. */
const noticedMs = 20

/** One body at a time, so that what came meanwhile is looked after between one and the next. */
const one = { passing: 1, waiting: Infinity }

/**
 * The process has one thread, which a large body takes for itself while it is parsed and judged. So such bodies are
 * parsed one in a turn of the event loop, fairly by owner, and an owner whose bodies take long gets half of the time.
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
      // What judges the body runs before this, right behind the parse or the breath after it.
      setImmediate(leave)
    }
  }
}
