import { removePastMonths } from './ari/store.ts'
import type { Settings } from './config.ts'
import type { Needs } from './platform/needs.ts'
import { deleteOldIdempotency, dropOldPartitions, preparePartitions } from './push-log/housekeeping.ts'

const everyMs = 60 * 60 * 1000
/** Not at once: a start has other things to do, and a process that dies again and again should not sweep each time. */
const firstAfterMs = 60 * 1000

/**
 * What has to be done now and then, on every process: each chore may run on several at once. One that fails is
 * reported and comes again with the next round.
 */
export function startHousekeeping(needs: Needs, settings: Settings): { close: () => Promise<void> } {
  let round: Promise<void> = Promise.resolve()
  const begin = () => {
    round = round.then(() => doChores(needs, settings))
  }
  const first = setTimeout(begin, firstAfterMs).unref()
  const timer = setInterval(begin, everyMs).unref()
  return {
    close: () => {
      clearTimeout(first)
      clearInterval(timer)
      return round
    },
  }
}

export async function doChores({ db, clock, log }: Needs, settings: Settings): Promise<void> {
  const chores: Readonly<Record<string, () => Promise<unknown>>> = {
    'push log days made': () => preparePartitions(db, clock.now()),
    'push log days dropped': () => dropOldPartitions(db, clock.now(), settings.pushLogDays),
    'past months removed': () => removePastMonths(db, clock.now()),
    'old idempotency keys deleted': () => deleteOldIdempotency(db, clock.now()),
  }
  for (const [chore, run] of Object.entries(chores)) {
    try {
      log.info({ chore, outcome: await run() }, 'housekeeping')
    } catch (error) {
      log.error({ err: error, chore }, 'a chore of housekeeping failed and comes again later')
    }
  }
}
