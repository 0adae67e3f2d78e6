import type { AriNeeds } from '../../ari/push/accept-ari.ts'
import { acceptUndo } from '../../ari/push/accept-undo.ts'
import { undoErrors } from '../../ari/history/undo-contract.ts'
import { on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { pushRoutes } from './contract.ts'
import { platformPush } from './platform-push.ts'
import { pushNotFound } from './push-endpoints.ts'
import { selectOptionalPush } from './store.ts'

/** POST /pushes/{pushId}/undo: as the supplier could, but logged as a push of the platform. */
export const undoPush = (needs: AriNeeds): Mounted =>
  on(
    pushRoutes.undoPush,
    async ({ params, body: { reason, seenRevision, ...body }, operator, requestId }) => {
      const id = /^[1-9]\d{0,14}$/.test(params.pushId) ? Number(params.pushId) : undefined
      const undone = id === undefined ? undefined : await selectOptionalPush(needs.db, id)
      if (!undone?.hotelCode || !undone.revision) throw pushNotFound(params.pushId)
      // Its revision is that of another push, which must not be undone in its place.
      if (undone.cellsChanged === 0) throw nothingToUndo(params.pushId)
      const { hotelId, hotelCode, revision } = undone
      const sent = { hotelId: hotelCode, revision, ...body }
      if (body.dryRun !== true) {
        // Before the undo: a change that nobody recorded must not be possible.
        const after = {
          revision,
          ...body,
          ...(seenRevision === undefined ? {} : { seenRevision }),
          ...(reason === undefined ? {} : { reason }),
        }
        const subject = `hotel ${hotelId} "${hotelCode}"`
        await audit(needs.db, { operator, requestId, action: 'push.undo', subject, after })
      }
      const push = platformPush('undo', undone, { requestId, body: sent, nowMs: needs.clock.now() })
      return acceptUndo(needs, push, sent, seenRevision)
    },
  )

function nothingToUndo(pushId: string): Rejected {
  const message = 'That push changed nothing'
  return new Rejected(409, {
    ...undoErrors.notUndoable,
    message,
    path: 'pushId',
    value: reportedValue(pushId),
  })
}
