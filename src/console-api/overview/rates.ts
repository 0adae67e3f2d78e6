import { minuteMs, hourMs, instantOf } from '../../base/calendar.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { pushOutcomes } from '../../push-log/contract.ts'
import {
  overviewLimits,
  rateHours,
  rateStepMinutes,
  type DeliveryRate,
  type Overview,
  type PushRate,
  type Refused,
} from './contract.ts'
import { countAttempts, countPushes, selectSupplierNames, type PushStepRow } from './store.ts'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'

/** Traffic of the last day, and suppliers with refused pushes. */

export type OverviewRates = (nowMs: number) => Promise<Pick<Overview, 'pushes' | 'deliveries' | 'refusing'>>

const rateStepMs = rateStepMinutes * minuteMs
const dayLimits = {
  stepMs: rateStepMs,
  steps: (rateHours * hourMs) / rateStepMs,
  partMs: minuteMs,
  settledAfterMs: 2 * minuteMs,
  stepsAtOnce: hourMs / rateStepMs,
  budgetMs: 300,
  trustedMs: 5_000,
  waitMs: 20,
}

export function overviewRates({ db }: Needs): OverviewRates {
  const pushSteps = new RateSteps(dayLimits, (range) => countPushes(db, range))
  const attemptSteps = new RateSteps(dayLimits, (range) => countAttempts(db, range))
  return async (nowMs) => {
    const [pushes, attempts] = await Promise.all([pushSteps.read(nowMs), attemptSteps.read(nowMs)])
    const refusing = refusingSuppliers(pushes.rows, nowMs)
    const names = await selectSupplierNames(db, [...refusing.keys()])
    return {
      pushes: { ...rangeOf(pushes), steps: pushRates(pushes.rows, pushes.sinceMs, nowMs) },
      deliveries: { ...rangeOf(attempts), steps: deliveryRates(attempts.rows, attempts.sinceMs, nowMs) },
      refusing: [...refusing].map(([supplierId, counts]) => ({
        supplierId,
        supplier: names.get(supplierId) ?? '',
        ...counts,
      })),
    }
  }
}

function rangeOf({ sinceMs, untilMs }: CountedRange): { since: string; until: string | null } {
  return { since: instantOf(sinceMs), until: untilMs === undefined ? null : instantOf(untilMs) }
}

const stepOf = ({ stepMs }: StepRow): number => Math.floor(stepMs / rateStepMs) * rateStepMs

/** Every step of the period, including empty ones. */
function stepsBetween(sinceMs: number, nowMs: number): number[] {
  const count = Math.floor((nowMs - sinceMs) / rateStepMs) + 1
  return Array.from({ length: count }, (_, index) => sinceMs + index * rateStepMs)
}

function pushRates(rows: readonly PushStepRow[], sinceMs: number, nowMs: number): PushRate[] {
  const none = { applied: 0, unchanged: 0, partial: 0, rejected: 0, dryRun: 0 }
  const rateByStep = new Map(
    stepsBetween(sinceMs, nowMs).map((atMs): [number, PushRate] => [atMs, { at: instantOf(atMs), ...none }]),
  )
  for (const row of rows) {
    const rate = rateByStep.get(stepOf(row))
    if (rate && pushOutcomes.includes(row.outcome)) rate[row.outcome] += row.pushes
  }
  return [...rateByStep.values()]
}

function deliveryRates(
  rows: readonly { stepMs: number; delivered: number; failed: number }[],
  sinceMs: number,
  nowMs: number,
): DeliveryRate[] {
  const rateByStep = new Map(
    stepsBetween(sinceMs, nowMs).map((atMs): [number, DeliveryRate] => [
      atMs,
      { at: instantOf(atMs), delivered: 0, failed: 0 },
    ]),
  )
  for (const row of rows) {
    const rate = rateByStep.get(stepOf(row))
    if (!rate) continue
    rate.delivered += row.delivered
    rate.failed += row.failed
  }
  return [...rateByStep.values()]
}

/** The suppliers with many refused pushes, worst in the last hour first. */
function refusingSuppliers(
  rows: readonly PushStepRow[],
  nowMs: number,
): Map<number, { hour: Refused; day: Refused }> {
  const hourBeginsMs = Math.floor((nowMs - hourMs) / rateStepMs) * rateStepMs
  const bySupplier = new Map<number, { hour: Refused; day: Refused }>()
  for (const row of rows) {
    let counts = bySupplier.get(row.supplierId)
    if (!counts) bySupplier.set(row.supplierId, (counts = { hour: nothing(), day: nothing() }))
    add(counts.day, row)
    if (row.stepMs >= hourBeginsMs) add(counts.hour, row)
  }
  const worst = [...bySupplier]
    .filter(([, { hour, day }]) => isRefusing(hour) || isRefusing(day))
    .sort(([, left], [, right]) => weight(right) - weight(left))
  return new Map(worst.slice(0, overviewLimits.listed))
}

const nothing = (): Refused => ({ pushes: 0, rejected: 0, partial: 0 })

function add(counts: Refused, { outcome, pushes }: PushStepRow): void {
  counts.pushes += pushes
  if (outcome === 'rejected' || outcome === 'partial') counts[outcome] += pushes
}

const refusedOf = ({ rejected, partial }: Refused): number => rejected + partial

function isRefusing(counts: Refused): boolean {
  const refused = refusedOf(counts)
  return refused >= overviewLimits.refusedMin && refused / counts.pushes >= overviewLimits.refusedShareMin
}

/** The last hour shows current problems. */
function weight({ hour, day }: { hour: Refused; day: Refused }): number {
  return refusedOf(hour) * 10 + refusedOf(day)
}

type StepRow = { stepMs: number }

