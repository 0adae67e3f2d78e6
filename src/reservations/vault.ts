import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Seals card data with AES-256-GCM. Each reservation has a key of its own for its card, and another for its CVV; both
 * are wrapped by the vault's key and bound to the reservation's id, so that no row can be read as another's. What is
 * to be forgotten loses its wrapped key. A sealed text is nonce, tag and ciphertext, one after another.
 */

export type Card = {
  holderName: string
  type: string
  number: string
  /** MM/YYYY */
  expiry: string
  cvv?: string
}

/** What is stored; null: never given, or destroyed. */
export type SealedCard = {
  cardKey: Buffer | null
  card: Buffer | null
  cvvKey: Buffer | null
  cvv: Buffer | null
}

export type Vault = {
  seal: (reservationId: string, card: Card) => SealedCard
  /** Undefined when the card was destroyed; without `cvv` when that was. */
  open: (reservationId: string, sealed: SealedCard) => Card | undefined
  /** Tells equal texts from different ones, to nobody who lacks the vault's key. */
  fingerprint: (text: string) => string
}

const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

export function openVault(vaultKey: Buffer): Vault {
  const fingerprintKey = Buffer.from(hkdfSync('sha256', vaultKey, '', 'ari fingerprint', keyBytes))
  const sealWithOwnKey = (
    what: string,
    reservationId: string,
    text: string,
  ): [key: Buffer, sealed: Buffer] => {
    const key = randomBytes(keyBytes)
    return [
      encrypt(vaultKey, key, `${what} key ${reservationId}`),
      encrypt(key, Buffer.from(text), `${what} ${reservationId}`),
    ]
  }
  const openWithOwnKey = (
    what: string,
    reservationId: string,
    wrappedKey: Buffer | null,
    sealed: Buffer | null,
  ): unknown => {
    if (!wrappedKey || !sealed) return undefined
    const key = decrypt(vaultKey, wrappedKey, `${what} key ${reservationId}`)
    return JSON.parse(decrypt(key, sealed, `${what} ${reservationId}`).toString())
  }
  return {
    seal: (reservationId, { cvv, ...card }) => {
      const [cardKey, sealedCard] = sealWithOwnKey('card', reservationId, JSON.stringify(card))
      if (cvv === undefined) return { cardKey, card: sealedCard, cvvKey: null, cvv: null }
      const [cvvKey, sealedCvv] = sealWithOwnKey('cvv', reservationId, JSON.stringify({ cvv }))
      return { cardKey, card: sealedCard, cvvKey, cvv: sealedCvv }
    },
    open: (reservationId, { cardKey, card, cvvKey, cvv }) => {
      const opened = openWithOwnKey('card', reservationId, cardKey, card)
      if (opened === undefined) return undefined
      const openedCvv = openWithOwnKey('cvv', reservationId, cvvKey, cvv)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: what seal wrote, proved unchanged by its tag.
      return { ...Object(opened), ...Object(openedCvv) } as Card
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('hex'),
  }
}

function encrypt(key: Buffer, plain: Buffer, boundTo: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the text was changed, or belongs to something else. */
function decrypt(key: Buffer, sealed: Buffer, boundTo: string): Buffer {
  const tagEnd = nonceBytes + tagBytes
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(nonceBytes, tagEnd))
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()])
}
