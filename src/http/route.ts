import { noteExamples } from './field-examples.ts'
import Type, { type Static, type TObject, type TSchema } from 'typebox'

/**
 * Defines routes, and the vocabulary in which contracts describe shapes. Everything visible from outside
 * (validation, types, messages, OpenAPI, the client) and the key matrix of the tests are derived from these
 * tables, so code that runs without a server may import this file.
 */

/**
 * Allowed callers. `supplier`: by x-api-key; `platform`: by bearer token; `operator`: by a console session or
 * a bearer token; `open`: anybody.
 */
const accesses = ['supplier', 'platform', 'operator', 'open'] as const
export type Access = (typeof accesses)[number]

/** The roles of operators: each includes the rights of those before it. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const
export type OperatorRole = (typeof operatorRoles)[number]

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
type Method = (typeof methods)[number]

export type Example = {
  summary: string
  /** Body of the request; query for GET. A test sends it and compares the answer's `code` and `message`. */
  request: unknown
  /** Path parameters, if there is a body too; otherwise they are part of `request`. */
  params?: Readonly<Record<string, string>>
  answer: { status: number; body: Record<string, unknown> }
}

export type Route = {
  method: Method
  /** Relative to its `basePathOf`, with `{name}` for parameters. */
  path: string
  /** Set for routes of the console's own API. */
  isConsole?: true
  access: Access
  /** Also allowed before an operator has set up the second factor that their account requires. */
  isBeforeSecondFactor?: true
  /** The lowest role that an operator needs; `viewer` by default. */
  role?: OperatorRole
  /**
   * Also for people of a supplier: `oneself`: it concerns their own account; `own`: it gets their supplier's data
   * alone; `command`: it does for the supplier of its path what that supplier's key may do (supplier-scope.ts). Without
   * it they are refused.
   */
  forSuppliers?: 'oneself' | 'own' | 'command'
  /** The lowest role that people of a supplier need, if it differs from `role`. */
  roleOfSuppliers?: OperatorRole
  body?: TSchema
  /** Whether a request without a body means `{}`. */
  isBodyOptional?: true
  query?: TSchema
  /** As `refusesUnknownMembers`, for a supplier's or an operator's route. */
  refusesUnknown?: true
  params?: TSchema
  answer: TSchema
  /** The status of that answer; 200 by default. */
  status?: 201
  /** Further 2xx answers besides 200, by status. */
  answers?: Readonly<Record<number, TSchema>>
  /** Its request (`upload`) or its answer (`download`) is bytes of these types, not JSON; refusals are JSON. */
  transfers?: 'upload' | 'download'
  /** The format of its server-sent events, which are sent if `Accept: text/event-stream` asks for them. */
  events?: string
  /** Statuses that a caller must expect besides the general ones, with their causes. */
  errors?: Readonly<Record<number, string>>
  /** Further members of refusals with these statuses, besides their problems. */
  refusals?: Readonly<Record<number, TObject>>
  /** Whether a repeat with the same Idempotency-Key gets the stored answer; pushes always take one. */
  takesIdempotencyKey?: true
  /** Kind under which the push log keeps the request; absent for reads. */
  pushKind?: string
}

/** A route that external programs use: it is in /openapi.json, with examples that a test sends. */
export type PublicRoute = Route & {
  tag: string
  summary: string
  description: string
  examples: readonly [Example, ...Example[]]
}

export function route<const R extends PublicRoute>(described: R): R {
  const accepted = described.examples.filter(({ answer }) => answer.status < 300)
  for (const { request } of accepted) noteExamples(described.body, request)
  return described
}

type ConsoleRoute = Omit<Route, 'access' | 'answer' | 'isConsole'>

/** A route of the console's own API. Its answer is only a type: only the console reads it. */
export function consoleRoute<AnswerBody>() {
  return <const R extends ConsoleRoute>(described: R) => ({
    ...described,
    access: 'operator' as const,
    isConsole: true as const,
    answer: Type.Unsafe<AnswerBody>({}),
  })
}

