import { minuteMs } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { watchDrift, watchKeys, watchUndelivered } from './watch-calls.ts'
import { watchHotels } from './watch-hotels.ts'
import type { WatchNeeds } from './watch-needs.ts'
import { watchRefused } from './watch-pushes.ts'
import { resolvePushed } from './watch-stale.ts'
import { watchCheckUrls, watchDeliveryUrls } from './watch-urls.ts'

/** Processes may ask for a round more often; the store makes one a minute. */
const askEveryMs = 15_000
export const roundEveryMs = minuteMs

export type Watches = Readonly<Record<string, (needs: WatchNeeds, nowMs: number) => Promise<void>>>

const watches: Watches = {
  'refused items': watchRefused,
  'pushed hotels': ({ db }, nowMs) => resolvePushed(db, nowMs),
  hotels: watchHotels,
  'undelivered reservations': watchUndelivered,
  'URLs for reservations': watchDeliveryUrls,
  'URLs for price checks': watchCheckUrls,
  'drifting prices': watchDrift,
  'expiring keys': watchKeys,
}

/** Raises and resolves findings once a minute, in one process of all. */
export function startFindingWatch(needs: WatchNeeds, more: Watches): { close: () => Promise<void> } {
  let round: Promise<unknown> | undefined
  const begin = (): void => {
    round ??= runRound(needs, more).finally(() => (round = undefined))
  }
  const timer = setInterval(begin, askEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await round
    },
  }
}

async function runRound(needs: WatchNeeds, more: Watches): Promise<void> {
  try {
    if (await takeRound(needs.db, needs.clock.now())) await watchOnce(needs, more)
    // Metrics are of each process, whoever makes the rounds.
    else await countOpen(needs)
  } catch (error) {
    needs.log.warn({ err: error }, 'alerts could not be checked; this will be repeated')
  }
}

/** Whether this process makes the round. A process that dies in one leaves no lock behind: the next is due in a minute. */
async function takeRound(db: Queryable, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    // A clock that was set back doesn't stop the rounds.
    `update finding_watch set at = instant($1)
     where at <= instant($1::float8 - $2::float8) or at > instant($1::float8 + $2::float8)`,
    [nowMs, roundEveryMs],
  )
  return rowCount === 1
}

/** All watches, one after the other; one that fails doesn't stop the others. */
export async function watchOnce(needs: WatchNeeds, more: Watches = {}): Promise<void> {
  const nowMs = needs.clock.now()
  for (const [watch, run] of [...Object.entries(watches), ...Object.entries(more)]) {
    try {
      await run(needs, nowMs)
    } catch (error) {
      needs.log.warn({ err: error, watch }, 'one of the checks for alerts failed and will be repeated')
    }
  }
  await countOpen(needs)
}

async function countOpen({ db, telemetry }: WatchNeeds): Promise<void> {
  const { rows } = await db.query<{ kind: string; count: number }>(
    `select kind, count(*)::int as count from finding where state <> 'resolved' group by 1`,
  )
  telemetry.alertsOpen.reset()
  for (const { kind, count } of rows) telemetry.alertsOpen.set({ kind }, count)
}
