import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../http/calls/call.ts'
import type { Problem } from '../../http/rejected.ts'
import { selectOptionalCaller } from '../../keys/store.ts'
import { isUnavailable } from '../../postgres/connections/store-errors.ts'
import { applyUnits, setAside, type AppliedLines, type ApplyNeeds } from './apply-lines.ts'
import { csvUnits, headerOf, type Header } from './load-csv.ts'
import { bulkLimits, failures, lineErrors } from '../limits.ts'
import type { ChunkSize, ChunkTurns } from '../jobs/chunk-turns.ts'
import type { Line } from './lines.ts'
import { DataFault } from '../jobs/data-fault.ts'
import { LineSource } from './read-data.ts'
import { deleteData } from '../jobs/data-store.ts'
import {
  endJob,
  keepHeader,
  selectCheckpoint,
  storedBytesOf,
  type JobRow,
  type JobLease,
} from '../jobs/store.ts'
import { isUnit, ndjsonUnit, type Unit, type UnreadableLines } from './units.ts'

export type RunNeeds = ApplyNeeds

type Running = { lease: () => JobLease; over: AbortSignal }
type End = { state: 'done' | 'stopped' | 'failed'; failure?: Problem }

const triesAgainAfterMs = 500
const chunkBytesMax = 1024 * 1024
/** A key that is revoked stops its jobs as soon as its requests. */
const callerTrustedMs = 500

/** Works on a job from its checkpoint to its end, or until it is over for this process. */
export async function runJob(
  needs: RunNeeds & { turns: ChunkTurns },
  id: string,
  running: Running,
): Promise<void> {
  const { by } = running.lease()
  let failedAt: number | undefined
  while (!running.over.aborted) {
    try {
      const job = await selectCheckpoint(needs.db, id, by)
      if (!job) return
      const run = new Run(needs, job, running)
      const end = await run.toEnd(failedAt === job.line)
      if (!end) return
      const isEnded = await endJob(needs.db, id, by, { failure: undefined, ...end, nowMs: needs.clock.now() })
      if (isEnded) await deleteData(needs.db, id)
      return
    } catch (error) {
      if (!(error instanceof ChunkFailed)) {
        if (!isUnavailable(error))
          needs.log.warn({ err: error, jobId: id }, 'a load was interrupted and continues in a moment')
        await delay(triesAgainAfterMs)
      } else {
        needs.log.debug({ err: error.cause, jobId: id }, 'lines of a load are applied one by one')
        failedAt = error.after
      }
    }
  }
}

/** Lines could not be applied together. */
class ChunkFailed extends Error {
  readonly after: number
  constructor(after: number, cause: unknown) {
    super('lines were not applied', { cause })
    this.after = after
  }
}

/** The lines that follow a failed chunk's beginning are applied one by one. */
const oneByOneLines = 512

class Run {
  readonly #needs: RunNeeds & { turns: ChunkTurns }
  readonly #job: JobRow
  readonly #running: Running
  readonly #source: LineSource
  #after: number
  readonly #refused: { lines: number; bytes: number }
  #isFaulty: boolean
  #header: Header | undefined
  #caller: { value: Caller; readMs: number } | undefined

  constructor(needs: RunNeeds & { turns: ChunkTurns }, job: JobRow, running: Running) {
    this.#needs = needs
    this.#job = job
    this.#running = running
    this.#source = new LineSource(needs.db, job)
    this.#after = job.line
    this.#refused = { lines: job.refused + job.partial, bytes: job.refusedBytes }
    this.#isFaulty = this.#refused.lines > 0
  }

