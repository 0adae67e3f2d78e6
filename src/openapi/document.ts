import Type from 'typebox'
import { routes, type RouteName } from '../contract.ts'
import { errorAnswer, refusesUnknownMembers, type Access, type PublicRoute } from '../http/route.ts'
import { callbackItems } from './callbacks.ts'
import { commonAnswers, commonHeaders, requestHeaders } from './common.ts'
import { furtherExamples, keyOf } from './further-examples.ts'
import { errorsBeyondShape } from './route-errors.ts'
import { remarks } from './route-remarks.ts'
import { errorsIn, openapiShapes, type ListedError, type Shape, type Shapes } from './shapes.ts'
import { introduction, tags } from './words.ts'
import recordedAnswers from './sample-answers.json' with { type: 'json' }

export type OpenApiOptions = {
  environment: 'sandbox' | 'production'
  /** The path below which proxies have the service, such as `/ari`. Absent: none. */
  pathPrefix?: string
}

type Json = Record<string, unknown>

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
/**
 * The recorded answers to the examples of each operation; test/documents/openapi.test.ts records them, and compares.
 */
const sampleAnswers: Readonly<Partial<Record<RouteName, readonly unknown[]>>> = recordedAnswers
const securities: Readonly<Record<Access, readonly Json[]>> = {
  supplier: [{ apiKey: [] }],
  platform: [{ platformToken: [] }],
  operator: [{ operatorToken: [] }],
  open: [],
}

/** The OpenAPI 3.1 document of the service, generated from the table of routes. */
export function openapiDocument({ environment, pathPrefix = '' }: OpenApiOptions): Json {
  const shapes = openapiShapes()
  const paths: Record<string, Json> = {}
  for (const name of routeNames()) {
    const described = withFurtherExamples(name)
    paths[described.path] = {
      ...paths[described.path],
      [described.method.toLowerCase()]: operation(name, described, shapes),
    }
  }
  const used = new Set(routeNames().map((name) => routeByName[name].access))
  return {
    openapi: '3.1.0',
    info: { title: 'ARI gateway', version: '1', description: introduction({ environment, pathPrefix }) },
    servers: [{ url: `${pathPrefix}/v1`, description: environment === 'sandbox' ? 'Sandbox' : 'Production' }],
    tags,
    paths,
    webhooks: callbackItems(shapes),
    components: {
      securitySchemes: securitySchemes(used),
      schemas: { ...shapes.components, Error: shapes.convert(errorAnswer) },
      headers: commonHeaders,
      parameters: requestHeaders,
      responses: commonAnswers,
    },
  }
}

function withFurtherExamples(name: RouteName): PublicRoute {
  const described = routeByName[name]
  const [first, ...others] = described.examples
  return { ...described, examples: [first, ...others, ...(furtherExamples[name] ?? [])] }
}

function routeNames(): RouteName[] {
  // The boundary: Object.keys drops the key type of the table.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
  return Object.keys(routes) as RouteName[]
}

function securitySchemes(used: ReadonlySet<Access>): Json {
  const bearer = (whose: string) => ({ type: 'http', scheme: 'bearer', description: `Token of ${whose}` })
  return {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Key of one supplier account' },
    ...(used.has('platform') ? { platformToken: bearer('the platform') } : {}),
    ...(used.has('operator') ? { operatorToken: bearer('an operator') } : {}),
  }
}

/** Every push takes one. */
function takesKey({ pushKind, takesIdempotencyKey }: PublicRoute): boolean {
  return pushKind !== undefined || takesIdempotencyKey === true
}

function operation(name: RouteName, described: PublicRoute, shapes: Shapes): Json {
  const { tag, summary, body, access } = described
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: description(name, described),
    security: securities[access],
    parameters: [
      ...parameters(described, shapes),
      ...(described.events === undefined ? [] : [{ $ref: '#/components/parameters/LastEventId' }]),
      ...(takesKey(described) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(body === undefined && described.transfers !== 'upload'
        ? []
        : [{ $ref: '#/components/parameters/ContentEncoding' }]),
      ...(described.transfers === 'upload' ? [{ $ref: '#/components/parameters/ContentRange' }] : []),
      ...(refusesUnknownMembers(described) ? [] : [{ $ref: '#/components/parameters/UnknownFields' }]),
      { $ref: '#/components/parameters/RequestId' },
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(described, shapes) }),
    ...(described.transfers === 'upload' ? { requestBody: { required: true, content: bytesContent } } : {}),
    responses: answers(name, described, shapes),
  }
}

