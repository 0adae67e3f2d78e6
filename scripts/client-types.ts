/**
 * Generates the text of packages/client/src/api.ts: the types of all bodies and answers and the table of
 * operations, derived from the contract, so that the client's package needs nothing of the service's source.
 * Tests keep the file up to date.
 */
import { laterRestrictions, lineRestrictions } from '../src/ari/digest/digest.ts'
import { isSwitch, limitsByZero, pushedRestrictions } from '../src/ari/restrictions.ts'
import { routes, type RouteName } from '../src/contract.ts'
import { openapiShapes, type Shape } from '../src/openapi/shapes.ts'
import type { Access, PublicRoute, Route } from '../src/http/route.ts'
import { priceCheckCallback } from '../src/price-check/callback-contract.ts'
import { detailsOf, refusals } from '../src/bookings/refusal-contract.ts'
import { deliveredReservation, pushBookingCallback } from '../src/bookings/callback-contract.ts'
import { isRecord } from '../src/http/validation/validate.ts'

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes

export function clientTypes(): string {
  const { convert, components } = openapiShapes()
  const parts = [
    "import type { CallOptions, Operation, UploadOptions } from './operations.ts'\nimport type { Data, FileStream } from './transfers.ts'",
    ...Object.entries(components).map(([name, shape]) => declared(name, shape)),
    ...names().flatMap((name) => typesOf(name, convert)),
    ...callbackTypes(convert),
    bookingRefusals(convert),
    callsOf('SupplierCalls', 'supplier'),
    callsOf('PlatformCalls', 'platform'),
    operationsTable('supplierOperations', 'supplier'),
    operationsTable('platformOperations', 'platform'),
    callbackShapes(),
    digestRules(),
  ]
  return `${parts.join('\n\n')}\n`
}

function names(): RouteName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
  return Object.keys(routes) as RouteName[]
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

type Converted = (schema: unknown) => Shape

function typesOf(name: RouteName, convert: Converted): string[] {
  const { body, query, params, answer, answers = {}, summary, path, method, transfers } = routeByName[name]
  const title = titleOf(name)
  return [
    ...(body === undefined ? [] : [declared(`${title}Body`, convert(body), summary)]),
    ...(query === undefined ? [] : [declared(`${title}Query`, convert(query), summary)]),
    ...(params === undefined ? [] : [declared(`${title}Params`, convert(params), summary)]),
    transfers === 'download'
      ? `${comment(`Of ${method} ${path}`)}export type ${title}Answer = FileStream`
      : declared(
          `${title}Answer`,
          choiceOf([answer, ...Object.values(answers)].map(convert)),
          `Of ${method} ${path}`,
        ),
  ]
}

/** A single shape in place of equal ones. */
function choiceOf(shapes: readonly Shape[]): Shape {
  const choices = shapes.flatMap((shape) =>
    Array.isArray(shape['anyOf']) ? shape['anyOf'].map(shapeOf) : [shape],
  )
  const distinct = [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()]
  const [only] = distinct
  return distinct.length === 1 && only ? only : { anyOf: distinct }
}

function callbackTypes(convert: Converted): string[] {
  return [
    declared('PriceCheckRequest', convert(priceCheckCallback.body)),
    declared('PriceCheckAnswer', convert(priceCheckCallback.answer)),
    declared('DeliveredReservation', convert(deliveredReservation)),
    declared('Delivery', convert(pushBookingCallback.body)),
  ]
}

/** A union by `type`, and what tells at run time whether an answer has the members. */
function bookingRefusals(convert: Converted): string {
  const kinds = Object.entries(refusals).map(([type, { always, sometimes }]) => {
    const members = shapeOf(convert(detailsOf(type))['properties'])
    const lines = [...always, ...sometimes].map((name) => {
      const shape = shapeOf(members[name])
      const mark = sometimes.some((one) => one === name) ? '?' : ''
      return `${comment(shape['description'])}${name}${mark}: ${printed(shape)}`
    })
    return `{\n${[`type: ${JSON.stringify(type)}`, 'problem: Problem', ...lines].join('\n')}\n}`
  })
  return `/** Why a booking, a change or a cancellation was refused with 409, with what its answer says. */
export type BookingRefusal = ${kinds.join(' | ')}

/** The members of each refusal beside its problem. */
export const bookingRefusals: Readonly<Record<BookingRefusal['type'], Readonly<Record<'always' | 'sometimes', readonly string[]>>>> = ${JSON.stringify(refusals)}`
}

function declared(name: string, shape: Shape, summary?: string): string {
  const summaryText = [summary, shape['description']].find((one) => typeof one === 'string')
  return `${comment(summaryText)}export type ${name} = ${printed(shape)}`
}

/**
 * The checks of an incoming call: members and types, and of string values only those that determine the
 * handling.
 */