/** Rows by steps of `stepMs`. */
type CountSteps<Row extends StepRow> = (range: {
  fromMs: number
  toMs: number
  stepMs: number
}) => Promise<Row[]>

type StepLimits = {
  stepMs: number
  /** The number of steps. */
  steps: number
  /** Of a step that isn't complete, parts of this length are counted once, too. */
  partMs: number
  /** After this time, everything answered before the end of a step is committed. */
  settledAfterMs: number
  /** Steps per statement. */
  stepsAtOnce: number
  /** How long the counting goes on, so that a start doesn't read a whole day at once; the next call continues it. */
  budgetMs: number
  /** Nothing is counted again within this time. */
  trustedMs: number
  /** How long a call waits for the counting. */
  waitMs: number
}

/** `untilMs` is absent while nothing is counted. */
type CountedRange = { sinceMs: number; untilMs: number | undefined }

/**
 * Counts of the last day in steps of some minutes, from tables of millions of rows. A completed step no longer
 * changes: it is counted once and remembered. After a start, the day is counted backwards from now. Nobody waits for
 * the counting, except for a moment: it takes the longer the more is pushed.
 */
export class RateSteps<Row extends StepRow> {
  readonly #limits: StepLimits
  readonly #count: CountSteps<Row>
  readonly #rowsByStep = new Map<number, Row[]>()
  readonly #rowsByPart = new Map<number, Row[]>()
  /** Whatever is later than the last part. */
  #newest: { fromMs: number; untilMs: number; rows: Row[] } | undefined
  #isWhole = false
  #counting: Promise<void> | undefined

  constructor(limits: StepLimits, count: CountSteps<Row>) {
    this.#limits = limits
    this.#count = count
  }

  /** What is counted; `sinceMs` is a day ago once the whole day is. */
  async read(nowMs: number): Promise<CountedRange & { rows: Row[] }> {
    const { trustedMs, waitMs } = this.#limits
    const ageMs = nowMs - (this.#newest?.untilMs ?? -Infinity)
    if (!this.#isWhole || ageMs < 0 || ageMs >= trustedMs) {
      this.#counting ??= this.#countRest(nowMs).finally(() => (this.#counting = undefined))
      await Promise.race([this.#counting, wait(waitMs, undefined, { ref: false })])
    }
    return this.#counted(nowMs)
  }

  #counted(nowMs: number): CountedRange & { rows: Row[] } {
    const { stepMs, partMs } = this.#limits
    const first = this.#firstStep(nowMs)
    if (!this.#newest) return { sinceMs: this.#stepAt(nowMs), untilMs: undefined, rows: [] }
    const rows = [...this.#newest.rows]
    let sinceMs = this.#newest.fromMs
    while (sinceMs > first) {
      const step = sinceMs % stepMs === 0 ? this.#rowsByStep.get(sinceMs - stepMs) : undefined
      const counted = step ?? this.#rowsByPart.get(sinceMs - partMs)
      if (!counted) break
      for (const row of counted) rows.push(row)
      sinceMs -= step ? stepMs : partMs
    }
    return { sinceMs: this.#stepAt(sinceMs), untilMs: this.#newest.untilMs, rows }
  }

  async #countRest(nowMs: number): Promise<void> {
    const { stepMs, partMs, settledAfterMs, stepsAtOnce, budgetMs } = this.#limits
    const beganMs = performance.now()
    this.#isWhole = false
    const first = this.#firstStep(nowMs)
    const complete = this.#stepAt(nowMs - settledAfterMs)
    const settled = Math.floor((nowMs - settledAfterMs) / partMs) * partMs
    for (const step of this.#rowsByStep.keys()) if (step < first) this.#rowsByStep.delete(step)
    let partsToMs = complete
    while (this.#rowsByPart.has(partsToMs)) partsToMs += partMs
    await this.#remember(this.#rowsByPart, { fromMs: partsToMs, toMs: settled, stepMs: partMs })
    const toMs = this.#stepAt(nowMs) + stepMs
    const rows = await this.#count({ fromMs: settled, toMs, stepMs: partMs })
    this.#newest = { fromMs: settled, untilMs: nowMs, rows }
    let sinceMs = complete
    let isFirst = true
    while (sinceMs > first) {
      if (this.#rowsByStep.has(sinceMs - stepMs)) {
        sinceMs -= stepMs
        continue
      }
      // However slow it is, each call counts some more steps.
      if (!isFirst && performance.now() - beganMs > budgetMs) return
      isFirst = false
      let fromMs = sinceMs - stepMs
      const farthest = Math.max(first, sinceMs - stepsAtOnce * stepMs)
      while (fromMs > farthest && !this.#rowsByStep.has(fromMs - stepMs)) fromMs -= stepMs
      await this.#remember(this.#rowsByStep, { fromMs, toMs: sinceMs, stepMs })
      sinceMs = fromMs
    }
    for (const part of this.#rowsByPart.keys()) if (part < complete) this.#rowsByPart.delete(part)
    this.#isWhole = true
  }

  async #remember(
    rowsByStart: Map<number, Row[]>,
    range: { fromMs: number; toMs: number; stepMs: number },
  ): Promise<void> {
    const { fromMs, toMs, stepMs } = range
    if (fromMs >= toMs) return
    const counted = Map.groupBy(await this.#count(range), (row) => row.stepMs)
    for (let start = fromMs; start < toMs; start += stepMs) rowsByStart.set(start, counted.get(start) ?? [])
  }

  #stepAt(ms: number): number {
    return Math.floor(ms / this.#limits.stepMs) * this.#limits.stepMs
  }

  #firstStep(nowMs: number): number {
    return this.#stepAt(nowMs) - (this.#limits.steps - 1) * this.#limits.stepMs
  }
}
