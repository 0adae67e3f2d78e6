/** The time, handed in where it is needed, so that a test can set it. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00Z. */
  now: () => number
}

export const systemClock: Clock = { now: () => Date.now() }
