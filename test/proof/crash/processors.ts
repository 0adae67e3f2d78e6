/** How much of the processors other programs take, so that a time can be judged on a machine that is not ours alone. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** In ticks: of all programs, and of ours by pid. */
export type ProcessorTime = { atMs: number; busyTicks: number; ownTicks: Map<number, number> }

const ticksPerSecond = 100

export function processorTime(pids: readonly number[]): ProcessorTime {
  const ownTicks = new Map([process.pid, ...pids].map((pid) => [pid, ticksOf(pid)]))
  return { atMs: performance.now(), busyTicks: busyTicks(), ownTicks }
}

/** 0 where the operating system does not tell: then nothing counts as taken by others. */
function busyTicks(): number {
  let line: string
  try {
    line = readFileSync('/proc/stat', 'utf8').slice(0, 200)
  } catch {
    return 0
  }
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.split(/\s+/).map(Number)
  return user + nice + system + irq + softIrq
}

function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    // utime, stime, and those of children that ended.
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0)
  } catch {
    return 0 // gone
  }
}

/** The share of all processors that others took between the two, 0 to 1. */
export function othersShare(from: ProcessorTime, to: ProcessorTime): number {
  let own = 0
  for (const [pid, ticks] of to.ownTicks) own += Math.max(0, ticks - (from.ownTicks.get(pid) ?? 0))
  const all = ((to.atMs - from.atMs) / 1000) * ticksPerSecond * availableParallelism()
  return Math.min(0.95, Math.max(0, (to.busyTicks - from.busyTicks - own) / all))
}
