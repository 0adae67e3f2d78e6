const lookEveryMs = 500

export type LoopDelay = {
  /** By how much the loop was late when it was looked at last, or is late by now. */
  ms: () => number
  close: () => void
}

/** How late the event loop is: what a timer that should have run by now still waits for. */
export function loopDelay(): LoopDelay {
  let lookedMs = performance.now()
  let lateMs = 0
  const sinceDue = (): number => performance.now() - lookedMs - lookEveryMs
  const timer = setInterval(() => {
    lateMs = sinceDue()
    lookedMs = performance.now()
  }, lookEveryMs).unref()
  return {
    // The first request after a block may be read before the timer runs.
    ms: () => Math.max(0, lateMs, sinceDue()),
    close: () => clearInterval(timer),
  }
}
