import Type, { type Static } from 'typebox'
import { findingKinds, findingStates, type FindingKind } from '../findings/contract.ts'
import { hotelId } from '../hotels/contract.ts'
import { code, integer, oneOf, route, success, text, type ConstraintError } from '../http/route.ts'
import { commonLimits } from '../keys/contract.ts'

/** Alerts: findings, for the supplier whose data they concern. */

export const alertsPerPage = { max: commonLimits.pushLogEntriesPerPage, usual: 50 }
export const acknowledgedAtOnceMax = 500

export const alertErrors = {
  notFound: {
    type: 'ALERT_NOT_FOUND',
    message: 'Alert not found',
    hint: 'Send an alertId from POST /push/alerts',
  },
} as const satisfies Record<string, ConstraintError>

/** How bad a kind is; `critical`: a guest may arrive without a room, or nothing can be sold. */
export const severities = ['critical', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]

/** What each kind means, and what to do. */
export const alertKinds: Readonly<
  Record<FindingKind, { severity: Severity; title: string; remedy: string }>
> = {
  'push.refused': {
    severity: 'warning',
    title: 'Items of your pushes are refused',
    remedy:
      'GET /push/log lists the pushes with their errors; fix the cause and push the refused items again',
  },
  'ari.stale': {
    severity: 'warning',
    title: 'A hotel has not received ARI for much longer than usual',
    remedy:
      'Check whether your pushes still run for this hotel and none is answered superseded, then push its ARI again',
  },
  'coverage.low': {
    severity: 'warning',
    title: 'A hotel has prices and inventory for only a few days ahead',
    remedy: 'Push inventory and prices for the coming months with POST /push/ari',
  },
  'booking.undelivered': {
    severity: 'critical',
    title: 'Reservations are not delivered to you',
    remedy:
      'GET /push/deliveries shows the answers of your endpoint; fix it, or fetch the reservations with GET /push/webhook/pushbook/retrieve',
  },
  'webhook.failing': {
    severity: 'warning',
    title: 'One of your URLs does not accept our calls',
    remedy: 'Test the URL with POST /push/webhook/test after fixing it, or register another one',
  },
  'drift.high': {
    severity: 'warning',
    title: 'Your live prices differ from the prices that you pushed',
    remedy: 'Push the ARI of these nights again; POST /push/getAriDigest finds what differs',
  },
  'guard.held': {
    severity: 'warning',
    title: 'Changes of prices or availability are held back',
    remedy: 'Check them with POST /push/guard/holds, then release or discard them',
  },
  'key.expiring': {
    severity: 'warning',
    title: 'An API key expires soon',
    remedy: 'Ask the platform for a new key before the date, and use it for your pushes',
  },
  'mass.closed': {
    severity: 'critical',
    title: 'Most nights of a hotel were closed at once',
    remedy: 'If that was not intended, push the right values again',
  },
  'certification.regressed': {
    severity: 'info',
    title: 'A check of your certification that was proven before now fails',
    remedy: 'The check says why it fails and what to do',
  },
  'resync.requested': {
    severity: 'info',
    title: 'The platform asks for all ARI of a hotel again',
    remedy: 'Push the complete ARI of this hotel with POST /push/ari',
  },
}

export const criticalKinds = findingKinds.filter((kind) => alertKinds[kind].severity === 'critical')

const instant = (description: string) => Type.String({ description, examples: ['2027-02-18T16:14:54.000Z'] })
const nullable = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const alertId = code({ description: 'alertId as listed' })

const alert = Type.Object({
  alertId: Type.String(),
  kind: oneOf(findingKinds),
  severity: oneOf(severities, {
    description: 'critical: guests may arrive without a room, or nothing can be sold',
  }),
  state: oneOf(findingStates, {
    description:
      'open; acknowledged: somebody has seen it, and it is not announced again; resolved: its cause is gone, which the service notices by itself',
  }),
  title: Type.String({ description: 'What the kind means, in a sentence' }),
  remedy: Type.String({ description: 'What to do' }),
  hotelId: nullable('null: it concerns the whole account'),
  keyId: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The API key that it concerns; null: none in particular',
  }),
  subject: Type.String({ description: 'Distinguishes alerts of the same kind and hotel; may be empty' }),
  count: Type.Integer({ description: 'How often it happened, for example the number of refused items' }),
  evidence: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Figures and codes that show why it was raised; never data of guests',
  }),
  openedAt: instant('When it was raised; again after it had been resolved'),
  lastSeenAt: instant('When its cause was last seen'),
  announcedAt: nullable('When it was last announced by e-mail or webhook; null: never'),
  acknowledgedAt: nullable('null: not acknowledged'),
  acknowledgedBy: Type.Unsafe<'supplier' | 'platform' | null>({
    type: ['string', 'null'],
    enum: ['supplier', 'platform', null],
  }),
  resolvedAt: nullable('null: not resolved'),
})
export type Alert = Static<typeof alert>

export const alertRoutes = {
  listAlerts: route({
    method: 'POST',
    path: '/push/alerts',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'List your alerts',
    description:
      'What the service noticed and you should know, newest first: one entry for each kind, key, hotel and subject, however often it happened. By default, all alerts that are not resolved; resolved ones are kept for 90 days.',
    refusesUnknown: true,
    body: Type.Object({
      states: Type.Optional(
        Type.Array(oneOf(findingStates), {
          minItems: 1,
          maxItems: findingStates.length,
          description: 'Only these; open and acknowledged by default',
        }),
      ),
      kinds: Type.Optional(
        Type.Array(oneOf(findingKinds), {
          minItems: 1,
          maxItems: findingKinds.length,
          description: 'Only these',
        }),
      ),
      hotelId: Type.Optional(hotelId),
      limit: Type.Optional(
        integer({
          minimum: 1,
          maximum: alertsPerPage.max,
          description: `Maximum number of alerts: ${alertsPerPage.usual} by default`,
        }),
      ),
      cursor: Type.Optional(text({ maxLength: 200, description: 'nextCursor of the previous page' })),
    }),
    answer: Type.Object({ ...success, alerts: Type.Array(alert), nextCursor: nullable('null at the end') }),
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'Alerts of one kind',
        request: { kinds: ['booking.undelivered'], states: ['open'] },
        answer: {
          status: 200,
          body: { code: '200', message: 'Alerts retrieved successfully', alerts: [], nextCursor: null },
        },
      },
    ],
  }),
  acknowledgeAlerts: route({
    method: 'POST',
    path: '/push/alerts/ack',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'Acknowledge alerts',
    description:
      'Marks open alerts as seen: they are not announced again, and are still resolved when their cause is gone. All of them, or none if one is unknown. Acknowledging again changes nothing.',
    body: Type.Object({
      alertIds: Type.Array(alertId, { minItems: 1, maxItems: acknowledgedAtOnceMax }),
    }),
    answer: Type.Object({
      ...success,
      acknowledged: Type.Integer({ description: 'Number of alerts that were open until now' }),
    }),
    errors: { 404: 'Unknown alert; nothing was acknowledged' },
    examples: [
      {
        summary: 'An unknown alert',
        request: { alertIds: ['alr_1'] },
        answer: { status: 404, body: { code: '404', message: 'Alert not found' } },
      },
    ],
  }),
}
