import { instantOf, optionalInstant } from '../base/calendar.ts'
import { alertKinds, type Alert } from './contract.ts'
import type { AlertRow } from './store.ts'

/** An alert as its supplier reads it, in lists and in announcements alike. */
export function renderAlert(row: AlertRow): Alert {
  const { severity, title, remedy } = alertKinds[row.kind]
  return {
    alertId: alertIdOf(row.id),
    kind: row.kind,
    severity,
    state: row.state,
    title,
    remedy,
    hotelId: row.hotelCode,
    keyId: row.keyId,
    subject: row.subject,
    count: row.count,
    evidence: { ...row.evidence },
    openedAt: instantOf(row.openedAtMs),
    lastSeenAt: instantOf(row.lastSeenAtMs),
    announcedAt: optionalInstant(row.toldAtMs),
    acknowledgedAt: optionalInstant(row.acknowledgedAtMs),
    acknowledgedBy:
      row.acknowledgedAtMs === null ? null : row.acknowledgedBy === null ? 'supplier' : 'platform',
    resolvedAt: optionalInstant(row.resolvedAtMs),
  }
}

export function alertIdOf(id: number): string {
  return `alr_${id}`
}

export function parseAlertId(text: string): number | undefined {
  const [, digits] = /^alr_([1-9]\d{0,14})$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
