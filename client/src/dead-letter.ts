import type { Problem, SupplierCalls } from './api.ts'
import { isGatewayError } from './gateway-error.ts'
import type { Kept, OutboxOperation } from './outbox-journal.ts'

/** A push that the gateway refused, wholly or in part: sent again, it would be refused again. */
export type DeadLetter = {
  id: string
  operation: OutboxOperation
  body: unknown
  addedAt: string
  refusedAt: string
  /** 207: the other items were applied. */
  status: number
  message: string
  errors: readonly Problem[]
  requestId: string | undefined
}

/** A push that the service fails on each time holds up its hotel no longer. */
const attemptsAtFaultMax = 10

/** The service failed on this push: another may pass. */
export function isFault(error: unknown): boolean {
  return isGatewayError(error) && !error.isWithoutAnswer && error.status >= 500 && error.status !== 503
}

/** Undefined: it is worth trying again. */
export function refusal(kept: Kept, attempts: number, error: unknown): DeadLetter | undefined {
  if (!isGatewayError(error)) return undefined
  if (!error.isRefused && !(isFault(error) && attempts >= attemptsAtFaultMax)) return undefined
  const { status, message, errors, requestId } = error
  return { ...letterOf(kept), status, message, errors, requestId }
}

/** Undefined: everything of the push holds. */
export function refusedItems(kept: Kept, answer: unknown): DeadLetter | undefined {
  if (kept.operation !== 'pushAri') return undefined
  // The boundary: what pushAri resolves with.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  const { code, message, results, requestId } = answer as Awaited<ReturnType<SupplierCalls['pushAri']>>
  if (code !== '207') return undefined
  const errors = results.flatMap((result) => result.errors ?? [])
  return { ...letterOf(kept), status: 207, message, errors, requestId }
}

function letterOf({ id, operation, body, addedAt }: Kept) {
  const said: unknown = JSON.parse(body)
  return { id, operation, body: said, addedAt, refusedAt: new Date().toISOString() }
}
