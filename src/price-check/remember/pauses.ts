import { throttledWarning } from '../../base/log.ts'
import type { Pauses } from '../../offers/live/pauses.ts'
import type { CircuitChange } from '../../outbound/circuit.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { pauseUrl, resumeUrl } from '../../webhooks/paused-urls.ts'

export type PauseNeeds = Needs & { pauses: Pick<Pauses, 'changed'> }

/** Tells all processes, and the change feed, of the URLs that this process does not call for a while. */
export function pauseTeller(needs: PauseNeeds): (change: CircuitChange) => void {
  const { db, clock, log, pauses } = needs
  const complain = throttledWarning(log, 'a paused URL of price checks could not be noted')
  /** One after the other, so that the last change of a URL counts. */
  let told = Promise.resolve()
  const tell = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      pauses.changed()
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }
  return ({ url, state, openForMs }) => {
    const nowMs = clock.now()
    // Before a trial its time is over; and a trial that says nothing leaves it over.
    if (state === 'open' && openForMs > 0)
      told = told.then(() => tell(() => pauseUrl(db, url, { nowMs, untilMs: nowMs + openForMs })))
    else if (state === 'closed') told = told.then(() => tell(() => resumeUrl(db, url, nowMs)))
  }
}
