import { createHmac, randomBytes } from 'node:crypto'

/** Signatures as Standard Webhooks writes them (standardwebhooks.com): a receiver verifies with any of its libraries. */

const secretPrefix = 'whsec_'
const secretBytes = 32

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

export type Signed = {
  /** Without a dot, and the same over retries: by it a receiver knows a repeat. */
  id: string
  /** The receiver compares it with its clock, so that an old call can't be sent again by others. */
  atMs: number
  body: Buffer
  /** Several during a rotation: the receiver accepts any one of them. */
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