/** A console route for visitors who haven't signed in yet. */
export function openConsoleRoute<AnswerBody>() {
  return <const R extends Omit<ConsoleRoute, 'role'>>(described: R) => ({
    ...described,
    access: 'open' as const,
    isConsole: true as const,
    answer: Type.Unsafe<AnswerBody>({}),
  })
}

/**
 * Whether unknown members and parameters are always refused: they may have been meant to narrow the call. So is each call of
 * the platform: a filter that is ignored shows everybody's reservations.
 */
export function refusesUnknownMembers({ access, refusesUnknown }: Route): boolean {
  return access === 'platform' || refusesUnknown === true
}

export function basePathOf({ isConsole }: Pick<Route, 'isConsole'>): string {
  return isConsole ? '/console/api' : '/v1'
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise
export type BodyOf<R extends Route> = StaticOr<R['body'], undefined>
export type QueryOf<R extends Route> = StaticOr<R['query'], Record<string, never>>
export type ParamsOf<R extends Route> = StaticOr<R['params'], Record<string, never>>
export type AnswerOf<R extends Route> = Static<R['answer']>

/** The errors reported for broken constraints, keyed by it (`required`, `minimum`, …, `*`). */
export type ConstraintError = { type: string; message: string; hint?: string }
export type ConstraintErrors = Readonly<Record<string, ConstraintError>>

type Described = {
  description?: string
  /** What a string says, where that has a form: `an ISO 8601 duration`. */
  form?: string
  errors?: ConstraintErrors
  examples?: readonly unknown[]
  /** No answer repeats the value, not even an invalid one. */
  secret?: boolean
  /** Blanks alone are no value. */
  notBlank?: true
  /** A text that is stored as it is, for others to read: it must not contain a card number, and no answer repeats it. */
  withoutCards?: true
  /** Names for it that are common elsewhere in the trade: a caller that sends one gets a hint to use this. */
  alsoCalled?: readonly string[]
  /** A number in a query, which is text: the handler converts it, the documentation shows it as a number. */
  readAs?: Readonly<{ type: 'integer'; minimum: number; maximum: number; default?: number }>
}

/** Members of every answer. Contracts can ignore them, so that an answer may be edited and posted back. */
export const answerMembers = ['code', 'message', 'requestId', 'revision', 'warnings', 'moreWarnings'] as const

/** The specification's envelope: the key identifies the sender, so the body's own statement is ignored. */
export const envelopeMembers = ['channelManagerId'] as const

const textMaxLength = 2_000

/** Text that is stored: well-formed Unicode without control characters (PostgreSQL refuses NUL). */
export function text(options: Described & { minLength?: number; maxLength?: number } = {}) {
  return Type.String({ minLength: 1, maxLength: textMaxLength, printable: 'text', ...options })
}

/** A name that people read: blanks alone are none. */
export function nameText(options: Described & { maxLength?: number } = {}) {
  return text({ notBlank: true, ...options })
}

/** The same for multi-line text: line breaks and tabs are kept. */
export function lines(options: Described & { maxLength?: number } = {}) {
  return Type.String({ minLength: 1, maxLength: textMaxLength, printable: 'lines', ...options })
}

/** An optional parameter of a query. */
export function queryText(description?: string) {
  return Type.Optional(text({ ...(description === undefined ? {} : { description }), maxLength: 200 }))
}

/** A supplier's own code: 1–64 printable characters, case-sensitive. */
export function code(options: Described = {}) {
  return Type.String({ minLength: 1, maxLength: 64, printable: 'code', ...options })
}

/** The text of a number: in a query everything is text, also what callers state as a number. */
export type NumberText = string & { readonly isOfNumber: true }

/** A number in a query. */
export function queriedInteger(
  description: string,
  range: { minimum: number; maximum: number; default?: number },
) {
  return Type.Optional(
    Type.Unsafe<NumberText>(text({ description, maxLength: 200, readAs: { type: 'integer', ...range } })),
  )
}

/** The maximum number of rows per page. */
export function queriedLimit(rows: string, { max, usual }: { max: number; usual: number }) {
  const description = `Maximum number of ${rows}: 1 to ${max}, ${usual} by default`
  return queriedInteger(description, { minimum: 1, maximum: max, default: usual })
}

/** A night or a day, `YYYY-MM-DD`, a real date between 2000-01-01 and 2199-12-31. */
export function date(options: Described = {}) {
  return Type.String({ night: true, format: 'date', ...options })
}

/** A JSON number or decimal string, read exactly; the currency determines how many decimals are allowed. */
export function decimal(options: Described & { atLeastZero?: boolean } = {}) {
  const { atLeastZero, ...rest } = options
  return Type.Unsafe<number | string>({
    type: ['number', 'string'],
    decimal: atLeastZero ? 'atLeastZero' : 'any',
    ...rest,
  })
}

export function integer(options: Described & { minimum?: number; maximum?: number } = {}) {
  return Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...options })
}

