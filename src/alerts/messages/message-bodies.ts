import { instantOf } from '../../base/calendar.ts'
import type { Alert, Severity } from '../contract.ts'

/** What a message says, for each channel. Alerts have no data of guests, and messages add none. */

export type Told = {
  id: string
  alerts: readonly (Alert & { supplier: string })[]
  /** All of them; a digest may list fewer. */
  count: number
  isDigest: boolean
  atMs: number
}

/** The body of a supplier's webhook. */
export function webhookBody({ alerts, count, isDigest, atMs }: Told): object {
  return {
    type: 'alerts',
    sentAt: instantOf(atMs),
    isDigest,
    count,
    alerts: alerts.map(({ supplier: _own, ...alert }) => alert),
  }
}

export function mailOf({ alerts, count, isDigest }: Told): { subject: string; text: string } {
  const [first] = alerts
  const subject = isDigest || count !== 1 || !first ? `${count} alerts` : `${first.title}${ofHotel(first)}`
  const parts = alerts.map((alert) =>
    [
      `${alert.title}${ofHotel(alert)}`,
      `${alert.kind}, ${alert.severity}, since ${alert.openedAt}, count ${alert.count}`,
      ...Object.entries(alert.evidence).map(([name, value]) => `  ${name}: ${textOf(value)}`),
      `What to do: ${alert.remedy}`,
      `Acknowledge it with POST /push/alerts/ack: ${alert.alertId}`,
    ].join('\n'),
  )
  const rest = count > alerts.length ? [`${count - alerts.length} more: POST /push/alerts lists all.`] : []
  return { subject: `[ARI gateway] ${subject}`, text: `${[...parts, ...rest].join('\n\n')}\n` }
}

function ofHotel({ hotelId, count }: Alert): string {
  return `${hotelId === null ? '' : `: hotel ${hotelId}`}${count > 1 ? ` (${count})` : ''}`
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}

const ranks: Readonly<Record<Severity, number>> = { critical: 2, warning: 1, info: 0 }
const colours: Readonly<Record<Severity, string>> = { critical: 'C92A2A', warning: 'E67700', info: '1971C2' }

const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Suppliers choose their names and codes. In Slack `<…>` is a link or calls everybody, in the Markdown of Teams
 * `[…](…)` is a link. Both show the entities as signs; Slack would show Markdown's backslashes.
 */
function withoutMarkup(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => slackEntities[sign] ?? sign).replaceAll('](', ']\u200B(')
}

/**
 * One body that Slack (`text`), Teams (a MessageCard) and PagerDuty (an event) each understand; they ignore the
 * members of the others.
 */
export function operatorsBody(
  { id, alerts, count, isDigest, atMs }: Told,
  routingKey: string | undefined,
): object {
  const severity =
    alerts.map((alert) => alert.severity).sort((one, other) => ranks[other] - ranks[one])[0] ?? 'info'
  const [first] = alerts
  const plainTitle =
    isDigest || !first || count !== 1
      ? `${count} alerts`
      : `${first.supplier}: ${first.title}${ofHotel(first)}`
  const title = withoutMarkup(plainTitle)
  const lines = alerts.map((alert) =>
    withoutMarkup(`${alert.supplier}: ${alert.kind}${ofHotel(alert)}: ${alert.title}`),
  )
  const text = [isDigest ? title : '', ...lines].filter((line) => line !== '').join('\n')
  return {
    text,
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    summary: title,
    title,
    themeColor: colours[severity],
    ...(routingKey === undefined ? {} : { routing_key: routingKey }),
    event_action: 'trigger',
    // The same alert again belongs to the same incident.
    dedup_key: !isDigest && first ? first.alertId : id,
    payload: {
      summary: plainTitle.slice(0, 1_000),
      source: 'ari-gateway',
      severity,
      timestamp: instantOf(atMs),
      custom_details: { count, alerts },
    },
  }
}
