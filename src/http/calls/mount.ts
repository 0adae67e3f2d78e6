import type { Readable } from 'node:stream'
import Type, { type TSchema } from 'typebox'
import type { Call, Caller, UncheckedCall, CallerByAccess } from './call.ts'
import type { Held } from './held-open.ts'
import { rejectIfAny, type Problem } from '../rejected.ts'
import { membersReader } from './request-members.ts'
import type { Access, AnswerOf, Route } from '../route.ts'
import { isRecord, judgingBudget, validator, type Judgement, type Validator } from '../validation/validate.ts'
import { withWarnings, type Warnings } from './warnings.ts'

/** An answer, already serialized as it is sent (and, for pushes, stored). */
export type Answer = {
  status: number
  json: string
  headers?: Readonly<Record<string, string | string[]>>
  /** The member `warnings` of the answer. */
  warnings?: readonly Problem[]
  /** The request's warnings that are already among them. */
  has?: Warnings
}

/**
 * The same for answers that may be megabytes: a string of that size would be copied several times when sent.
 */
export type LongAnswer = { status: number; bytes: Buffer; headers?: undefined }

/** An answer that continues until one side ends it. */
export type Streamed = { contentType: string; contentEncoding?: 'gzip' | 'identity'; stream: Readable }

/** An answer with its body, for callers that don't use HTTP. */
export type Answered<Body> = Answer & { body: Body }

/** `warnings`: the body's warnings, if it has any. The type of the body follows from the place that needs the answer. */
export function answer<Body>(
  status: number,
  body: NoInfer<Body>,
  warnings?: readonly Problem[],
): Answered<Body> {
  return { status, body, json: JSON.stringify(body), ...(warnings === undefined ? {} : { warnings }) }
}

/** Whatever JSON.stringify writes as a `Body`: it omits members that are undefined. */
type Written<Body> = Body extends readonly unknown[]
  ? readonly Written<Body[number]>[]
  : Body extends object
    ? {
        readonly [Name in keyof Body]:
          | Written<Body[Name]>
          | (object extends Pick<Body, Name> ? undefined : never)
      }
    : Body

/** An answer of a route: its body has the contract's shape, unless it is JSON already, as a stored answer is. */
type AnswerTo<R extends Route> = Answered<Written<AnswerOf<R>>> | Answer | LongAnswer
export type Handler<R extends Route> = (call: Call<R>) => Promise<AnswerTo<R>>

/** A route with its handler, combined where both types are known. */
export type Mounted = {
  route: Route
  /** Compiles its shapes; otherwise the first request would have to wait for that. */
  prepare: () => void
} & (
  | { handle: (call: UncheckedCall) => Promise<Answer | LongAnswer | Streamed>; hold?: undefined }
  | { handle?: undefined; hold: (call: UncheckedCall, held: Held) => Promise<Answer | Streamed> }
)
export function on<R extends Route>(route: R, handler: Handler<R>): Mounted {
  const { check, prepare } = checker(route)
  return { route, prepare, handle: async (call) => withWarnings(await handler(check(call)), call.warnings) }
}

/** Like `on`, for requests that may wait for something to happen; they don't count as in progress. */
export function onHeld<R extends Route>(
  route: R,
  handler: (call: Call<R>, held: Held) => Promise<Answer | Streamed>,
): Mounted {
  const { check, prepare } = checker(route)
  return {
    route,
    prepare,
    hold: async (call, held) => {
      const answered = await handler(check(call), held)
      return 'stream' in answered ? answered : withWarnings(answered, call.warnings)
    },
  }
}

/** Like `on`, for requests or answers that are bytes of any length. */
export function onTransfer<R extends Route & { transfers: string }>(
  route: R,
  handler: (call: Call<R>) => Promise<AnswerTo<R> | Streamed>,
): Mounted {
  const { check, prepare } = checker(route)
  return {
    route,
    prepare,
    handle: async (call) => {
      const answered = await handler(check(call))
      return 'stream' in answered ? answered : withWarnings(answered, call.warnings)
    },
  }
}

