import type { StoredPush } from './journal.ts'

/** Chooses the next push: those of one hotel go one after another, in the order in which they were added. */

export type Waiting = StoredPush & {
  bytes: number
  isTried: boolean
  /** What is still to be sent: the push, or its parts if it is too large for a proxy. */
  parts: StoredPush[]
  /** Attempts on which the service failed. */
  faults: number
  isSettled: boolean
  /** No earlier push of its hotels is waiting. */
  isReady: boolean
  replaces: string | undefined
}

export class OutboxQueue {
  readonly #byHotel = new Map<string, Waiting[]>()
  readonly #byReplaces = new Map<string, Waiting>()
  readonly #waiting = new Set<Waiting>()
  readonly #ready: Waiting[] = []
  #bytes = 0

  get size(): number {
    return this.#waiting.size
  }

  get bytes(): number {
    return this.#bytes
  }

  all(): readonly Waiting[] {
    return [...this.#waiting]
  }

  add(push: StoredPush, replaces?: string): Waiting {
    const waiting: Waiting = {
      ...push,
      bytes: Buffer.byteLength(push.body),
      isTried: false,
      parts: [push],
      faults: 0,
      isSettled: false,
      isReady: false,
      replaces,
    }
    this.#waiting.add(waiting)
    this.#bytes += waiting.bytes
    for (const hotel of waiting.hotels) {
      const queue = this.#byHotel.get(hotel)
      if (queue) queue.push(waiting)
      else this.#byHotel.set(hotel, [waiting])
    }
    if (replaces !== undefined) this.#byReplaces.set(replaces, waiting)
    this.#readyIfFirst(waiting)
    return waiting
  }

  /** The push that a new one replaces: never one that may have reached the gateway already. */
  replacedBy(replaces: string): Waiting | undefined {
    const waiting = this.#byReplaces.get(replaces)
    return waiting && !waiting.isTried && !waiting.isSettled ? waiting : undefined
  }

  /** The next push that may go. */
  take(): Waiting | undefined {
    for (;;) {
      const next = this.#ready.shift()
      if (!next?.isSettled) return next
    }
  }

  /** Returns a push to be retried, ahead of others that wait. */
  giveBack(waiting: Waiting): void {
    this.#ready.unshift(waiting)
  }

  settle(waiting: Waiting): void {
    waiting.isSettled = true
    this.#waiting.delete(waiting)
    this.#bytes -= waiting.bytes
    if (waiting.replaces !== undefined && this.#byReplaces.get(waiting.replaces) === waiting)
      this.#byReplaces.delete(waiting.replaces)
    for (const hotel of waiting.hotels) {
      const queue = this.#byHotel.get(hotel) ?? []
      queue.splice(queue.indexOf(waiting), 1)
      if (queue.length === 0) this.#byHotel.delete(hotel)
    }
    for (const hotel of waiting.hotels) {
      const [first] = this.#byHotel.get(hotel) ?? []
      if (first) this.#readyIfFirst(first)
    }
  }

  #readyIfFirst(waiting: Waiting): void {
    if (waiting.isReady || waiting.hotels.some((hotel) => this.#byHotel.get(hotel)?.[0] !== waiting)) return
    waiting.isReady = true
    this.#ready.push(waiting)
  }
}
