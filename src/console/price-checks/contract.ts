import Type from 'typebox'
import { consoleRoute, oneOf, text } from '../../http/route.ts'
import { priceCheckOutcomes, type ListedCheck, type PriceCheckOutcome } from '../../price-check/contract.ts'

/** What suppliers' live answers are like: every check, how long they take, and where they differ from what is held. */

const queried = Type.Optional(text({ maxLength: 200 }))

export const consoleChecksPerPage = { max: 200, usual: 50 }
export const driftPerPage = { max: 200, usual: 50 }
/** How far back a search by outcome goes, unless told. */
export const outcomeSearchDays = 7

type OfHotel = {
  supplierId: number
  supplier: string
  hotelId: number
  hotelName: string
  timeZone: string
}

export type ConsoleCheck = Omit<ListedCheck, 'hotelId'> & OfHotel & { hotelCode: string; requestId: string }

export const summaryPeriods = ['hour', 'day'] as const
export type SummaryPeriod = (typeof summaryPeriods)[number]

/** Of the calls that were made; null where there were none. */
export type Latency = { p50Ms: number | null; p95Ms: number | null; p99Ms: number | null }

export type SupplierSummary = Latency & {
  supplierId: number
  supplier: string
  checks: number
  /** Where there were more than are counted: since when these are. */
  countedSince: string | null
  outcomes: Partial<Record<PriceCheckOutcome, number>>
}

export type SummaryPoint = Latency & { at: string; checks: number; failed: number }

export type PriceCheckSummary = {
  since: string
  until: string
  suppliers: SupplierSummary[]
  /** Of all the suppliers named, oldest first. */
  series: SummaryPoint[]
}

/** A night of a room-rate whose live price is another than the stored one. Amounts are of one room. */
export type DriftingNight = OfHotel & {
  roomId: string
  roomName: string
  rateId: string
  rateName: string
  night: string
  currency: string
  checks: number
  differing: number
  soldOut: number
  /** Of all comparisons, the difference farthest from zero. */
  largest: string
  /** At the last comparison. */
  stored: string | null
  live: string | null
  difference: string | null
  /** Of the stored price, to one decimal. */
  differencePercent: number | null
  lastAt: string
  /** Since when every comparison differed, and the hotel's revision that had set the price then. */
  since: { at: string; revision: number } | null
}

export const priceCheckConsoleRoutes = {
  searchPriceChecks: consoleRoute<{
    priceChecks: ConsoleCheck[]
    since: string | null
    nextCursor: string | null
  }>()({
    method: 'GET',
    path: '/price-checks',
    query: Type.Object({
      supplierId: queried,
      hotelId: queried,
      outcome: Type.Optional(oneOf(priceCheckOutcomes)),
      since: queried,
      cursor: queried,
      limit: queried,
    }),
  }),
  summarizePriceChecks: consoleRoute<PriceCheckSummary>()({
    method: 'GET',
    path: '/price-checks/summary',
    query: Type.Object({ period: Type.Optional(oneOf(summaryPeriods)), supplierId: queried }),
  }),
  searchDrift: consoleRoute<{ nights: DriftingNight[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/drift',
    query: Type.Object({ supplierId: queried, hotelId: queried, cursor: queried, limit: queried }),
  }),
  /** The push that made a revision of a hotel; null: it changed no price, or the log has dropped its day. */
  findPushOfRevision: consoleRoute<{ pushId: number | null }>()({
    method: 'GET',
    path: '/hotels/{hotelId}/revisions/{revision}/push',
    params: Type.Object({ hotelId: text({ maxLength: 20 }), revision: text({ maxLength: 20 }) }),
  }),
}
