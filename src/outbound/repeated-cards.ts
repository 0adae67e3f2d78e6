import { digitsIn, holdsCardNumber } from '../base/card-number.ts'
import { decoded } from '../base/written-characters.ts'

/** Finds cards in what other programs send, however these encode it: in wide characters, base64, hex or codes. */

/** With more zeros among its even or odd bytes than this, text is in UTF-16 or UTF-32. */
const wideFrom = 0.2

/** The text of bytes in UTF-8, UTF-16 or UTF-32, with a byte order mark or without one. */
export function textOf(bytes: Buffer): string {
  const [first, second] = bytes
  const zeros = [0, 0]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [atEven = 0, atOdd = 0] = zeros
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (!isMarked && Math.max(atEven, atOdd) <= wideFrom * bytes.length) return bytes.toString()
  const isBig = isMarked && atEven === atOdd ? first === 0xfe : atEven > atOdd
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes).replaceAll('\u0000', '')
}

/** Stored in place of an answer from which a card could be read. */
export const answerNotStored = '[not stored: the answer repeats a card]'

/** What a supplier got of one card. */
export type SentCard = { number: string; cvv?: string | undefined }

/**
 * Whether a card can be read from the answer of a server that may have been sent some: by decoding it, or because the
 * digits are apart.
 */
export function repeatsCard(text: string, sent: readonly SentCard[] = []): boolean {
  const other = sent.length > 0 && otherDigit.test(text) ? digitsIn(text) : ''
  if (sent.some(({ number }) => hasDigits(text, number) || other.includes(number))) return true
  if (isDigitByDigit(text)) return true
  return encodesCard(decoded(text), sent, encodedMax)
}

const otherDigit = /(?=\P{ASCII})\p{N}/u

/** Codes within codes, such as base64 of base64. */
const encodedMax = 2
const onlyText = /^[\t\n\r -~]+$/

function encodesCard(text: string, sent: readonly SentCard[], levels: number): boolean {
  for (const inner of encodedIn(text)) {
    const isText = onlyText.test(inner)
    if (holdsCardNumber(inner) || sent.some((card) => isIn(inner, card, isText))) return true
    if (isText && levels > 1 && encodesCard(decoded(inner), sent, levels - 1)) return true
  }
  return false
}

function isIn(inner: string, { number, cvv }: SentCard, isText: boolean): boolean {
  if (hasDigits(inner, number)) return true
  // Three digits are anywhere in what is no text.
  return isText && cvv !== undefined && new RegExp(`(?<!\\d)${cvv}(?!\\d)`).test(inner)
}

const key = /"?\d{1,3}"?\s*[:=]/g

/** Whether the text has these digits in this order, whatever else is between them: signs, words, keys of an object. */
function hasDigits(text: string, digits: string): boolean {
  return [text, text.replaceAll(key, '')].some((one) => one.replaceAll(/\D+/g, '').includes(digits))
}

const digitByDigit = /(?<!\p{N})\d(?:[^\p{L}\p{N}]{1,40}\d(?!\p{N})){14,}/gu

/** One digit a line, or as a list or an object of digits. */
function isDigitByDigit(text: string): boolean {
  const lists = [text, text.replaceAll(key, '')].flatMap((one) => one.match(digitByDigit) ?? [])
  return lists.some((list) => holdsCardNumber(list.replaceAll(/\D+/g, '')))
}

/** Shorter ones have no number of a card. */
const encodedCharactersMin = 16
const base64 = new RegExp(`[A-Za-z0-9+/_-]{${encodedCharactersMin},}`, 'g')
const hex = new RegExp(`[0-9a-f]{${encodedCharactersMin},}`, 'gi')
const digitsMin = 13
const codes = new RegExp(
  String.raw`(?<!\d)\d{2,3}(?:[^\p{L}\p{N}]{1,8}\d{2,3}){${digitsMin - 1},}(?!\d)`,
  'gu',
)

/** What its parts say if they are base64, hexadecimal bytes, or codes of characters. */
function* encodedIn(text: string): Generator<string> {
  const joined = text.replaceAll(/\s+/g, '')
  for (const one of new Set([text, joined])) {
    for (const [token] of one.matchAll(base64)) {
      // What stands before it may be letters of base64 too.
      for (let from = 0; from < 4; from++) yield characters(Buffer.from(token.slice(from), 'base64'))
    }
  }
  const digits = text.replaceAll(/0x|[^0-9a-z]+/gi, '')
  for (const [token] of digits.matchAll(hex)) {
    yield characters(Buffer.from(token, 'hex'))
    yield characters(Buffer.from(token.slice(1), 'hex'))
  }
  for (const [list] of text.matchAll(codes))
    yield characters(Buffer.from((list.match(/\d+/g) ?? []).map(Number)))
}

function characters(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll('\u0000', '')
}
