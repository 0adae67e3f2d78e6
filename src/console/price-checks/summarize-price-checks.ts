import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { readNumber } from '../bookings/booking-query.ts'
import { readQueryOf } from '../deliveries/search.ts'
import { priceCheckConsoleRoutes, type Latency, type SummaryPeriod } from './contract.ts'
import { selectPoints, selectSummaries, type Percentiles, type SummaryScope } from './store.ts'

const msByPeriod: Readonly<Record<SummaryPeriod, number>> = { hour: 3_600_000, day: 86_400_000 }

/** GET /price-checks/summary. */
export const summarizePriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.summarizePriceChecks, judge(needs), async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const [suppliers, points] = await Promise.all([
      selectSummaries(needs.db, read),
      selectPoints(needs.db, read),
    ])
    const said: AnswerOf<typeof priceCheckConsoleRoutes.summarizePriceChecks> = {
      since: instantOf(read.sinceMs),
      until: instantOf(read.nowMs),
      suppliers: suppliers.map(({ countedSinceMs, percentiles, ...summary }) => ({
        ...summary,
        countedSince: countedSinceMs === null ? null : instantOf(countedSinceMs),
        ...latencyOf(percentiles),
      })),
      series: points.map(({ atMs, checks, failed, percentiles }) => ({
        at: instantOf(atMs),
        checks,
        failed,
        ...latencyOf(percentiles),
      })),
    }
    return answer(200, said)
  })

const judge =
  ({ clock }: Needs): Judge<SummaryScope> =>
  (sent, shapeProblems) => {
    const { query, wrong } = readQueryOf(sent, shapeProblems)
    const supplierId = readNumber('supplierId', query, wrong)
    rejectIfAny(wrong)
    const nowMs = clock.now()
    const period: SummaryPeriod = query['period'] === 'hour' ? 'hour' : 'day'
    return { supplierId, nowMs, sinceMs: nowMs - msByPeriod[period] }
  }

function latencyOf(percentiles: Percentiles): Latency {
  const [p50Ms, p95Ms, p99Ms] = percentiles ?? [null, null, null]
  return { p50Ms, p95Ms, p99Ms }
}

function instantOf(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString()
}
