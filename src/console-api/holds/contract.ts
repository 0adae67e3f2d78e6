import Type from 'typebox'
import type { HoldExample, Reason } from '../../ari/guard/contract.ts'
import { holdStates, type HoldEnder, type HoldState } from '../../ari/guard/holds-contract.ts'
import { consoleRoute, oneOf, queryText, text } from '../../http/route.ts'

/** What the guard holds, of all suppliers. */

export const consoleHoldsPerPage = { max: 200, usual: 50 }

export type ConsoleHold = {
  holdId: string
  supplierId: number
  supplier: string
  hotelId: number
  hotelName: string
  rule: Reason
  /** Of the held prices; null when the hotel has another currency by now, so that they can't be released. */
  currency: string | null
  /** Nights of rooms and room-rates that are still held. */
  cells: number
  requestId: string
  at: string
  /** By the clock of the account. */
  expiresAt: string
  onExpiry: 'discard' | 'apply'
  state: HoldState
  resolvedAt: string | null
  resolvedBy: HoldEnder | null
  examples: HoldExample[]
}

const params = Type.Object({ holdId: text({ maxLength: 60 }) })
const body = Type.Object({
  reason: Type.Optional(text({ maxLength: 200, withoutCards: true, description: 'For the audit log' })),
})

export const holdConsoleRoutes = {
  searchHolds: consoleRoute<{ holds: ConsoleHold[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/holds',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      state: Type.Optional(oneOf(holdStates)),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  /** `skipped`: stretches of nights that changed since, are past, or whose product or currency changed. */
  releaseHold: consoleRoute<{ cellsChanged: number; skipped: unknown[]; requestId: string }>()({
    method: 'POST',
    path: '/holds/{holdId}/release',
    role: 'operator',
    params,
    body,
  }),
  discardHold: consoleRoute<{ discarded: number }>()({
    method: 'POST',
    path: '/holds/{holdId}/discard',
    role: 'operator',
    params,
    body,
  }),
}
