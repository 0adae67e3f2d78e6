import Type from 'typebox'
import { queryText, consoleRoute, oneOf, text, type AnswerOf } from '../../http/route.ts'
import type { VirtualCard } from '../../cards/contract.ts'
import type { ListedCheck } from '../../price-check/contract.ts'
import type { Delivery } from '../../bookings/callback-contract.ts'
import type { reservationRoutes } from '../../bookings/contract.ts'
import { reportedDeparture, reportedMembers, reportedNote } from '../../bookings/report-contract.ts'
import { reservationStatuses } from '../../webhooks/contract.ts'
import type {
  DeliveryState,
  DisplayedAttempt,
  DisplayedDelivery,
  ReservationNote,
} from '../deliveries/contract.ts'

/**
 * Reservations of all suppliers as operators see them: everything stored except card data. People of a supplier see its
 * own, without the operators' notes.
 */

export const reservationsPerPage = { max: 200, usual: 50 }
/** Per version; further changes are only counted. */
export const changesShownMax = 100

type Status = (typeof reservationStatuses)[number]

/** The members that the list and the page of a reservation share. Times of the stay are in `timeZone`. */
export type ReservationOfHotel = {
  reservationId: number
  version: number
  status: Status
  supplierId: number
  supplier: string
  hotelId: number
  hotelCode: string
  hotelName: string
  timeZone: string
  checkin: string
  checkout: string
  currency: string
  /** The platform's own name for it, and where it was sold. */
  clientReference: string | null
  channel: string | null
  createdAt: string
  modifiedAt: string
}

export type ListedReservation = ReservationOfHotel & {
  /** The person who books. */
  customer: string
  rooms: number
  afterTax: string
  /** Of the current version. */
  delivery: DeliveryState
  /** Attempts to deliver it. */
  attempts: number
  isAlerted: boolean
  lastNote: ReservationNote | null
}

type Shown = AnswerOf<typeof reservationRoutes.getReservation>['reservation']

/** One difference from the previous version; a side without a value is absent. */
export type VersionChange = { path: string[]; before?: unknown; after?: unknown }

export type ShownVersion = {
  version: number
  status: Status
  at: string
  total: Shown['total']
  /** Empty for the first version. */
  changes: VersionChange[]
  moreChanges: number
}

/**
 * Whether the hotel has the current version. `acknowledged`: it fetched the reservation. `no_url`: there is no URL to
 * send it to.
 */
export type Reach = {
  kind: 'reached' | 'acknowledged' | 'on_its_way' | 'failing' | 'no_url' | 'given_up' | 'unknown'
  /** When it was delivered; otherwise since when it has been due. */
  at: string | null
  attempts: number
  /** The next attempt; null: none is planned, or it waits for the next hourly run. */
  nextAt: string | null
  /** The newest delivered version, if it is not the current one. */
  earlierVersion: number | null
  /** What came of the last attempt, as long as the current version has not arrived; null: there was none yet. */
  lastAttempt: DisplayedAttempt | null
}

/** The visible part of a card. Its number is in the vault or gone; only the last four digits are ever shown. */
export type ShownCard = {
  brand: string
  last4: string
  /** Null: destroyed, or never stored. */
  keptUntil: string | null
  isCvvKept: boolean
  /** What a virtual card can be charged with, and when; null: a card that isn't virtual. */
  virtual: VirtualCard | null
}

export type ShownAlert = {
  deliveryId: string
  reason: 'undelivered' | 'arrival_near'
  at: string
  clearedAt: string | null
}

export type WholeReservation = ReservationOfHotel & {
  rooms: Shown['rooms']
  customer: Shown['customer']
  paymentType: Shown['payment']['type']
  total: Shown['total']
  /** For a cancelled reservation, by the booked policies. */
  forfeited: Shown['forfeited']
  penalty: Shown['penalty']
  /** By the contract of the account, as it was when the reservation was made; null: before contracts were stored. */
  pricesAre: Shown['pricesAre']
  commissionPercent: Shown['commissionPercent']
  /** Null too for a cancellation whose terms are unknown. */
  commission: Shown['commission']
  amountPayable: Shown['amountPayable']
  confirmations: Shown['confirmations']
  /** Oldest first. */
  reports: Shown['reports']
  /** Null too for people of the supplier, who never see cards. */
  card: ShownCard | null
  reach: Reach
  /** Whether the supplier has a URL for reservations now. */
  hasUrl: boolean
  /** Newest first. */
  versions: ShownVersion[]
  /** The checks made for any version, as long as they are stored. */
  priceChecks: (ListedCheck & { version: number })[]
  /** Newest first. */
  deliveries: DisplayedDelivery[]
  alerts: ShownAlert[]
  /** Newest first. */
  notes: ReservationNote[]
  /** The body sent to the supplier, without card data. */
  body: Delivery
}

export const reservationConsoleRoutes = {
  searchReservations: consoleRoute<{ reservations: ListedReservation[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/reservations',
    forSuppliers: 'own',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      reservation: queryText(),
      guest: Type.Optional(
        text({ maxLength: 200, description: 'Words of a guest name, or their beginnings' }),
      ),
      clientReference: queryText(),
      channel: queryText(),
      status: Type.Optional(oneOf(reservationStatuses)),
      arrivalFrom: queryText(),
      arrivalTo: queryText(),
      createdSince: queryText(),
      createdUntil: queryText(),
      undelivered: Type.Optional(oneOf(['true'])),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  showReservation: consoleRoute<{ reservation: WholeReservation }>()({
    method: 'GET',
    path: '/reservations/{reservationId}',
    forSuppliers: 'own',
    params: Type.Object({ reservationId: text({ maxLength: 20 }) }),
  }),
  /** What a hotel reports, told by an operator who has it from the hotel. */
  reportStayForHotel: consoleRoute<{ report: Shown['reports'][number]['report']; at: string }>()({
    method: 'POST',
    path: '/reservations/{reservationId}/report',
    role: 'operator',
    params: Type.Object({ reservationId: text({ maxLength: 20 }) }),
    body: Type.Object({
      ...reportedMembers,
      roomReservationId: Type.Optional(text({ maxLength: 64 })),
      departureDate: reportedDeparture,
      note: reportedNote,
    }),
  }),
}
