import { problemsListedMax, type Problem } from '../rejected.ts'
import { isRecord } from '../validation/validate.ts'

/**
 * Warnings about a request that is answered nevertheless: those that its answer lists, and the number of
 * others.
 */
export type Warnings = { listed: Problem[]; unlisted: number }

export function noWarnings(): Warnings {
  return { listed: [], unlisted: 0 }
}

/** `spell` is called only for warnings that are listed. */
export function warn(warnings: Warnings, spell: () => Problem): void {
  if (warnings.listed.length < problemsListedMax) warnings.listed.push(spell())
  else warnings.unlisted++
}

/** The members of an answer with these warnings; none if there are no warnings. */
export function warningMembers({ listed, unlisted }: Warnings): {
  warnings?: readonly Problem[]
  moreWarnings?: number
} {
  if (listed.length === 0) return {}
  return { warnings: listed, ...(unlisted > 0 ? { moreWarnings: unlisted } : {}) }
}

type Answered = { json: string; warnings?: readonly Problem[]; has?: Warnings }
type LongAnswered = { bytes: Buffer }

/**
 * The answer with the warnings of its request after its own; an answer that already contains them stays as it
 * is. Long answers have none of their own, and are not parsed again.
 */
export function withWarnings<A extends Answered | LongAnswered>(answered: A, warnings: Warnings): A {
  if (warnings.listed.length === 0) return answered
  if ('bytes' in answered) return { ...answered, bytes: atEnd(answered.bytes, warnings) }
  const body: unknown = answered.has === warnings ? undefined : JSON.parse(answered.json)
  if (!isRecord(body)) return answered
  const all = [...problemsIn(body['warnings']), ...warnings.listed]
  const listed = all.slice(0, problemsListedMax)
  const members = warningMembers({ listed, unlisted: all.length - listed.length + warnings.unlisted })
  return { ...answered, json: JSON.stringify({ ...body, ...members }), warnings: listed, has: warnings }
}

/** The list comes from one of our own answers, which may have been stored as text. */
function problemsIn(list: unknown): Problem[] {
  const elements: readonly unknown[] = Array.isArray(list) ? list : []
  return elements.filter(isProblem)
}

function isProblem(value: unknown): value is Problem {
  return isRecord(value) && typeof value['type'] === 'string' && typeof value['message'] === 'string'
}

/** The object, which is not empty, with the warnings appended. */
function atEnd(json: Buffer, warnings: Warnings): Buffer {
  const members = JSON.stringify(warningMembers(warnings)).slice(1)
  return Buffer.concat([json.subarray(0, json.lastIndexOf('}')), Buffer.from(`,${members}`)])
}
