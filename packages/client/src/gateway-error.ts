import type { Problem } from './api.ts'

/** Why there is no answer of the gateway: none came, none came in time, or what came was not of the gateway. */
export const noAnswerCodes = ['NO_ANSWER', 'TIMEOUT', 'NOT_JSON'] as const

export type GatewayErrorDetails = {
  operation: string
  /** 0: there was no answer. */
  status: number
  code: string
  message: string
  errors?: readonly Problem[]
  moreErrors?: number
  requestId?: string
  retryAfterMs?: number
  body?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** Every call that did not succeed, for whatever reason. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The operation called, as `pushAri`. */
  readonly operation: string
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** The answer's `code` (the status as text), or `NO_ANSWER`, `TIMEOUT`, `NOT_JSON`. */
  readonly code: string
  /** Everything that is wrong with the request, with path, value and hint. */
  readonly errors: readonly Problem[]
  /** How many problems beyond those listed. */
  readonly moreErrors: number
  /** Name it when you ask about the call. */
  readonly requestId: string | undefined
  /** When the gateway says to come again. */
  readonly retryAfterMs: number | undefined
  /** The whole answer, as where a refused booking lists the failing `rules`; empty without an answer. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(details: GatewayErrorDetails) {
    const { operation, status, code, message, cause } = details
    super(`${operation}: ${message}`, cause === undefined ? {} : { cause })
    this.operation = operation
    this.status = status
    this.code = code
    this.errors = details.errors ?? []
    this.moreErrors = details.moreErrors ?? 0
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
    this.body = details.body ?? {}
  }

  /** Whether one of the problems is of this type, as `HOTEL_NOT_FOUND`. */
  has(type: string): boolean {
    return this.errors.some((problem) => problem.type === type)
  }

  /** No answer came, or none of the gateway: it may have been done all the same. */
  get isWithoutAnswer(): boolean {
    return this.status === 0 || noAnswerCodes.some((code) => code === this.code)
  }

  /** The gateway has judged the request: the same again would be refused again. */
  get isRefused(): boolean {
    return !this.isWithoutAnswer && this.status >= 400 && this.status < 500 && !this.mayPass
  }

  /** What passes by itself, or by other means than another request: limits, a repeat under way, the key. */
  private get mayPass(): boolean {
    return [401, 408, 429].includes(this.status) || this.has('IDEMPOTENCY_KEY_IN_USE')
  }
}

export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError
}
