import Type from 'typebox'
import type { Alert } from '../../alerts/contract.ts'
import { findingKinds } from '../../findings/contract.ts'
import { consoleRoute, oneOf, queryText, text } from '../../http/route.ts'

/** The alerts of all suppliers. */

export const consoleAlertsPerPage = { max: 200, usual: 50 }

/** `unresolved`: open or acknowledged. */
export const alertViews = ['open', 'unresolved', 'resolved'] as const
export type AlertView = (typeof alertViews)[number]

export type ConsoleAlert = Omit<Alert, 'hotelId' | 'acknowledgedBy'> & {
  supplierId: number
  supplier: string
  hotelId: number | null
  hotelName: string | null
  /** The operator's name; null: the supplier, or nobody. */
  acknowledgedBy: string | null
}

export const alertConsoleRoutes = {
  searchAlerts: consoleRoute<{ alerts: ConsoleAlert[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/alerts',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      kind: Type.Optional(oneOf(findingKinds)),
      state: Type.Optional(oneOf(alertViews)),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  acknowledgeAlert: consoleRoute<{ acknowledged: number }>()({
    method: 'POST',
    path: '/alerts/{alertId}/ack',
    role: 'operator',
    params: Type.Object({ alertId: text({ maxLength: 30 }) }),
  }),
}
