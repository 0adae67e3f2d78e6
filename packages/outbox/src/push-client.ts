/**
 * The client that an outbox needs to send its pushes: `supplierClient` of `ari-gateway-client` is one, and
 * others may be.
 */

export const outboxOperations = ['pushHotels', 'pushProducts', 'pushTaxes', 'pushAri'] as const
export type OutboxOperation = (typeof outboxOperations)[number]

export type PushOptions = {
  /** The same in every attempt, so that the push is applied once. */
  idempotencyKey: string
  /** The same id, by which `getPush` finds it in the push log. */
  requestId: string
  /** Aborted when the outbox is closed. */
  signal: AbortSignal
  /** The outbox itself does the retries. */
  retryForMs: 0
}

export type PushFunction = (body: never, options: PushOptions) => Promise<unknown>
/** Each resolves with the gateway's answer, and throws a `PushError` if there is no successful answer. */
export type PushClient = Readonly<Record<OutboxOperation, PushFunction>>
export type BodyOf<Client extends PushClient, Operation extends OutboxOperation> = Parameters<
  Client[Operation]
>[0]

export type Problem = { type: string; message: string; path?: string; value?: unknown; hint?: string }

/**
 * The members of an error that the outbox reads, as on `GatewayError` of `ari-gateway-client`. Any other
 * error counts as no answer.
 */
export type PushError = Error & {
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** The gateway has judged the push: repeating it would be refused again. */
  readonly isRefused: boolean
  /** No answer came, or not the gateway's. */
  readonly isWithoutAnswer: boolean
  readonly errors: readonly Problem[]
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
}

export function isPushError(error: unknown): error is PushError {
  return (
    error instanceof Error &&
    'status' in error &&
    typeof error.status === 'number' &&
    'isRefused' in error &&
    typeof error.isRefused === 'boolean' &&
    'isWithoutAnswer' in error &&
    typeof error.isWithoutAnswer === 'boolean' &&
    'errors' in error &&
    Array.isArray(error.errors)
  )
}
