import type { Connection } from '../postgres/connection.ts'
import type { Needs } from '../postgres/needs.ts'
import { bellChannel } from '../bookings/delivery-bell.ts'

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