function description(name: RouteName, described: PublicRoute): string {
  const errors = [
    ...(errorsBeyondShape[name] ?? []),
    ...errorsIn(described.body),
    ...errorsIn(described.query),
  ]
  return [
    described.description,
    folded('Errors of this operation', unique(errors)),
    folded('Warnings', remarks[name] ?? []),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/**
 * The guides describe the general ones (a wrong type, a missing member, …): only specific ones are listed.
 */
const generalTypes: ReadonlySet<string> = new Set(['REQUIRED', 'TOO_FEW', 'NOT_ALLOWED'])

function unique(errors: readonly ListedError[]): ListedError[] {
  const byText = new Map(
    errors
      .filter(({ type }) => !generalTypes.has(type))
      .map((error) => [`${error.type} ${error.message}`, error]),
  )
  return [...byText.values()]
}

/** Collapsed by default: there may be dozens, and the fields of the body come below them. */
function folded(title: string, errors: readonly ListedError[]): string {
  if (errors.length === 0) return ''
  const lines = errors.map(
    ({ type, message, hint }) => `- **${message}** \`${type}\`${hint === undefined ? '' : `  \n  ${hint}`}`,
  )
  return [`<details>`, `<summary>${title} (${errors.length})</summary>`, '', ...lines, '', `</details>`].join(
    '\n',
  )
}

function parameters(described: PublicRoute, shapes: Shapes): Json[] {
  const listed = (schema: unknown, place: 'query' | 'path'): Json[] => {
    const shape = schema === undefined ? {} : shapes.convert(schema)
    return Object.entries(recordOf(shape['properties'])).map(([name, member]) => {
      const { description: written, ...rest } = recordOf(member)
      const required = Array.isArray(shape['required']) && shape['required'].includes(name)
      return {
        name,
        in: place,
        required,
        ...(written === undefined ? {} : { description: written }),
        schema: rest,
        ...parameterExamples(described, name, rest['type'] === 'integer'),
      }
    })
  }
  return [...listed(described.params, 'path'), ...listed(described.query, 'query')]
}

function parameterExamples({ examples }: PublicRoute, parameter: string, isNumber: boolean): Json {
  const given = examples.flatMap((example) => {
    const request = { ...recordOf(example.request), ...recordOf(example.params) }
    const value = isNumber ? Number(request[parameter]) : request[parameter]
    return parameter in request ? [[keyOf(example), { summary: example.summary, value }]] : []
  })
  return given.length === 0 ? {} : { examples: Object.fromEntries(given) }
}

function requestBody({ body, isBodyOptional, examples }: PublicRoute, shapes: Shapes): Json {
  const rendered = examples.map(
    (example) => [keyOf(example), { summary: example.summary, value: example.request }] as const,
  )
  return {
    required: isBodyOptional !== true,
    content: { 'application/json': { schema: shapes.convert(body), examples: Object.fromEntries(rendered) } },
  }
}

function answers(name: RouteName, described: PublicRoute, shapes: Shapes): Json {
  const { answer, answers: further, errors, access, body } = described
  const common = (response: string) => ({ $ref: `#/components/responses/${response}` })
  const successes: [string, Shape][] = [[String(described.status ?? 200), shapes.convert(answer)]]
  for (const [status, shape] of Object.entries(further ?? {})) successes.push([status, shapes.convert(shape)])
  const refusal = (status: string): Shape => {
    const more = described.refusals?.[Number(status)]
    return more === undefined
      ? { $ref: '#/components/schemas/Error' }
      : shapes.convert(Type.Object({ ...errorAnswer.properties, ...more.properties }))
  }
  return {
    ...Object.fromEntries(
      successes.map(([status, shape]) => [
        status,
        {
          description: status === '207' ? 'Some items were applied, others not' : 'Success',
          headers: answerHeaders(described),
          content:
            described.transfers === 'download'
              ? bytesContent
              : {
                  'application/json': { schema: shape, ...answerExamples(name, described, status) },
                  ...eventsContent(described, status),
                },
        },
      ]),
    ),
    ...(body !== undefined && errors?.[400] === undefined ? { 400: common('BadRequest') } : {}),
    ...Object.fromEntries(
      Object.entries(errors ?? {}).map(([status, cause]) => [
        status,
        {
          description: cause,
          headers: answerHeaders(described),
          content: {
            'application/json': { schema: refusal(status), ...answerExamples(name, described, status) },
          },
        },
      ]),
    ),
    ...(access === 'open' ? {} : { 401: common('Unauthorized') }),
    ...(takesKey(described) && errors?.[409] === undefined ? { 409: common('IdempotencyKeyInUse') } : {}),
    ...(body === undefined ? {} : { 413: common('BodyTooLarge'), 415: common('UnsupportedMediaType') }),
    ...(takesKey(described) ? { 422: common('IdempotencyKeyReused') } : {}),
    ...(access === 'supplier' ? { 429: common('RateLimited') } : {}),
    500: common('InternalError'),
    503: common('Unavailable'),
  }
}

/** Lines of a first load or an export. */
const bytesContent = {
  'application/x-ndjson': { schema: { type: 'string' } },
  'text/csv': { schema: { type: 'string' } },
}

function eventsContent({ events }: PublicRoute, status: string): Json {
  if (events === undefined || status !== '200') return {}
  return { 'text/event-stream': { schema: { type: 'string' }, example: events } }
}

function answerHeaders(described: PublicRoute): Json {
  const { access } = described
  const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
  return {
    'x-request-id': header('RequestId'),
    ...(access === 'supplier'
      ? { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') }
      : {}),
    ...(takesKey(described) ? { 'Idempotency-Replayed': header('IdempotencyReplayed') } : {}),
  }
}

function answerExamples(name: RouteName, { examples }: PublicRoute, status: string): Json {
  const rendered = examples
    .map((example, index) => ({ example, whole: sampleAnswers[name]?.[index] }))
    .filter(({ example }) => String(example.answer.status) === status)
    .map(({ example, whole }) => [
      keyOf(example),
      { summary: example.summary, value: whole ?? example.answer.body },
    ])
  return rendered.length === 0 ? {} : { examples: Object.fromEntries(rendered) }
}

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
