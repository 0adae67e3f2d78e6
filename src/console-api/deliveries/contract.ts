import Type, { type Static } from 'typebox'
import { queryText, consoleRoute, text, integer, oneOf } from '../../http/route.ts'
import type { IgnoredPart } from '../../deliveries/attempt-contract.ts'
import type { DeliveryState } from '../../deliveries/contract.ts'

/** Deliveries as operators see them, and sending them again. */

export const deliveriesPerPage = { max: 200, usual: 50 }
/** Reservations that one request can send again: selected ones, and by a filter. */
export const sentAgainMax = { chosen: 200, byFilter: 1_000 } as const

export type { DeliveryState }

/** The states of deliveries that have not arrived; `undelivered`: any of them. */
export const openStates = ['undelivered', 'queued', 'sending', 'failing', 'no_url', 'dead'] as const

/** The endpoint of a delivery; the place is null if no key of the supplier has that URL any more. */
type ShownEndpoint = { id: string; place: string | null }

export type ListedDelivery = {
  deliveryId: string
  reservationId: number
  version: number
  /** Of the delivered version. */
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
  /** The last attempt. */
  outcome: string | null
  httpStatus: number | null
  createdAt: string
  undeliveredSince: string
  /** Null if there is no next attempt, or if it waits for the next hourly run. */
  dueAt: string | null
  isForHourlyRun: boolean
  giveUpAt: string
  deliveredAt: string | null
  alertedAt: string | null
  /** Midnight on the day of arrival, at the hotel. */
  arrivesAt: string
  /** Whether it is a repeat of a version that was already delivered. */
  isRepeat: boolean
  /** Whether this is the reservation's current version; only that can be sent again. */
  isPresent: boolean
  /** Of the reservation. */
  lastNote: ReservationNote | null
}

export type DisplayedAttempt = {
  attempt: number
  at: string
  trigger: 'realtime' | 'retry' | 'hourly' | 'manual' | 'again'
  /** `accepted`, `refused`, `unavailable`, or why there was no answer. */
  outcome: string
  httpStatus: number | null
  durationMs: number
  messageId: string
  /** The first 2 KB of the response, or why there was none. */
  answer: string | null
  /** What of the response's confirmations was not taken; null: nothing. */
  ignored: IgnoredPart[] | null
}

export type DisplayedDelivery = ListedDelivery & {
  /** Oldest first; stored for 90 days. */
  timeline: DisplayedAttempt[]
}

/** A filter of undelivered deliveries; absent: any. */
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
 * `again`: undelivered, sent at once with a new retry schedule; `repeated`: already delivered before; `nowhere`: left
 * alone, because their suppliers have no URL.
 */
export type SentAgainAnswer = { again: number; repeated: number; nowhere: number }

const searched = {
  state: Type.Optional(oneOf([...openStates, 'delivered', 'superseded'])),
  supplierId: queryText(),
  hotelId: queryText(),
  endpoint: queryText(),
  olderThanMinutes: queryText(),
  arrivalWithinHours: queryText(),
  alerted: Type.Optional(oneOf(['true'])),
}

export const deliveryConsoleRoutes = {
  searchDeliveries: consoleRoute<{ deliveries: ListedDelivery[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/deliveries',
    forSuppliers: 'own',
    query: Type.Object({ ...searched, cursor: queryText(), limit: queryText() }),
  }),
  sendDeliveryAgain: consoleRoute<SentAgainAnswer>()({
    method: 'POST',
    path: '/deliveries/{deliveryId}/send-again',
    forSuppliers: 'own',
    role: 'operator',
    params: Type.Object({ deliveryId: text({ maxLength: 64 }) }),
  }),
  /** The number of reservations that match a filter, before they are sent again. */
  countDeliveriesToSend: consoleRoute<{ count: number; isMore: boolean }>()({
    method: 'GET',
    path: '/deliveries/count-to-send',
    forSuppliers: 'own',
    query: Type.Object(searched),
  }),
  sendDeliveriesAgain: consoleRoute<SentAgainAnswer>()({
    method: 'POST',
    path: '/deliveries/send-again',
    forSuppliers: 'own',
    role: 'operator',
    body: Type.Object({
      deliveryIds: Type.Optional(
        Type.Array(text({ maxLength: 64 }), { minItems: 1, maxItems: sentAgainMax.chosen }),
      ),
      filter: Type.Optional(undeliveredFilter),
      /** With `filter`: the counted number. If more match by now, none is sent. */
      count: Type.Optional(integer({ minimum: 0, maximum: sentAgainMax.byFilter })),
    }),
  }),
}

/** Notes that operators leave each other on a reservation, for example about a call with the hotel. */
export type ReservationNote = { at: string; operator: string; text: string }

const noteCharactersMax = 500
/** The latest note of a reservation. */
export const notesShownMax = 100

export const noteRoutes = {
  addReservationNote: consoleRoute<{ note: ReservationNote }>()({
    method: 'POST',
    path: '/reservations/{reservationId}/notes',
    role: 'operator',
    params: Type.Object({ reservationId: text({ maxLength: 20 }) }),
    body: Type.Object({
      text: text({
        maxLength: noteCharactersMax,
        withoutCards: true,
        description: 'One line; permanent, and shown with the name of its author',
      }),
    }),
    status: 201,
  }),
}
