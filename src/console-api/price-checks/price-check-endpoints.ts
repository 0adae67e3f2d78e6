import { answer, onEveryProblem, type Mounted, on } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { cursorProblem, readId, readLimit, readSince, judgeQuery, pageOf } from '../../http/calls/query.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { priceCheckOutcomes } from '../../price-check/contract.ts'
import { hotelOfDrift } from '../../price-check/store.ts'
import { listedCheckOf, signedText } from '../../price-check/render-check.ts'
import { readNumber, readPosition, writePosition } from '../list-query.ts'
import {
  consoleChecksPerPage,
  outcomeSearchDays,
  priceCheckConsoleRoutes,
  type ConsoleCheck,
  type Latency,
  type SummaryPeriod,
  driftPerPage,
  type DriftingNight,
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
import { minorText } from '../../base/money.ts'
import { selectAppliedPushes } from '../../push-log/read/store.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { dayMs, instantOf, optionalInstant, parseNight } from '../../base/calendar.ts'

/** GET /price-checks. */
export const searchPriceChecks = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.searchPriceChecks, judgeSearch(needs), async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const { limit, sinceMs } = read
    const { page, last } = pageOf(await selectConsoleChecks(needs.db, { ...read, limit: limit + 1 }), limit)
    return answer(200, {
      priceChecks: page.map(listedCheck),
      since: sinceMs === undefined ? null : instantOf(sinceMs),
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
        countedSince: optionalInstant(countedSinceMs),
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

/** GET /drift. */
export const searchDrift = (needs: Needs & { priceChecks: PriceChecker }): Mounted =>
  onEveryProblem(priceCheckConsoleRoutes.searchDrift, judge, async ({ read }) => {
    await needs.priceChecks.ledger.written()
    const rows = await selectDrift(needs.db, { ...read, limit: read.limit + 1 })
    const { page, last } = pageOf(rows, read.limit)
    return answer(200, {
      nights: page.map(listedNight),
      nextCursor: last ? cursorOf(last) : null,
    })
  })

function cursorOf({ position: { share, hotelId, roomNo, rateNo, night } }: DriftingRow): string {
  return writePosition([share, hotelId, roomNo, rateNo, night])
}

const positionText = /^(\d[\d.e+-]{0,30}) (\d{1,10}) (\d{1,5}) (\d{1,5}) (2\d{3}-\d\d-\d\d)$/

const judge = judgeQuery((query, problems): DriftSearch => {
  const [share, hotel, room, rate, night] = readPosition(query, positionText, problems) ?? []
  if (night !== undefined && parseNight(night) === undefined)
    problems.push(cursorProblem(query['cursor'] ?? ''))
  const after =
    night === undefined
      ? undefined
      : { share: Number(share), hotelId: Number(hotel), roomNo: Number(room), rateNo: Number(rate), night }
  return {
    supplierId: readNumber('supplierId', query, problems),
    hotelId: readNumber('hotelId', query, problems),
    after,
    limit: readLimit(query['limit'], driftPerPage, problems),
  }
})

function listedNight({ position, ...row }: DriftingRow): DriftingNight {
  const { stored, live, lastAtMs, sinceAtMs, sinceRevision, largest, ...figures } = row
  const digits = minorDigits(row.currency) ?? 2
  const isCompared = stored !== null && live !== null
  return {
    ...figures,
    night: position.night,
    largest: signedText(largest, digits),
    stored: stored === null ? null : minorText(stored, digits),
    live: live === null ? null : minorText(live, digits),
    difference: isCompared ? signedText(live - stored, digits) : null,
    differencePercent: isCompared && stored > 0 ? Math.round(position.share * 1_000) / 10 : null,
    lastAt: instantOf(lastAtMs),
    since:
      sinceAtMs === null || sinceRevision === null
        ? null
        : { at: instantOf(sinceAtMs), revision: sinceRevision },
  }
}

/** GET /hotels/{hotelId}/revisions/{revision}/push. */
export const findPushOfRevision = ({ db }: Needs): Mounted =>
  on(priceCheckConsoleRoutes.findPushOfRevision, async ({ params }) => {
    const hotelId = readId(params.hotelId)
    const revision = /^\d{1,15}$/.test(params.revision) ? Number(params.revision) : undefined
    const isNone = hotelId === undefined || revision === undefined
    // Looked up only when somebody follows the link: it searches all pushes of the hotel.
    const [push] = isNone ? [] : await selectAppliedPushes(db, [{ hotelId, revision }])
    return answer(200, { pushId: push?.id ?? null })
  })

type DriftSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  after: DriftPosition | undefined
  limit: number
}

type DriftPosition = { share: number; hotelId: number; roomNo: number; rateNo: number; night: string }

type DriftingRow = {
  position: DriftPosition
  supplierId: number
  supplier: string
  hotelId: number
  hotelName: string
  timeZone: string
  roomId: string
  roomName: string
  rateId: string
  rateName: string
  currency: string
  checks: number
  differing: number
  soldOut: number
  /** Minor units. */
  largest: number
  stored: number | null
  live: number | null
  lastAtMs: number
  sinceAtMs: number | null
  sinceRevision: number | null
}

/** The expression of the index price_drift_differing. */
const share = '(abs(live - stored)::float8 / greatest(stored, 1))'

/** Nights whose latest comparison differed, largest share of the stored price first. */
async function selectDrift(
  db: Queryable,
  { supplierId, hotelId, after, limit }: DriftSearch,
): Promise<DriftingRow[]> {
  const { rows } = await db.query<DriftingRow>(
    `select json_build_object('share', ${share}, 'hotelId', d.hotel_id, 'roomNo', d.room_no, 'rateNo', d.rate_no,
         'night', d.night) as position,
       hotel.supplier_id as "supplierId", supplier.name as supplier, d.hotel_id as "hotelId",
       hotel.name as "hotelName", hotel.time_zone as "timeZone", room.code as "roomId",
       room.name as "roomName", rate.code as "rateId", rate.name as "rateName",
       d.currency, checks, differing, sold_out as "soldOut", largest, stored, live,
       epoch_ms(last_at) as "lastAtMs",
       epoch_ms(since_at) as "sinceAtMs", since_revision as "sinceRevision"
     from price_drift d ${hotelOfDrift}
       join supplier on supplier.id = hotel.supplier_id
       join room on room.hotel_id = d.hotel_id and room.room_no = d.room_no
       join rate on rate.hotel_id = d.hotel_id and rate.rate_no = d.rate_no
     where since_at is not null and ($1::int is null or hotel.supplier_id = $1)
       and ($2::int is null or d.hotel_id = $2)
       and ($3::float8 is null or (${share}, d.hotel_id, d.room_no, d.rate_no, d.night)
         < ($3, $4::bigint, $5::int, $6::int, $7::date))
     order by ${share} desc, d.hotel_id desc, d.room_no desc, d.rate_no desc, d.night desc limit $8`,
    [
      supplierId ?? null,
      hotelId ?? null,
      after?.share ?? null,
      after?.hotelId ?? null,
      after?.roomNo ?? null,
      after?.rateNo ?? null,
      after?.night ?? null,
      limit,
    ],
  )
  return rows
}
