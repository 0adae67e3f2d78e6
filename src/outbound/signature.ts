import { createHmac, randomBytes } from 'node:crypto'

/**
 * Signatures as Standard Webhooks defines them (standardwebhooks.com): any of its libraries can verify them.
 */

const secretPrefix = 'whsec_'
const secretBytes = 32

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

export type Signed = {
  /** Contains no dot, and stays the same in retries, so that a receiver recognizes a repeat. */
  id: string
  /** The receiver compares it with its clock, so that nobody can replay an old call. */
  atMs: number
  body: Buffer
  /** Several during a rotation: the receiver accepts any of them. */
  secrets: readonly string[]
}

export function signedHeaders({ id, atMs, body, secrets }: Signed) {
  const timestamp = String(Math.floor(atMs / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