  /** Undefined if the job is over for this process. `isOneByOne`: the next lines failed together. */
  async toEnd(isOneByOne: boolean): Promise<End | undefined> {
    const oneByOneUntil = isOneByOne ? this.#after + oneByOneLines : 0
    try {
      if (this.#job.format === 'csv') this.#header = await this.#readHeader()
      for (;;) {
        if (this.#job.stopsAtError && this.#isFaulty) return { state: 'stopped' }
        const { lines, bytes } = this.#refused
        if (lines > bulkLimits.refusedLinesMax || bytes > bulkLimits.refusedBytesMax)
          return { state: 'failed', failure: failures.tooManyRefused }
        if (this.#running.over.aborted) return undefined
        const caller = await this.#callerNow()
        if (!caller) return { state: 'failed', failure: failures.keyRevoked }
        const isSingle = this.#after < oneByOneUntil
        const isMore = await this.#needs.turns.turn(this.#job.id, (size) =>
          this.#chunk(caller, size, isSingle),
        )
        if (!isMore) return { state: 'done' }
      }
    } catch (error) {
      if (error instanceof DataFault) return { state: 'failed', failure: error.problem }
      throw error
    } finally {
      await this.#source.close()
    }
  }

  /** The first line, which is read again by a run that begins at it. */
  async #readHeader(): Promise<Header> {
    const { id, line, header: stored } = this.#job
    const [first] = line === 0 ? await this.#source.next(1, chunkBytesMax) : []
    const header = stored ?? first?.bytes ?? Buffer.alloc(0)
    const read = headerOf(header)
    if (!stored) await keepHeader(this.#needs.db, id, header)
    return read
  }

  async #callerNow(): Promise<Caller | undefined> {
    const nowMs = performance.now()
    if (this.#caller && nowMs - this.#caller.readMs < callerTrustedMs) return this.#caller.value
    const value = await selectOptionalCaller(this.#needs.db, this.#job.keyId, this.#needs.clock.now())
    this.#caller = value && { value, readMs: nowMs }
    return value
  }

  /** Applies the next lines; false at the end of the data. */
  async #chunk(caller: Caller, size: ChunkSize, isSingle: boolean): Promise<boolean> {
    const isAlone = isSingle || this.#job.stopsAtError
    const lines = await this.#source.next(isAlone ? 1 : size.lines * (this.#header ? 8 : 1), chunkBytesMax)
    if (lines.length === 0) return false
    const units = this.#unitsOf(lines)
    let next = 0
    // Other kinds have a transaction for each unit.
    while (next < units.length && !this.#running.over.aborted) {
      const applied = await this.#apply(caller, units.slice(next), { cells: size.cells, isSingle })
      this.#note(applied)
      next += applied.units
      if (this.#job.kind === 'ari') break
    }
    const given = units.slice(next).reduce((sum, unit) => sum + unit.lines.length, 0)
    this.#source.back(given)
    return true
  }

  #unitsOf(lines: readonly Line[]): (Unit | UnreadableLines)[] {
    if (this.#header) return csvUnits(lines, this.#header, this.#job.isDryRun)
    return lines.map((line) => ndjsonUnit(line, this.#job))
  }

  async #apply(
    caller: Caller,
    units: readonly (Unit | UnreadableLines)[],
    { cells, isSingle }: { cells: number; isSingle: boolean },
  ): Promise<AppliedLines> {
    const { lease } = this.#running
    const at = { job: this.#job, caller, after: this.#after, bytesDone: this.#source.bytesRead, lease }
    try {
      return await applyUnits(this.#needs, at, units, cells)
    } catch (error) {
      if (isUnavailable(error)) throw error
      const [only] = units
      if (!isSingle || !only || !isUnit(only)) throw new ChunkFailed(this.#after, error)
      this.#needs.log.error({ err: error, jobId: this.#job.id }, 'a line of a load failed and was put aside')
      return setAside(this.#needs, at, only, lineErrors.failed)
    }
  }

  #note({ lastLine, outcomes }: AppliedLines): void {
    this.#after = Math.max(this.#after, lastLine)
    for (const { line, outcome, problems } of outcomes) {
      this.#needs.telemetry.bulkLines.inc({ outcome })
      if (outcome !== 'refused' && outcome !== 'partial') continue
      this.#isFaulty = true
      this.#refused.lines++
      this.#refused.bytes += storedBytesOf({ bytes: line.bytes, problems })
    }
  }
}
