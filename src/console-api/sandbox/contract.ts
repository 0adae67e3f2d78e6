import Type, { type Static } from 'typebox'
import { consoleRoute, code, date, integer, oneOf, text } from '../../http/route.ts'
import {
  callbackFaultKinds,
  orderedFaults,
  spoilableCalls,
  type CallbackPurpose,
} from '../../webhooks/callback-contract.ts'

/**
 * Actions in the sandbox, of operators on behalf of a supplier and of its own managers; in production all answer 404
 * `NOT_ENABLED`.
 */

const supplierId = text({ maxLength: 20, description: 'Number of the supplier' })
const ofSupplier = Type.Object({ supplierId })

/** The example hotel's code in every account; pushing it again restores it. */
export const exampleHotelCode = 'EXAMPLE'

/** The prefix of request ids of pushes from the console. */
export const consoleRequestPrefix = 'console-'

/** As the user was shown it; null: unknown. */
const expectedPenalty = Type.Union([text({ maxLength: 40 }), Type.Null()])

const fault = Type.Object({
  calls: oneOf(spoilableCalls),
  fault: oneOf(callbackFaultKinds),
  times: integer({ minimum: 1, maximum: orderedFaults.timesMax }),
  hotelId: Type.Optional(code()),
})
export type SandboxFault = Omit<Static<typeof fault>, 'times' | 'hotelId'> & {
  timesLeft: number
  hotelId: string | null
  expiresAt: string
}

export type SandboxHotel = {
  hotelId: number
  code: string
  name: string
  /** The current date at the hotel: the first night that can be booked. */
  today: string
  products: { roomId: string; roomName: string; rateId: string; rateName: string }[]
}

export type SandboxCall = {
  id: number
  at: string
  calls: CallbackPurpose
  url: string
  requestId: string
  webhookId: string
  /** `answered`, or the reason why there was no response. */
  outcome: string
  httpStatus: number | null
  durationMs: number
}

/** `answer` is null if it could repeat card data. */
export type SandboxCallShown = SandboxCall & { request: string; answer: string | null }

export type ExamplePush = { kind: string; requestId: string; status: number; message: string }

/** `aheadBy` is an ISO 8601 duration, PT0S if the clock is not ahead. */
export type SandboxClock = { now: string; aheadBy: string }

export type SandboxRemoved = { hotels: number; roomRates: number; reservations: number; deliveries: number }

export type SandboxBooking = { reservationId: string; version: number; status: string; delivery: string }

/** What a cancellation costs now: null where the terms are unknown; `until` that changes. */
export type SandboxQuote = { penalty: { amount: string; currency: string } | null; until: string | null }

export const sandboxHotelsMax = 30
export const productsOfHotelMax = 60
export const callsShownMax = 50

export const sandboxConsoleRoutes = {
  listSandboxHotels: consoleRoute<{ hotels: SandboxHotel[] }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/hotels',
    forSuppliers: 'own',
    params: ofSupplier,
    query: Type.Object({
      hotelId: Type.Optional(text({ maxLength: 20, description: 'platformHotelId: this hotel only' })),
    }),
  }),
  pushExampleHotel: consoleRoute<{ hotelId: number; code: string; pushes: ExamplePush[] }>()({
    method: 'POST',
    path: '/sandbox/{supplierId}/example',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
  }),
  listSandboxFaults: consoleRoute<{ faults: SandboxFault[] }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/faults',
    forSuppliers: 'own',
    params: ofSupplier,
  }),
  orderSandboxFaults: consoleRoute<{ faults: SandboxFault[] }>()({
    method: 'PUT',
    path: '/sandbox/{supplierId}/faults',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
    body: Type.Object({ faults: Type.Array(fault, { maxItems: orderedFaults.perAccountMax }) }),
  }),
  bookInSandbox: consoleRoute<{ booking: SandboxBooking }>()({
    method: 'POST',
    path: '/sandbox/{supplierId}/bookings',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
    body: Type.Object({
      hotelId: code(),
      roomId: code(),
      rateId: code(),
      checkin: date(),
      checkout: date(),
      adults: integer({ minimum: 1, maximum: 20 }),
      childAges: Type.Array(integer({ minimum: 0, maximum: 17 }), { maxItems: 10 }),
    }),
    status: 201,
  }),
  cancelInSandbox: consoleRoute<{ booking: SandboxBooking }>()({
    method: 'POST',
    path: '/sandbox/{supplierId}/cancellations',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
    body: Type.Object({ hotelId: code(), reservationId: code(), expectedPenalty }),
  }),
  quoteInSandbox: consoleRoute<{ quote: SandboxQuote }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/cancellations/{reservationId}',
    forSuppliers: 'own',
    params: Type.Object({ supplierId, reservationId: text({ maxLength: 20 }) }),
  }),
  getSandboxClock: consoleRoute<{ clock: SandboxClock }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/clock',
    forSuppliers: 'own',
    params: ofSupplier,
  }),
  advanceSandboxClock: consoleRoute<{ clock: SandboxClock; deliveriesDue: number }>()({
    method: 'POST',
    path: '/sandbox/{supplierId}/clock',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
    body: Type.Object({ advanceBy: text({ maxLength: 60 }) }),
  }),
  resetSandboxAccount: consoleRoute<{ removed: SandboxRemoved }>()({
    method: 'POST',
    path: '/sandbox/{supplierId}/reset',
    forSuppliers: 'command',
    role: 'operator',
    params: ofSupplier,
  }),
  listSandboxCalls: consoleRoute<{ calls: SandboxCall[] }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/calls',
    forSuppliers: 'own',
    params: ofSupplier,
  }),
  getSandboxCall: consoleRoute<{ call: SandboxCallShown }>()({
    method: 'GET',
    path: '/sandbox/{supplierId}/calls/{callId}',
    forSuppliers: 'own',
    params: Type.Object({ supplierId, callId: text({ maxLength: 20 }) }),
  }),
}
