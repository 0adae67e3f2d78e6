import { startTelling, type TellNeeds } from './tell.ts'
import { startFindingWatch } from './watch.ts'
import type { WatchNeeds } from './watch-needs.ts'

export type AlertWorker = { close: () => Promise<void> }

/** Watches for findings, and tells them. */
export function startAlertWorker(needs: WatchNeeds & TellNeeds): AlertWorker {
  const parts = [startFindingWatch(needs), startTelling(needs)]
  return {
    close: async () => {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}
