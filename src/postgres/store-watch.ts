import type { Needs } from './needs.ts'
import { storeStamp } from './store-epoch.ts'

/**
 * Looks at the store once a second: whether it is still the same one, and what time it is there. Connections that rest,
 * and those of a pooler, would not notice otherwise.
 */

const lookEveryMs = 1_000
/** How many looks go by between two beats; a store older by less is not told from the present one by them. */
const looksPerBeat = 5
const skewSaidEveryMs = 10 * 60_000

export function startStoreWatch({ db, log, telemetry }: Needs): { close: () => Promise<void> } {
  const { epoch, clock } = db
  telemetry.gauge(
    'ari_store_epoch',
    "Number of the store's epoch: rises with a failover or a restore",
    () => epoch.number,
  )
  telemetry.gauge(
    'ari_clock_ahead_seconds',
    "How far this machine's clock is ahead of the database's",
    () => clock.aheadMs() / 1_000,
  )
  let looks = 0
  let skewSaidMs = -skewSaidEveryMs
  const look = async (): Promise<void> => {
    // On disk before anybody reads it, so whoever finds a lower one later knows that this store is gone.
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
    if (!clock.isSkewed() || performance.now() - skewSaidMs < skewSaidEveryMs) return
    skewSaidMs = performance.now()
    log.warn({ aheadMs: clock.aheadMs() }, clock.skewText())
  }
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= look()
      // That the store is away is said by those who wanted something of it.
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
