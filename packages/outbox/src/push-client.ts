/** What an outbox asks of whoever sends its pushes: `supplierClient` of `ari-gateway-client` has it, and others may. */

export const outboxOperations = ['pushHotels', 'pushProducts', 'pushTaxes', 'pushAri'] as const
export type OutboxOperation = (typeof outboxOperations)[number]

export type PushOptions = {
  /** The same in every attempt, so that the push is applied once. */
  idempotencyKey: string
  /** The same word, by which `getPush` finds it in the push log. */
  requestId: string
  /** Aborted when the outbox is closed. */
  signal: AbortSignal
  /** The outbox repeats by itself. */
  retryForMs: 0
}

export type PushFunction = (body: never, options: PushOptions) => Promise<unknown>
/** Each resolves with the gateway's answer, and throws a `PushError` where there is none that means success. */
export type PushClient = Readonly<Record<OutboxOperation, PushFunction>>
export type BodyOf<Client extends PushClient, Operation extends OutboxOperation> = Parameters<
  Client[Operation]
>[0]

export type Problem = { type: string; message: string; path?: string; value?: unknown; hint?: string }

/** What the outbox reads of an error, as `GatewayError` of `ari-gateway-client` has it. Any other is no answer. */
export type PushError = Error & {
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** The gateway has judged the push: the same again would be refused again. */
  readonly isRefused: boolean
  /** No answer came, or none of the gateway. */
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
