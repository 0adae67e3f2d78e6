import type { Problem } from './api.ts'

/** The reasons for a missing answer: none came, none came in time, or the answer was not the gateway's. */
export const noAnswerCodes = ['NO_ANSWER', 'TIMEOUT', 'NOT_JSON'] as const

const mayPassTypes = ['IDEMPOTENCY_KEY_IN_USE', 'NO_SUCH_ENDPOINT']

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

/** Thrown for every unsuccessful call, for whatever reason. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The operation called, such as `pushAri`. */
  readonly operation: string
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** The answer's `code` (the status as text), or `NO_ANSWER`, `TIMEOUT`, `NOT_JSON`. */
  readonly code: string
  /** Everything that is wrong with the request, with path, value and hint. */
  readonly errors: readonly Problem[]
  /** The number of problems beyond those listed. */
  readonly moreErrors: number
  /** Quote it when you ask about the call. */
  readonly requestId: string | undefined
  /** The wait that the gateway asks for before a retry. */
  readonly retryAfterMs: number | undefined
  /**
   * The whole answer, for example with the failing `rules` of a refused booking; empty without an answer.
   */
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

  /** Whether one of the problems is of this type, such as `HOTEL_NOT_FOUND`. */
  has(type: string): boolean {
    return this.errors.some((problem) => problem.type === type)
  }

  /** No answer came, or not the gateway's: the request may have been carried out all the same. */
  get isWithoutAnswer(): boolean {
    return this.status === 0 || noAnswerCodes.some((code) => code === this.code)
  }

  /** The gateway has judged the request: repeating it would be refused again. */
  get isRefused(): boolean {
    return !this.isWithoutAnswer && this.status >= 400 && this.status < 500 && !this.mayPass
  }

  /**
   * Failures that pass with time, or that need a remedy other than a different request: limits, a repeat in
   * progress, the key, the URL.
   */
  private get mayPass(): boolean {
    return [401, 405, 408, 429].includes(this.status) || mayPassTypes.some((type) => this.has(type))
  }
}

export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError
}
