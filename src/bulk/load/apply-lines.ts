import { setImmediate as breathe } from 'node:timers/promises'
import type { Committer } from '../../ari/commit/commit.ts'
import type { ReadyPush } from '../../ari/judge/plan.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import type { Caller } from '../../http/calls/call.ts'
import { Rejected, rejectedBody, type Problem } from '../../http/rejected.ts'
import { allOf } from '../../postgres/connections/connection.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { refusedRecord } from '../../push-log/keep/keep-refused.ts'
import { countPush, keepPushes, type PushRecord } from '../../push-log/keep/keep.ts'
import type { Line } from './lines.ts'
import { moveCheckpoint, type JobRow, type JobLease, type Progress } from '../jobs/store.ts'
import {
  callOfUnit,
  hotelsNamed,
  isUnit,
  outcomesOf,
  refusedLineOutcomes,
  type LineOutcome,
  type LinePushes,
  type Unit,
  type UnreadableLines,
} from './units.ts'

export type ApplyNeeds = Needs & { committer: Pick<Committer, 'applyTogether'>; linePushes: LinePushes }

/** Where the job stands, and who works on it. */
export type At = {
  job: JobRow
  caller: Caller
  /** The checkpoint before these lines. */
  after: number
  bytesDone: number
  lease: () => JobLease
}

/** What was done, to the end of the last unit that fitted. */
export type AppliedLines = { units: number; lastLine: number; outcomes: readonly LineOutcome[] }

/** A turn of the event loop for others after this long. */
const atOnceMs = 4

/**
 * Applies units in order, with the checkpoint in the same transaction. Units of ARI share one, up to a number of cells; a
 * unit of another kind has its own, so only the first is applied.
 */
export function applyUnits(
  needs: ApplyNeeds,
  at: At,
  units: readonly (Unit | UnreadableLines)[],
  cellsMax: number,
): Promise<AppliedLines> {
  return at.job.kind === 'ari'
    ? applyAri(needs, at, units, cellsMax)
    : applyOther(needs, at, units, at.job.kind)
}

type Planned = { unit: Unit; ready: ReadyPush }

async function applyAri(
  needs: ApplyNeeds,
  at: At,
  units: readonly (Unit | UnreadableLines)[],
  cellsMax: number,
): Promise<AppliedLines> {
  const planned: Planned[] = []
  const refused = new Refused()
  let cells = 0
  let count = 0
  let sinceMs = performance.now()
  for (const unit of units) {
    if (cells >= cellsMax) break
    count++
    if (!isUnit(unit)) refused.unreadable(unit)
    else {
      const { call, push } = callOfUnit(unit, { ...at, nowMs: needs.clock.now() })
      try {
        const ready = await needs.linePushes.ari(call)
        planned.push({ unit, ready })
        cells += ready.plan.cells
      } catch (error) {
        if (!(error instanceof Rejected)) throw error
        refused.add(unit, error, await recordOf(needs.db, push, error))
      }
    }
    if (performance.now() - sinceMs > atOnceMs) {
      await breathe()
      sinceMs = performance.now()
    }
  }
  const done = units.slice(0, count)
  let outcomes: LineOutcome[] = []
  const write = (connection: Queryable, records: readonly PushRecord[]): Promise<void> => {
    outcomes = inOrder([...refused.outcomes, ...outcomesOfGroup(planned, records)])
    const progress = progressOf(at, done, outcomes)
    return sent([
      ...(refused.records.length > 0 ? [keepPushes(connection, refused.records, needs.clock.now())] : []),
      moveCheckpoint(connection, at.job.id, at.lease(), progress),
    ])
  }
  if (planned.length > 0)
    await needs.committer.applyTogether(
      planned.map(({ ready }) => ready),
      write,
    )
  else await transaction(needs.db, (connection) => write(connection, []))
  for (const record of refused.records) countPush(needs.telemetry, record)
  return { units: count, lastLine: lastLineOf(done), outcomes }
}

async function sent(statements: readonly Promise<void>[]): Promise<void> {
  await allOf([...statements])
}

function outcomesOfGroup(planned: readonly Planned[], records: readonly PushRecord[]): LineOutcome[] {
  const recordByPush = new Map(records.map((record) => [record.push, record]))
  return planned.flatMap(({ unit, ready }) => {
    const record = recordByPush.get(ready.push)
    return record
      ? outcomesOf(unit, record)
      : refusedLineOutcomes(unit, [hotelNotFound(ready.catalog.hotelCode)])
  })
}

