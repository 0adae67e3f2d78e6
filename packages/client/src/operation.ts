/** What a call is made of. */

export type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/v1`; `{name}` for parameters. */
  path: string
  /** What the call takes, in this order. */
  takes: readonly ('params' | 'query' | 'body')[]
  /** Takes an Idempotency-Key. */
  isKeyed: boolean
}

export type CallOptions = {
  /** Made for each call unless told. The same key with the same body is applied once, whatever happens. */
  idempotencyKey?: string
  /** `x-request-id`: 1 to 64 of letters, digits and `._-`; made by the service unless told. */
  requestId?: string
  signal?: AbortSignal
  timeoutMs?: number
  retryForMs?: number
}
