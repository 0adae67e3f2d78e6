import { randomUUID } from 'node:crypto'
import { instantOf } from '../../base/calendar.ts'
import { resolveFinding } from '../../findings/store.ts'
import { Rejected } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { AlertChannels, Sent } from './channels.ts'
import { alertSettingsErrors, testEverySeconds } from './settings-contract.ts'
import { failingAlertsUrl, selectSettings, takeTest } from './settings-store.ts'

export type TestResult = { channel: 'webhook' | 'email'; address: string; isSent: boolean; reason?: string }

/** Sends a message that is marked as a test through every channel of a supplier. */
export async function sendTest(
  { db, clock, alertChannels }: Needs & { alertChannels: AlertChannels },
  supplierId: number,
): Promise<TestResult[]> {
  const nowMs = clock.now()
  const { webhook, signingSecrets, emails } = await selectSettings(db, supplierId, nowMs)
  const confirmed = emails.filter(({ isConfirmed }) => isConfirmed).map(({ email }) => email)
  if (webhook === null && confirmed.length === 0) throw new Rejected(409, alertSettingsErrors.noChannel)
  if (!(await takeTest(db, supplierId, nowMs)))
    throw new Rejected(429, alertSettingsErrors.testedJustNow, {
      headers: { 'retry-after': String(testEverySeconds) },
    })
  const id = `alert_test_${randomUUID()}`
  const body = { type: 'alerts.test', sentAt: instantOf(nowMs), isDigest: false, count: 0, alerts: [] }
  const toWebhook =
    webhook === null || signingSecrets.length === 0
      ? []
      : [
          named(
            'webhook',
            webhook,
            alertChannels.webhook({ id, url: webhook, secrets: signingSecrets, body, atMs: nowMs }),
          ),
        ]
  const toEmails = confirmed.map((to) =>
    named(
      'email',
      to,
      alertChannels.mail?.({
        to,
        subject: '[ARI gateway] Test',
        text: 'This is a test alert.\n',
        messageId: id,
      }),
    ),
  )
  const results = await Promise.all([...toWebhook, ...toEmails])
  if (results.some(({ channel, isSent }) => channel === 'webhook' && isSent))
    await resolveFinding(db, failingAlertsUrl(supplierId), clock.now())
  return results
}

async function named(
  channel: TestResult['channel'],
  address: string,
  sending: Promise<Sent> | undefined,
): Promise<TestResult> {
  const sent = (await sending) ?? { isSent: false, reason: alertSettingsErrors.noMail.message }
  return { channel, address, ...sent }
}
