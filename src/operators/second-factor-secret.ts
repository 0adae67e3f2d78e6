import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

/**
 * How secrets of second factors are stored: the service must compute codes with them, so a hash won't do. With
 * ARI_MFA_KEY they are sealed (AES-256-GCM) and bound to their operator; without it they are plain. The first byte says
 * which.
 */

/** The first key seals, every key opens; none: nothing is sealed. */
export type MfaKeys = readonly Buffer[]

const kinds = { plain: 0, sealed: 1 } as const
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16

export function sealSecret(secret: string, operatorId: number, [key]: MfaKeys): Buffer {
  const plain = Buffer.from(secret)
  if (!key) return Buffer.concat([Buffer.of(kinds.plain), plain])
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(operatorId))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(kinds.sealed), keyIdOf(key), nonce, cipher.getAuthTag(), sealed])
}

/** Throws if the key is missing or the secret belongs to another operator. */
export function openSecret(stored: Buffer, operatorId: number, keys: MfaKeys): string {
  if (stored[0] === kinds.plain) return stored.subarray(1).toString()
  const [nonceAt, tagAt, sealedAt] = [
    1 + keyIdBytes,
    1 + keyIdBytes + nonceBytes,
    1 + keyIdBytes + nonceBytes + tagBytes,
  ]
  const key = keys.find((one) => keyIdOf(one).equals(stored.subarray(1, nonceAt)))
  if (!key) {
    throw new Error(
      `The second factor of operator ${operatorId} is sealed with a key that ARI_MFA_KEY does not have: add it, or reset the second factor`,
    )
  }
  const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(nonceAt, tagAt), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(boundTo(operatorId)).setAuthTag(stored.subarray(tagAt, sealedAt))
  return Buffer.concat([decipher.update(stored.subarray(sealedAt)), decipher.final()]).toString()
}

function keyIdOf(key: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from('id of an mfa key '), key]), 'buffer').subarray(
    0,
    keyIdBytes,
  )
}

function boundTo(operatorId: number): Buffer {
  return Buffer.from(`second factor of operator ${operatorId}`)
}
