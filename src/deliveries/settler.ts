import { setTimeout as wait } from 'node:timers/promises'
import { sparing } from '../base/log.ts'
import { settleAttempts, type Attempted, type Settled } from './settle.ts'
import type { DeliveryNeeds } from './needs.ts'

export type Settler = {
  /** Resolves when the attempts are recorded, or when recording has failed for good. */
  add: (attempts: readonly Attempted[]) => Promise<void>
  close: () => Promise<void>
}

const atOnceMax = 200
const tries = { max: 20, everyMs: 250 }
/**
 * A small batch waits for more attempts: no caller depends on it, and a statement for each would take CPU
 * from bookings.
 */
const few = { count: 16, waitMs: 10 }

/** Settles the attempts that gathered during the previous settlement. */
export function settler(
  needs: Pick<DeliveryNeeds, 'db' | 'log' | 'telemetry' | 'crashPoint'>,
  onFreed: (endpoint: number) => void,
): Settler {
  const { db, log, telemetry } = needs
  const complain = sparing(log, 'deliveries can not be settled')
  let waiting: { attempted: Attempted; done: () => void }[] = []
  let settling: Promise<void> | undefined

  const settleAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < few.count) await wait(few.waitMs)
      const batch = waiting.slice(0, atOnceMax)
      waiting = waiting.slice(atOnceMax)
      const attempts = batch.map(({ attempted }) => attempted)
      needs.crashPoint?.('before settle')
      const settled = await settleWithTries(attempts)
      needs.crashPoint?.('after settle')
      tell(attempts, settled)
      for (const { done } of batch) done()
    }
  }

  /**
   * If recording is given up, the attempts count as lost once their lease expires, and the deliveries are
   * sent once more.
   */
  const settleWithTries = async (attempts: readonly Attempted[]): Promise<Settled[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await settleAttempts(db, attempts)
      } catch (error) {
        complain(error instanceof Error ? error.message : String(error))
        if (attempt === tries.max) return []
        await wait(tries.everyMs)
      }
    }
  }

  const tell = (attempts: readonly Attempted[], settled: readonly Settled[]): void => {
    const settledById = new Map(settled.map((one) => [one.id, one]))
    for (const { claimed, outcome, httpStatus, atMs } of attempts) {
      telemetry.deliveryAttempts.inc({ trigger: claimed.trigger, outcome })
      const became = settledById.get(claimed.id)
      if (became?.status === 'delivered') telemetry.deliveryLag.observe((atMs - claimed.createdAtMs) / 1_000)
      if (became?.status === 'dead') {
        const { id: deliveryId, reservationId, hotelId } = claimed
        log.error({ deliveryId, reservationId, hotelId, outcome, httpStatus }, 'a delivery was given up')
      }
      // The newer version had to wait for this one.
      if (became?.isOutdated) onFreed(claimed.endpoint)
    }
  }

  return {
    add: (attempts) => {
      const all = attempts.map((attempted) => new Promise<void>((done) => waiting.push({ attempted, done })))
      settling ??= settleAll().finally(() => {
        settling = undefined
      })
      return Promise.all(all).then(() => undefined)
    },
    close: async () => {
      await settling
    },
  }
}
