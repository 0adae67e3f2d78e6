import { setTimeout as wait } from 'node:timers/promises'
import type { Needs } from '../postgres/needs.ts'
import { isUnavailable } from '../postgres/store-faults.ts'
import { insertChecks, nightsFound, type KeptCheck } from './ledger-store.ts'

/**
 * Stores checks in the background, because a guest is waiting, no answer depends on its check being stored,
 * and no booking relies on it. A check is written a moment later, together with those that arrived meanwhile,
 * and a process that is killed loses no more than those. While the store is unavailable, checks wait in
 * memory.
 */
export type Ledger = {
  keep: (check: KeptCheck) => void
  /** Resolves when all checks so far are written, or after a limited wait: readers find recent answers. */
  written: () => Promise<void>
  /** Tries to write the remaining checks. */
  close: () => Promise<void>
}

const batchChecksMax = 500
const batchNightsMax = 5_000
/** About 10 MB; checks beyond this are lost, and counted. */
const waitingMax = 10_000
/** Checks that arrive within this time are written together. */
const gatherMs = 25
const retryMs = 500
const writtenPatienceMs = 1_000
const closePatienceMs = 700

export function checkLedger({ db, log, telemetry }: Needs): Ledger {
  const waiting: KeptCheck[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined

  const lose = (count: number): void => telemetry.priceChecksLost.inc(count)

  const write = async (batch: readonly KeptCheck[]): Promise<void> => {
    try {
      await insertChecks(db, batch)
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (batch.length > 1) {
        // A check that PostgreSQL refuses must not take the others with it.
        for (const check of batch) await write([check])
        return
      }
      log.error({ err: error, checkId: batch[0]?.checkId }, 'a price check could not be kept')
      lose(batch.length)
    }
  }

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await wait(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      const batch = waiting.slice(0, batchLength(waiting))
      try {
        await write(batch)
        waiting.splice(0, batch.length)
      } catch (error) {
        log.warn({ err: error, waiting: waiting.length }, 'price checks wait for the store')
        if (closing.signal.aborted) return
        await wait(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
      }
    }
  }

  const begin = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  return {
    keep: (check) => {
      if (waiting.length >= waitingMax) return lose(1)
      waiting.push(check)
      begin().catch((error: unknown) => log.error({ err: error }, 'price checks could not be kept'))
    },
    written: () => within(begin(), writtenPatienceMs),
    close: async () => {
      closing.abort()
      await within(begin(), closePatienceMs)
      if (waiting.length > 0) log.error({ lost: waiting.length }, 'price checks were not kept')
    },
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([work, wait(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  } finally {
    over.abort()
  }
}

function batchLength(checks: readonly KeptCheck[]): number {
  let nights = 0
  for (const [index, check] of checks.entries()) {
    nights += nightsFound(check).length
    if (index >= batchChecksMax || (index > 0 && nights > batchNightsMax)) return index
  }
  return checks.length
}