function checker<R extends Route>(
  route: R,
): { check: (call: UncheckedCall) => Call<R>; prepare: () => void } {
  const body = route.body && validator(route.body)
  const query = route.query && validator(route.query)
  const params = route.params && validator(route.params)
  const readMembers = membersReader(route)
  const check = (call: UncheckedCall): Call<R> => {
    const { unknown } = readMembers(call)
    const isRight =
      unknown.length === 0 &&
      (!params || params.matches(call.params)) &&
      (!query || query.matches(call.query)) &&
      (!body || body.matches(call.body))
    if (!isRight) {
      const { problems = [], unlisted } = body?.judge(call.body) ?? {}
      const ofUrl = [
        ...renamed(params?.judge(call.params).problems ?? [], ''),
        ...renamed(query?.judge(call.query).problems ?? [], '?'),
      ]
      rejectIfAny([...ofUrl, ...problems, ...unknown], 400, unlisted)
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: these shapes were just proved.
    return call as unknown as Call<R>
  }
  return { check, prepare: preparing(body, query, params) }
}

function preparing(...shapes: readonly (Pick<Validator<TSchema>, 'prepare'> | undefined)[]): () => void {
  return () => {
    for (const shape of shapes) shape?.prepare()
  }
}

export type ItemsCall<R extends Route> = Omit<Call<R>, 'body'> & {
  /** Has the route's shape except where the problems below say otherwise. */
  body: unknown
  /** False if members were dropped from the body, or were unknown. */
  isAsSent: boolean
  /** Problems outside the items. */
  problems: Problem[]
  /** Problems of single items, by their index; undefined if no item was validated. */
  judgementByItem: ReadonlyMap<number, Judgement> | undefined
}

/**
 * Like `on`, for a push whose items (the list under `member`) are validated and answered one by one. If there
 * are more items than `itemsMaxOf` allows the caller, none is validated; the handler decides whether to
 * refuse them.
 */
export function onItems<R extends Route & { access: 'supplier'; pushKind: string }>(
  route: R,
  member: string,
  itemsMaxOf: (caller: Caller) => number,
  handler: (call: ItemsCall<R>) => Promise<Answer>,
): Mounted {
  const shape: TSchema & { properties?: Record<string, TSchema & { items?: TSchema; maxItems?: number }> } =
    route.body ?? Type.Object({})
  const list = shape.properties?.[member]
  if (!list?.items) throw new TypeError(`${route.path} has no list ${member}`)
  const item = validator(list.items)
  const rest = validator({
    ...shape,
    properties: { ...shape.properties, [member]: { ...list, items: Type.Unknown() } },
  })
  const readMembers = membersReader(route)
  return {
    route,
    prepare: preparing(item, rest),
    handle: (call) => {
      const { unknown, isAsSent } = readMembers(call)
      // There is little besides the items, which are not validated here.
      const judged = rest.judge(call.body, '', {
        ...judgingBudget({ problems: Infinity }),
        elements: Infinity,
      })
      const problems = unknown.length === 0 ? judged.problems : [...judged.problems, ...unknown]
      const items = isRecord(call.body) ? call.body[member] : undefined
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: such routes are suppliers', and have neither query nor parameters.
      const known = call as unknown as Omit<Call<R>, 'body'> & { body: unknown; caller: Caller }
      const itemsMax = Math.min(itemsMaxOf(known.caller), list.maxItems ?? Infinity)
      const judgementByItem =
        Array.isArray(items) && items.length <= itemsMax ? judgeItems(items, item, `/${member}`) : undefined
      return handler({ ...known, isAsSent, problems, judgementByItem })
    },
  }
}

/** For all items together; beyond it, each further item is checked only for its first problem. */
const itemProblemsMax = 2_000

function judgeItems(
  items: readonly unknown[],
  item: Validator<TSchema>,
  path: string,
): Map<number, Judgement> {
  const judgementByItem = new Map<number, Judgement>()
  const budget = judgingBudget({ problems: itemProblemsMax })
  for (const [index, value] of items.entries()) {
    if (item.matches(value)) continue
    judgementByItem.set(index, item.judge(value, `${path}/${index}`, budget))
  }
  return judgementByItem
}

function renamed(problems: Problem[], prefix: string): Problem[] {
  return problems.map((problem) => ({ ...problem, path: `${prefix}${(problem.path ?? '').slice(1)}` }))
}

/**
 * Checks a request (the body, or the query of a route without one) beyond its shape. It also gets values of
 * the wrong shape, together with the shape's problems, so that one answer names everything that is wrong. It
 * throws if there are any problems. The value that it returns is passed to the handler.
 */
export type Judge<Read, A extends Access = Access> = (
  sent: unknown,
  shapeProblems: readonly Problem[],
  caller: CallerByAccess[A],
) => Read | Promise<Read>

/** Like `on`, for requests with rules beyond their shape: one answer names the problems of both. */
export function onEveryProblem<R extends Route, Read>(
  route: R,
  judge: Judge<Read, R['access']>,
  handler: (call: Call<R> & { read: Read }) => Promise<AnswerTo<R>>,
): Mounted {
  const sentShape = route.body ?? route.query
  if (!sentShape || (route.body && route.query))
    throw new TypeError(`${route.path} is not judged by one shape`)
  const shape = validator(sentShape)
  const params = route.params && validator(route.params)
  const readMembers = membersReader(route)
  return {
    route,
    prepare: preparing(shape, params),
    handle: async (unjudged) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: who calls is what the access says.
      const call = unjudged as UncheckedCall & CallerByAccess[R['access']]
      const { unknown } = readMembers(call)
      const sent = route.body ? call.body : call.query
      const judged = shape.judge(sent)
      const problems = [
        ...renamed(params?.judge(call.params).problems ?? [], ''),
        ...(route.body ? judged.problems : renamed(judged.problems, '?')),
        ...unknown,
      ]
      // Stop here: parts that weren't validated can't be checked by rules.
      if (judged.isCoarse) rejectIfAny(problems, 400, judged.unlisted)
      const read = await judge(sent, problems, call)
      if (problems.length > 0) throw new TypeError(`${route.path}: a wrong shape was let through`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the shape was just proved.
      const answered = await handler({ ...call, read } as unknown as Call<R> & { read: Read })
      return withWarnings(answered, call.warnings)
    },
  }
}

/**
 * Adds the problems found by rules to those of the shape, which come first. If a value already has a shape
 * problem, its rule problems are dropped.
 */
export function besideShape(shapeProblems: readonly Problem[], ruleProblems: readonly Problem[]): Problem[] {
  const reported = new Set(shapeProblems.map(({ path }) => path))
  return [...shapeProblems, ...ruleProblems.filter(({ path }) => !reported.has(path))]
}
