import { isUtf8 } from 'node:buffer'
import { bodyNestingMax, bodyValuesMax } from './limits.ts'
import { Rejected, type Problem } from './rejected.ts'

const malformed = (hint: string): Rejected =>
  new Rejected(400, { type: 'MALFORMED_JSON', message: 'Request body is not valid JSON', path: '', hint })

/**
 * The value of a JSON body. Refused: bytes that are not UTF-8, malformed JSON, nesting beyond `bodyNestingMax`, more keys
 * or elements than `bodyValuesMax`, and an object that names a key twice (which JSON.parse would decide silently for the last).
 * `isQuoted`: whether the refusal may repeat some of the body.
 */
export function parseJson(body: Buffer, { isQuoted = true }: { isQuoted?: boolean } = {}): unknown {
  if (body.length === 0) throw malformed('Send a JSON body')
  if (!isUtf8(body)) throw malformed(encodingHint(body))
  const keysWritten = countKeys(body)
  const text = body.toString('utf8')
  const value = parsed(text, isQuoted)
  if (keysHeld(value) !== keysWritten) throw new Rejected(400, duplicateKeys(text))
  return value
}

const compressions: readonly { name: string; begin: Buffer }[] = [
  { name: 'gzip', begin: Buffer.of(0x1f, 0x8b) },
  { name: 'zstd', begin: Buffer.of(0x28, 0xb5, 0x2f, 0xfd) },
]

/** What compresses by itself may have forgotten to say so. */
function encodingHint(body: Buffer): string {
  const compression = compressions.find(({ begin }) => body.subarray(0, begin.length).equals(begin))
  return compression
    ? `The body is compressed: send the header Content-Encoding: ${compression.name} with it`
    : 'Encode the body as UTF-8'
}

function parsed(text: string, isQuoted: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's message repeats what stands around the fault.
    throw malformed(
      isQuoted && cause instanceof Error
        ? cause.message.toWellFormed().replaceAll('\0', ' ')
        : 'Check the body',
    )
  }
}

/** How many object keys the value holds, on all levels; how deep they go was bounded before the parse. */
function keysHeld(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') keys += keysHeld(element)
    return keys
  }
  for (const key in value) {
    keys++
    const member: unknown = Reflect.get(value, key)
    if (typeof member === 'object') keys += keysHeld(member)
  }
  return keys
}

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
/** `[` and `]` with this bit set are `{` and `}`. */
const braceBit = 32
const openBrace = 123
const closeBrace = 125

/**
 * How many keys valid JSON writes: the colons outside its strings. One loop over the bytes that keeps nothing, so
 * that a body that is too deep or too full is refused before the parse spends seconds on it.
 */
function countKeys(body: Buffer): number {
  let depth = 0
  let keys = 0
  let commas = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === quote) {
      // To the closing quote; what is escaped is stepped over.
      for (at++; at < body.length && body[at] !== quote; at++) if (body[at] === backslash) at++
    } else if (byte === comma) {
      if (++commas > bodyValuesMax) throw tooManyValues()
    } else if (byte === colon) {
      if (++keys > bodyValuesMax) throw tooManyValues()
    } else if (byte !== undefined && byte > colon) {
      const bracket = byte | braceBit
      if (bracket === openBrace) {
        if (++depth > bodyNestingMax) throw nestedTooDeeply()
      } else if (bracket === closeBrace) depth--
    }
  }
  return keys
}

function nestedTooDeeply(): Rejected {
  return new Rejected(400, {
    type: 'NESTED_TOO_DEEPLY',
    message: `Request body is nested deeper than ${bodyNestingMax} levels`,
    path: '',
    hint: 'Send the documented shape',
  })
}

function tooManyValues(): Rejected {
  return new Rejected(400, {
    type: 'TOO_MANY_VALUES',
    message: `Request body has more than ${bodyValuesMax} keys or elements`,
    path: '',
    hint: 'Split the push into several',
  })
}

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

/** Every key that stands twice in one object, by its path. */
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
    message: `${key === '' ? 'A key' : cut(key)} stands twice in one object`,
    path,
    hint: 'Send each key once',
  }
}

const keyShownMax = 100

/** Whoever sends a key chooses what it is, and answers are kept: none is long, or holds the number of a card. */
function cut(key: string): string {
  return key
    .slice(0, keyShownMax)
    .toWellFormed()
    .replaceAll(/\p{Nd}(?:[^\p{L}\p{N}]{0,2}\p{Nd}){11,}/gu, '…')
}

/** A key as a part of a JSON Pointer (RFC 6901), as it may be shown. */
export function pointerPart(key: string): string {
  return cut(key).replaceAll('~', '~0').replaceAll('/', '~1')
}
