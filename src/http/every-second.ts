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
