import { countKeys } from './json-scan.ts'
import { refuseOtherEncodings } from '../encodings.ts'
import { Rejected, type Problem } from '../rejected.ts'

const malformed = (hint: string): Rejected =>
  new Rejected(400, { type: 'MALFORMED_JSON', message: 'Request body is not valid JSON', path: '', hint })

export type ParseOptions = {
  /** Whether the refusal may quote the body. */
  isQuoted?: boolean
  /** Maximum number of keys, of commas, and of lists; `bodyValuesMax` by default. */
  valuesMax?: number
  contentType?: string | undefined
}

/**
 * The value of a JSON body. Refuses text that is not UTF-8, malformed JSON, bodies beyond the limits of
 * json-scan.ts, and an object with a repeated key (JSON.parse would silently take the last).
 */
export function parseJson(
  body: Buffer,
  { isQuoted = true, valuesMax, contentType }: ParseOptions = {},
): unknown {
  if (body.length === 0) throw malformed('Send a JSON body')
  refuseCompressed(body)
  refuseOtherEncodings(contentType, body)
  const keysWritten = countKeys(body, valuesMax)
  const text = body.toString('utf8')
  const value = parsed(text, isQuoted)
  if (keysIn(value) !== keysWritten) throw new Rejected(400, duplicateKeys(text))
  return value
}

const compressions: readonly { name: string; begin: Buffer }[] = [
  { name: 'gzip', begin: Buffer.of(0x1f, 0x8b) },
  { name: 'zstd', begin: Buffer.of(0x28, 0xb5, 0x2f, 0xfd) },
]

/** How a body is compressed, by its first bytes; undefined if they show no compression. */
export function compressionOf(body: Buffer): string | undefined {
  return compressions.find(({ begin }) => body.subarray(0, begin.length).equals(begin))?.name
}

/** A client that compresses the body itself may have forgotten the Content-Encoding header. */
function refuseCompressed(body: Buffer): void {
  const compression = compressionOf(body)
  if (compression !== undefined)
    throw malformed(`The body is compressed: send the header Content-Encoding: ${compression} with it`)
}

function parsed(text: string, isQuoted: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's message quotes the text around the error.
    throw malformed(
      isQuoted && cause instanceof Error
        ? cause.message.toWellFormed().replaceAll('\0', ' ')
        : 'Check the body',
    )
  }
}

/** The number of object keys in the value, on all levels; the nesting was limited before the parse. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') keys += keysIn(element)
    return keys
  }
  for (const key in value) {
    keys++
    const member: unknown = Reflect.get(value, key)
    if (typeof member === 'object') keys += keysIn(member)
  }
  return keys
}

const backslash = 92

function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (text.charCodeAt(close - 1) === backslash) {
    let backslashes = 1
    while (text.charCodeAt(close - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) break
    close = text.indexOf('"', close + 1)
  }
  return close
}

const duplicatesListedMax = 100

/** Every key that appears twice in one object, by its path. */
function duplicateKeys(text: string): [Problem, ...Problem[]] {
  type Level = { keys: Set<string> | undefined; path: string; index: number; key: string }
  const levels: Level[] = []
  const found: Problem[] = []
  const step = /["{}[\],]/g
  for (let match = step.exec(text); match && found.length < duplicatesListedMax; match = step.exec(text)) {
    const top = levels.at(-1)
    if (match[0] === '{' || match[0] === '[') {
      const path = top ? `${top.path}/${top.keys ? top.key : top.index}` : ''
      levels.push({ keys: match[0] === '{' ? new Set() : undefined, path, index: 0, key: '' })
    } else if (match[0] === '}' || match[0] === ']') levels.pop()
    else if (match[0] === ',') {
      if (top) top.index++
    } else {
      const close = closingQuote(text, match.index)
      step.lastIndex = close + 1
      if (!top?.keys || !/^\s*:/.test(text.slice(close + 1, close + 64))) continue
      const key = String(JSON.parse(text.slice(match.index, close + 1)))
      top.key = pointerPart(key)
      if (top.keys.has(key)) found.push(duplicate(`${top.path}/${top.key}`, key))
      top.keys.add(key)
    }
  }
  const [first, ...rest] = found
  return [first ?? duplicate('', ''), ...rest]
}

function duplicate(path: string, key: string): Problem {
  return {
    type: 'DUPLICATE_KEY',
    message: `${key === '' ? 'A key' : cut(key)} appears twice in one object`,
    path,
    hint: 'Send each key once',
  }
}

const readableKeyMax = 100

/**
 * The sender chooses the keys, and answers are stored: so keys are cut, and card numbers in them are masked.
 */
function cut(key: string): string {
  return key
    .slice(0, readableKeyMax)
    .toWellFormed()
    .replaceAll(/\p{Nd}(?:[^\p{L}\p{N}]{0,2}\p{Nd}){11,}/gu, '…')
}

/** A key in a form that fits into a sentence. */
export function readableKey(key: string): string {
  return cut(key).replaceAll(/\p{Cc}/gu, ' ')
}

/** A key as a displayable part of a JSON Pointer (RFC 6901). */
export function pointerPart(key: string): string {
  return cut(key).replaceAll('~', '~0').replaceAll('/', '~1')
}
