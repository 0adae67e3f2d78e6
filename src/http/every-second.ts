const ticks = new Set<() => void>()
let ticking: NodeJS.Timeout | undefined

/** One timer for all: most of what is watched is over before it ticks for the first time. */
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
