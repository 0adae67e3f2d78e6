import type { Log } from '../base/log.ts'
import type { Database } from '../postgres/postgres.ts'

/**
 * Tells the delivery worker that a delivery was queued. Only a hint: the worker's polling finds deliveries it
 * missed.
 */
export type DeliveryBell = {
  /** Call after the commit. Never throws, never waits. */
  ring: (queued: { endpoint: number }) => void
  /** For the worker of this process; while it listens, other processes are not notified. */
  answer: (listener: (endpoint: number) => void) => void
}

export const bellChannel = 'ari_deliveries'

export function deliveryBell({ db, log }: { db: Database; log: Log }): DeliveryBell {
  let heard: ((endpoint: number) => void) | undefined
  let untold = new Set<number>()
  let isTelling = false
  // In a transaction of its own: NOTIFY serializes the commits of its transactions, and reservations must not
  // wait for that.
  const tell = async (): Promise<void> => {
    isTelling = true
    while (untold.size > 0) {
      const endpoints = [...untold]
      untold = new Set()
      try {
        await db.query('select pg_notify($1, endpoint) from unnest($2::text[]) as endpoint', [
          bellChannel,
          endpoints.map(String),
        ])
      } catch (error) {
        log.debug({ err: error }, 'other processes were not told of deliveries; they look for them')
      }
    }
    isTelling = false
  }
  return {
    ring: ({ endpoint }) => {
      if (heard) return heard(endpoint)
      untold.add(endpoint)
      if (!isTelling) void tell()
    },
    answer: (listener) => {
      heard = listener
    },
  }
}
