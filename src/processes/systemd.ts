import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Closers } from './closers.ts'
import { supervision, type Settings } from '../settings/config.ts'
import { throttledWarning } from '../base/log.ts'
import type { Needs } from '../postgres/postgres.ts'
import { storeProblems } from '../postgres/connections/store-errors.ts'

/**
 * Reports to systemd, for a unit of Type=notify: sd_notify(3). Its socket is one for datagrams, which Node doesn't have, so
 * systemd's own program sends (decision 060).
 */

const program = 'systemd-notify'
const sentWithinMs = 5_000
/** How often within the watchdog's time, so that a late one doesn't end the service. */
const beatsPerWatchdog = 4

/**
 * Says that the service is ready; nothing if systemd didn't ask. Until it is closed, and says that the service stops, it sends
 * the watchdog's signs of life.
 */
export async function reportToSystemd(
  needs: Pick<Needs, 'db' | 'log'>,
  settings: Pick<Settings, 'databaseUrl'>,
  url: string,
): Promise<Closers[number]> {
  const { isAsked, watchdogMs } = supervision()
  if (!isAsked) return { name: 'systemd', close: async () => {}, withinMs: 0 }
  const complain = throttledWarning(needs.log, `systemd could not be notified: ${program} failed`)
  const say = async (...states: readonly string[]): Promise<void> => {
    try {
      await promisify(execFile)(program, states, { timeout: sentWithinMs })
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }
  let beating: Promise<void> | undefined
  const beat = async (): Promise<void> => {
    if (!(await isStuck(needs, settings))) await say('WATCHDOG=1')
  }
  const beatOnce = (): void => {
    beating ??= beat().finally(() => (beating = undefined))
  }
  const timer = watchdogMs === undefined ? undefined : setInterval(beatOnce, watchdogMs / beatsPerWatchdog)
  await say('READY=1', `STATUS=Ready at ${url}`)
  return {
    name: 'systemd',
    close: async () => {
      clearInterval(timer)
      // Nobody waits for it: balancers must learn of the stop at once.
      void say('STOPPING=1', 'STATUS=Finishing the requests in progress')
    },
    withinMs: 100,
  }
}

/**
 * Whether a restart would help: our own PostgreSQL takes connections and answers nothing. One that ended is started again
 * anyway, one that recovers must not be disturbed, and a full disk or somebody else's database stay as they are.
 */
async function isStuck(
  { db }: Pick<Needs, 'db'>,
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
): Promise<boolean> {
  return databaseUrl === undefined && (await db.writeProblem()) === storeProblems.silent
}
