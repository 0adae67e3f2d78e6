import { minuteMs } from '../base/calendar.ts'
import { throttledWarning } from '../base/log.ts'
import { raiseFinding, resolveFinding } from '../findings/store.ts'
import type { Needs } from '../postgres/postgres.ts'
import type { AlertChannels, Sent } from './channels.ts'
import { mailOf, operatorsBody, webhookBody, type Told } from './message-bodies.ts'
import {
  alertsSubject,
  claimMessages,
  queueDue,
  selectTold,
  settleMessage,
  tellLimits,
  type AlertMessage,
} from './outbox.ts'
import { renderAlert } from './render-alert.ts'

export type TellNeeds = Needs & { alertChannels: AlertChannels }

const everyMs = 2_000
/** After so many failed attempts of one message, the webhook for alerts is an alert itself. */
const failedAttemptsMax = 3

/** Tells what is to be told, in any number of processes. */
export function startTelling(needs: TellNeeds): { close: () => Promise<void> } {
  const warn = throttledWarning(needs.log, 'alerts are not sent')
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let telling: Promise<void> = Promise.resolve()
  const tell = (): void => {
    telling = tellOnce(needs)
      .then(() => {})
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)))
      .then(() => {
        if (!isClosed) timer = setTimeout(tell, everyMs).unref()
      })
  }
  timer = setTimeout(tell, everyMs).unref()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await telling
    },
  }
}

/** Queues what is due and sends what is queued. Returns the number of messages that were tried. */
export async function tellOnce(needs: TellNeeds): Promise<number> {
  const { db, clock, alertChannels } = needs
  await queueDue(db, clock.now(), alertChannels.operators !== undefined)
  const messages = await claimMessages(db, clock.now())
  await Promise.all(messages.map((message) => sendAndSettle(needs, message)))
  return messages.length
}

async function sendAndSettle(needs: TellNeeds, message: AlertMessage): Promise<void> {
  const { db, clock, log, telemetry } = needs
  const rows = await selectTold(db, message.findingIds)
  const told: Told = {
    id: `alert_${message.id}`,
    alerts: rows.map((row) => ({ ...renderAlert(row), supplier: row.supplier })),
    count: message.findings,
    isDigest: message.isDigest,
    atMs: clock.now(),
  }
  // Nothing is left to tell: the account was reset, or the URL removed.
  const sent = rows.length === 0 ? undefined : await send(needs.alertChannels, message, told)
  const retryMinutes = tellLimits.retriesAfterMinutes[message.attempts - 1]
  const isGivenUp = sent === undefined || (!sent.isSent && retryMinutes === undefined)
  const status = sent?.isSent === true ? 'sent' : isGivenUp ? 'dead' : 'queued'
  const dueMs = clock.now() + (status === 'queued' ? (retryMinutes ?? 0) * minuteMs : 0)
  await settleMessage(db, { id: message.id, status, dueMs })
  if (sent === undefined) return
  const outcome = sent.isSent ? 'sent' : isGivenUp ? 'given_up' : 'failed'
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

async function send(channels: AlertChannels, message: AlertMessage, told: Told): Promise<Sent | undefined> {
  const { channel, address, webhook, signingSecret } = message
  if (channel === 'operators') return channels.operators?.(operatorsBody(told, channels.operatorsRoutingKey))
  if (channel === 'email') return channels.mail?.({ ...mailOf(told), to: address, messageId: told.id })
  if (webhook === null || signingSecret === null) return undefined
  const { id, atMs } = told
  return channels.webhook({ id, url: webhook, secret: signingSecret, body: webhookBody(told), atMs })
}

/** A webhook for alerts that fails is shown, and told by e-mail and to the operators; never to itself. */
async function noteWebhook(
  { db, clock }: TellNeeds,
  { supplierId, attempts }: AlertMessage,
  sent: Sent,
): Promise<void> {
  if (supplierId === null) return
  const name = { supplierId, kind: 'webhook.failing', subject: alertsSubject } as const
  if (sent.isSent) await resolveFinding(db, name, clock.now())
  else if (attempts >= failedAttemptsMax)
    await raiseFinding(db, { ...name, evidence: { reason: sent.reason } }, clock.now())
}
