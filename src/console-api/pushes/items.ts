import { isRecord } from '../../http/validation/validate.ts'
import type { PushKind } from '../../push-log/contract.ts'
import {
  itemCharactersMax,
  itemStatuses,
  type ItemStatus,
  type PushItem,
  type PushListed,
  type PushProblem,
} from './contract.ts'

/** The items of a push, each with its result. */

/** The member that contains the items of a body; '' is the body itself. Bodies of other kinds are one item. */
const listsByKind: Readonly<Partial<Record<PushKind, readonly string[]>>> = {
  hotels: [''],
  products: ['products'],
  taxes: ['taxes', 'products'],
  ari: ['ari'],
}

type ItemLocation = Span & { pointer: string; index: number }

export function itemLocations(kind: PushKind, body: string): ItemLocation[] {
  const lists = listsByKind[kind]
  if (!lists) return [{ pointer: '', index: 0, from: 0, to: body.length }]
  return lists.flatMap((list) => {
    const whole = list === '' ? { from: 0, to: body.length } : memberSpan(body, list)
    const spans = whole ? elementSpans(body, whole) : []
    return spans.map((span, index) => ({ ...span, pointer: `${list && `/${list}`}/${index}`, index }))
  })
}

/** The parts of an answer, if it has our format. */
type ReadAnswer = {
  errors: PushProblem[]
  moreErrors: number
  warnings: PushProblem[]
  /** By item index; ARI pushes only. */
  results: ReadonlyMap<number, Record<string, unknown>>
}

export function readAnswer(json: string): ReadAnswer {
  const response = parsed(json)
  const { errors, warnings, results, moreErrors } = isRecord(response) ? response : {}
  return {
    errors: problemsOf(errors),
    moreErrors: typeof moreErrors === 'number' ? moreErrors : 0,
    warnings: problemsOf(warnings),
    results: new Map(recordsOf(results).map((result) => [Number(result['index']), result])),
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Stored answers are ours; one that is not JSON has no results of items.
    return undefined
  }
}

function recordsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}

function problemsOf(list: unknown): PushProblem[] {
  return recordsOf(list).map(({ type, message, hint, path, value }) => ({
    type: typeof type === 'string' ? type : '',
    message: typeof message === 'string' ? message : '',
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof path === 'string' ? { path } : {}),
    ...(value === undefined ? {} : { value }),
  }))
}

type JudgedItem = ItemLocation & Omit<PushItem, 'text' | 'isCut'>

/** The result of each item. */
export function judgedItems(
  locations: readonly ItemLocation[],
  { outcome, kind }: Pick<PushListed, 'outcome' | 'kind'>,
  response: ReadAnswer,
): JudgedItem[] {
  const errors = byItem(response.errors, locations)
  const warnings = byItem(response.warnings, locations)
  return locations.map((location) => {
    const result = kind === 'ari' ? response.results.get(location.index) : undefined
    const own = result ? problemsOf(result['errors']) : (errors.get(location.pointer) ?? [])
    const cellsChanged = result?.['cellsChanged']
    return {
      ...location,
      status: statusOf(result) ?? statusInAll(outcome, own.length > 0),
      ...(typeof cellsChanged === 'number' ? { cellsChanged } : {}),
      errors: own,
      warnings: [...problemsOf(result?.['warnings']), ...(warnings.get(location.pointer) ?? [])],
    }
  })
}

function statusOf(result: Record<string, unknown> | undefined): ItemStatus | undefined {
  return itemStatuses.find((status) => status === result?.['status'])
}

/** For pushes that are applied completely or not at all. */
function statusInAll(outcome: PushListed['outcome'], hasErrors: boolean): ItemStatus {
  if (outcome === 'rejected') return hasErrors ? 'rejected' : 'notApplied'
  return outcome === 'unchanged' ? 'unchanged' : 'applied'
}

/** Problems by the pointer of their item. */
function byItem(
  problems: readonly PushProblem[],
  locations: readonly ItemLocation[],
): Map<string, PushProblem[]> {
  const pointers = new Set(locations.map(({ pointer }) => pointer))
  const problemsByPointer = new Map<string, PushProblem[]>()
  for (const problem of problems) {
    const pointer = itemPointer(problem.path ?? '', pointers)
    if (pointer === undefined) continue
    problemsByPointer.set(pointer, [...(problemsByPointer.get(pointer) ?? []), problem])
  }
  return problemsByPointer
}

/** The index of the item that a pointer leads to or into; -1 if none. */
export function indexOfPointer(items: readonly ItemLocation[], path: string): number {
  const pointer = itemPointer(path, new Set(items.map((item) => item.pointer)))
  return items.findIndex((item) => item.pointer === pointer)
}

function itemPointer(path: string, pointers: ReadonlySet<string>): string | undefined {
  const parts = path.split('/')
  for (const length of [3, 2, 1]) {
    const pointer = parts.slice(0, length).join('/')
    if (pointers.has(pointer)) return pointer
  }
  return undefined
}

export function itemWithText(body: string, { from, to, ...item }: JudgedItem): PushItem {
  return { ...item, ...laidOut(body.slice(from, to), itemCharactersMax) }
}

export function hasProblems({ errors, warnings, status }: JudgedItem): boolean {
  return errors.length > 0 || warnings.length > 0 || status === 'rejected'
}

/**
 * Splits and formats JSON text without parsing it into values, because 110.00 would come back as 110. The text must be
 * JSON that the service has parsed before.
 */

type Span = { from: number; to: number }

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
function elementSpans(text: string, whole: Span = { from: 0, to: text.length }): Span[] {
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
function memberSpan(text: string, member: string): Span | undefined {
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
