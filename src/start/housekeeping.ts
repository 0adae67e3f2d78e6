import { dayMs, instantOf } from '../base/calendar.ts'
import { deleteEndedHolds, endedHoldsKeptDays } from '../ari/holds/watch-holds.ts'
import { deleteOldMessages, tellLimits } from '../alerts/messages/outbox.ts'
import { removePastMonths } from '../ari/blocks/past-months.ts'
import { bulkLimits } from '../bulk/limits.ts'
import { deleteOldJobs } from '../bulk/jobs/store.ts'
import { workLimits } from '../console-api/work-queue/contract.ts'
import { deleteOldWork } from '../console-api/work-queue/store.ts'
import { changesKeptDays } from '../changes/contract.ts'
import { deleteOldChanges } from '../changes/store.ts'
import type { Settings } from '../settings/config.ts'
import { findingLimits } from '../findings/contract.ts'
import { deleteOldFindings } from '../findings/store.ts'
import { deleteOldFailedSignIns } from '../operators/sign-in/lock-out.ts'
import { deleteOldStates } from '../operators/sign-in/oidc-account.ts'
import { deleteOldSessions, deleteOldLinks } from '../operators/sessions/session-store.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { priceChecksRetainedDays } from '../price-check/contract.ts'
import { deletePastAnswers } from '../price-check/remember/store.ts'
import { deleteOldChecks, deleteOldDrift } from '../price-check/store.ts'
import { deleteOldAnswers } from '../bookings/idempotency/stored-answers.ts'
import { clearOldBefore } from '../bookings/store.ts'
import { destroyOldCards } from '../cards/store.ts'
import { attemptsRetainedDays, deleteOldAttempts } from '../deliveries/on-request/attempts.ts'
import { cleanStoredCards } from '../bookings/book/stored-cards.ts'
import { deleteOldSignUps, signUpsKeptMs } from '../sandbox/sign-up.ts'
import { endAbandonedAccounts } from '../sandbox/abandoned-accounts.ts'
import { revocationsIn } from '../keys/revocations.ts'
import { deletePastFaults } from '../webhooks/callback-faults.ts'
import {
  deleteOldIdempotency,
  dropOldPartitions,
  preparePartitions,
} from '../push-log/bodies/housekeeping.ts'
import { archiveBodies } from '../push-log/bodies/archive-bodies.ts'
import { openArchive, type Archive } from '../push-log/bodies/archive.ts'
import { packBodies } from '../push-log/bodies/pack-bodies.ts'

const everyMs = 60 * 60 * 1000
/**
 * Not at once: a start has other things to do, and a process that keeps crashing should not sweep each time.
 */
const firstAfterMs = 60 * 1000
/** The start itself creates only those of today and tomorrow. */
const daysCreatedAfterMs = 1_000
const packEveryMs = 60 * 1000

/**
 * Periodic chores that run on every process: each may run on several at once. A chore that fails is logged
 * and runs again in the next round.
 */
export function startHousekeeping(needs: Needs, settings: Settings): { close: () => Promise<void> } {
  let round: Promise<void> = Promise.resolve()
  const begin = () => {
    round = round.then(() => doRound(needs, settings))
  }
  const archive = openArchive(settings.archive, needs)
  const stop = new AbortController()
  let packing: Promise<void> | undefined
  const pack = () => {
    packing ??= packAndArchive({ ...needs, archive, stopping: stop.signal }).finally(
      () => (packing = undefined),
    )
  }
  const prepareDays = () => {
    round = round.then(() => createDaysAhead(needs))
  }
  const days = setTimeout(prepareDays, daysCreatedAfterMs).unref()
  const first = setTimeout(begin, firstAfterMs).unref()
  const timers = [setInterval(begin, everyMs).unref(), setInterval(pack, packEveryMs).unref()]
  return {
    close: async () => {
      clearTimeout(days)
      clearTimeout(first)
      for (const timer of timers) clearInterval(timer)
      stop.abort()
      archive.close()
      await Promise.all([round, packing])
    },
  }
}

async function createDaysAhead({ db, clock, log }: Needs): Promise<void> {
  try {
    await preparePartitions(db, clock.now())
  } catch (error) {
    log.error({ err: error }, 'the next days of the push log could not be created; this will be repeated')
  }
}

async function packAndArchive(needs: Needs & { archive: Archive; stopping: AbortSignal }): Promise<void> {
  const { clock, log, stopping } = needs
  const db = needs.db.unhurried
  try {
    const segments = await packBodies(db, clock.now())
    log.debug({ segments }, 'bodies of pushes packed')
  } catch (error) {
    log.error({ err: error }, 'bodies of pushes could not be packed; this will be repeated in a minute')
  }
  if (stopping.aborted) return
  try {
    const bytes = await archiveBodies({ ...needs, db }, clock.now())
    log.debug({ bytes }, 'bodies of pushes archived')
  } catch (error) {
    log.warn(
      { err: error },
      'bodies of pushes could not be archived and remain in the store; this will be repeated in a minute',
    )
  }
}

/**
 * In total, the maximum age that a wrong database clock can delete in an hour, before anybody looks at it.
 */
const ageDeletedPerHourMs = dayMs
/** A round may be this far behind without a warning: another process moved the mark within the hour. */
const behindMs = 2 * everyMs

/**
 * One round, unless the clocks of this machine and the database disagree. The age of data is measured from a
 * mark that advances by at most a day per hour: a clock that jumps deletes one day's worth, and so does each
 * round after a long pause.
 */
