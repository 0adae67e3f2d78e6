import Type from 'typebox'
import { queryText, consoleRoute, oneOf, text } from '../../http/route.ts'
import { priceCheckOutcomes, type ListedCheck, type PriceCheckOutcome } from '../../price-check/contract.ts'

/** Suppliers' live prices: every check, their latency, and differences from stored prices. */

export const consoleChecksPerPage = { max: 200, usual: 50 }
export const driftPerPage = { max: 200, usual: 50 }
/** How far back a search by outcome goes by default. */
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

/** For the calls that were made; null if there were none. */
export type Latency = { p50Ms: number | null; p95Ms: number | null; p99Ms: number | null }

export type SupplierSummary = Latency & {
  supplierId: number
  supplier: string
  checks: number
  /** The start of the counted checks, if there were more than are counted. */
  countedSince: string | null
  outcomes: Partial<Record<PriceCheckOutcome, number>>
}

export type SummaryPoint = Latency & { at: string; checks: number; failed: number }

export type PriceCheckSummary = {
  since: string
  until: string
  suppliers: SupplierSummary[]
  /** For all listed suppliers, oldest first. */
  series: SummaryPoint[]
}

/** A night of a room-rate whose live price differs from the stored one. Amounts are per room. */
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
  /** The largest difference in all comparisons, of either sign. */
  largest: string
  /** In the latest comparison. */
  stored: string | null
  live: string | null
  difference: string | null
  /** In per cent of the stored price, with one decimal. */
  differencePercent: number | null
  lastAt: string
  /** Since when every comparison has differed, and the revision of the hotel that had set the price then. */
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
    forSuppliers: 'own',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      outcome: Type.Optional(oneOf(priceCheckOutcomes)),
      since: queryText(),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  summarizePriceChecks: consoleRoute<PriceCheckSummary>()({
    method: 'GET',
    path: '/price-checks/summary',
    forSuppliers: 'own',
    query: Type.Object({ period: Type.Optional(oneOf(summaryPeriods)), supplierId: queryText() }),
  }),
  searchDrift: consoleRoute<{ nights: DriftingNight[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/drift',
    forSuppliers: 'own',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  /** The push behind a revision of a hotel; null: no push, or no longer in the push log. */
  findPushOfRevision: consoleRoute<{ pushId: number | null }>()({
    method: 'GET',
    path: '/hotels/{hotelId}/revisions/{revision}/push',
    forSuppliers: 'own',
    params: Type.Object({ hotelId: text({ maxLength: 20 }), revision: text({ maxLength: 20 }) }),
  }),
}
