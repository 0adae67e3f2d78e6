import { withDocUrl } from '../http/rejected.ts'

/** The parts that every operation shares: headers, and the answers that don't depend on its contents. */

type Described = Readonly<Record<string, unknown>>

const text = { type: 'string' }

export const requestHeaders: Readonly<Record<string, Described>> = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    required: false,
    description: 'Your own id of the request; without one it gets one',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same key with the same body within 24 hours gets the stored answer',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[\\x21-\\x7e]+$' },
  },
  UnknownFields: {
    name: 'X-Unknown-Fields',
    in: 'header',
    required: false,
    description:
      'What happens to unknown members: `warn` lists them as warnings, `reject` refuses the request. Overrides the setting of the key',
    schema: { type: 'string', enum: ['warn', 'reject'] },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'With `Accept: text/event-stream`: the id of the last received event; takes precedence over `after`',
    schema: text,
  },
  ContentEncoding: {
    name: 'Content-Encoding',
    in: 'header',
    required: false,
    description: 'When the body is compressed: `gzip`, `br` or `zstd`',
    schema: text,
  },
  ContentRange: {
    name: 'Content-Range',
    in: 'header',
    required: false,
    description: 'The place of this part of the data, in the bytes as sent: `bytes FIRST-LAST/TOTAL`',
    schema: text,
  },
}

export const commonHeaders: Readonly<Record<string, Described>> = {
  RequestId: { description: 'Id of the request: yours, or one that was made', schema: text },
  RateLimit: {
    description: 'Requests that can be sent at once, and the seconds to wait when none is left',
    schema: text,
    example: '"key";r=999;t=0',
  },
  RateLimitPolicy: {
    description: 'Requests in 60 seconds, and the burst',
    schema: text,
    example: '"key";q=6000;w=60;burst=1000',
  },
  RetryAfter: {
    description: 'Seconds to wait before sending the same again',
    schema: { type: 'integer' },
    example: 1,
  },
  IdempotencyReplayed: {
    description: '`true` when this is the stored answer of an earlier push',
    schema: { type: 'string', enum: ['true'] },
  },
}

type Problem = { type: string; message: string; path?: string; value?: unknown; hint?: string }

const requestId = '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11'

function refusal(
  status: number,
  description: string,
  problem: Problem,
  more: { retry?: boolean } = {},
): Described {
  return {
    description,
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(more.retry === true ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { code: String(status), message: problem.message, requestId, errors: [withDocUrl(problem)] },
      },
    },
  }
}

export const commonAnswers: Readonly<Record<string, Described>> = {
  BadRequest: refusal(400, 'Malformed JSON, a wrong type, a missing member or a broken rule', {
    type: 'WRONG_TYPE',
    message: 'hotelId must be a string',
    path: '/hotelId',
    value: 5,
    hint: 'Send a string, for example "H1"',
  }),
  Unauthorized: refusal(401, 'The key is missing, unknown, revoked, expired or of the other environment', {
    type: 'UNAUTHORIZED',
    message: 'Unauthorized API KEY',
    path: 'x-api-key',
    hint: 'Send a valid key of this environment in the x-api-key header: ari_sbx_… in the sandbox, ari_live_… in production',
  }),
  IdempotencyKeyInUse: refusal(409, 'A push with the same Idempotency-Key is under way', {
    type: 'IDEMPOTENCY_KEY_IN_USE',
    message: 'A push with this Idempotency-Key is being processed',
    path: 'idempotency-key',
    hint: 'Send the same request again: the stored answer will be returned',
  }),
  BodyTooLarge: refusal(413, 'The body is too large, before or after decompression', {
    type: 'BODY_TOO_LARGE',
    message: 'Request body is larger than 10485760 bytes',
    path: '',
    hint: 'Split the push; the limit counts decompressed bytes and is listed by GET /v1/push/limits',
  }),
  UnsupportedMediaType: refusal(415, 'The body is not JSON, not UTF-8, or compressed in another way', {
    type: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Content-Type must be application/json',
    path: 'content-type',
    hint: 'Send Content-Type: application/json',
  }),
  IdempotencyKeyReused: refusal(422, 'The Idempotency-Key was used with another body', {
    type: 'IDEMPOTENCY_KEY_REUSED',
    message: 'Idempotency-Key was used before with another body',
    path: 'idempotency-key',
    hint: 'Use a new key for a new push',
  }),
  RateLimited: refusal(
    429,
    'Over the rate limit of the key',
    {
      type: 'RATE_LIMITED',
      message: 'Rate limit of 6000 requests a minute exceeded',
      hint: 'Send the same again in 1 s; put several rooms and dates into one push',
    },
    { retry: true },
  ),
  InternalError: refusal(500, 'Our fault; nothing was applied', {
    type: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side',
    hint: 'Send the same request again; if you contact us about it, quote the request id',
  }),
  Unavailable: refusal(
    503,
    'Overloaded, shutting down, or the store is not available; nothing is half-applied',
    {
      type: 'OVERLOADED',
      message: 'The service is overloaded',
      hint: 'Nothing was applied; send the same again after Retry-After',
    },
    { retry: true },
  ),
}
