import type { AriNeeds } from '../../ari/accept-ari.ts'
import { acceptUndo } from '../../ari/accept-undo.ts'
import { on, type Mounted } from '../../http/mount.ts'
import { audit } from '../../operators/audit.ts'
import { pushRoutes } from './contract.ts'
import { platformPush } from './platform-push.ts'
import { pushNotFound } from './push-endpoints.ts'
import { selectOptionalPush } from './store.ts'

/** POST /pushes/{pushId}/undo: as the supplier could, but logged as a push of the platform. */
export const undoPush = (needs: AriNeeds): Mounted =>
  on(pushRoutes.undoPush, async ({ params, body: { reason, ...body }, operator, requestId }) => {
    const id = /^[1-9]\d{0,14}$/.test(params.pushId) ? Number(params.pushId) : undefined
    const undone = id === undefined ? undefined : await selectOptionalPush(needs.db, id)
    if (!undone?.hotelCode || !undone.revision) throw pushNotFound(params.pushId)
    const { hotelId, hotelCode, revision } = undone
    const sent = { hotelId: hotelCode, revision, ...body }
    if (body.dryRun !== true) {
      // Before the undo: a change that nobody recorded must not be possible.
      const after = { revision, ...body, ...(reason === undefined ? {} : { reason }) }
      const subject = `hotel ${hotelId} "${hotelCode}"`
      await audit(needs.db, { operator, requestId, action: 'push.undo', subject, after })
    }
    const push = platformPush('undo', undone, { requestId, body: sent, nowMs: needs.clock.now() })
    return acceptUndo(needs, push, sent)
  })
