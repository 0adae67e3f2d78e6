import { answer, onEveryProblem, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readLimit, readSince, judgeQuery, pageOf } from '../../http/query.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { priceCheckOutcomes } from '../../price-check/contract.ts'
import { listedCheckOf } from '../../price-check/render-check.ts'
import { readNumber, readPosition, writePosition } from '../list-query.ts'
import {
  consoleChecksPerPage,
  outcomeSearchDays,
  priceCheckConsoleRoutes,
  type ConsoleCheck,
  type Latency,
  type SummaryPeriod,
} from './contract.ts'
import {
  selectConsoleChecks,
  type CheckSearch,
  type ConsoleCheckRow,
  selectPoints,
  selectSummaries,
  type Percentiles,
  type SummaryScope,
} from './store.ts'

const dayMs = 86_400_000

/** GET /price-checks. */
export const searchPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.searchPriceChecks, judgeSearch(needs), async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const { limit, sinceMs } = read
    const { page, last } = pageOf(await selectConsoleChecks(needs.db, { ...read, limit: limit + 1 }), limit)
    return answer(200, {
      priceChecks: page.map(listedCheck),
      since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
      nextCursor: last ? writePosition([Math.round(last.atMs), last.id]) : null,
    })
  })

const judgeSearch = ({ clock }: Needs) =>
  judgeQuery((query, problems): CheckSearch => {
    const outcome = priceCheckOutcomes.find((one) => one === query['outcome'])
    const hotelId = readNumber('hotelId', query, problems)
    // A rare outcome would be searched for through all checks.
    const isWide = outcome !== undefined && hotelId === undefined
    const farthestMs = isWide ? clock.now() - outcomeSearchDays * dayMs : undefined
    const [atMs, id] = readPosition(query, /^(\d{1,15}) (\d{1,15})$/, problems) ?? []
    return {
      supplierId: readNumber('supplierId', query, problems),
      hotelId,
      outcome,
      sinceMs: readSince('since', query['since'], problems) ?? farthestMs,
      after: atMs === undefined ? undefined : { atMs: Number(atMs), id: Number(id) },
      limit: readLimit(query['limit'], consoleChecksPerPage, problems),
    }
  })

function listedCheck(row: ConsoleCheckRow): ConsoleCheck {
  const { hotelId: hotelCode, ...check } = listedCheckOf(row)
  const { supplierId, supplier, hotelNo: hotelId, hotelName, timeZone, requestId } = row
  return { ...check, hotelCode, supplierId, supplier, hotelId, hotelName, timeZone, requestId }
}

const msByPeriod: Readonly<Record<SummaryPeriod, number>> = { hour: 3_600_000, day: 86_400_000 }

/** GET /price-checks/summary. */
export const summarizePriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.summarizePriceChecks, judgeSummary(needs), async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const [suppliers, points] = await Promise.all([
      selectSummaries(needs.db, read),
      selectPoints(needs.db, read),
    ])
    return answer(200, {
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
    })
  })

const judgeSummary = ({ clock }: Needs) =>
  judgeQuery((query, problems): SummaryScope => {
    const supplierId = readNumber('supplierId', query, problems)
    const nowMs = clock.now()
    const period: SummaryPeriod = query['period'] === 'hour' ? 'hour' : 'day'
    return { supplierId, nowMs, sinceMs: nowMs - msByPeriod[period] }
  })

function latencyOf(percentiles: Percentiles): Latency {
  const [p50Ms, p95Ms, p99Ms] = percentiles ?? [null, null, null]
  return { p50Ms, p95Ms, p99Ms }
}

function instantOf(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString()
}
