import type { Log } from '../base/log.ts'
import type { Database, Needs } from '../postgres/postgres.ts'
import type { Connection } from '../postgres/connection.ts'

/**
 * Tells the delivery worker that a delivery was queued. Only a hint: the worker's polling finds deliveries it
 * missed.
 */
export type DeliveryBell = {
  /** Call after the commit. Never throws, never waits. */
  ring: (queued: { endpoint: number }) => void
  /** For the worker of this process; while it listens, other processes are not notified. */
  answer: (onRing: (endpoint: number) => void) => void
}

export const bellChannel = 'ari_deliveries'

export function deliveryBell({ db, log }: { db: Database; log: Log }): DeliveryBell {
  let listener: ((endpoint: number) => void) | undefined
  let unannounced = new Set<number>()
  let isAnnouncing = false
  // In a transaction of its own: NOTIFY serializes the commits of its transactions, and reservations must not
  // wait for that.
  const announce = async (): Promise<void> => {
    isAnnouncing = true
    while (unannounced.size > 0) {
      const endpoints = [...unannounced]
      unannounced = new Set()
      try {
        await db.query('select pg_notify($1, endpoint) from unnest($2::text[]) as endpoint', [
          bellChannel,
          endpoints.map(String),
        ])
      } catch (error) {
        log.debug({ err: error }, 'other processes were not notified of deliveries; they poll for them')
      }
    }
    isAnnouncing = false
  }
  return {
    ring: ({ endpoint }) => {
      if (listener) return listener(endpoint)
      unannounced.add(endpoint)
      if (!isAnnouncing) void announce()
    },
    answer: (onRing) => {
      listener = onRing
    },
  }
}

const againAfterMs = 1_000

/**
 * Listens for the bells of other processes, on its own connection. While disconnected, the worker relies on
 * polling.
 */
export function listenForBell(
  { db, log }: Needs,
  onRing: (endpoint: number) => void,
): { close: () => Promise<void> } {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let listening: Connection | undefined

  const open = async (): Promise<void> => {
    // LISTEN does not work through a pooler.
    if (db.address.pooler) return
    try {
      const connection = await db.connect()
      listening = connection
      connection.on('end', again)
      connection.on('notification', ({ payload }) => {
        const endpoint = Number(payload)
        if (Number.isSafeInteger(endpoint)) onRing(endpoint)
      })
      await connection.query(`listen ${bellChannel}`)
    } catch (error) {
      log.debug({ err: error }, 'other processes are not heard; deliveries are looked for')
      again()
      await listening?.end().catch(() => {})
    }
  }
  const again = (): void => {
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(() => {
      opening = open()
    }, againAfterMs)
  }
  let opening = open()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await listening?.end().catch(() => {})
    },
  }
}
