/**
 * Splits and formats JSON text without parsing it into values, because 110.00 would come back as 110. The text must be
 * JSON that the service has parsed before.
 */

export type Span = { from: number; to: number }

const blanks = /[ \t\n\r]*/y
const scalar = /[^,\]}\s]*/y

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}

function stringEnd(text: string, at: number): number {
  for (let end = at + 1; ; end++) {
    const sign = text[end]
    if (sign === '"' || sign === undefined) return end + 1
    if (sign === '\\') end++
  }
}

/** The position after the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  const first = text[at]
  if (first === '"') return stringEnd(text, at)
  if (first !== '{' && first !== '[') return after(scalar, text, at)
  let depth = 0
  for (let end = at; end < text.length; end++) {
    const sign = text[end]
    if (sign === '"') end = stringEnd(text, end) - 1
    else if (sign === '{' || sign === '[') depth++
    else if ((sign === '}' || sign === ']') && --depth === 0) return end + 1
  }
  return text.length
}

/** The elements of an array; empty if the value is not an array. */
export function elementSpans(text: string, whole: Span = { from: 0, to: text.length }): Span[] {
  const begin = after(blanks, text, whole.from)
  if (text[begin] !== '[') return []
  const spans: Span[] = []
  let at = after(blanks, text, begin + 1)
  while (at < whole.to && text[at] !== ']') {
    const to = valueEnd(text, at)
    spans.push({ from: at, to })
    at = after(blanks, text, to)
    if (text[at] === ',') at = after(blanks, text, at + 1)
  }
  return spans
}

/** The value of a member, if the text is an object. */
export function memberSpan(text: string, member: string): Span | undefined {
  const begin = after(blanks, text, 0)
  if (text[begin] !== '{') return undefined
  let at = after(blanks, text, begin + 1)
  while (at < text.length && text[at] !== '}') {
    const nameEnd = stringEnd(text, at)
    const name: unknown = JSON.parse(text.slice(at, nameEnd))
    const from = after(blanks, text, after(blanks, text, nameEnd) + 1)
    const to = valueEnd(text, from)
    if (name === member) return { from, to }
    at = after(blanks, text, to)
    if (text[at] === ',') at = after(blanks, text, at + 1)
  }
  return undefined
}

/** One member per line, indented by two spaces per level; cut after the maximum length. */
export function laidOut(text: string, charactersMax: number): { text: string; isCut: boolean } {
  let out = ''
  let depth = 0
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (let at = after(blanks, text, 0); at < text.length; at = after(blanks, text, at)) {
    if (out.length > charactersMax) return { text: out.slice(0, charactersMax), isCut: true }
    const sign = text[at] ?? ''
    const next = text[after(blanks, text, at + 1)]
    if ((sign === '{' && next === '}') || (sign === '[' && next === ']')) {
      out += sign + next
      at = after(blanks, text, at + 1) + 1
    } else if (sign === '{' || sign === '[') {
      depth++
      out += sign + line()
      at++
    } else if (sign === '}' || sign === ']') {
      depth--
      out += line() + sign
      at++
    } else if (sign === ',') {
      out += sign + line()
      at++
    } else if (sign === ':') {
      out += ': '
      at++
    } else {
      const end = sign === '"' ? stringEnd(text, at) : Math.max(at + 1, after(/[^,:\]}\s]*/y, text, at))
      out += text.slice(at, end)
      at = end
    }
  }
  return out.length > charactersMax
    ? { text: out.slice(0, charactersMax), isCut: true }
    : { text: out, isCut: false }
}