/** `null` clears the stored value. */
export function nullableInteger(options: Described & { minimum: number; maximum: number }) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

export function nullableBoolean(options: Described = {}) {
  return Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], ...options })
}

/** One of a closed set, matched exactly. */
export function oneOf<const V extends string>(values: readonly V[], options: Described = {}) {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], ...options })
}

export const problem = Type.Object(
  {
    type: Type.String({ description: 'Stable machine code' }),
    message: Type.String(),
    path: Type.Optional(Type.String({ description: 'JSON Pointer into the request' })),
    value: Type.Optional(Type.Unknown({ description: 'The received value' })),
    hint: Type.Optional(Type.String({ description: 'How to fix it' })),
    docUrl: Type.Optional(
      Type.String({
        description: 'Of an error: the path of the row of its type in the guide of errors',
        examples: ['/docs/guides/errors#ROOM_NOT_FOUND'],
      }),
    ),
  },
  { description: 'One problem of the request' },
)

/** A remark on something that was accepted nevertheless. */
export const warning = problem

const moreWarnings = Type.Optional(Type.Integer({ description: 'Number of warnings beyond the 100 listed' }))

/** The members of every success answer. */
export const success = {
  code: Type.String({ description: 'The HTTP status as a string', examples: ['200'] }),
  message: Type.String({ description: 'What happened' }),
  warnings: Type.Optional(
    Type.Array(warning, {
      description: 'Remarks on an accepted request; UNKNOWN_FIELD for each unknown member',
    }),
  ),
  moreWarnings,
}

export const errorAnswer = Type.Object({
  code: Type.String({ description: 'The HTTP status as a string' }),
  message: Type.String({ description: 'The message of the first error' }),
  requestId: Type.String(),
  errors: Type.Array(problem),
  moreErrors: Type.Optional(Type.Integer({ description: 'Number of problems beyond the 100 listed' })),
  warnings: Type.Optional(Type.Array(warning, { description: 'Unknown members' })),
  moreWarnings,
})

/** Limits that the platform enforces and contracts publish. This one: of all requests but those with suppliers' keys. */
export const usualBodyBytesMax = 1024 * 1024

/** Deeper than any shape of the contract; a body nested further is refused before anything recurses into it. */
export const bodyNestingMax = 32
/**
 * Bodies with more keys, more commas, or more lists, than this are refused before the parse: each one costs parse time,
 * and memory long afterwards.
 */
export const bodyValuesMax = 750_000
/** Far more than any shape of the contract has; unknown members count. */
export const objectMembersMax = 500
/**
 * Member names that differ by themselves or by those before them in their object. Bodies of one shape have a
 * few hundred, and the parse of this many takes less than a tenth of a second.
 */
export const bodyNamesMax = 20_000
