/** The wait between attempts. */

const firstWaitMs = 200
const longestWaitMs = 10_000

/**
 * Doubles with each attempt, and is drawn from the whole range, so that clients that failed together don't
 * return together. The wait that the service asks for is the minimum.
 */
export function retryWaitMs(attempt: number, retryAfterMs = 0, random: () => number = Math.random): number {
  const most = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt - 1, 20))
  return retryAfterMs + Math.ceil(random() * most)
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      clearTimeout(timer)
      reject(
        signal?.reason instanceof Error ? signal.reason : new Error('stopped', { cause: signal?.reason }),
      )
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stopped)
      resolve()
    }, ms)
    if (signal?.aborted === true) stopped()
    else signal?.addEventListener('abort', stopped, { once: true })
  })
}
