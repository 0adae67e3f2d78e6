import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { counted } from '../../base/counted.ts'
import { carryExample } from '../field-examples.ts'
import { ajvAll, ajvFirst } from './ajv.ts'
import { pointerPart } from './json.ts'
import { problemsListedMax, reportedValue, type Problem } from '../rejected.ts'
import type { ConstraintError, ConstraintErrors } from '../route.ts'
import { nearestName } from './spelling.ts'
import { typeName, whatToSend, wrongTypeHint } from './what-to-send.ts'

/** The problems of a value. */
export type Judgement = {
  problems: Problem[]
  /**
   * There was too much to name everything: only the first problems are listed; other places may be wrong too.
   */
  isCoarse: boolean
  /** The number of further problems that are not listed. */
  unlisted: number
}

export type Validator<S extends TSchema> = {
  /** Compiles the schema; otherwise the first value would have to wait for that. */
  prepare: () => void
  matches: (value: unknown) => value is Static<S>
  /**
   * `at` is the JSON Pointer of the value in the request; by default the value is the whole request. `judge`
   * spends the `budget`; values that are validated one by one share it.
   */
  judge: (value: unknown, at?: string, budget?: JudgingBudget) => Judgement
}

/**
 * How much of a request may still be searched for problems, and for how many of them a near name is looked up.
 */
export type JudgingBudget = { elements: number; problems: number; hints: number }

/**
 * Listing every problem of a request with more array elements than this could take seconds and a gigabyte.
 */
const elementsJudgedMax = 20_000
/** Per request by default; naming tens of thousands takes a tenth of a second. */
const problemsNamedMax = 1_000

export function judgingBudget({ problems }: Pick<JudgingBudget, 'problems'>): JudgingBudget {
  return { elements: elementsJudgedMax, problems, hints: problemsListedMax }
}

export function validator<S extends TSchema>(schema: S): Validator<S> {
  let compiled: ValidateFunction<Static<S>> | undefined
  // Compiled at the first invalid value: it is rarely needed, and compiling costs time at the start.
  let all: ValidateFunction<Static<S>> | undefined
  const compile = (): ValidateFunction<Static<S>> => (compiled ??= ajvFirst.compile<Static<S>>(schema))
  return {
    prepare: () => void compile(),
    matches: (value): value is Static<S> => compile()(value),
    judge: (value, at = '', budget = judgingBudget({ problems: problemsNamedMax })) => {
      const first = compile()
      if (first(value)) return { problems: [], isCoarse: false, unlisted: 0 }
      const elements = budget.problems > 0 ? elementsIn(value, budget.elements) : Infinity
      if (elements > budget.elements) return { ...problemsOf(first.errors, at, budget), isCoarse: true }
      budget.elements -= elements
      all ??= ajvAll.compile<Static<S>>(lengthsFirst(schema))
      all(value)
      const found = problemsOf(all.errors, at, budget)
      budget.problems -= found.problems.length
      const isUnseen = all.errors?.some(({ keyword }) => keyword === 'maxItems') === true
      return { ...found, isCoarse: isUnseen || found.unlisted > 0 }
    },
  }
}

/**
 * The schema, changed to skip the elements of a list that is too long: its length alone refuses it, and
 * finding every problem of tens of thousands of elements would block the process for seconds.
 */
function lengthsFirst<S>(schema: S): S
function lengthsFirst(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown): unknown => lengthsFirst(part))
  if (!isRecord(schema)) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, lengthsFirst(part)]))
  carryExample(schema, copy)
  const { type, maxItems, items, ...others } = copy
  if (type !== 'array' || typeof maxItems !== 'number' || items === undefined) return copy
  return { ...others, type, maxItems, if: { minItems: maxItems + 1 }, else: { items } }
}

/**
 * The number of array elements in a value, on all levels; stops counting beyond `most`. The parse has already
 * limited the value's nesting.
 */
function elementsIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let elements = Array.isArray(value) ? value.length : 0
  if (elements > most) return elements
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const member of members) {
    if (typeof member === 'object') elements += elementsIn(member, most - elements)
    if (elements > most) return elements
  }
  return elements
}

/**
 * A validated value without the parts that have problems: such members are left out, and such list elements
 * become undefined, so that the others keep their positions. The rest has the shape, unless a list lacks an
 * element.
 */
export function wellFormedPart(value: unknown, problems: readonly Problem[], at = ''): unknown {
  const paths = problems.map(({ path = '' }) => path.slice(at.length).split('/').slice(1).map(nameOf))
  return without(value, paths)
}

function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((names) => names.length === 0)) return undefined
  const pathsByName = new Map<string, string[][]>()
  for (const [name = '', ...names] of paths) {
    const within = pathsByName.get(name)
    if (within) within.push(names)
    else pathsByName.set(name, [names])
  }
  const part = (name: string, member: unknown): unknown => {
    const within = pathsByName.get(name)
    return within ? without(member, within) : member
  }
  if (Array.isArray(value)) return value.map((element: unknown, index) => part(String(index), element))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, part(name, member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

/** A value of the wrong type also violates its enum: one problem is enough. */
function problemsOf(
  errors: readonly ErrorObject[] | null | undefined,
  at: string,
  budget: JudgingBudget,
): Pick<Judgement, 'problems' | 'unlisted'> {
  // `if` only reports that its branch failed; the errors inside the branch are reported by themselves.
  const found = (errors ?? []).filter(({ keyword }) => keyword !== 'if')
  const wrongTypes = new Set(
    found.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])),
  )
  const relevant = found.filter(
    ({ keyword, instancePath }) => keyword !== 'enum' || !wrongTypes.has(instancePath),
  )
  const named = relevant.slice(0, Math.max(1, budget.problems))
  return {
    problems: named.map((error) => problemOf(error, `${at}${error.instancePath}`, budget)),
    unlisted: relevant.length - named.length,
  }
}

