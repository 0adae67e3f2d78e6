import type { Log } from '../base/log.ts'
import type { Database } from '../postgres/postgres.ts'

/** Tells whoever sends deliveries that one was queued. A hint only: what is missed is found by looking. */
export type DeliveryBell = {
  /** After the commit. Never throws, never waits. */
  ring: (queued: { endpoint: number }) => void
  /** For the worker of this process; while there is one, other processes are not told. */
  answer: (listener: (endpoint: number) => void) => void
}

export const bellChannel = 'ari_deliveries'

export function deliveryBell({ db, log }: { db: Database; log: Log }): DeliveryBell {
  let heard: ((endpoint: number) => void) | undefined
  let untold = new Set<number>()
  let isTelling = false
  // In a transaction of its own: NOTIFY makes those that commit stand in one line, and reservations must not.
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
