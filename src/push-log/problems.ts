import type { Problem } from '../http/rejected.ts'
import { problemMessageMax, problemTypesMax, type PushProblems } from './contract.ts'

/** What the log keeps of the problems of a push, beside its answer, to list and to find pushes by. */

/** Undefined where nothing was wrong. `unlisted`: problems beside the given. */
export function inShort(problems: readonly Problem[], unlisted = 0): PushProblems | undefined {
  const [first] = problems
  if (!first) return undefined
  const types = new Set<string>()
  for (const { type } of problems) if (types.size < problemTypesMax) types.add(type)
  return { count: problems.length + unlisted, types: [...types], message: storable(first.message) }
}

/** A message may hold what somebody sent; PostgreSQL keeps no NUL and no half of a character. */
function storable(message: string): string {
  return message
    .slice(0, problemMessageMax)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
}
