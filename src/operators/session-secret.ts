import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The secret of a session is in the cookie only; the store has its SHA-256. What a page must send with every change is
 * derived from it: another site can make a browser send the cookie, but can't read it, and nothing more is kept.
 */

const secretBytes = 32
const csrfPurpose = 'csrf token of the console'
const secretText = /^[A-Za-z0-9_-]{43}$/

export function makeRandomSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Whether it can be a secret made here: anything else is refused without a query. */
export function looksLikeSecret(text: string): boolean {
  return secretText.test(text)
}

/** In hexadecimal, as it is looked up. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update(csrfPurpose).digest('base64url')
}

export function isCsrfTokenOf(secret: string, presented: unknown): boolean {
  if (typeof presented !== 'string') return false
  const expected = Buffer.from(csrfTokenOf(secret))
  const given = Buffer.from(presented)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
