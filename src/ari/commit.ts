import { overloaded } from '../http/body.ts'
import type { Answer } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import { BlockCache } from './block-cache.ts'
import type { Catalogs } from './catalog.ts'
import type { GroupNeeds } from './commit-group.ts'
import { Lane } from './lane.ts'
import type { ReadyPush } from './plan.ts'

export type Committer = {
  /** Settles when the push is on disk (or refused); rejects with 503 when too many wait. */
  submit: (ready: ReadyPush) => Promise<Answer>
  waiting: () => number
  close: () => Promise<void>
}

/**
 * Small pushes have one lane, so that they come together in large groups; those that take long have two of their own
 * (one is computed here while PostgreSQL writes the other) and hold up no small ones. A group takes the hotels that it
 * can lock at once; pushes for a hotel that somebody else holds are tried again, and in the end wait for it in a lane
 * of their own, so that one busy hotel holds up no other.
 */
const bulkLanes = 2
const smallCellsMax = 2_000
const waitingMax = 2_000
const waitingBytesMax = 128 * 1024 * 1024

/**
 * Applies ARI pushes in groups: those that arrive while a transaction is under way join the next one. A group is two
 * round trips (lock and read; write, log and commit), so many small pushes share one write to disk.
 */
export function committer(needs: Needs, catalogs: Catalogs): Committer {
  const cache = new BlockCache()
  needs.db.epoch.onChange(() => cache.clear())
  const groupNeeds: GroupNeeds = { ...needs, catalogs, cache }
  const patient = new Lane(groupNeeds)
  const small = new Lane(groupNeeds, patient)
  const bulk = Array.from({ length: bulkLanes }, () => new Lane(groupNeeds, patient))
  const lanes = [small, ...bulk, patient]
  const waiting = (): number => lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  const waitingBytes = (): number => lanes.reduce((sum, lane) => sum + lane.waitingBytes, 0)
  return {
    waiting,
    submit: (ready) => {
      if (waiting() >= waitingMax || waitingBytes() > waitingBytesMax) {
        needs.telemetry.limited.inc({ limit: 'commit_queue' })
        return Promise.reject(overloaded())
      }
      const lane = ready.plan.cells <= smallCellsMax ? small : bulk[ready.catalog.hotelId % bulkLanes]
      return (lane ?? small).submit(ready)
    },
    close: async () => {
      // The patient lane last: the others may still hand over to it.
      for (const lane of lanes) await lane.close()
    },
  }
}
