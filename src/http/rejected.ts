import { withoutCardNumbers } from '../base/card-number.ts'
import type { ConstraintError } from './route.ts'

/** One problem with a request, in the form that the caller reads. */
export type Problem = {
  /** Stable machine code, e.g. `ROOM_NOT_FOUND`. */
  type: string
  /** Describes the problem; in the specification's own words if it provides them. */
  message: string
  /** JSON Pointer into the request body; query parameters are named `?name`, headers by their name. */
  path?: string
  /** The received value: scalars unchanged (strings cut at 100 characters), others as a description. */
  value?: unknown
  /** How to fix it. */
  hint?: string
}

export type RejectedStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 415
  | 417
  | 422
  | 429
  | 431
  | 503

/** Maximum number of problems that one answer lists; the rest are counted in `moreErrors`. */
export const problemsListedMax = 100

/**
 * Thrown for everything that the caller can fix. It flies to the one place that answers errors (`serve.ts`),
 * which adds the request id.
 */
export class Rejected extends Error {
  readonly status: RejectedStatus
  readonly problems: readonly Problem[]
  readonly headers: Readonly<Record<string, string>>
  /** The number of problems besides `problems`, which contains at least as many as one answer lists. */
  readonly unlisted: number
  /** Further members of the answer, e.g. the `summary` and `results` of an ARI push. */
  readonly extra: Readonly<Record<string, unknown>>
  /** The name of the exceeded limit in the metrics. */
  readonly limit: string | undefined

  constructor(
    status: RejectedStatus,
    problems: Problem | readonly [Problem, ...Problem[]],
    more: {
      headers?: Record<string, string>
      unlisted?: number
      extra?: Record<string, unknown>
      limit?: string
    } = {},
  ) {
    const [first, ...rest] = isList(problems) ? problems : [problems]
    super(first.message)
    this.name = 'Rejected'
    this.status = status
    this.problems = [first, ...rest]
    this.headers = more.headers ?? {}
    this.unlisted = more.unlisted ?? 0
    this.extra = more.extra ?? {}
    this.limit = more.limit
  }
}

function isList(
  problems: Problem | readonly [Problem, ...Problem[]],
): problems is readonly [Problem, ...Problem[]] {
  return Array.isArray(problems)
}

/** Throws if there is at least one problem; `unlisted` is the number of further ones. */
export function rejectIfAny(problems: readonly Problem[], status: RejectedStatus = 400, unlisted = 0): void {
  const [first, ...rest] = problems
  if (first) throw new Rejected(status, [first, ...rest], { unlisted })
}

const valueShownMax = 100

/** The received value, safe to echo: never deep or long, and never a card number. */
export function reportedValue(value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value
  // 1e400 arrives as Infinity, which JSON can't represent.
  if (typeof value === 'number') {
    const written = withoutCardNumbers(String(value))
    return Number.isFinite(value) && written === String(value) ? value : written
  }
  if (typeof value === 'string') return repeatedText(value, valueShownMax)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return undefined
}

/** What the caller sent, for a sentence: cut at a length, and without card numbers. */
export function repeatedText(text: string, charactersMax: number): string {
  // Mask before the cut: a card number cut at the limit would no longer be recognized.
  const plain = withoutCardNumbers(text.slice(0, 2 * charactersMax))
  const cut = plain.length > charactersMax ? `${plain.slice(0, charactersMax)}…` : plain
  return cut.toWellFormed()
}

/** The problem of a value that breaks a constraint. */
export function problemAt({ type, message, hint }: ConstraintError, path: string, value?: unknown): Problem {
  return { type, message, path, value: reportedValue(value), ...(hint === undefined ? {} : { hint }) }
}

/** The body of an error answer. */
export function rejectedBody(rejected: Rejected, requestId: string): Record<string, unknown> {
  const listed = rejected.problems.slice(0, problemsListedMax)
  const more = rejected.problems.length - listed.length + rejected.unlisted
  return {
    code: String(rejected.status),
    message: withoutCardNumbers(rejected.message),
    requestId,
    errors: listed.map((problem) => withDocUrl(withoutCards(problem))),
    ...(more > 0 ? { moreErrors: more } : {}),
    ...rejected.extra,
  }
}

/** Whatever a problem repeats of a request, and however it came there, no answer has the number of a card. */
function withoutCards(problem: Problem): Problem {
  const { message, path, value, hint } = problem
  return {
    ...problem,
    message: withoutCardNumbers(message),
    ...(path === undefined ? {} : { path: withoutCardNumbers(path) }),
    ...(typeof value === 'string' ? { value: withoutCardNumbers(value) } : {}),
    ...(hint === undefined ? {} : { hint: withoutCardNumbers(hint) }),
  }
}

/** The row of a type in the guide of errors, as a path of the service. */
export function withDocUrl<P extends Problem>(told: P): P & { docUrl: string } {
  return { ...told, docUrl: `/docs/guides/errors#${told.type}` }
}

export function overloaded(): Rejected {
  return new Rejected(
    503,
    {
      type: 'OVERLOADED',
      message: 'The service is overloaded',
      hint: 'Nothing was applied; send the same again after Retry-After',
    },
    { headers: { 'retry-after': '1' } },
  )
}
