import { constants, getPriority, setPriority } from 'node:os'

/**
 * Where a thread has a priority of its own, requests come before this one on a busy machine. A service that has a lower
 * priority already keeps it; where the system forbids the change, the thread runs without.
 */
export function yieldToRequests(): void {
  if (process.platform !== 'linux') return
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  try {
    if (getPriority(0) < wanted) setPriority(0, wanted)
  } catch {
    // Slower requests beside this work are better than no work.
  }
}
