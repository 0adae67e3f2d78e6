import type { Problem } from '../http/rejected.ts'
import { problemMessageMax, problemTypesMax, type PushProblems } from './contract.ts'

/** The summary of a push's problems that the log stores besides its answer, for lists and searches. */

/** Undefined if there were no problems. `unlisted`: number of problems beyond the given ones. */
export function inShort(problems: readonly Problem[], unlisted = 0): PushProblems | undefined {
  const [first] = problems
  if (!first) return undefined
  const types = new Set<string>()
  for (const { type } of problems) if (types.size < problemTypesMax) types.add(type)
  return { count: problems.length + unlisted, types: [...types], message: storable(first.message) }
}

/** A message may quote arbitrary input; PostgreSQL stores neither NUL nor half a surrogate pair. */
function storable(message: string): string {
  return message
    .slice(0, problemMessageMax)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
}
