import { randomUUID } from 'node:crypto'
import { transaction } from '../../postgres/transaction.ts'
import { endStopSell, lockSales, type SalesNeeds } from './change-sales.ts'
import { endPastOrders, selectDueOrders } from './store.ts'

/** The rest is left to the next minute. */
const endedAtOnceMax = 200

/** Ends stop-sells at the time that was set for them, each by itself, and those whose nights are all past. */
export async function endStopSells(needs: SalesNeeds, nowMs: number): Promise<void> {
  const { db, log } = needs
  // Nothing ends while the clocks of this machine and the database disagree.
  if (db.clock.isSkewed()) return
  for (const { id, hotelId } of await selectDueOrders(db, nowMs, endedAtOnceMax)) {
    const by = { operator: null, requestId: randomUUID(), startedMs: performance.now() }
    try {
      await transaction(db, async (connection) => {
        const sales = await lockSales(connection, needs, hotelId)
        if (sales) await endStopSell(connection, sales, id, by)
      })
    } catch (error) {
      log.warn({ err: error, stopSell: id }, 'a stop-sell could not be ended; this will be repeated')
    }
  }
  await endPastOrders(db, nowMs, endedAtOnceMax)
}
