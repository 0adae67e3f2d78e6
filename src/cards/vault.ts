import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { VirtualCard } from './contract.ts'

/**
 * Seals card data with AES-256-GCM. Each reservation has its own key for its card, and another for its CVV;
 * the vault's key wraps both, bound to the reservation's id, so that one row can't be read as another's. Data
 * is forgotten by deleting its wrapped key. A sealed text is nonce, tag and ciphertext, concatenated.
 */

export type Card = {
  holderName: string
  type: string
  number: string
  /** MM/YYYY */
  expiry: string
  cvv?: string
  virtual?: VirtualCard
}

/** The stored form; null: never given, or destroyed. */
export type SealedCard = {
  /** The vault key that wraps the two others; null for a card from before keys had names. */
  keyId: string | null
  cardKey: Buffer | null
  card: Buffer | null
  cvvKey: Buffer | null
  cvv: Buffer | null
}

/** Wrapping keys, the present one first; the others open cards that they sealed. */
export type Vault = {
  keyIds: readonly [string, ...string[]]
  seal: (reservationId: string, card: Card) => SealedCard
  /**
   * Undefined when the card was destroyed; without `cvv` when the CVV was. Throws when no key of the vault
   * opens it.
   */
  open: (reservationId: string, sealed: SealedCard) => Card | undefined
  /**
   * The same card with its keys wrapped by the present key; undefined when no key of the vault opens them.
   */
  rewrap: (reservationId: string, sealed: SealedCard) => SealedCard | undefined
  /**
   * Distinguish equal texts from different ones, only for holders of the keys: one for each key, the present
   * one first.
   */
  fingerprints: (text: string) => readonly [string, ...string[]]
}

const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32
const keyIdBytes = 8

/** Names a key without revealing it. */
export function vaultKeyId(key: Buffer): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'ari vault key id', keyIdBytes)).toString('hex')
}

export function openVault(present: Buffer, previous: readonly Buffer[] = []): Vault {
  const presentId = vaultKeyId(present)
  const previousById = new Map(previous.map((key) => [vaultKeyId(key), key]))
  previousById.delete(presentId)
  const keyById = new Map([[presentId, present], ...previousById])
  const fingerprintKeyOf = (key: Buffer): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', 'ari fingerprint', keyBytes))
  const fingerprintKey = fingerprintKeyOf(present)
  const earlierFingerprintKeys = [...previousById.values()].map(fingerprintKeyOf)

  const sealWithOwnKey = (what: string, id: string, text: string): [key: Buffer, sealed: Buffer] => {
    const key = randomBytes(keyBytes)
    return [encrypt(present, key, `${what} key ${id}`), encrypt(key, Buffer.from(text), `${what} ${id}`)]
  }
  const wrapAgain = (what: string, id: string, wrapped: Buffer, keyId: string | null): Buffer =>
    encrypt(present, unwrap(keyById, keyId, wrapped, { what, id }), `${what} key ${id}`)

  return {
    keyIds: [presentId, ...previousById.keys()],
    seal: (reservationId, { cvv, ...card }) => {
      const [cardKey, sealedCard] = sealWithOwnKey('card', reservationId, JSON.stringify(card))
      const sealed = { keyId: presentId, cardKey, card: sealedCard }
      if (cvv === undefined) return { ...sealed, cvvKey: null, cvv: null }
      const [cvvKey, sealedCvv] = sealWithOwnKey('cvv', reservationId, JSON.stringify({ cvv }))
      return { ...sealed, cvvKey, cvv: sealedCvv }
    },
    open: (reservationId, { keyId, cardKey, card, cvvKey, cvv }) => {
      const opened = openWithOwnKey(keyById, keyId, [cardKey, card], { what: 'card', id: reservationId })
      if (opened === undefined) return undefined
      const openedCvv = openWithOwnKey(keyById, keyId, [cvvKey, cvv], { what: 'cvv', id: reservationId })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: what seal wrote, proved unchanged by its tag.
      return { ...Object(opened), ...Object(openedCvv) } as Card
    },
    rewrap: (reservationId, { keyId, cardKey, card, cvvKey, cvv }) => {
      try {
        return {
          keyId: presentId,
          cardKey: cardKey && wrapAgain('card', reservationId, cardKey, keyId),
          card,
          cvvKey: cvvKey && wrapAgain('cvv', reservationId, cvvKey, keyId),
          cvv,
        }
      } catch {
        return undefined
      }
    },
    fingerprints: (text) => {
      const by = (key: Buffer): string => createHmac('sha256', key).update(text).digest('hex')
      return [by(fingerprintKey), ...earlierFingerprintKeys.map(by)]
    },
  }
}

type Bound = { what: string; id: string }

function openWithOwnKey(
  keyById: ReadonlyMap<string, Buffer>,
  keyId: string | null,
  [wrapped, sealed]: readonly [Buffer | null, Buffer | null],
  { what, id }: Bound,
): unknown {
  if (!wrapped || !sealed) return undefined
  const key = unwrap(keyById, keyId, wrapped, { what, id })
  return JSON.parse(decrypt(key, sealed, `${what} ${id}`).toString())
}

/** With the vault key of that name; without a name, any key may fit. */
function unwrap(
  keyById: ReadonlyMap<string, Buffer>,
  keyId: string | null,
  wrapped: Buffer,
  { what, id }: Bound,
): Buffer {
  const named = keyId === null ? [...keyById.values()] : [keyById.get(keyId)]
  let cause: unknown
  for (const key of named) {
    try {
      if (key) return decrypt(key, wrapped, `${what} key ${id}`)
    } catch (error) {
      cause = error
    }
  }
  throw new Error(`no vault key here opens the card of reservation ${id}`, { cause })
}

function encrypt(key: Buffer, plain: Buffer, boundTo: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the text was changed, or is bound to something else. */
function decrypt(key: Buffer, sealed: Buffer, boundTo: string): Buffer {
  const tagEnd = nonceBytes + tagBytes
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(nonceBytes, tagEnd))
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()])
}
