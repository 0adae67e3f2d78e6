const firstWaitMs = 200
const longestWaitMs = 10_000

/**
 * Doubles with each attempt, and is drawn from the whole range, so that outboxes that failed together don't
 * return together. The wait that the gateway asks for is the minimum.
 */
export function retryWaitMs(attempt: number, retryAfterMs = 0): number {
  const most = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt - 1, 20))
  return retryAfterMs + Math.ceil(Math.random() * most)
}
