import type { AriNeeds } from '../../ari/accept-ari.ts'
import { acceptUndo } from '../../ari/accept-undo.ts'
import { on, type Mounted } from '../../http/mount.ts'
import { noWarnings } from '../../http/warnings.ts'
import { audit } from '../../operators/audit.ts'
import { noKeyId } from '../../push-log/keep.ts'
import { pushRoutes } from './contract.ts'
import { pushNotFound } from './push-endpoints.ts'
import { selectOptionalPush, type LoggedPush } from './store.ts'

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
    return acceptUndo(needs, pushBy(undone, requestId, sent, needs.clock.now()), sent)
  })

function pushBy({ supplierId, supplier }: LoggedPush, requestId: string, body: object, nowMs: number) {
  return {
    kind: 'undo',
    requestId,
    caller: {
      keyId: noKeyId,
      supplierId,
      supplier,
      channelManager: '',
      unknownFields: 'warn',
      echo: false,
      limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
    } as const,
    rawBody: Buffer.from(JSON.stringify(body)),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings: noWarnings(),
  }
}
