import type { Push } from '../../http/calls/call.ts'
import { noWarnings } from '../../http/calls/warnings.ts'
import { noKeyId } from '../../push-log/keep/keep.ts'

/** A push that an operator makes in a supplier's place: the push log shows it without a key. */
export function platformPush(
  kind: Push['kind'],
  { supplierId, supplier }: { supplierId: number; supplier: string },
  { requestId, body, nowMs }: { requestId: string; body: object; nowMs: number },
): Push {
  return {
    kind,
    requestId,
    caller: {
      keyId: noKeyId,
      supplierId,
      supplier,
      channelManager: '',
      unknownFields: 'warn',
      echo: false,
      limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
    },
    rawBody: Buffer.from(JSON.stringify(body)),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings: noWarnings(),
  }
}
