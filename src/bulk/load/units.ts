import { hotelsPerPushMax } from '../../hotels/contract.ts'
import type { UncheckedCall, Caller } from '../../http/calls/call.ts'
import type { Answer } from '../../http/calls/mount.ts'
import { parseJson } from '../../http/validation/json.ts'
import { Rejected, type Problem } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { ReadyPush } from '../../ari/judge/plan.ts'
import type { PushRecord, PushToApply } from '../../push-log/keep/keep.ts'
import { noWarnings } from '../../http/calls/warnings.ts'
import { type BulkKind } from '../contract.ts'
import { lineErrors } from '../limits.ts'
import { pushMember, refusedMember, withoutReasons } from './errors-file.ts'
import { lineBytesMaxOf, shortened, type Line } from './lines.ts'
import type { JobRow } from '../jobs/store.ts'

/** The endpoints' way from a call to its push; a push of ARI is only planned, so that many share a transaction. */
export type LinePushes = Readonly<
  Record<Exclude<BulkKind, 'ari'>, (call: UncheckedCall) => Promise<Answer>> & {
    ari: (call: UncheckedCall) => Promise<ReadyPush>
  }
>

/** One push, and the lines that it comes from: several of CSV, with an item each. */
export type Unit = { lines: readonly Line[]; body: unknown; raw: Buffer }
/** Lines that can't become a push. */
export type UnreadableLines = { lines: readonly Line[]; problems: readonly Problem[] }

export function isUnit(one: Unit | UnreadableLines): one is Unit {
  return 'raw' in one
}

/** A line of NDJSON is the body of a push, or a refused line with its reasons, which don't count for its length. */
export function ndjsonUnit(line: Line, job: JobRow): Unit | UnreadableLines {
  const bytesMax = lineBytesMaxOf(job.kind)
  const unit = line.isTooLong ? undefined : readUnit(line, job)
  const bytes = unit && isUnit(unit) ? unit.raw.length : line.bytes.length
  if (unit && bytes <= bytesMax) return unit
  return { lines: [shortened(line)], problems: [lineErrors.tooLong(bytesMax)] }
}

function readUnit(line: Line, { kind, isDryRun }: JobRow): Unit | UnreadableLines {
  try {
    const sent = pushOf(parseJson(line.bytes), line.bytes)
    const isPush = isRecord(sent.body) || (kind === 'hotels' && Array.isArray(sent.body))
    if (!isPush) return { lines: [line], problems: [lineErrors.notAnObject] }
    return { lines: [line], raw: sent.raw, body: adapted(sent.body, kind, isDryRun) }
  } catch (error) {
    if (error instanceof Rejected) return { lines: [line], problems: error.problems }
    throw error
  }
}

function pushOf(value: unknown, bytes: Buffer): { body: unknown; raw: Buffer } {
  if (!isRecord(value) || !(refusedMember in value)) return { body: value, raw: bytes }
  const rest = withoutReasons(value)
  const inner = Object.keys(rest).join() === pushMember ? rest[pushMember] : rest
  if (typeof inner !== 'string') return { body: inner, raw: Buffer.from(JSON.stringify(inner)) }
  const raw = Buffer.from(inner)
  return { body: parseJson(raw), raw }
}

/** The endpoint of hotels takes a list. */
function adapted(body: unknown, kind: BulkKind, isDryRun: boolean): unknown {
  if (kind === 'hotels') return Array.isArray(body) ? body : [body]
  return kind === 'ari' && isDryRun && isRecord(body) ? { ...body, dryRun: true } : body
}

/** The call that the endpoint would get. Its request id names the job and the line. */
export function callOfUnit(
  unit: Unit,
  { job, caller, nowMs }: { job: JobRow; caller: Caller; nowMs: number },
): { call: UncheckedCall; push: PushToApply } {
  const requestId = `${job.id}.${unit.lines[0]?.number ?? 0}`
  const warnings = noWarnings()
  const push: PushToApply = {
    kind: job.kind,
    requestId,
    caller,
    rawBody: unit.raw,
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings,
    isRehearsed: job.isDryRun,
  }
  const { unknownFields } = caller
  const call = { body: unit.body, query: {}, params: {}, requestId, unknownFields, warnings, push, caller }
  return { call, push }
}