export async function doRound(needs: Needs, settings: Settings): Promise<void> {
  const { db, clock, log, telemetry } = needs
  if (db.clock.isSkewed()) {
    telemetry.housekeepingHeldBack.inc({ reason: 'clock' })
    log.warn({ aheadMs: db.clock.aheadMs() }, `no housekeeping: ${db.clock.skewText()}`)
    return
  }
  try {
    const nowMs = clock.now()
    const untilMs = await moveAgeLimit(db, nowMs)
    if (nowMs - untilMs > behindMs) {
      telemetry.housekeepingHeldBack.inc({ reason: 'ceiling' })
      const until = instantOf(untilMs)
      log.warn({ until }, 'housekeeping deletes at most one day an hour, and is behind: is the clock right?')
    }
    await doChores(needs, settings, untilMs)
  } catch (error) {
    log.error({ err: error }, 'a round of housekeeping failed and will be repeated later')
  }
}

/** Moves the mark once an hour for all processes, and returns it: it is never after `nowMs`. */
async function moveAgeLimit(db: Queryable, nowMs: number): Promise<number> {
  const { rows } = await db.query<{ atMs: number }>(
    `update housekeeping_mark set
       at = case when moved_at is null or now.at - moved_at not between interval '0' and interval '50 minutes'
         then least(now.at, housekeeping_mark.at + $2::float8 * interval '1 ms')
         else least(now.at, housekeeping_mark.at) end,
       moved_at = case when moved_at is null or now.at - moved_at not between interval '0' and interval '50 minutes'
         then now.at else moved_at end
     from (select instant($1)) as now (at)
     returning epoch_ms(housekeeping_mark.at) as "atMs"`,
    [nowMs, ageDeletedPerHourMs],
  )
  return rows[0]?.atMs ?? nowMs
}

/** `untilMs`: the time from which the age of data is measured. */
export async function doChores(
  needs: Needs,
  settings: Settings,
  untilMs: number = needs.clock.now(),
): Promise<void> {
  const { clock, log } = needs
  const db = needs.db.unhurried
  const chores: Readonly<Record<string, () => Promise<unknown>>> = {
    'push log days made': () => preparePartitions(db, clock.now()),
    'push log days dropped': () => dropDays(needs, settings, untilMs),
    'past months removed': () => removePastMonths(db, untilMs),
    'old idempotency keys deleted': () => deleteOldIdempotency(db, untilMs),
    'old booking answers deleted': () => deleteOldAnswers(db, untilMs),
    'values before old bookings cleared': () => clearOldBefore(db, untilMs - settings.pushLogDays * dayMs),
    'old cards destroyed': () => destroyOldCards(db, untilMs),
    'stored numbers of cards removed': () => cleanStoredCards(db),
    'old delivery attempts deleted': () => deleteOldAttempts(db, untilMs - attemptsRetainedDays * dayMs),
    'old price checks deleted': () => deleteOldChecks(db, untilMs - priceChecksRetainedDays * dayMs),
    'past live answers deleted': () => deletePastAnswers(db, untilMs),
    'drift of past nights deleted': () => deleteOldDrift(db, Math.floor(untilMs / dayMs) - 1),
    'old messages about alerts deleted': () => deleteOldMessages(db, untilMs - tellLimits.keptDays * dayMs),
    'old states of work deleted': () => deleteOldWork(db, untilMs - workLimits.keptDays * dayMs),
    'old findings deleted': () => deleteOldFindings(db, untilMs - findingLimits.resolvedKeptDays * dayMs),
    'past faults of the sandbox deleted': () => deletePastFaults(db, untilMs),
    'old sessions of the console deleted': () => deleteOldSessions(db, untilMs, settings.signIn),
    'old sign-in links deleted': () => deleteOldLinks(db, untilMs),
    'used OpenID states deleted': () => deleteOldStates(db),
    'old failed sign-ins deleted': () => deleteOldFailedSignIns(db, untilMs),
    'ended holds deleted': () => deleteEndedHolds(db, untilMs - endedHoldsKeptDays * dayMs),
    'old loads and exports deleted': () =>
      deleteOldJobs(db, {
        endedMs: untilMs - bulkLimits.jobKeptDays * dayMs,
        touchedMs: untilMs - (bulkLimits.uploadKeptHours / 24) * dayMs,
      }),
    'abandoned accounts of the sandbox ended': () =>
      endAbandonedAccounts({ ...needs, revocations: revocationsIn(settings.revocationsFile) }, untilMs),
    'old sign-ups deleted': () => deleteOldSignUps(db, untilMs - signUpsKeptMs),
    'old changes deleted': () => deleteOldChanges(db, untilMs - changesKeptDays * dayMs),
  }
  for (const [chore, run] of Object.entries(chores)) {
    try {
      const outcome: unknown = await run()
      log[isNothing(outcome) ? 'debug' : 'info']({ chore, outcome }, 'housekeeping')
    } catch (error) {
      log.error({ err: error, chore }, 'a task of housekeeping failed and will be repeated later')
    }
  }
}

async function dropDays(
  { db, log, telemetry }: Needs,
  { pushLogDays, pushLogGb = Infinity }: Settings,
  untilMs: number,
): Promise<unknown> {
  const dropped = await dropOldPartitions(db.unhurried, untilMs, pushLogDays, pushLogGb * 1e9)
  const { days, forSize } = dropped
  telemetry.pushLogDaysDropped.inc({ reason: 'age' }, days.length - forSize.length)
  telemetry.pushLogDaysDropped.inc({ reason: 'size' }, forSize.length)
  if (forSize.length > 0)
    log.warn(
      { days: forSize, pushLogGb },
      'the push log is larger than ARI_PUSH_LOG_GB: its oldest days were dropped',
    )
  return dropped
}

/** True for counts of zero and for empty lists. */
function isNothing(outcome: unknown): boolean {
  if (typeof outcome === 'object' && outcome !== null) return Object.values(outcome).every(isNothing)
  return outcome === 0 || outcome === undefined
}
