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

export type ItemPlace = Span & { pointer: string; index: number }

export function itemPlaces(kind: PushKind, body: string): ItemPlace[] {
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
  const said = parsed(json)
  const { errors, warnings, results, moreErrors } = isRecord(said) ? said : {}
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

export type JudgedItem = ItemPlace & Omit<PushItem, 'text' | 'isCut'>

/** The result of each item. */
export function judgedItems(
  places: readonly ItemPlace[],
  { outcome, kind }: Pick<PushListed, 'outcome' | 'kind'>,
  said: ReadAnswer,
): JudgedItem[] {
  const errors = byItem(said.errors, places)
  const warnings = byItem(said.warnings, places)
  return places.map((place) => {
    const result = kind === 'ari' ? said.results.get(place.index) : undefined
    const own = result ? problemsOf(result['errors']) : (errors.get(place.pointer) ?? [])
    const cellsChanged = result?.['cellsChanged']
    return {
      ...place,
      status: statusOf(result) ?? statusInAll(outcome, own.length > 0),
      ...(typeof cellsChanged === 'number' ? { cellsChanged } : {}),
      errors: own,
      warnings: [...problemsOf(result?.['warnings']), ...(warnings.get(place.pointer) ?? [])],
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
function byItem(problems: readonly PushProblem[], places: readonly ItemPlace[]): Map<string, PushProblem[]> {
  const pointers = new Set(places.map(({ pointer }) => pointer))
  const found = new Map<string, PushProblem[]>()
  for (const problem of problems) {
    const pointer = itemPointer(problem.path ?? '', pointers)
    if (pointer === undefined) continue
    found.set(pointer, [...(found.get(pointer) ?? []), problem])
  }
  return found
}

/** The index of the item that a pointer leads to or into; -1 if none. */
export function indexOfPointer(items: readonly ItemPlace[], path: string): number {
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

export function shownItem(body: string, { from, to, ...item }: JudgedItem): PushItem {
  return { ...item, ...laidOut(body.slice(from, to), itemCharactersMax) }
}

export function hasProblems({ errors, warnings, status }: JudgedItem): boolean {
  return errors.length > 0 || warnings.length > 0 || status === 'rejected'
}
