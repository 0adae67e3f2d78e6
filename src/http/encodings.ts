import { isAscii, isUtf8 } from 'node:buffer'
import { Rejected, repeatedText } from './rejected.ts'

/** The name of a compression in Content-Encoding, as it is compared: `x-gzip` is gzip (RFC 9110, 8.4.1.3). */
export function compressionNamed(contentEncoding: string | undefined): string {
  const name = (contentEncoding ?? 'identity').trim().toLowerCase()
  return name === 'x-gzip' ? 'gzip' : name
}

/** Text is read as UTF-8 only: what is in another encoding is told apart from what is malformed. */

/**
 * Whether text is in UTF-16 or UTF-32, by its first bytes: JSON and CSV begin with a character of ASCII, which
 * has zeros beside it there, or with a byte order mark.
 */
export function wideEncodingOf(bytes: Buffer): 'UTF-16' | 'UTF-32' | undefined {
  if (bytes.length % 2 === 1) return undefined
  const [first, second, third, fourth] = bytes
  if (first === 0 && second === 0) return 'UTF-32'
  if (third === 0 && fourth === 0 && (second === 0 || (first === 0xff && second === 0xfe))) return 'UTF-32'
  if (first === 0 || second === 0) return 'UTF-16'
  const isMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isMark ? 'UTF-16' : undefined
}

const charsetMax = 40

function charsetIn(contentType: string | undefined): string | undefined {
  const [, name] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '') ?? []
  return name === undefined ? undefined : repeatedText(name, charsetMax)
}

/** Those whose text can't be UTF-8 as well, as the ASCII of others is. */
const wideCharset = /^(?:utf-?(?:16|32)|ucs-?[24]|iso-10646-ucs)/i

/** The name of the encoding, if text of this type, which begins with these bytes, is in UTF-16 or UTF-32. */
export function wideEncodingIn(contentType: string | undefined, begin: Buffer): string | undefined {
  const charset = charsetIn(contentType)
  return wideEncodingOf(begin) ?? (charset !== undefined && wideCharset.test(charset) ? charset : undefined)
}

export function refuseOtherEncodings(contentType: string | undefined, body: Buffer): void {
  if (body.length === 0) return
  const wide = wideEncodingIn(contentType, body)
  if (wide !== undefined) throw notUtf8('body', wide)
  if (isAscii(body) || isUtf8(body)) return
  const charset = charsetIn(contentType)
  throw notUtf8('body', charset === undefined || /^utf-?8$/i.test(charset) ? 'another encoding' : charset)
}

export function notUtf8(what: 'body' | 'data', encoding: string): Rejected {
  return new Rejected(415, {
    type: 'NOT_UTF8',
    message: `Send UTF-8: the ${what} is in ${encoding}`,
    path: '',
    hint: 'Encode the text as UTF-8, and name no other charset in Content-Type',
  })
}
