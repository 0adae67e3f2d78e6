import type { CircuitState } from '../../outbound/circuit.ts'
import type { VaultState } from '../../cards/vault-contract.ts'
import { consoleRoute } from '../../http/route.ts'
import type { PushOutcome } from '../../push-log/contract.ts'
import type { DeliveryState } from '../deliveries/contract.ts'

/** What needs a person now, and how busy it is. */

export const overviewLimits = {
  /** Shown of each list; the page behind it has all. */
  listed: 6,
  /** Beyond it, that there are more. */
  counted: 10_000,
  /** A hotel that can be booked and had no ARI for so long is stale. */
  staleAfterDays: 3,
  /** The ARI of a hotel ends soon when nothing is pushed for months after the one in so many days. */
  endsWithinDays: 60,
  /** A supplier is listed when this share of its pushes was refused, and this many of them. */
  refusedShareMin: 0.05,
  refusedMin: 3,
} as const

/** The rates are counted in steps of this. */
export const rateStepMinutes = 15
export const rateHours = 24

export type Counted = { count: number; isMore: boolean }

export type UrgentDelivery = {
  reservationId: number
  deliveryId: string
  supplier: string
  hotelName: string
  timeZone: string
  /** Of the version that is delivered. */
  reservationStatus: 'Confirm' | 'Cancel'
  state: DeliveryState
  undeliveredSince: string
  /** Midnight of the arrival at the hotel. */
  arrivesAt: string
}

export type Undelivered = {
  all: Counted
  /** By the least age. */
  olderThan: { quarterHour: number; hour: number; day: number }
  arrivingWithin: { day: number; threeDays: number }
  dead: number
  withoutUrl: number
  /** The nearest arrivals of those that wait for longer than a usual delivery takes. */
  urgent: UrgentDelivery[]
}

export type Refused = { pushes: number; rejected: number; partial: number }
export type RefusingSupplier = { supplierId: number; supplier: string; hour: Refused; day: Refused }

export type WatchedHotel = {
  hotelId: number
  name: string
  supplier: string
  lastAriAt: string | null
  /** The last month of which anything was pushed, `YYYY-MM`. */
  ariUntilMonth: string | null
}

export type DriftingHotel = {
  hotelId: number
  name: string
  supplier: string
  nights: number
  /** Of the stored price, to one decimal, of the night that differs most. */
  mostPercent: number
}

export type NamedCircuit = {
  supplierId: number
  supplier: string
  /** Host and path of the URL. */
  place: string
  state: Exclude<CircuitState, 'closed'>
}

/** One step of the last day; `at` is its beginning. */
export type PushRate = { at: string } & Record<PushOutcome, number>
export type DeliveryRate = { at: string; delivered: number; failed: number }

/** `since`: later than a day ago while the day is still being counted, after a start of the service. */
export type Rates<Rate> = { since: string; steps: Rate[] }

export type Overview = {
  at: string
  undelivered: Undelivered
  refusing: RefusingSupplier[]
  /** `since`: a date (UTC). */
  stale: Counted & { since: string; hotels: WatchedHotel[] }
  ending: Counted & { endsBy: string; hotels: WatchedHotel[] }
  drifting: { nights: Counted; hotels: DriftingHotel[] }
  /** The store's cards, as the process that answers can open them. */
  vault: { state: VaultState; cardsToRewrap: number; cardsUnreadable: number }
  /** Of the process that answers: each finds out for itself. */
  circuits: NamedCircuit[]
  pushes: Rates<PushRate>
  deliveries: Rates<DeliveryRate>
  /** Whether there is anything at all yet. */
  hasHotels: boolean
}

export const overviewRoutes = {
  getOverview: consoleRoute<Overview>()({ method: 'GET', path: '/overview' }),
}
