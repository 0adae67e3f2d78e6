import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Verifies the caller, as a receiver does by the text of Standard Webhooks; does not use the code that signs.
 */

export const signatureStates = ['verified', 'wrong', 'missing', 'stale', 'unverifiable'] as const
/** `unverifiable`: the receiver has no secret. */
export type SignatureState = (typeof signatureStates)[number]

const secretText = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/
const staleAfterSeconds = 5 * 60
const signaturesMax = 10

export function isSecret(text: string): boolean {
  return secretText.test(text)
}

/** One good signature by one of the secrets is enough: during a rotation there may be two of each. */
export function verifySignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { secrets, nowMs }: { secrets: readonly string[]; nowMs: number },
): SignatureState {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'missing'
  if (secrets.length === 0) return 'unverifiable'
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong'
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > staleAfterSeconds) return 'stale'
  const given = signatures
    .split(' ', signaturesMax)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice('v1,'.length), 'base64')] : []))
  const expected = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest(),
  )
  const isGood = expected.some((right) =>
    given.some((one) => one.length === right.length && timingSafeEqual(one, right)),
  )
  return isGood ? 'verified' : 'wrong'
}
