import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The form of a key or token: a prefix for its kind and environment, 32 random bytes in base62, and a
 * checksum over both, so that a mistyped one, or one of the other environment, is refused without a query.
 * Only the SHA-256 of the whole is stored: 256 random bits need no slow hash.
 */

export const environments = ['sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** The kind of access a secret gives: a supplier's key, or a token of one of the two roles. */
export const secretKinds = ['supplier', 'platform', 'operator'] as const
export type SecretKind = (typeof secretKinds)[number]

const prefixes: Readonly<Record<SecretKind, Readonly<Record<Environment, string>>>> = {
  supplier: { sandbox: 'ari_sbx_', production: 'ari_live_' },
  platform: { sandbox: 'ari_tok_platform_sbx_', production: 'ari_tok_platform_live_' },
  operator: { sandbox: 'ari_tok_operator_sbx_', production: 'ari_tok_operator_live_' },
}

export type SecretMeaning = { kind: SecretKind; environment: Environment }

const meaningByPrefix = new Map<string, SecretMeaning>(
  secretKinds.flatMap((kind) =>
    environments.map((environment) => [prefixes[kind][environment], { kind, environment }] as const),
  ),
)

const randomBytesCount = 32
/** 62^43 is the first power above 2^256, 62^6 the first above 2^32. */
const randomLength = 43
const checksumLength = 6
const tailLength = 4

export function makeSecret(
  kind: SecretKind,
  environment: Environment,
  random: (count: number) => Uint8Array = randomBytes,
): string {
  const number = BigInt(`0x${Buffer.from(random(randomBytesCount)).toString('hex')}`)
  const named = prefixes[kind][environment] + base62(number, randomLength)
  return named + checksum(named)
}

/** The access that a presented text claims; undefined for any text that `makeSecret` can't have made. */
export function recogniseSecret(presented: string): SecretMeaning | undefined {
  const meaning = meaningByPrefix.get(presented.slice(0, -(randomLength + checksumLength)))
  if (!meaning) return undefined
  return checksum(presented.slice(0, -checksumLength)) === presented.slice(-checksumLength)
    ? meaning
    : undefined
}

/** What may be a key or token in a pasted text, such as a header or a line of a program. */
export function secretIn(pasted: string): string | undefined {
  return /ari_(?:sbx|live|tok)_[0-9A-Za-z_]+/.exec(pasted)?.[0]
}

/** SHA-256 in hexadecimal, the form in which memory and the database look up secrets. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** The end of a secret, by which people recognise their keys. As part of the checksum it reveals nothing. */
export function tailOf(secret: string): string {
  return secret.slice(-tailLength)
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

/** Uses plain numbers, because this runs for every request. */
function checksum(text: string): string {
  let rest = crc32(text)
  let written = ''
  for (let position = 0; position < checksumLength; position++) {
    written = digits.charAt(rest % 62) + written
    rest = Math.floor(rest / 62)
  }
  return written
}
