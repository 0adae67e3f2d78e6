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

/** Traffic of the last day, and suppliers with refused pushes. */

export type OverviewRates = (nowMs: number) => Promise<Pick<Overview, 'pushes' | 'deliveries' | 'refusing'>>

const rateStepMs = rateStepMinutes * minuteMs
const dayLimits = {
  stepMs: rateStepMs,
  steps: (rateHours * hourMs) / rateStepMs,
  settledAfterMs: 2 * minuteMs,
  stepsAtOnce: hourMs / rateStepMs,
  budgetMs: 300,
}

export function overviewRates({ db }: Needs): OverviewRates {
  const pushSteps = new RateSteps(dayLimits, (fromMs, toMs) =>
    countPushes(db, { fromMs, toMs, stepMs: rateStepMs }),
  )
  const attemptSteps = new RateSteps(dayLimits, (fromMs, toMs) =>
    countAttempts(db, { fromMs, toMs, stepMs: rateStepMs }),
  )
  return async (nowMs) => {
    const [pushes, attempts] = await Promise.all([pushSteps.read(nowMs), attemptSteps.read(nowMs)])
    const refusing = refusingSuppliers(pushes.rows, nowMs)
    const names = await selectSupplierNames(db, [...refusing.keys()])
    return {
      pushes: { since: instantOf(pushes.sinceMs), steps: pushRates(pushes.rows, pushes.sinceMs, nowMs) },
      deliveries: {
        since: instantOf(attempts.sinceMs),
        steps: deliveryRates(attempts.rows, attempts.sinceMs, nowMs),
      },
      refusing: [...refusing].map(([supplierId, counts]) => ({
        supplierId,
        supplier: names.get(supplierId) ?? '',
        ...counts,
      })),
    }
  }
}

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
    const rate = rateByStep.get(row.stepMs)
    if (rate && pushOutcomes.includes(row.outcome)) rate[row.outcome] += row.pushes
  }
  return [...rateByStep.values()]
}

function deliveryRates(
  rows: readonly { stepMs: number; delivered: number; failed: number }[],
  sinceMs: number,
  nowMs: number,
): DeliveryRate[] {
  const rowByStep = new Map(rows.map((row) => [row.stepMs, row]))
  return stepsBetween(sinceMs, nowMs).map((atMs) => {
    const { delivered = 0, failed = 0 } = rowByStep.get(atMs) ?? {}
    return { at: instantOf(atMs), delivered, failed }
  })
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

type CountSteps<Row extends StepRow> = (fromMs: number, toMs: number) => Promise<Row[]>

type StepLimits = {
  stepMs: number
  /** The number of steps. */
  steps: number
  /** After this time, everything answered before the end of a step is committed. */
  settledAfterMs: number
  /** Steps per statement. */
  stepsAtOnce: number
  /** How long one call may spend on uncounted steps. */
  budgetMs: number
}

/**
 * Counts of the last day in steps of some minutes, from tables of millions of rows. A completed step no longer
 * changes: it is counted once and remembered. After a start, the day is counted backwards from now, as far as each call
 * has time for.
 */
export class RateSteps<Row extends StepRow> {
  readonly #limits: StepLimits
  readonly #count: CountSteps<Row>
  readonly #rowsByStep = new Map<number, Row[]>()

  constructor(limits: StepLimits, count: CountSteps<Row>) {
    this.#limits = limits
    this.#count = count
  }

  /** Counts of the steps since `sinceMs`, which is a day ago once the whole day is counted. */
  async read(nowMs: number): Promise<{ sinceMs: number; rows: Row[] }> {
    const { stepMs, steps, settledAfterMs, budgetMs, stepsAtOnce } = this.#limits
    const beganMs = performance.now()
    const last = Math.floor(nowMs / stepMs) * stepMs
    const first = last - (steps - 1) * stepMs
    for (const step of this.#rowsByStep.keys()) if (step < first) this.#rowsByStep.delete(step)
    const settled = Math.floor((nowMs - settledAfterMs) / stepMs) * stepMs
    const open = await this.#count(settled, last + stepMs)
    let sinceMs = settled
    let isFirst = true
    const rows = [...open]
    while (sinceMs > first) {
      const known = this.#rowsByStep.get(sinceMs - stepMs)
      if (known) {
        rows.push(...known)
        sinceMs -= stepMs
        continue
      }
      // However slow it is, each call counts some more steps.
      if (!isFirst && performance.now() - beganMs > budgetMs) break
      isFirst = false
      let fromMs = sinceMs - stepMs
      const farthest = Math.max(first, sinceMs - stepsAtOnce * stepMs)
      while (fromMs > farthest && !this.#rowsByStep.has(fromMs - stepMs)) fromMs -= stepMs
      await this.#remember(fromMs, sinceMs)
    }
    return { sinceMs, rows }
  }

  async #remember(fromMs: number, toMs: number): Promise<void> {
    const counted = Map.groupBy(await this.#count(fromMs, toMs), (row) => row.stepMs)
    for (let step = fromMs; step < toMs; step += this.#limits.stepMs)
      this.#rowsByStep.set(step, counted.get(step) ?? [])
  }
}