async function applyOther(
  needs: ApplyNeeds,
  at: At,
  [unit]: readonly (Unit | UnreadableLines)[],
  kind: 'hotels' | 'products' | 'taxes',
): Promise<AppliedLines> {
  if (!unit) return { units: 0, lastLine: at.after, outcomes: [] }
  const lastLine = lastLineOf([unit])
  let outcomes: LineOutcome[] = []
  const checkpoint = (connection: Queryable): Promise<void> =>
    moveCheckpoint(connection, at.job.id, at.lease(), progressOf(at, [unit], outcomes))
  if (!isUnit(unit)) {
    outcomes = refusedLineOutcomes(unit, unit.problems)
    await transaction(needs.db, checkpoint)
    return { units: 1, lastLine, outcomes }
  }
  const { call, push } = callOfUnit(unit, { ...at, nowMs: needs.clock.now() })
  push.alongside = async (connection, record) => {
    outcomes = outcomesOf(unit, record)
    await checkpoint(connection)
  }
  try {
    await needs.linePushes[kind](call)
  } catch (error) {
    if (!(error instanceof Rejected) || error.status === 503) throw error
    const record = await recordOf(needs.db, push, error)
    outcomes = refusedLineOutcomes(unit, error.problems)
    await transaction(needs.db, async (connection) => {
      await keepPushes(connection, [record], needs.clock.now())
      await checkpoint(connection)
    })
    countPush(needs.telemetry, record)
  }
  return { units: 1, lastLine, outcomes }
}

/** A line that fails for a reason of ours is put aside, so that the job goes on. */
export async function setAside(
  needs: Needs,
  at: At,
  unit: Unit | UnreadableLines,
  problem: Problem,
): Promise<AppliedLines> {
  const outcomes = refusedLineOutcomes(unit, [problem])
  await transaction(needs.db, (connection) =>
    moveCheckpoint(connection, at.job.id, at.lease(), progressOf(at, [unit], outcomes)),
  )
  return { units: 1, lastLine: lastLineOf([unit]), outcomes }
}

function recordOf(db: Queryable, push: PushRecord['push'], rejected: Rejected): Promise<PushRecord> {
  return refusedRecord(db, push, rejected, JSON.stringify(rejectedBody(rejected, push.requestId)))
}

class Refused {
  readonly outcomes: LineOutcome[] = []
  readonly records: PushRecord[] = []

  add(unit: Unit, { problems }: Rejected, record: PushRecord): void {
    this.outcomes.push(...refusedLineOutcomes(unit, problems))
    this.records.push(record)
  }

  unreadable(unit: UnreadableLines): void {
    this.outcomes.push(...refusedLineOutcomes(unit, unit.problems))
  }
}

function inOrder(outcomes: LineOutcome[]): LineOutcome[] {
  return outcomes.sort((left, right) => left.line.number - right.line.number)
}

function lastLineOf(units: readonly { lines: readonly Line[] }[]): number {
  return Math.max(0, ...units.map(({ lines }) => lines.at(-1)?.number ?? 0))
}

function progressOf(
  { after, bytesDone }: At,
  units: readonly (Unit | UnreadableLines)[],
  outcomes: readonly LineOutcome[],
): Progress {
  const counts = { applied: 0, unchanged: 0, partial: 0, refused: 0 }
  for (const { outcome } of outcomes) counts[outcome]++
  const refused = new Set(outcomes.flatMap(({ line, outcome }) => (outcome === 'refused' ? [line] : [])))
  // Names in refused lines can be anything, and very many.
  const named = units.filter((unit) => isUnit(unit) && !unit.lines.every((line) => refused.has(line)))
  return {
    after,
    line: Math.max(after, lastLineOf(units)),
    bytesDone,
    counts,
    hotels: [...new Set(named.flatMap((unit) => (isUnit(unit) ? hotelsNamed(unit) : [])))],
    refused: outcomes.flatMap(({ line, outcome, problems }) =>
      outcome === 'refused' || outcome === 'partial'
        ? [{ line: line.number, bytes: line.bytes, problems }]
        : [],
    ),
  }
}
