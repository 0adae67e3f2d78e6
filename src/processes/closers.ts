import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../base/log.ts'

/** `isFault`: the process must not go on serving, not even for the time that balancers need to notice. */
export type Stopping = { isFault: boolean }

/** Cleanup steps, run in reverse order. A step that takes too long is abandoned: the process ends anyway. */
export type Closers = { name: string; close: (why: Stopping) => Promise<void>; withinMs: number }[]

export type Service = {
  log: Log
  /**
   * Lets the requests in progress finish, refuses new ones, and stops everything that this service started.
   */
  stop: (why?: Stopping) => Promise<void>
}

/** Runs a start. If it fails, what it started is stopped. */
export async function starting(log: Log, start: (closers: Closers) => Promise<void>): Promise<Service> {
  const closers: Closers = []
  const stop = (why = { isFault: false }) =>
    closeAll(closers, why, (fields, message) => log.warn(fields, message))
  try {
    await start(closers)
    return { log, stop }
  } catch (error) {
    await stop({ isFault: true })
    throw error
  }
}

async function closeAll(
  closers: Closers,
  why: Stopping,
  warn: (fields: object, message: string) => void,
): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    const { name, close, withinMs } = closer
    const giveUp = new AbortController()
    try {
      const closed = close(why).then(() => true)
      const late = Number.isFinite(withinMs)
        ? wait(withinMs, false, { signal: giveUp.signal }).catch(() => false)
        : new Promise<false>(() => {})
      if (!(await Promise.race([closed, late])))
        warn({ step: name, withinMs }, 'shutdown continues without waiting for a step')
    } catch (error) {
      warn({ err: error, step: name }, 'a step of the shutdown failed')
    } finally {
      giveUp.abort()
    }
  }
}
