import { rejectIfAny, type Problem } from './rejected.ts'
import type { Route } from './route.ts'
import type { Call, Caller, Handler, Mounted } from './serve.ts'
import { validator } from './validate.ts'

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
