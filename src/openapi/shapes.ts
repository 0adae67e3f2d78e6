import { routes } from '../contract.ts'
import { codePattern } from '../http/validation/characters.ts'
import { isRecord } from '../http/validation/validate.ts'
import type { ConstraintErrors } from '../http/route.ts'

/**
 * Translates the validating shapes to OpenAPI 3.1: our own keywords become descriptions, patterns and limits.
 */

export type Shape = Readonly<Record<string, unknown>>

/** Shapes with names of their own, also in generated clients. A shape comes after those it contains. */
const named: readonly (readonly [name: string, find: () => unknown])[] = [
  ['Problem', () => routes.pushHotels.answer.properties.warnings.items],
  ['Hotel', () => routes.pushHotels.body.items],
  ['StoredHotel', () => routes.getHotels.answer.properties.hotels.items],
  ['Occupancy', () => routes.pushProducts.body.properties.products.items.properties.occupancy],
  ['CancelPenalty', () => inside(routes.pushProducts.body, 'products', 'cancelPolicies', 'cancelPenalties')],
  ['CancelPolicy', () => inside(routes.pushProducts.body, 'products', 'cancelPolicies')],
  ['Product', () => routes.pushProducts.body.properties.products.items],
  ['Mapping', () => routes.getRoomRateMappings.answer.properties.mappings.items],
  ['Tax', () => inside(routes.pushTaxes.body, 'taxes')],
  ['ScopedTaxes', () => inside(routes.pushTaxes.body, 'products')],
  ['PriceLine', () => inside(routes.pushAri.body, 'ari', 'rates', 'prices')],
  ['RateLine', () => inside(routes.pushAri.body, 'ari', 'rates')],
  ['AriItem', () => inside(routes.pushAri.body, 'ari')],
  ['AriReading', () => inside(routes.pushAri.answer, 'results', 'readings')],
  ['AriItemResult', () => routes.pushAri.answer.properties.results.items],
  ['Push', () => routes.listPushes.answer.properties.pushes.items],
  ['Limits', () => routes.getLimits.answer.properties.limits],
]

/** The element shape of a list in an object, through any number of such levels. */
function inside(shape: unknown, ...members: readonly string[]): unknown {
  let found = shape
  for (const member of members) {
    const properties = isRecord(found) ? found['properties'] : undefined
    const list = isRecord(properties) ? properties[member] : undefined
    found = isRecord(list) ? list['items'] : undefined
  }
  return found
}

export type Shapes = {
  /** The shape for integrators, with references to the named ones. */
  convert: (schema: unknown) => Shape
  components: Readonly<Record<string, Shape>>
}

export function openapiShapes(): Shapes {
  const nameByText = new Map<string, string>()
  const convert = (schema: unknown): Shape => {
    const { definition, text } = define(schema)
    const name = nameByText.get(text)
    return name === undefined ? definition : { $ref: `#/components/schemas/${name}` }
  }
  const define = (schema: unknown): { definition: Shape; text: string } => {
    const definition = inWords(schema, convert)
    return { definition, text: JSON.stringify(definition) }
  }
  const components: Record<string, Shape> = {}
  for (const [name, find] of named) {
    const schema = find()
    if (!isRecord(schema)) throw new TypeError(`no shape for ${name}: a contract was changed`)
    const { definition, text } = define(schema)
    components[name] = definition
    nameByText.set(text, name)
  }
  return { convert, components }
}

/** Made once: it takes some milliseconds. */
let patternOfCodes: string | undefined

const decimalPatterns = {
  any: '^-?(?:0|[1-9][0-9]{0,17})(?:\\.[0-9]{1,12})?$',
  atLeastZero: '^(?:0|[1-9][0-9]{0,17})(?:\\.[0-9]{1,12})?$',
}

const ownKeywords: ReadonlySet<string> = new Set([
  'errors',
  'secret',
  'withoutCards',
  'form',
  'notBlank',
  'alsoCalled',
  'emptyIsAbsent',
  'ignored',
  'readAs',
])

function inWords(schema: unknown, convert: (schema: unknown) => Shape): Shape {
  if (!isRecord(schema)) throw new TypeError('a shape is an object')
  const { readAs, description } = schema
  if (isRecord(readAs)) return { ...readAs, description }
  const { printable, night, decimal, properties, items, anyOf, ...rest } = schema
  const written: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(rest)) {
    if (!ownKeywords.has(keyword) && !isSafeIntegerBound(keyword, value)) written[keyword] = value
  }
  if (printable === 'code') written['pattern'] = patternOfCodes ??= codePattern()
  if (night === true) written['examples'] ??= ['2027-04-15']
  if (decimal === 'any' || decimal === 'atLeastZero') {
    written['pattern'] = decimalPatterns[decimal]
    written['examples'] ??= [10, '2.50']
    if (decimal === 'atLeastZero') written['minimum'] = 0
  }
  if (isRecord(properties)) {
    const members = Object.entries(properties).map(([name, member]) => [name, convert(member)] as const)
    written['properties'] = Object.fromEntries(members)
  }
  if (items !== undefined) written['items'] = convert(items)
  if (Array.isArray(anyOf)) written['anyOf'] = anyOf.map(convert)
  return apart(withoutUnion(written))
}

/** These bounds keep numbers exact, and mean nothing to a reader. */
function isSafeIntegerBound(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  )
}

/** Merges a choice of a plain type or null into one list of types, which every viewer displays better. */
function withoutUnion({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(anyOf)) return { ...rest }
  const choices: readonly unknown[] = anyOf
  const [one, other] = choices
  const isNullable = choices.length === 2 && isRecord(one) && isRecord(other) && other['type'] === 'null'
  if (!isNullable || typeof one['type'] !== 'string') return { anyOf, ...rest }
  return { ...one, type: [one['type'], 'null'], ...rest }
}

const listKeywords: ReadonlySet<string> = new Set(['items', 'minItems', 'maxItems', 'uniqueItems'])
const objectKeywords: ReadonlySet<string> = new Set(['properties', 'required'])

/** Splits "an object or a list" into two shapes to choose from. */
function apart(schema: Record<string, unknown>): Shape {
  const { type, description, ...rest } = schema
  if (!Array.isArray(type) || !type.includes('object') || !type.includes('array')) return schema
  const only = (keywords: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(rest).filter(([keyword]) => keywords.has(keyword)))
  return {
    ...(description === undefined ? {} : { description }),
    oneOf: [
      { type: 'object', ...only(objectKeywords) },
      { type: 'array', ...only(listKeywords) },
    ],
  }
}

export type ListedError = { type: string; message: string; hint?: string }

/** The messages beside the constraints of a shape. */
export function errorsIn(schema: unknown): ListedError[] {
  if (!isRecord(schema)) return []
  const { errors, properties, items, anyOf } = schema
  const inner = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...listOf(anyOf),
  ]
  // The boundary: contracts write this annotation typed, in http/route.ts.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  const own = isRecord(errors) ? Object.values(errors as ConstraintErrors) : []
  return [...own, ...inner.flatMap(errorsIn)]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