/** The hotels that a push names, if they can be codes. */
export function hotelsNamed({ body }: Unit): string[] {
  const elements: readonly unknown[] = Array.isArray(body) ? body.slice(0, hotelsPerPushMax) : [body]
  return elements.flatMap((element) => {
    const code = isRecord(element) ? element['hotelId'] : undefined
    return typeof code === 'string' && /^[^\p{Cc}\p{Cs}]{1,64}$/u.test(code) ? [code] : []
  })
}

export type LineOutcome = {
  line: Line
  outcome: 'applied' | 'unchanged' | 'partial' | 'refused'
  problems: readonly Problem[]
}

export function refusedLineOutcomes(
  { lines }: Pick<Unit, 'lines'>,
  problems: readonly Problem[],
): LineOutcome[] {
  return lines.map((line, index) => {
    const own = problems.filter(({ path = '' }) => isOf(path, index))
    const shown =
      lines.length === 1 || own.length === 0
        ? problems.filter(({ path = '' }) => lines.length === 1 || !itemPath.test(path))
        : own
    return { line, outcome: 'refused', problems: shown.length > 0 ? shown : problems.slice(0, 1) }
  })
}

const itemPath = /^\/ari\/\d+(?:\/|$)/

function isOf(path: string, index: number): boolean {
  return path === `/ari/${index}` || path.startsWith(`/ari/${index}/`)
}

/** What became of the lines of a push. */
export function outcomesOf(unit: Unit, { answer, kept }: Pick<PushRecord, 'answer' | 'kept'>): LineOutcome[] {
  const { lines } = unit
  const [first, ...others] = lines
  if (kept.cellsByItem && first) {
    const changed =
      others.length > 0 ? kept.cellsByItem : [kept.cellsByItem.reduce((sum, cells) => sum + cells, 0)]
    return lines.map((line, index) => ({
      line,
      outcome: (changed[index] ?? 0) > 0 ? 'applied' : 'unchanged',
      problems: [],
    }))
  }
  const body: unknown = JSON.parse(answer.json)
  if (!isRecord(body)) return []
  const results = Array.isArray(body['results']) ? body['results'].filter(isRecord) : []
  if (others.length > 0 && results.length === lines.length) {
    const ofWhole = problemsIn(body['errors']).filter(({ path = '' }) => !itemPath.test(path))
    return lines.map((line, index) => {
      const result = results[index] ?? {}
      const status = result['status']
      const problems = problemsIn(result['errors'])
      if (status === 'rejected') {
        const own = problems.filter(({ type }) => type !== unnamed.type)
        const shown = [own, ofWhole, problems].find(({ length }) => length > 0) ?? [unnamed]
        return { line, outcome: 'refused', problems: shown }
      }
      if (status === 'partial') return { line, outcome: 'partial', problems }
      // Beside what the guard holds of a line, something may have been applied.
      const isChanged = status === 'applied' || (status === 'held' && result['cellsChanged'] !== 0)
      return { line, outcome: isChanged ? 'applied' : 'unchanged', problems: [] }
    })
  }
  if (answer.status >= 400) return refusedLineOutcomes(unit, problemsIn(body['errors']))
  if (answer.status === 207) {
    const problems = results.flatMap(({ errors }) => problemsIn(errors))
    // Without any problem, something was held by the guard.
    const outcome = problems.length > 0 ? 'partial' : isUnchanged(body) ? 'unchanged' : 'applied'
    return lines.map((line) => ({ line, outcome, problems }))
  }
  const outcome = kept.outcome === 'unchanged' || isUnchanged(body) ? 'unchanged' : 'applied'
  return lines.map((line) => ({ line, outcome, problems: [] }))
}

/** An item whose problems the answer didn't list. */
const unnamed: Problem = {
  type: 'NOT_APPLIED',
  message: 'Not applied: more problems than one answer lists',
  hint: 'Send the line again: its own problems will be named',
}

function problemsIn(list: unknown): Problem[] {
  const elements: readonly unknown[] = Array.isArray(list) ? list : []
  return elements.filter(
    (one): one is Problem =>
      isRecord(one) && typeof one['type'] === 'string' && typeof one['message'] === 'string',
  )
}

/** By the answer of a rehearsal. */
function isUnchanged(body: Record<string, unknown>): boolean {
  const summary = isRecord(body['summary']) ? body['summary'] : {}
  if (summary['cellsChanged'] === 0 || body['outcome'] === 'unchanged') return true
  return body['created'] === 0 && body['updated'] === 0
}
