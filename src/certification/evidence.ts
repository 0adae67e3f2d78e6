import { BoundedMap } from '../base/bounded-map.ts'
import { Gate } from '../base/gate.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { workOn } from '../push-log/bodies/body-work.ts'
import { readBodiesOfPushes, type PushRow } from '../push-log/read/store.ts'
import { readAriFact } from './ari-facts.ts'
import type { AriFact } from './facts.ts'

/** What bodies of pushes prove. A body never changes, so that each is read once. */
export type Evidence = {
  /** One at a time of an account: whoever asks often waits for itself, and then finds the facts of its bodies known. */
  inTurn: <Result>(supplierId: number, judge: () => Promise<Result>) => Promise<Result>
  /** Those of bodies that can be read, by the push. */
  factsOf: (
    db: Queryable,
    supplierId: number,
    pushes: readonly PushRow[],
  ) => Promise<ReadonlyMap<number, AriFact>>
}

const knownBytesMax = 32 * 1024 * 1024
const factBytes = 500
const inventoryBytes = 150

type Known = { fact: AriFact | undefined }

export function certificationEvidence({ db: { epoch } }: Pick<Needs, 'db'>): Evidence {
  const turns = new Gate({ passing: 1, waiting: Infinity })
  const known = new BoundedMap<number, Known>(
    knownBytesMax,
    ({ fact }) => factBytes + (fact?.inventories.length ?? 0) * inventoryBytes,
  )
  epoch.onChange(() => known.clear())
  return {
    inTurn: async (supplierId, judge) => {
      await turns.enter(supplierId)
      try {
        return await judge()
      } finally {
        turns.leave(supplierId)
      }
    },
    factsOf: async (db, supplierId, pushes) => {
      const facts = new Map<number, AriFact>()
      const keep = (id: number, { fact }: Known): void => {
        if (fact) facts.set(id, fact)
      }
      const unread: PushRow[] = []
      for (const push of pushes) {
        const found = known.get(push.id)
        if (found) keep(push.id, found)
        else unread.push(push)
      }
      for (const [id, body] of await readBodies(db, supplierId, unread)) {
        const read = { fact: await workOn(readAriFact, supplierId, [body], undefined) }
        known.set(id, read)
        keep(id, read)
      }
      return facts
    },
  }
}

/** Bodies in the archive are left there. */
function readBodies(
  db: Queryable,
  supplierId: number,
  pushes: readonly PushRow[],
): Promise<ReadonlyMap<number, Buffer>> {
  return readBodiesOfPushes(
    db,
    pushes.map(({ id, requestId, at, bodyBytes, revision, keyId }) => ({
      id,
      supplierId,
      hotelId: null,
      revision,
      requestId,
      at,
      bodyBytes,
      keyId,
    })),
  )
}
