import type { Needs } from '../postgres.ts'
import { storeStamp } from '../connections/store-epoch.ts'

/**
 * Checks the store once a second: whether it is still the same one, and its time. Idle connections, and those
 * behind a pooler, would not notice a change.
 */

const lookEveryMs = 1_000
/**
 * The number of checks between two beats. Beats can't distinguish the present store from a copy that is less
 * than this much older.
 */
const looksPerBeat = 5
const skewWarningEveryMs = 10 * 60_000

export function startStoreWatch({ db, log, telemetry }: Needs): { close: () => Promise<void> } {
  const { epoch, clock } = db
  telemetry.gauge(
    'ari_store_epoch',
    "Number of the store's epoch: rises with a failover or a restore",
    () => epoch.number,
    'max',
  )
  telemetry.gauge(
    'ari_clock_ahead_seconds',
    "How far this machine's clock is ahead of the database's",
    () => clock.aheadMs() / 1_000,
    'average',
  )
  let looks = 0
  let skewWarnedMs = -skewWarningEveryMs
  const look = async (): Promise<void> => {
    // Committed to disk before anyone reads it, so a process that later finds a lower beat knows that this
    // store is gone.
    if (looks++ % looksPerBeat === 0) await db.signIn.query('update store_beat set beat = beat + 1')
    const sentMs = performance.now()
    const { rows } = await db.signIn.query<{ stamp: string; beat: number; nowMs: number }>({
      name: 'watch-store',
      text: `select ${storeStamp} as stamp, beat, extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"
        from store_beat`,
    })
    const [row] = rows
    if (!row) throw new Error('store_beat has no row')
    clock.measured(row.nowMs, { sentMs, receivedMs: performance.now() })
    epoch.heard(row.stamp, row.beat)
    if (!clock.isSkewed() || performance.now() - skewWarnedMs < skewWarningEveryMs) return
    skewWarnedMs = performance.now()
    log.warn({ aheadMs: clock.aheadMs() }, clock.skewText())
  }
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= look()
      // Requests that need the store report that it is away.
      .catch(() => {})
      .finally(() => (looking = undefined))
  }, lookEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
