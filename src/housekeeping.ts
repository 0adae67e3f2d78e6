import { removePastMonths } from './ari/store.ts'
import { changesKeptDays } from './changes/contract.ts'
import { deleteOldChanges } from './changes/store.ts'
import type { Settings } from './config.ts'
import { deleteOldFailedSignIns } from './operators/lock-out.ts'
import { deleteOldStates } from './operators/oidc-account.ts'
import { deleteOldSessions } from './operators/session-store.ts'
import { deleteOldLinks } from './operators/sign-in-link.ts'
import type { Needs } from './platform/needs.ts'
import { priceChecksKeptDays } from './price-check/contract.ts'
import { deleteOldChecks, deleteOldDrift } from './price-check/store.ts'
import { deleteOldAnswers } from './reservations/answers-kept.ts'
import { destroyOldCards } from './reservations/card-store.ts'
import { attemptsKeptDays, deleteOldAttempts } from './reservations/delivery-housekeeping.ts'
import { deletePastFaults } from './webhooks/fault-store.ts'
import { deleteOldIdempotency, dropOldPartitions, preparePartitions } from './push-log/housekeeping.ts'

const dayMs = 86_400_000
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

export async function doChores(needs: Needs, settings: Settings): Promise<void> {
  const { clock, log } = needs
  const db = needs.db.unhurried
  const chores: Readonly<Record<string, () => Promise<unknown>>> = {
    'push log days made': () => preparePartitions(db, clock.now()),
    'push log days dropped': () => dropOldPartitions(db, clock.now(), settings.pushLogDays),
    'past months removed': () => removePastMonths(db, clock.now()),
    'old idempotency keys deleted': () => deleteOldIdempotency(db, clock.now()),
    'old booking answers deleted': () => deleteOldAnswers(db, clock.now()),
    'old cards destroyed': () => destroyOldCards(db, clock.now()),
    'old delivery attempts deleted': () => deleteOldAttempts(db, clock.now() - attemptsKeptDays * dayMs),
    'old price checks deleted': () => deleteOldChecks(db, clock.now() - priceChecksKeptDays * dayMs),
    'drift of past nights deleted': () => deleteOldDrift(db, Math.floor(clock.now() / dayMs) - 1),
    'past faults of the sandbox deleted': () => deletePastFaults(db, clock.now()),
    'old sessions of the console deleted': () => deleteOldSessions(db, clock.now(), settings.signIn),
    'old sign-in links deleted': () => deleteOldLinks(db, clock.now()),
    'used states of OpenID deleted': () => deleteOldStates(db),
    'old wrong attempts to sign in deleted': () => deleteOldFailedSignIns(db, clock.now()),
    'old changes deleted': () => deleteOldChanges(db, clock.now() - changesKeptDays * dayMs),
  }
  for (const [chore, run] of Object.entries(chores)) {
    try {
      log.info({ chore, outcome: await run() }, 'housekeeping')
    } catch (error) {
      log.error({ err: error, chore }, 'a chore of housekeeping failed and comes again later')
    }
  }
}
