/**
 * Verifies that a call comes from the platform, by the rules of Standard Webhooks (standardwebhooks.com).
 */

export type CallbackHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>

export type SignedCall = {
  headers: CallbackHeaders
  /** The raw body, before any JSON is parsed. */
  body: Uint8Array | string
}

export type VerifyOptions = {
  /** `whsec_…`, as the registration answered; several during a rotation. */
  secrets: string | readonly string[]
  /** How far the timestamp may be from the clock; default 300. */
  toleranceSeconds?: number
  nowMs?: () => number
}

/** The headers that a good signature vouches for. */
export type VerifiedCall = {
  /** `webhook-id`: the same when the call is sent again. */
  id: string
  sentAt: Date
}

export const signatureProblems = ['missing', 'stale', 'wrong'] as const

export class SignatureError extends Error {
  override readonly name = 'SignatureError'
  /**
   * `missing`: a header is. `stale`: the timestamp is too far from now. `wrong`: not signed with any of the
   * secrets.
   */
  readonly problem: (typeof signatureProblems)[number]

  constructor(problem: (typeof signatureProblems)[number], message: string) {
    super(message)
    this.problem = problem
  }
}

const usualToleranceSeconds = 300
/** Rotations within an overlap have at most three secrets, so three signatures; more would only cost time. */
const signaturesMax = 10

/** Throws SignatureError unless one of the signatures was made with one of the secrets. */
export async function verifyCallback(
  { headers, body }: SignedCall,
  { secrets, toleranceSeconds = usualToleranceSeconds, nowMs = Date.now }: VerifyOptions,
): Promise<VerifiedCall> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw new SignatureError('missing', 'webhook-id, webhook-timestamp and webhook-signature are needed')
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError('wrong', 'webhook-timestamp is not a time')
  const sentAtMs = Number(timestamp) * 1_000
  if (Math.abs(nowMs() - sentAtMs) > toleranceSeconds * 1_000)
    throw new SignatureError('stale', `webhook-timestamp is more than ${toleranceSeconds} seconds off`)
  const signed = joined(`${id}.${timestamp}.`, body)
  const given = signatures
    .split(' ', signaturesMax)
    .flatMap((one) => (one.startsWith('v1,') ? (bytesOf(one.slice('v1,'.length)) ?? []) : []))
  const keys = await Promise.all((typeof secrets === 'string' ? [secrets] : secrets).map(keyOf))
  const checks = keys.flatMap((key) =>
    // Compares in constant time.
    given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)),
  )
  if (!(await Promise.all(checks)).includes(true))
    throw new SignatureError('wrong', 'The signature was not made with the secret')
  return { id, sentAt: new Date(sentAtMs) }
}

function headerOf(headers: CallbackHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  // The platform never sends the same header twice.
  return typeof value === 'string' ? value : undefined
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('A signing secret is whsec_ and base64, as the registration of a URL answers it')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(head: string, body: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const [first, second] = [encoder.encode(head), typeof body === 'string' ? encoder.encode(body) : body]
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
