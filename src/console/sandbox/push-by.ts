import { limitsOf } from '../../keys/limits.ts'
import type { Caller, Push } from '../../http/call.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { noWarnings } from '../../http/warnings.ts'
import type { NamedSupplier } from '../suppliers/rules.ts'
import { selectNewestKey } from '../suppliers/store.ts'

/** The limits of keys apply to suppliers, not to the platform. */
const usualLimits = limitsOf({
  requestsPerMinute: null,
  requestsBurst: null,
  bodyBytesMax: null,
  ariItemsMax: null,
  ariCellsMax: null,
})

/** The supplier as caller with its newest valid key, whose URLs are then called for the pushed hotels. */
export async function callerOf(db: Queryable, supplier: NamedSupplier, nowMs: number): Promise<Caller> {
  const key = await selectNewestKey(db, supplier.supplierId, nowMs)
  const { supplierId, name } = supplier
  if (key)
    return {
      supplierId,
      supplier: name,
      unknownFields: 'warn',
      limits: usualLimits,
      ...key,
    }
  throw new Rejected(409, {
    type: 'NO_VALID_KEY',
    message: `Supplier "${supplier.name}" has no valid key`,
    hint: 'Create a key on the page of the supplier first',
  })
}

/** A push on behalf of the supplier, applied and logged like one of its own. */
export function pushBy(
  caller: Caller,
  { kind, body, requestId, nowMs }: { kind: string; body: object; requestId: string; nowMs: number },
): Push {
  return {
    kind,
    requestId,
    caller,
    rawBody: Buffer.from(JSON.stringify(body)),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings: noWarnings(),
  }
}
