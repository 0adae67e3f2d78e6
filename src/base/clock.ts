/** The time, passed in so that a test can set it. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now: () => number
}

/** If the clocks of a machine and its database differ by more, one is wrong, and we can't tell which. */
const skewMaxMs = 5_000

/**
 * The database's time, so that all processes agree on due dates, leases and expiry, whatever their machines'
 * clocks say. Between two measurements it advances with this process's monotonic clock, which nobody can set.
 */
export class StoreClock implements Clock {
  /** The database's time minus that of the monotonic clock. */
  #offsetMs: number | undefined

  /** Takes the database's time, which was read between two moments of performance.now(). */
  measured(storeMs: number, { sentMs, receivedMs }: { sentMs: number; receivedMs: number }): void {
    const [leastMs, mostMs] = [storeMs - receivedMs, storeMs - sentMs]
    const previousMs = this.#offsetMs ?? (leastMs + mostMs) / 2
    // Keep the previous offset within the new bounds: a slow answer is less precise than a quick one.
    this.#offsetMs = Math.min(Math.max(previousMs, leastMs), mostMs)
  }

  readonly now = (): number =>
    this.#offsetMs === undefined ? Date.now() : Math.round(performance.now() + this.#offsetMs)

  /** How far this machine's clock is ahead of the database's; 0 before the first measurement. */
  aheadMs(): number {
    return this.#offsetMs === undefined ? 0 : Date.now() - this.now()
  }

  /** While the clocks disagree, this process deletes nothing: the database's clock may be the wrong one. */
  isSkewed(): boolean {
    return Math.abs(this.aheadMs()) > skewMaxMs
  }

  skewText(): string {
    const seconds = Math.round(this.aheadMs() / 1_000)
    const order = seconds > 0 ? 'ahead of' : 'behind'
    return `this machine's clock is ${Math.abs(seconds)} s ${order} the database's: correct the wrong one; until then, this machine deletes no old data`
  }
}

/** This machine's time, for programs that don't use it for decisions about stored data. */
export const systemClock: Clock = { now: () => Date.now() }

const ticks = new Set<() => void>()
let ticking: NodeJS.Timeout | undefined

/** One shared timer: most watched things end before its first tick. */
export function everySecond(tick: () => void): () => void {
  ticks.add(tick)
  ticking ??= setInterval(() => {
    for (const each of ticks) each()
    if (ticks.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }, tickMs)
  return () => ticks.delete(tick)
}

const tickMs = 1_000
