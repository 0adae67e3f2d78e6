import type { Push } from '../../http/calls/call.ts'
import type { Answer } from '../../http/calls/mount.ts'
import { readTransaction } from '../../postgres/transaction.ts'
import type { AriNeeds } from './accept-ari.ts'
import { planUndo, type UndoBody } from '../history/undo-plan.ts'

/**
 * Plans the undo of a push without a lock, then applies it like a push of ARI. `seenRevision`: that of the dry run whose
 * conflicts somebody saw; later ones refuse the undo even if it skips conflicts.
 */
export async function acceptUndo(
  needs: AriNeeds,
  push: Push,
  body: UndoBody,
  seenRevision?: number,
): Promise<Answer> {
  const { catalog, plan } = await readTransaction(needs.db, (connection) =>
    planUndo(connection, needs.catalogs, push.caller.supplierId, body),
  )
  return needs.committer.submit({
    push,
    body: { ari: [] },
    problemsByItem: new Map(),
    catalog,
    plan: { items: [], refused: [], cells: plan.cells, nowMs: needs.clock.now() },
    undo: { ...plan, seenRevision },
  })
}
