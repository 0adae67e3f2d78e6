import { randomUUIDv7 } from 'node:crypto'
import { limitsOf } from '../../keys/limits.ts'
import type { Caller, UncheckedCall } from '../../http/call.ts'
import type { Answer, Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { consoleRequestPrefix } from './contract.ts'
import { noWarnings } from '../../http/warnings.ts'
import type { NamedSupplier } from '../suppliers/rules.ts'
import { selectNewestKey } from '../suppliers/store.ts'

/**
 * The suppliers' own endpoints, which the console calls in their stead: what is done here goes the way of every push,
 * and is judged, applied and logged like one. The console holds no key of theirs, and none is made for it.
 */
export type AsSupplier = Readonly<
  Record<
    | 'pushHotels'
    | 'pushProducts'
    | 'pushTaxes'
    | 'pushAri'
    | 'orderFaults'
    | 'getFaults'
    | 'bookTest'
    | 'getClock'
    | 'advanceClock'
    | 'resetSandbox',
    Mounted
  >
>

/** The limits of keys bind suppliers, not the platform. */
const usualLimits = limitsOf({
  requestsPerMinute: null,
  requestsBurst: null,
  bodyBytesMax: null,
  ariItemsMax: null,
  ariCellsMax: null,
})

/** The supplier itself, where no key counts. */
export function supplierCaller({ supplierId, name }: NamedSupplier): Caller {
  return {
    keyId: 0,
    supplierId,
    supplier: name,
    channelManager: '',
    unknownFields: 'warn',
    limits: usualLimits,
  }
}

/** The supplier by its newest valid key: its URLs are called for the hotels that are pushed so. */
export async function callerOf(db: Queryable, supplier: NamedSupplier, nowMs: number): Promise<Caller> {
  const key = await selectNewestKey(db, supplier.supplierId, nowMs)
  if (key) return { ...supplierCaller(supplier), ...key }
  throw new Rejected(409, {
    type: 'NO_VALID_KEY',
    message: `Supplier "${supplier.name}" has no valid key`,
    hint: 'Create a key on the page of the supplier first',
  })
}

export type Sent = { body: object | undefined; caller: Caller }

/** What the endpoint answers. Refusals fly, as from everywhere. */
export async function callAs(
  { handle, route }: Mounted,
  call: UncheckedCall,
  { body, caller }: Sent,
): Promise<Answer> {
  const answered = await handle?.({ ...call, body, caller, query: {}, params: {} })
  if (!answered || 'bytes' in answered) throw new TypeError(`${route.path} does not answer in short`)
  return answered
}

/** The same for a push: logged under a request id that says where it came from. */
export async function pushAs(
  endpoint: Mounted,
  call: UncheckedCall,
  { body, caller, requestId, nowMs }: Sent & { requestId: string; nowMs: number },
): Promise<Answer> {
  const warnings = noWarnings()
  const push = {
    kind: endpoint.route.pushKind ?? '',
    requestId,
    caller,
    rawBody: Buffer.from(JSON.stringify(body)),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings,
  }
  return callAs(endpoint, { ...call, requestId, push, warnings }, { body, caller })
}

export function consoleRequestId(): string {
  return consoleRequestPrefix + randomUUIDv7()
}
