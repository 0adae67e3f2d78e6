import type { Needs } from '../../postgres/needs.ts'
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
import { RateSteps } from '../calendar/rate-steps.ts'

/** Traffic of the last day, and suppliers with refused pushes. */

export type OverviewRates = (nowMs: number) => Promise<Pick<Overview, 'pushes' | 'deliveries' | 'refusing'>>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const stepMs = rateStepMinutes * minuteMs
const limits = {
  stepMs,
  steps: (rateHours * hourMs) / stepMs,
  settledAfterMs: 2 * minuteMs,
  stepsAtOnce: hourMs / stepMs,
  budgetMs: 300,
}

export function overviewRates({ db }: Needs): OverviewRates {
  const pushSteps = new RateSteps(limits, (fromMs, toMs) => countPushes(db, { fromMs, toMs, stepMs }))
  const attemptSteps = new RateSteps(limits, (fromMs, toMs) => countAttempts(db, { fromMs, toMs, stepMs }))
  return async (nowMs) => {
    const [pushes, attempts] = await Promise.all([pushSteps.read(nowMs), attemptSteps.read(nowMs)])
    const refusing = refusingSuppliers(pushes.rows, nowMs)
    const names = await selectSupplierNames(db, [...refusing.keys()])
    return {
      pushes: { since: isoOf(pushes.sinceMs), steps: pushRates(pushes.rows, pushes.sinceMs, nowMs) },
      deliveries: {
        since: isoOf(attempts.sinceMs),
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

const isoOf = (atMs: number): string => new Date(atMs).toISOString()

/** Every step of the period, including empty ones. */
function stepsBetween(sinceMs: number, nowMs: number): number[] {
  const count = Math.floor((nowMs - sinceMs) / stepMs) + 1
  return Array.from({ length: count }, (_, index) => sinceMs + index * stepMs)
}

function pushRates(rows: readonly PushStepRow[], sinceMs: number, nowMs: number): PushRate[] {
  const none = { applied: 0, unchanged: 0, partial: 0, rejected: 0, dryRun: 0 }
  const rateByStep = new Map(
    stepsBetween(sinceMs, nowMs).map((atMs): [number, PushRate] => [atMs, { at: isoOf(atMs), ...none }]),
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
    return { at: isoOf(atMs), delivered, failed }
  })
}

/** The suppliers with many refused pushes, worst in the last hour first. */
function refusingSuppliers(
  rows: readonly PushStepRow[],
  nowMs: number,
): Map<number, { hour: Refused; day: Refused }> {
  const hourBeginsMs = Math.floor((nowMs - hourMs) / stepMs) * stepMs
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
