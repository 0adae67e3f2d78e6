import type { Transporter } from 'nodemailer'
import { operatorRules } from '../../outbound/object-store.ts'
import { outboundCaller, type Called, type OutboundCaller } from '../../outbound/call.ts'
import { signedHeaders } from '../../outbound/signature.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import type { Needs } from '../../postgres/postgres.ts'

/** The ways out: e-mail, a supplier's webhook, and the operators' webhook. */

export type MailSettings = { smtpUrl: string; from: string }
export type OperatorsWebhook = { url: string; routingKey: string | undefined }

/** Undefined: there is no such channel. */
export type ChannelSettings = {
  mail: MailSettings | undefined
  operatorsWebhook: OperatorsWebhook | undefined
}

export type Mail = { to: string; subject: string; text: string; messageId: string }
export type Sent = { isSent: true } | { isSent: false; reason: string }

export type AlertChannels = {
  /** Absent: this service sends no e-mail. */
  mail: ((mail: Mail) => Promise<Sent>) | undefined
  webhook: (call: SignedCall) => Promise<Sent>
  /** Absent: the operators have no webhook. */
  operators: ((body: object) => Promise<Sent>) | undefined
  operatorsRoutingKey: string | undefined
  close: () => void
}

export type SignedCall = { id: string; url: string; secrets: readonly string[]; body: object; atMs: number }

const callWithinMs = 10_000
const answerBytesMax = 65_536
const connectionsPerHost = 4
const reasonCharacters = 200

type ChannelNeeds = Pick<Needs, 'telemetry'> & { outbound: OutboundRules } & Partial<ChannelSettings>

export function alertChannels(needs: ChannelNeeds): AlertChannels {
  const { outbound, telemetry, mail: mailSettings, operatorsWebhook } = needs
  const suppliers = outboundCaller(outbound, telemetry, {
    purpose: 'alert',
    calls: 'alert',
    connectionsPerHost,
  })
  const operators = operatorsWebhook && operatorsSender(operatorsWebhook, telemetry)
  return {
    mail: mailSettings && mailer(mailSettings),
    webhook: ({ id, url, secrets, body, atMs }) => {
      const bytes = Buffer.from(JSON.stringify(body))
      return post(suppliers, url, bytes, signedHeaders({ id, atMs, body: bytes, secrets }))
    },
    operators: operators?.send,
    operatorsRoutingKey: operatorsWebhook?.routingKey,
    close: () => {
      suppliers.close()
      operators?.close()
    },
  }
}

/** The operators name this address themselves; it may be in their own network. */
function operatorsSender({ url }: OperatorsWebhook, telemetry: Needs['telemetry']) {
  const caller = outboundCaller(operatorRules, telemetry, {
    purpose: 'operators',
    calls: 'operators',
    connectionsPerHost,
  })
  return {
    send: (body: object) => post(caller, url, Buffer.from(JSON.stringify(body)), {}),
    close: caller.close,
  }
}

async function post(
  caller: OutboundCaller,
  url: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<Sent> {
  const called = await caller.post({
    url,
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    connectWithinMs: callWithinMs / 2,
    withinMs: callWithinMs,
    answerBytesMax,
    headSuffices: true,
  })
  return outcomeOf(called)
}

function outcomeOf(called: Called): Sent {
  if (called.kind === 'failed') return { isSent: false, reason: called.reason }
  if (called.status >= 200 && called.status < 300) return { isSent: true }
  return { isSent: false, reason: `HTTP ${called.status}` }
}

/** Connects and signs in as for a message, and sends none. Throws the mail server's reason. */
export async function tryMailServer({ smtpUrl }: Pick<MailSettings, 'smtpUrl'>): Promise<void> {
  const transport = await transportTo(smtpUrl)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** Loaded only where mail is sent. */
async function transportTo(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    connectionTimeout: callWithinMs,
    greetingTimeout: callWithinMs,
    socketTimeout: callWithinMs,
    // Addresses and texts come from outside: nothing in them may name a file or a URL to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function mailer({ smtpUrl, from }: MailSettings): (mail: Mail) => Promise<Sent> {
  let opening: Promise<Transporter> | undefined
  return async ({ to, subject, text, messageId }) => {
    try {
      const transport = await (opening ??= transportTo(smtpUrl))
      const host = from.slice(from.lastIndexOf('@') + 1).replaceAll(/[^\w.-]/g, '')
      await transport.sendMail({
        from,
        // As an object, so that a comma can't make two addresses of it.
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${messageId}@${host}>`,
        headers: { 'auto-submitted': 'auto-generated' },
      })
      return { isSent: true }
    } catch (error) {
      return {
        isSent: false,
        reason: (error instanceof Error ? error.message : 'failed').slice(0, reasonCharacters),
      }
    }
  }
}
