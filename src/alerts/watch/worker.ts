import { startTelling, type TellNeeds } from '../messages/tell.ts'
import { startFindingWatch, type Watches } from './watch.ts'
import type { WatchNeeds } from './watch-needs.ts'

export type AlertWorker = { close: () => Promise<void> }

/** Watches for findings, and tells them. `more`: the watches of features that know this one. */
export function startAlertWorker(needs: WatchNeeds & TellNeeds, more: Watches): AlertWorker {
  const parts = [startFindingWatch(needs, more), startTelling(needs)]
  return {
    close: async () => {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}