function callbackShapes(): string {
  const shapes = {
    priceCheck: checked(priceCheckCallback.body),
    delivery: checked(pushBookingCallback.body),
  }
  return `/** The members that calls to your URLs must have. */
export const callbackShapes: Readonly<Record<'priceCheck' | 'delivery', CheckedShape>> = ${JSON.stringify(shapes)}

export type CheckedShape = { type: string; enum?: readonly string[]; required?: readonly string[]; properties?: Readonly<Record<string, CheckedShape>>; items?: CheckedShape }`
}

/** The restrictions of a night, in the order of a digest's line. */
function digestRules(): string {
  const rules = {
    switches: lineRestrictions.filter(isSwitch),
    limits: lineRestrictions.filter((name) => !isSwitch(name)),
    laterSwitches: laterRestrictions.filter(isSwitch),
    laterLimits: laterRestrictions.filter((name) => !isSwitch(name)),
    later: laterRestrictions,
    zeroLimits: pushedRestrictions.filter(limitsByZero),
  }
  const lines = Object.entries(rules).map(([key, listed]) => `  ${key}: ${JSON.stringify(listed)},`)
  return `/** The restrictions of a digest's line; \`later\` ones follow by name where they are set. 0 is a limit in \`zeroLimits\` alone. */
export const digestRules = {\n${lines.join('\n')}\n} as const`
}

function checked(schema: unknown, name = ''): Record<string, unknown> {
  if (!isRecord(schema)) throw new TypeError('a shape is an object')
  const { type, required, properties, items } = schema
  return {
    type,
    ...(name === 'status' ? { enum: schema['enum'] } : {}),
    ...(required === undefined ? {} : { required }),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, member]) => [key, checked(member, key)]),
          ),
        }
      : {}),
    ...(items === undefined ? {} : { items: checked(items) }),
  }
}

function namesOf(access: Access): RouteName[] {
  return names().filter((name) => routeByName[name].access === access)
}

/** The arguments of a call, in this order. */
function inputsOf(name: RouteName): ('params' | 'query' | 'body')[] {
  return (['params', 'query', 'body'] as const).filter((input) => routeByName[name][input] !== undefined)
}

function callsOf(type: string, access: Access): string {
  const members = namesOf(access).map((name) => {
    const title = titleOf(name)
    const isUpload = routeByName[name].transfers === 'upload'
    const inputs = inputsOf(name).map(
      (input) => `${input}${isOptional(input, routeByName[name]) ? '?' : ''}: ${title}${titleOf(input)}`,
    )
    const parameters = [
      ...inputs,
      ...(isUpload ? ['data: Data'] : []),
      `options?: ${isUpload ? 'UploadOptions' : 'CallOptions'}`,
    ].join(', ')
    return `${comment(routeByName[name].summary)}${name}: (${parameters}) => Promise<${title}Answer>`
  })
  return `export type ${type} = {\n${members.join('\n')}\n}`
}

function isOptional(input: string, { isBodyOptional }: Route): boolean {
  return input === 'query' || (input === 'body' && isBodyOptional === true)
}

function operationsTable(table: string, access: Access): string {
  const lines = namesOf(access).map((name) => {
    const { method, path, pushKind, takesIdempotencyKey, transfers } = routeByName[name]
    const isKeyed = pushKind !== undefined || takesIdempotencyKey === true
    const takes = [...inputsOf(name), ...(transfers === 'upload' ? ['data'] : [])]
    const operation = { name, method, path, takes, isKeyed, ...(transfers ? { transfers } : {}) }
    return `${name}: ${JSON.stringify(operation)},`
  })
  return `export const ${table}: Readonly<Record<string, Operation>> = {\n${lines.join('\n')}\n}`
}

function comment(text: unknown): string {
  return typeof text === 'string' ? `/** ${text.replaceAll('*/', '* /').replaceAll('\n', '\n * ')} */\n` : ''
}

function printed(shape: Shape): string {
  const { $ref, enum: values, const: constant, type } = shape
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const choices = [shape['anyOf'], shape['oneOf']].find((one): one is unknown[] => Array.isArray(one))
  if (choices) return choices.map((choice) => `(${printed(shapeOf(choice))})`).join(' | ')
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (type === undefined) return 'unknown'
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  return types.map((one) => printedType(String(one), shape)).join(' | ')
}

function printedType(type: string, shape: Shape): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `(${printed(shapeOf(shape['items']))})[]`
    case 'object':
      return printedObject(shape)
    default:
      throw new TypeError(`no type is known for ${type}`)
  }
}

function printedObject({ properties, required }: Shape): string {
  if (!isRecord(properties)) return 'Record<string, unknown>'
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const members = Object.entries(properties).map(([name, member]) => {
    const shape = shapeOf(member)
    return `${comment(shape['description'])}${name}${needed.includes(name) ? '' : '?'}: ${printed(shape)}`
  })
  return `{\n${members.join('\n')}\n}`
}

function shapeOf(value: unknown): Shape {
  if (!isRecord(value)) throw new TypeError('a shape is an object')
  return value
}
