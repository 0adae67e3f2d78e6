import Type from 'typebox'
import type { Alert } from '../../alerts/contract.ts'
import { findingKinds, type FindingKind } from '../../findings/contract.ts'
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

/** Of the last seven days. */
export type ConsoleMessages = {
  channel: 'webhook' | 'email' | 'operators'
  waiting: number
  sent: number
  givenUp: number
  lastSentAt: string | null
}

/** Who is told of a supplier's alerts; the supplier sets it. */
export type SupplierAlertChannels = {
  /** Null: all. */
  kinds: FindingKind[] | null
  webhook: string | null
  emails: { email: string; isConfirmed: boolean }[]
  emailAvailable: boolean
  messages: ConsoleMessages[]
}

export type AlertTestResult = {
  channel: 'webhook' | 'email'
  address: string
  isSent: boolean
  reason?: string
}

const supplierId = text({ maxLength: 20, description: 'Number of the supplier' })

export const alertConsoleRoutes = {
  getOperatorsChannel: consoleRoute<{ isSet: boolean; messages: ConsoleMessages | null }>()({
    method: 'GET',
    path: '/alert-channel',
  }),
  getSupplierAlertChannels: consoleRoute<SupplierAlertChannels>()({
    method: 'GET',
    path: '/suppliers/{supplierId}/alert-channels',
    params: Type.Object({ supplierId }),
  }),
  testSupplierAlerts: consoleRoute<{ results: AlertTestResult[] }>()({
    method: 'POST',
    path: '/suppliers/{supplierId}/alert-channels/test',
    role: 'operator',
    params: Type.Object({ supplierId }),
  }),
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
