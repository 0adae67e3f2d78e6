import pg from 'pg'
import type { Needs } from '../platform/needs.ts'
import { connectionConfig } from '../platform/postgres.ts'
import { bellChannel } from './delivery-bell.ts'

const againAfterMs = 1_000

/** Hears the bells of other processes, over a connection of its own. While it has none, looking has to do. */
export function listenForBell(
  { db, log }: Needs,
  onRing: (endpoint: number) => void,
): { close: () => Promise<void> } {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let listening: pg.Client | undefined

  const open = async (): Promise<void> => {
    const client = new pg.Client(connectionConfig(db.address))
    listening = client
    client.on('error', () => {})
    client.on('end', again)
    client.on('notification', ({ payload }) => {
      const endpoint = Number(payload)
      if (Number.isSafeInteger(endpoint)) onRing(endpoint)
    })
    try {
      await client.connect()
      await client.query(`listen ${bellChannel}`)
    } catch (error) {
      log.debug({ err: error }, 'other processes are not heard; deliveries are looked for')
      await client.end().catch(() => {})
    }
  }
  const again = (): void => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(() => void open(), againAfterMs)
  }
  const opening = open()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await listening?.end().catch(() => {})
    },
  }
}
