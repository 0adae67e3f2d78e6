import Type, { type Static } from 'typebox'
import { consoleRoute, integer, oneOf, text } from '../../http/route.ts'
import type { DeliveryState } from '../../deliveries/list-contract.ts'
import type { ReservationNote } from '../bookings/note-contract.ts'

/** Deliveries as operators see them, and sending them again. */

const queried = Type.Optional(text({ maxLength: 200 }))

export const deliveriesPerPage = { max: 200, usual: 50 }
/** Reservations that are sent again by one request: chosen ones, and by a filter. */
export const sentAgainMax = { chosen: 200, byFilter: 1_000 }

export type { DeliveryState }

/** Those that a supplier is still to be told of. `undelivered`: all of them. */
export const openStates = ['undelivered', 'queued', 'sending', 'failing', 'no_url', 'dead'] as const

/** Where a delivery goes; the place is null when no key of the supplier has that URL any more. */
export type ShownEndpoint = { id: string; place: string | null }

export type ListedDelivery = {
  deliveryId: string
  reservationId: number
  version: number
  /** Of the version that is delivered. */
  reservationStatus: 'Confirm' | 'Cancel'
  supplierId: number
  supplier: string
  hotelId: number
  hotelName: string
  timeZone: string
  state: DeliveryState
  /** Null: none is registered. */
  endpoint: ShownEndpoint | null
  attempts: number
  /** Of the last attempt. */
  outcome: string | null
  httpStatus: number | null
  createdAt: string
  undeliveredSince: string
  /** Null while there is no next attempt, and for one that goes with the next hourly run. */
  dueAt: string | null
  isForHourlyRun: boolean
  giveUpAt: string
  deliveredAt: string | null
  alertedAt: string | null
  /** Midnight of the arrival at the hotel. */
  arrivesAt: string
  /** Sent once more after it had arrived. */
  isRepeat: boolean
  /** Of the reservation's present version: no other is sent again. */
  isPresent: boolean
  /** Of the reservation. */
  lastNote: ReservationNote | null
}

export type ShownAttempt = {
  attempt: number
  at: string
  trigger: 'realtime' | 'retry' | 'hourly' | 'manual' | 'again'
  /** `accepted`, `refused`, `unavailable`, or why there was no answer. */
  outcome: string
  httpStatus: number | null
  durationMs: number
  messageId: string
  /** The first 2 KB of the answer, or why there was none. */
  answer: string | null
}

export type ShownDelivery = ListedDelivery & {
  /** Oldest first; they are kept for 90 days. */
  timeline: ShownAttempt[]
}

/** Undelivered deliveries that are meant; absent: any. */
const undeliveredFilter = Type.Object({
  state: oneOf(openStates),
  supplierId: Type.Optional(integer({ minimum: 1, maximum: 2_147_483_647 })),
  hotelId: Type.Optional(integer({ minimum: 1, maximum: 2_147_483_647 })),
  endpoint: Type.Optional(text({ maxLength: 20 })),
  olderThanMinutes: Type.Optional(integer({ minimum: 0, maximum: 1_000_000 })),
  arrivalWithinHours: Type.Optional(integer({ minimum: 0, maximum: 100_000 })),
  alerted: Type.Optional(Type.Boolean()),
})
export type UndeliveredFilter = Static<typeof undeliveredFilter>

/**
 * `again`: undelivered ones, at once and with a schedule from the beginning; `repeated`: had arrived before; `nowhere`:
 * left as they are, because their suppliers have no URL.
 */
export type SentAgainAnswer = { again: number; repeated: number; nowhere: number }

const searched = {
  state: Type.Optional(oneOf([...openStates, 'delivered', 'superseded'])),
  supplierId: queried,
  hotelId: queried,
  endpoint: queried,
  olderThanMinutes: queried,
  arrivalWithinHours: queried,
  alerted: Type.Optional(oneOf(['true'])),
}

export const deliveryConsoleRoutes = {
  searchDeliveries: consoleRoute<{ deliveries: ListedDelivery[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/deliveries',
    query: Type.Object({ ...searched, cursor: queried, limit: queried }),
  }),
  sendDeliveryAgain: consoleRoute<SentAgainAnswer>()({
    method: 'POST',
    path: '/deliveries/{deliveryId}/send-again',
    role: 'operator',
    params: Type.Object({ deliveryId: text({ maxLength: 64 }) }),
  }),
  /** How many reservations a filter means, before they are sent again. */
  countDeliveriesToSend: consoleRoute<{ count: number; isMore: boolean }>()({
    method: 'GET',
    path: '/deliveries/count-to-send',
    query: Type.Object(searched),
  }),
  sendDeliveriesAgain: consoleRoute<SentAgainAnswer>()({
    method: 'POST',
    path: '/deliveries/send-again',
    role: 'operator',
    body: Type.Object({
      deliveryIds: Type.Optional(
        Type.Array(text({ maxLength: 64 }), { minItems: 1, maxItems: sentAgainMax.chosen }),
      ),
      filter: Type.Optional(undeliveredFilter),
      /** With `filter`: as many as were counted. More by now, and none is sent. */
      count: Type.Optional(integer({ minimum: 0, maximum: sentAgainMax.byFilter })),
    }),
  }),
}
