/** The time, handed in where it is needed, so that a test can set it. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now: () => number
}

/** A machine and a database whose clocks are further apart: one of them is wrong, and nobody here can tell which. */
const skewMaxMs = 5_000

/**
 * The database's time, so that all processes agree on what is due, leased or over, whatever their machines' clocks say.
 * Between two measurements it goes on with this process's monotonic clock, which nobody sets.
 */
export class StoreClock implements Clock {
  /** The database's time less that of the monotonic clock. */
  #offsetMs: number | undefined

  /** What the database said between two moments of performance.now(). */
  measured(storeMs: number, { sentMs, receivedMs }: { sentMs: number; receivedMs: number }): void {
    const [leastMs, mostMs] = [storeMs - receivedMs, storeMs - sentMs]
    const heldMs = this.#offsetMs ?? (leastMs + mostMs) / 2
    // What was held, as far as it agrees: a slow answer tells less than a quick one before it.
    this.#offsetMs = Math.min(Math.max(heldMs, leastMs), mostMs)
  }

  readonly now = (): number =>
    this.#offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.#offsetMs)

  /** How far this machine's clock is ahead of the database's; 0 before the first measurement. */
  aheadMs(): number {
    return this.#offsetMs === undefined ? 0 : Date.now() - this.now()
  }

  /** Then nothing is deleted from here: the database's clock may be the wrong one. */
  isSkewed(): boolean {
    return Math.abs(this.aheadMs()) > skewMaxMs
  }

  skewText(): string {
    const seconds = Math.round(this.aheadMs() / 1_000)
    const order = seconds > 0 ? 'ahead of' : 'behind'
    return `this machine's clock is ${Math.abs(seconds)} s ${order} the database's: set the wrong one; until then nothing is deleted from here`
  }
}

/** This machine's time, for programs that decide nothing about stored data by it. */
export const systemClock: Clock = { now: () => Date.now() }
