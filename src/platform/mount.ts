import Type, { type TSchema } from 'typebox'
import type { RateLimit } from './rate-limit.ts'
import { rejectIfAny, type Problem } from './rejected.ts'
import type { BodyOf, ParamsOf, QueryOf, Route } from './route.ts'
import { elementsJudgedMax, isRecord, validator, type Judgement, type Validator } from './validate.ts'

/** Who calls: the account behind an x-api-key. Its limits are the key's own or the service's defaults. */
export type Caller = {
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
  limits: { rate: RateLimit | undefined; bodyBytesMax: number; ariItemsMax: number; ariCellsMax: number }
}

/** One push on its way: what the push log keeps of it, whatever becomes of it. */
export type Push = {
  kind: string
  requestId: string
  caller: Caller
  rawBody: Buffer | undefined
  receivedAtMs: number
  startedMs: number
  idempotencyKey: string | undefined
}

/** An answer, already in the words in which it is sent (and, for pushes, kept). */
export type Answer = { status: number; json: string; headers?: Readonly<Record<string, string>> }

export function answer(status: number, body: object): Answer {
  return { status, json: JSON.stringify(body) }
}

export type Call<R extends Route> = {
  body: BodyOf<R>
  query: QueryOf<R>
  params: ParamsOf<R>
  caller: Caller
  requestId: string
  push: Push
}

export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer>

/** A route with its handler, made where both types are known. */
export type Mounted = { route: Route; handle: (call: UncheckedCall) => Promise<Answer> }
type UncheckedCall = Omit<Call<Route>, 'body' | 'query' | 'params'> & {
  body: unknown
  query: unknown
  params: unknown
}

export function on<R extends Route>(route: R, handler: Handler<R>): Mounted {
  const body = route.body && validator(route.body)
  const query = route.query && validator(route.query)
  const params = route.params && validator(route.params)
  return {
    route,
    handle: (call) => {
      if (params && !params.matches(call.params)) rejectIfAny(renamed(params.judge(call.params).problems, ''))
      if (query && !query.matches(call.query)) rejectIfAny(renamed(query.judge(call.query).problems, '?'))
      if (body && !body.matches(call.body)) rejectIfAny(body.judge(call.body).problems)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the three lines above just proved these shapes.
      return handler(call as unknown as Call<R>)
    },
  }
}

export type ItemsCall<R extends Route> = Omit<Call<R>, 'body'> & {
  /** Has the route's shape wherever nothing below says otherwise. */
  body: unknown
  /** What is wrong outside the items. */
  problems: Problem[]
  /** What is wrong with single items, by their index. */
  judgementByItem: ReadonlyMap<number, Judgement>
}

/**
 * Like `on`, for a push whose items (the list under `member`) are judged and answered one by one. Of more items than
 * `itemsMaxOf` allows the caller none is judged; to refuse them is up to the handler.
 */
export function onItems<R extends Route>(
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
  return {
    route,
    handle: (call) => {
      const { problems, isCoarse } = rest.judge(call.body)
      const items = isRecord(call.body) ? call.body[member] : undefined
      const judgementByItem = new Map<number, Judgement>()
      const itemsMax = Math.min(itemsMaxOf(call.caller), list.maxItems ?? Infinity)
      if (Array.isArray(items) && !isCoarse && items.length <= itemsMax)
        judgeItems(items, item, `/${member}`, judgementByItem)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: such routes have neither query nor parameters.
      return handler({ ...call, problems, judgementByItem } as ItemsCall<R>)
    },
  }
}

/** Of all items together; beyond it, only the first problem of each further one is looked for. */
const itemProblemsMax = 2_000

function judgeItems(
  items: readonly unknown[],
  item: Validator<TSchema>,
  path: string,
  judgementByItem: Map<number, Judgement>,
): void {
  const budget = { elements: elementsJudgedMax, problems: itemProblemsMax }
  for (const [index, value] of items.entries()) {
    if (item.matches(value)) continue
    judgementByItem.set(index, item.judge(value, `${path}/${index}`, budget))
  }
}

function renamed(problems: Problem[], prefix: string): Problem[] {
  return problems.map((problem) => ({ ...problem, path: `${prefix}${(problem.path ?? '').slice(1)}` }))
}

/**
 * Judges a body beyond its shape. Gets bodies of a wrong shape too, with the problems found there, so that one answer
 * names everything that is wrong; throws when there is anything.
 */
export type Judge = (body: unknown, shapeProblems: readonly Problem[], caller: Caller) => void | Promise<void>

/** Like `on` of serve.ts, for pushes that are refused as a whole and must then name every bad element. */
export function onEveryProblem<R extends Route>(route: R, judge: Judge, handler: Handler<R>): Mounted {
  if (!route.body) throw new TypeError(`${route.path} has no body to judge`)
  const shape = validator(route.body)
  return {
    route,
    handle: async (call) => {
      const { problems, isCoarse } = shape.judge(call.body)
      // What was not looked at can't be judged further.
      if (isCoarse) rejectIfAny(problems)
      await judge(call.body, problems, call.caller)
      if (problems.length > 0) throw new TypeError(`${route.path}: a body of a wrong shape was let through`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the shape was just proved.
      return handler(call as unknown as Call<R>)
    },
  }
}
