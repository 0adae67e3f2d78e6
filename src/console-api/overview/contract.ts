import type { CircuitState } from '../../outbound/circuit.ts'
import type { VaultState } from '../../cards/contract.ts'
import { consoleRoute } from '../../http/route.ts'
import type { PushOutcome } from '../../push-log/contract.ts'
import type { DeliveryState } from '../deliveries/contract.ts'
import type { ListedStopSell } from '../stop-sells/contract.ts'

/** Problems that need attention now, and recent traffic. */

export const overviewLimits = {
  /** Rows of each list; the linked page has all. */
  listed: 6,
  /** Counting stops here; the answer says that there are more. */
  counted: 10_000,
  /** The same for hotels and nights, each of which is read from another page of a table that may have millions. */
  scatteredCounted: 1_000,
  /** A bookable hotel is stale after this time without ARI. */
  staleAfterDays: 3,
  /** A hotel's ARI ends soon if none is pushed for any month after the one in this many days. */
  endsWithinDays: 60,
  /** A supplier is listed if at least this share and this number of its pushes were refused. */
  refusedShareMin: 0.05,
  refusedMin: 3,
} as const

/** The step of the traffic counts. */
export const rateStepMinutes = 15
export const rateHours = 24

export type Counted = { count: number; isMore: boolean }

export type UrgentDelivery = {
  reservationId: number
  deliveryId: string
  supplier: string
  hotelName: string
  timeZone: string
  /** Of the delivered version. */
  reservationStatus: 'Confirm' | 'Cancel'
  state: DeliveryState
  undeliveredSince: string
  /** Midnight on the day of arrival, at the hotel. */
  arrivesAt: string
}

export type Undelivered = {
  all: Counted
  /** By minimum age. */
  olderThan: { quarterHour: number; hour: number; day: number }
  arrivingWithin: { day: number; threeDays: number }
  dead: number
  withoutUrl: number
  /** Deliveries waiting longer than usual, nearest arrival first. */
  urgent: UrgentDelivery[]
}

export type Refused = { pushes: number; rejected: number; partial: number }
export type RefusingSupplier = { supplierId: number; supplier: string; hour: Refused; day: Refused }

export type WatchedHotel = {
  hotelId: number
  name: string
  supplier: string
  createdAt: string
  lastAriAt: string | null
  /** The last month with pushed ARI, `YYYY-MM`. */
  ariUntilMonth: string | null
}

export type DriftingHotel = {
  hotelId: number
  name: string
  supplier: string
  nights: number
  /** In per cent of the stored price, with one decimal, for the night that differs most. */
  mostPercent: number
}

export type NamedCircuit = {
  supplierId: number
  supplier: string
  /** Host and path of the URL. */
  place: string
  state: Exclude<CircuitState, 'closed'>
}

/** One step of the last day; `at` is its start. */
export type PushRate = { at: string } & Record<PushOutcome, number>
export type DeliveryRate = { at: string; delivered: number; failed: number }

/**
 * `since` is less than a day ago while the day is still being counted after a start of the service; `until` is the instant
 * of the last count, null while the first one runs.
 */
export type Rates<Rate> = { since: string; until: string | null; steps: Rate[] }

export type Overview = {
  at: string
  undelivered: Undelivered
  refusing: RefusingSupplier[]
  /** `since`: a date (UTC). */
  stale: Counted & { since: string; hotels: WatchedHotel[] }
  /** On sale, and no ARI was ever pushed. */
  neverPushed: Counted & { hotels: WatchedHotel[] }
  ending: Counted & { endsBy: string; hotels: WatchedHotel[] }
  /** Alerts of suppliers that nobody has acknowledged. */
  alerts: Counted & { critical: number }
  /** Operators' stop-sells in force, newest first. */
  stopSells: Counted & { hotels: number; first: ListedStopSell[] }
  /** Open holds of the guard. */
  holds: Counted & { hotels: number }
  drifting: { nights: Counted; hotels: DriftingHotel[] }
  /** Whether the answering process can open the stored cards. */
  vault: { state: VaultState; cardsToRewrap: number; cardsUnreadable: number }
  /** In the answering process: each process keeps its own list. */
  circuits: NamedCircuit[]
  pushes: Rates<PushRate>
  deliveries: Rates<DeliveryRate>
  /** Whether there are any hotels yet. */
  hasHotels: boolean
}

export const overviewRoutes = {
  getOverview: consoleRoute<Overview>()({ method: 'GET', path: '/overview' }),
}
