import { minuteMs } from '../../base/calendar.ts'
import { throttledWarning } from '../../base/log.ts'
import { raiseFinding, resolveFinding } from '../../findings/store.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { AlertChannels, Sent } from '../channels/channels.ts'
import { mailOf, operatorsBody, webhookBody, type Told } from './message-bodies.ts'
import {
  claimMessages,
  selectTold,
  settleMessage,
  withdrawMessage,
  type AlertMessage,
} from './message-claims.ts'
import { queueDue, tellLimits } from './outbox.ts'
import { renderAlert } from '../render-alert.ts'
import { failingAlertsUrl, selectSettings } from '../channels/settings-store.ts'

export type TellNeeds = Needs & { alertChannels: AlertChannels }

const everyMs = 2_000
/** After so many failed attempts of one message, the webhook for alerts is an alert itself. */
const failedAttemptsMax = 3

/** Tells what is to be told, in any number of processes. A message that hangs keeps its place, and no other's. */
export function startTelling(needs: TellNeeds): { close: () => Promise<void> } {
  const throttled = throttledWarning(needs.log, 'alerts are not sent')
  const warn = (error: unknown): void => throttled(error instanceof Error ? error.message : String(error))
  const recipients = new Map<Promise<void>, string>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isAsked = false
  let beginning: Promise<void> = Promise.resolve()
  const beginMore = async (): Promise<void> => {
    isAsked = false
    const places = tellLimits.underWay - recipients.size
    for (const { recipient, sending } of await begin(needs, { places, busy: [...recipients.values()] })) {
      const ended = sending.catch(warn).then(() => {
        recipients.delete(ended)
        tell()
      })
      recipients.set(ended, recipient)
    }
  }
  const tell = (): void => {
    if (isAsked || isClosed) return
    isAsked = true
    beginning = beginning.then(beginMore).catch(warn).then(tellLater)
  }
  const tellLater = (): void => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(tell, everyMs).unref()
  }
  tellLater()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await beginning
      await Promise.all(recipients.keys())
    },
  }
}

/** Queues what is due and sends what is queued, a few to each recipient. Returns the number of messages that were tried. */
export async function tellOnce(needs: TellNeeds): Promise<number> {
  const begun = await begin(needs, { places: tellLimits.underWay, busy: [] })
  await Promise.all(begun.map(({ sending }) => sending))
  return begun.length
}

type Begun = { recipient: string; sending: Promise<void> }

async function begin(needs: TellNeeds, room: { places: number; busy: readonly string[] }): Promise<Begun[]> {
  const { db, clock, alertChannels } = needs
  await queueDue(db, clock.now(), alertChannels.operators !== undefined)
  const messages = await claimMessages(db, clock.now(), room)
  return messages.map((message) => ({
    recipient: message.recipient,
    sending: sendAndSettle(needs, message),
  }))
}

async function sendAndSettle(needs: TellNeeds, message: AlertMessage): Promise<void> {
  const { db, clock, log, telemetry } = needs
  const rows = await selectTold(db, message.findingIds)
  const told: Told = {
    id: `alert_${message.id}`,
    alerts: rows.map((row) => ({ ...renderAlert(row), supplier: row.supplier })),
    count: message.findings - (message.findingIds.length - rows.length),
    isDigest: message.isDigest,
    atMs: clock.now(),
  }
  // Meanwhile all were resolved or acknowledged, or the recipient was removed.
  const sent = told.count === 0 ? undefined : await send(needs.alertChannels, message, told)
  if (sent === undefined) return withdrawMessage(db, message)
  const retryMinutes = tellLimits.retriesAfterMinutes[message.attempts - 1]
  const status = sent.isSent ? 'sent' : retryMinutes === undefined ? 'dead' : 'queued'
  const dueMs = clock.now() + (status === 'queued' ? (retryMinutes ?? 0) * minuteMs : 0)
  await settleMessage(db, { id: message.id, status, dueMs })
  const outcome = ({ sent: 'sent', dead: 'given_up', queued: 'failed' } as const)[status]
  telemetry.alertMessages.inc({ channel: message.channel, outcome })
  if (!sent.isSent) {
    const { id, channel, attempts } = message
    log.warn(
      { message: id, channel, attempts, reason: sent.reason, status },
      'a message about alerts was not sent',
    )
  }
  if (message.channel === 'webhook') await noteWebhook(needs, message, sent)
}

/** Undefined if there is no such recipient any more. */
async function send(channels: AlertChannels, message: AlertMessage, told: Told): Promise<Sent | undefined> {
  const { channel, address, webhook, signingSecrets, isConfirmed } = message
  if (channel === 'operators') return channels.operators?.(operatorsBody(told, channels.operatorsRoutingKey))
  if (channel === 'email')
    return isConfirmed ? channels.mail?.({ ...mailOf(told), to: address, messageId: told.id }) : undefined
  if (webhook === null || signingSecrets.length === 0) return undefined
  const { id, atMs } = told
  return channels.webhook({ id, url: webhook, secrets: signingSecrets, body: webhookBody(told), atMs })
}

/** A webhook for alerts that fails is shown, and told by e-mail and to the operators; never to itself. */
async function noteWebhook(
  { db, clock }: TellNeeds,
  { supplierId, attempts, webhook }: AlertMessage,
  sent: Sent,
): Promise<void> {
  if (supplierId === null) return
  const nowMs = clock.now()
  // The call of a URL that was replaced meanwhile says nothing about the present one.
  if ((await selectSettings(db, supplierId, nowMs)).webhook !== webhook) return
  const name = failingAlertsUrl(supplierId)
  if (sent.isSent) await resolveFinding(db, name, nowMs)
  else if (attempts >= failedAttemptsMax)
    await raiseFinding(db, { ...name, evidence: { reason: sent.reason } }, nowMs)
}