function problemOf(error: ErrorObject, place: string, budget: JudgingBudget): Problem {
  const schema = isRecord(error.parentSchema) ? error.parentSchema : {}
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty'])
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    const member = isRecord(properties[missing]) ? properties[missing] : {}
    const misspelling = budget.hints-- > 0 ? misspeltHint(missing, properties, error.data) : undefined
    const hint = misspelling ?? whatToSend(missing, member)
    const own = chosen(member, 'required') ?? { type: 'REQUIRED', message: `${missing} is required`, hint }
    return { ...own, path: `${place}/${pointerPart(missing)}` }
  }
  const own = chosen(schema, error.keyword)
  const described = own ?? general(error, lastName(place), schema)
  // A value that may contain a secret is not repeated, not even an invalid one.
  const isRepeated = schema['secret'] !== true && schema['withoutCards'] !== true
  const value = isRepeated ? { value: reportedValue(error.data) } : {}
  return { ...described, path: place, ...value }
}

/** A hint if an unknown member was sent under a name close to the missing one. */
function misspeltHint(
  missing: string,
  properties: Record<string, unknown>,
  sent: unknown,
): string | undefined {
  const unknown = Object.keys(isRecord(sent) ? sent : {}).filter((name) => !Object.hasOwn(properties, name))
  const candidate = unknown
    .slice(0, unknownLookedAtMax)
    .find((name) => nearestName(name, [missing]) !== undefined)
  return candidate === undefined ? undefined : `Send ${missing}: ${candidate} was sent, which is not known`
}

/** Per object. */
const unknownLookedAtMax = 50

function chosen(schema: Record<string, unknown>, keyword: string): ConstraintError | undefined {
  const errors = schema['errors']
  if (!isRecord(errors)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Contracts write this annotation, typed by route.ts.
  const table = errors as ConstraintErrors
  return table[keyword] ?? table['*']
}

function general(error: ErrorObject, name: string, schema: Record<string, unknown>): ConstraintError {
  const limit = Number(error.params['limit'])
  const allowed = Array.isArray(schema['enum']) ? schema['enum'].join(', ') : ''
  switch (error.keyword) {
    case 'type':
      return {
        type: 'WRONG_TYPE',
        message: `${name} must be ${typeName(schema['type'])}`,
        hint: wrongTypeHint(schema, error.data),
      }
    case 'enum':
      return {
        type: 'NOT_ALLOWED',
        message: `${name} must be one of ${allowed}`,
        hint: 'Values are case-sensitive',
      }
    case 'minimum':
      return { type: 'OUT_OF_RANGE', message: `${name} must be greater than or equal to ${limit}` }
    case 'exclusiveMinimum':
      return { type: 'OUT_OF_RANGE', message: `${name} must be greater than ${limit}` }
    case 'maximum':
      return { type: 'OUT_OF_RANGE', message: `${name} must be less than or equal to ${limit}` }
    case 'minLength':
      return { type: 'TOO_SHORT', message: `${name} must not be empty` }
    case 'notBlank':
      return {
        type: 'TOO_SHORT',
        message: `${name} must not be blank`,
        hint: 'Send a name that people can read',
      }
    case 'maxLength':
      return { type: 'TOO_LONG', message: `${name} must have at most ${limit} characters` }
    case 'minItems':
      return {
        type: 'TOO_FEW',
        message: `${name} must have at least ${counted(Number(limit), 'element')}`,
      }
    case 'maxItems':
      return { type: 'TOO_MANY', message: `${name} must have at most ${limit} elements` }
    case 'uniqueItems':
      return { type: 'DUPLICATE', message: `${name} must not repeat an element` }
    case 'night':
      return {
        type: 'INVALID_DATE',
        message: `${name} must be a date in the form YYYY-MM-DD`,
        hint: 'For example 2027-04-15',
      }
    case 'decimal':
      return {
        type: 'INVALID_AMOUNT',
        message: `${name} must be a number or a decimal string${schema['decimal'] === 'any' ? '' : ' greater than or equal to zero'}`,
        hint: 'For example 110 or "110.50"',
      }
    case 'withoutCards':
      return {
        type: 'CARD_IN_NOTE',
        message: 'A note or a reason must not contain a card number',
        hint: 'Leave out the number; its last four digits are enough',
      }
    case 'printable':
      return {
        type: 'INVALID_CHARACTERS',
        message: `${name} has characters that cannot be stored`,
        hint: unprintableHint(schema),
      }
    default:
      return { type: 'INVALID', message: `${name} is not valid` }
  }
}

function unprintableHint({ printable }: Record<string, unknown>): string {
  return printable === 'code'
    ? 'Remove invisible characters, control characters and spaces at the ends'
    : 'Remove control characters and lone surrogates'
}

/** The last name in a pointer, as the beginning of a sentence. An element of a list takes the list's name. */
function lastName(pointer: string): string {
  const parts = pointer.split('/')
  const named = parts.findLast((part) => part !== '' && !/^\d+$/.test(part))
  if (/^\d+$/.test(parts.at(-1) ?? ''))
    return `An element of ${named === undefined ? 'the request body' : nameOf(named)}`
  return named === undefined ? 'Request body' : nameOf(named)
}

function nameOf(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
