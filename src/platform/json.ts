import { isUtf8 } from 'node:buffer'
import { Rejected, type Problem } from './rejected.ts'

/** Deeper than any shape of the contract; a body nested further is refused before anything recurses into it. */
export const nestingMax = 32

const malformed = (hint: string): Rejected =>
  new Rejected(400, { type: 'MALFORMED_JSON', message: 'Request body is not valid JSON', path: '', hint })

/**
 * The value of a JSON body. Refused: bytes that are not UTF-8, malformed JSON, nesting beyond `nestingMax`,
 * and an object that names a key twice (which JSON.parse would decide silently for the last).
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed('Send a JSON body')
  if (!isUtf8(body)) throw malformed('Encode the body as UTF-8')
  const text = body.toString('utf8')
  const value = parsed(text)
  if (keysHeld(value, 1) !== keysWritten(text)) throw new Rejected(400, duplicateKeys(text))
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformed(
      cause instanceof Error ? cause.message.toWellFormed().replaceAll('\0', ' ') : 'Check the body',
    )
  }
}

/** How many object keys the value holds, on all levels. */
function keysHeld(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > nestingMax) {
    throw new Rejected(400, {
      type: 'NESTED_TOO_DEEPLY',
      message: `Request body is nested deeper than ${nestingMax} levels`,
      path: '',
      hint: 'Send the documented shape',
    })
  }
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') keys += keysHeld(element, depth + 1)
    return keys
  }
  for (const key in value) {
    keys++
    const member: unknown = Reflect.get(value, key)
    if (typeof member === 'object') keys += keysHeld(member, depth + 1)
  }
  return keys
}

const backslash = 92
const colon = 58

/**
 * How many keys valid JSON writes: the strings that a colon follows. Hops from quote to quote, so it costs a
 * fraction of the parse; it only counts, the slow search for the name runs when the counts differ.
 */
function keysWritten(text: string): number {
  let keys = 0
  let open = text.indexOf('"')
  while (open !== -1) {
    const close = closingQuote(text, open)
    let next = close + 1
    let character = text.charCodeAt(next)
    while (character === 32 || character === 10 || character === 13 || character === 9) {
      character = text.charCodeAt(++next)
    }
    if (character === colon) keys++
    open = text.indexOf('"', next)
  }
  return keys
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
    message: `${key === '' ? 'A key' : key.slice(0, 100).toWellFormed()} stands twice in one object`,
    path: path.toWellFormed(),
    hint: 'Send each key once',
  }
}

/** A key as a part of a JSON Pointer (RFC 6901). */
export function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
