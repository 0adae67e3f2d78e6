import Type from 'typebox'
import { consoleRoute, oneOf, text, type AnswerOf } from '../../http/route.ts'
import type { ListedCheck } from '../../price-check/contract.ts'
import type { Delivery } from '../../bookings/callback-contract.ts'
import type { reservationRoutes } from '../../bookings/contract.ts'
import { reservationStatuses } from '../../webhooks/contract.ts'
import type { DeliveryState, ShownDelivery } from '../deliveries/contract.ts'
import type { ReservationNote } from './note-contract.ts'

/** Reservations as operators see them: of all suppliers, with all that is kept of them, but for the card. */

/** A query is text throughout; what a number, a date or a cursor is, the handler reads. */
const queried = Type.Optional(text({ maxLength: 200 }))

export const reservationsPerPage = { max: 200, usual: 50 }
/** Of one version, with more there is a count. */
export const changesShownMax = 100

type Status = (typeof reservationStatuses)[number]

/** What is the same of a reservation in the list and alone. Times of the stay are those of `timeZone`. */
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
  createdAt: string
  modifiedAt: string
}

export type ListedReservation = ReservationOfHotel & {
  /** Who books. */
  customer: string
  rooms: number
  afterTax: string
  /** Of the present version. */
  delivery: DeliveryState
  /** Of its attempts. */
  attempts: number
  isAlerted: boolean
  lastNote: ReservationNote | null
}

type Shown = AnswerOf<typeof reservationRoutes.getReservation>['reservation']

/** One thing that a version has other than the one before; absent on the side where there is nothing. */
export type VersionChange = { path: string[]; before?: unknown; after?: unknown }

export type ShownVersion = {
  version: number
  status: Status
  at: string
  total: Shown['total']
  /** None of the first. */
  changes: VersionChange[]
  moreChanges: number
}

/**
 * Whether the hotel knows of the reservation as it is now. `acknowledged`: it fetched it. `no_url`: there is nowhere to
 * send it to.
 */
export type Reach = {
  kind: 'reached' | 'acknowledged' | 'on_its_way' | 'failing' | 'no_url' | 'given_up' | 'unknown'
  /** When it arrived; else since when it should have. */
  at: string | null
  attempts: number
  /** Of the next attempt; null: none is planned, or it goes with the next hourly run. */
  nextAt: string | null
  /** The newest version that arrived, where that is not the present one. */
  earlierVersion: number | null
}

/** What is left of a card. Its number is in the vault, or nowhere; only its last four digits are ever shown. */
export type ShownCard = {
  brand: string
  last4: string
  /** Null: destroyed, or never kept. */
  keptUntil: string | null
  isCvvKept: boolean
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
  /** Of a cancelled one, by the policies that were booked. */
  penalty: Shown['penalty']
  card: ShownCard | null
  reach: Reach
  /** Newest first. */
  versions: ShownVersion[]
  /** Made for one of the versions, while they are kept. */
  priceChecks: (ListedCheck & { version: number })[]
  /** Newest first. */
  deliveries: ShownDelivery[]
  alerts: ShownAlert[]
  /** Newest first. */
  notes: ReservationNote[]
  /** What the supplier is sent, but for the card. */
  body: Delivery
}

export const reservationConsoleRoutes = {
  searchReservations: consoleRoute<{ reservations: ListedReservation[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/reservations',
    query: Type.Object({
      supplierId: queried,
      hotelId: queried,
      reservation: queried,
      guest: Type.Optional(
        text({ maxLength: 200, description: 'Words of a name that it was made under, or their beginnings' }),
      ),
      status: Type.Optional(oneOf(reservationStatuses)),
      arrivalFrom: queried,
      arrivalTo: queried,
      createdSince: queried,
      undelivered: Type.Optional(oneOf(['true'])),
      cursor: queried,
      limit: queried,
    }),
  }),
  showReservation: consoleRoute<{ reservation: WholeReservation }>()({
    method: 'GET',
    path: '/reservations/{reservationId}',
    params: Type.Object({ reservationId: text({ maxLength: 20 }) }),
  }),
}
