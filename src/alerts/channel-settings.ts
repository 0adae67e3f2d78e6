import { loopbackNetworks, parseUrl } from '../outbound/vet-url.ts'
import type { ChannelSettings } from './channels.ts'

/** Reads the settings of e-mail and of the operators' webhook. */

type Reading<Value> = { value: Value } | { problem: string }

function readSmtpUrl(text: string): Reading<string> {
  const problem = 'must be a URL like smtp://user:password@host:587, or smtps:// for TLS from the start'
  if (!URL.canParse(text)) return { problem }
  const { protocol, hostname } = new URL(text)
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' ? { value: text } : { problem }
}

function readMailAddress(text: string): Reading<string> {
  return /^[\x21-\x7e]+@[A-Za-z0-9.-]+$/.test(text) && !/[<>,;:"]/.test(text)
    ? { value: text }
    : { problem: 'must be an e-mail address like alerts@example.com' }
}

function readOperatorsUrl(text: string): Reading<string> {
  const problem = 'must be a URL like https://hooks.example.com/…; http:// is allowed on this machine only'
  const parsed = parseUrl(text, loopbackNetworks)
  return 'fault' in parsed ? { problem } : { value: text }
}

export const alertSecretNames = [
  'ARI_SMTP_URL',
  'ARI_OPERATORS_WEBHOOK_URL',
  'ARI_OPERATORS_WEBHOOK_KEY',
] as const
export const alertNames = [...alertSecretNames, 'ARI_MAIL_FROM'] as const

/** How alerts reach people beside suppliers' webhooks. */
export function readAlertChannels(
  environ: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ChannelSettings {
  const read = (name: string, reader: (text: string) => Reading<string>): string | undefined => {
    const text = environ[name] ?? ''
    if (text === '') return undefined
    const reading = reader(text)
    if ('value' in reading) return reading.value
    problems.push(`${name} ${reading.problem}`)
    return undefined
  }
  const isSet = (name: string) => (environ[name] ?? '') !== ''
  const smtpUrl = read('ARI_SMTP_URL', readSmtpUrl)
  const from = read('ARI_MAIL_FROM', readMailAddress)
  const url = read('ARI_OPERATORS_WEBHOOK_URL', readOperatorsUrl)
  const routingKey = read('ARI_OPERATORS_WEBHOOK_KEY', (value) => ({ value }))
  if (isSet('ARI_SMTP_URL') !== isSet('ARI_MAIL_FROM'))
    problems.push('ARI_SMTP_URL and ARI_MAIL_FROM must be set together')
  if (routingKey !== undefined && !isSet('ARI_OPERATORS_WEBHOOK_URL'))
    problems.push('ARI_OPERATORS_WEBHOOK_URL must be set with ARI_OPERATORS_WEBHOOK_KEY')
  return {
    mail: smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from },
    operatorsWebhook: url === undefined ? undefined : { url, routingKey },
  }
}
