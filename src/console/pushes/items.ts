import { isRecord } from '../../http/validate.ts'
import type { PushKind } from '../../push-log/contract.ts'
import { elementSpans, laidOut, memberSpan, type Span } from './json-text.ts'
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

export type ItemLocation = Span & { pointer: string; index: number }

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
export type ReadAnswer = {
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

export type JudgedItem = ItemLocation & Omit<PushItem, 'text' | 'isCut'>

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
