import { createHash, randomInt, randomUUID } from 'node:crypto'
import { hourMs, isoSeconds, minuteMs } from '../../base/calendar.ts'
import { findingKinds } from '../../findings/contract.ts'
import { resolveFinding } from '../../findings/store.ts'
import { answer, on } from '../../http/calls/mount.ts'
import { Rejected, rejectIfAny, reportedValue } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { newSigningSecret } from '../../outbound/signature.ts'
import { vetUrl, type OutboundRules } from '../../outbound/vet-url.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { describeFault } from '../../webhooks/callback.ts'
import { overlapHoursOfSecret } from '../../webhooks/contract.ts'
import type { AlertChannels } from './channels.ts'
import { sendTest } from './send-test.ts'
import { alertEmails, alertSettingsErrors, alertSettingsRoutes } from './settings-contract.ts'
import {
  deleteOtherEmails,
  failingAlertsUrl,
  lockSettings,
  rotateAlertSecret as rotateSecret,
  selectSettings,
  tryCode,
  writeCode,
  writeSettings,
  type AlertSettings,
} from './settings-store.ts'

type SettingsNeeds = Needs & { outbound: OutboundRules; alertChannels: AlertChannels }

/** GET /push/alerts/settings. */
export const getAlertSettings = (needs: SettingsNeeds) =>
  on(alertSettingsRoutes.getAlertSettings, async ({ caller: { supplierId } }) => {
    const settings = await selectSettings(needs.db, supplierId, needs.clock.now())
    return answer(200, {
      code: '200',
      message: 'Alert settings retrieved successfully',
      ...rendered(settings, needs),
    })
  })

/** POST /push/alerts/settings. */
export const setAlertSettings = (needs: SettingsNeeds) =>
  on(alertSettingsRoutes.setAlertSettings, async ({ body, caller: { supplierId } }) => {
    const { db, clock } = needs
    await refuseInvalid(body, needs)
    await confirm(needs, supplierId, body.codes ?? [])
    const saved = await save(needs, supplierId, body)
    const notSent = await sendCodes(needs, saved.codes)
    const settings = await selectSettings(db, supplierId, clock.now())
    return answer(200, {
      code: '200',
      message: 'Alert settings saved successfully',
      ...rendered(settings, needs),
      ...(saved.newSecret === undefined ? {} : { signingSecret: saved.newSecret }),
      notSent,
    })
  })

/** POST /push/alerts/rotate. */
export const rotateAlertSecret = ({ db, clock }: Needs) =>
  on(alertSettingsRoutes.rotateAlertSecret, async ({ body, caller: { supplierId } }) => {
    const { overlapHours = overlapHoursOfSecret.usual } = body
    const nowMs = clock.now()
    const oldUntilMs = nowMs + overlapHours * hourMs
    const signingSecret = newSigningSecret()
    if (!(await rotateSecret(db, supplierId, { signingSecret, oldUntilMs, nowMs })))
      throw new Rejected(409, alertSettingsErrors.noSecret)
    return answer(200, {
      code: '200',
      message: 'Signing secret rotated successfully',
      signingSecret,
      oldSecretValidUntil: isoSeconds(oldUntilMs),
    })
  })

function rendered({ kinds, webhook, emails }: AlertSettings, { alertChannels }: SettingsNeeds) {
  return {
    kinds: kinds ?? [...findingKinds],
    webhook,
    emails: emails.map(({ email, isConfirmed }) => ({
      email,
      state: isConfirmed ? ('confirmed' as const) : ('pending' as const),
    })),
    emailAvailable: alertChannels.mail !== undefined,
  }
}

type SettingsBody = BodyOf<typeof alertSettingsRoutes.setAlertSettings>

/** Printable ASCII without the signs that separate addresses or end a header. */
const emailText = /^[^\s@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/

async function refuseInvalid({ webhook, emails }: SettingsBody, needs: SettingsNeeds): Promise<void> {
  const wrong = (emails ?? []).flatMap((email, index) =>
    emailText.test(email) && /^[\x21-\x7e]+$/.test(email)
      ? []
      : [{ ...alertSettingsErrors.emailInvalid, path: `/emails/${index}`, value: reportedValue(email) }],
  )
  rejectIfAny(wrong)
  if ((emails ?? []).length > 0 && needs.alertChannels.mail === undefined)
    throw new Rejected(409, { ...alertSettingsErrors.noMail, path: '/emails' })
  if (webhook === undefined || webhook === null) return
  const vetted = await vetUrl(webhook, needs.outbound)
  if ('fault' in vetted)
    throw new Rejected(400, {
      ...describeFault(vetted.fault),
      path: '/webhook',
      value: reportedValue(webhook),
    })
}

/** Wrong codes are counted, so this is no part of the transaction that a refusal undoes. */
async function confirm(
  { db, clock }: SettingsNeeds,
  supplierId: number,
  codes: readonly { email: string; code: string }[],
): Promise<void> {
  for (const [index, { email, code }] of codes.entries()) {
    const given = { email, codeHash: hashOf(supplierId, email, code.trim()), nowMs: clock.now() }
    if (!(await tryCode(db, supplierId, given)))
      throw new Rejected(400, { ...alertSettingsErrors.codeWrong, path: `/codes/${index}/code` })
  }
}

type NewCode = { email: string; code: string }

async function save(
  { db, clock }: SettingsNeeds,
  supplierId: number,
  body: SettingsBody,
): Promise<{ newSecret: string | undefined; codes: NewCode[] }> {
  return transaction(db, async (connection) => {
    const nowMs = clock.now()
    await lockSettings(connection, supplierId, nowMs)
    const held = await selectSettings(connection, supplierId, nowMs)
    const webhook = body.webhook === undefined ? held.webhook : body.webhook
    const newSecret = webhook !== null && held.signingSecret === null ? newSigningSecret() : undefined
    await writeSettings(connection, supplierId, {
      kinds: body.kinds === undefined ? held.kinds : body.kinds,
      webhook,
      signingSecret: newSecret ?? held.signingSecret,
    })
    if (webhook !== held.webhook) await resolveFinding(connection, failingAlertsUrl(supplierId), nowMs)
    if (body.emails === undefined) return { newSecret, codes: [] }
    const emails = [...new Set(body.emails)]
    await deleteOtherEmails(connection, supplierId, emails)
    const codes = emails.filter((email) => needsCode(held, email, nowMs)).map(newCode)
    if (held.codesSent + codes.length > alertEmails.codesPerDay)
      throw new Rejected(409, { ...alertSettingsErrors.tooManyCodes, path: '/emails' })
    for (const { email, code } of codes)
      await writeCode(connection, supplierId, { email, codeHash: hashOf(supplierId, email, code), nowMs })
    return { newSecret, codes }
  })
}

function needsCode({ emails }: AlertSettings, email: string, nowMs: number): boolean {
  const known = emails.find((one) => one.email === email)
  if (!known) return true
  const againMs = (known.codeSentAtMs ?? 0) + alertEmails.codeAgainAfterMinutes * minuteMs
  return !known.isConfirmed && nowMs >= againMs
}

function newCode(email: string): NewCode {
  return { email, code: String(randomInt(100_000_000)).padStart(8, '0') }
}

function hashOf(supplierId: number, email: string, code: string): Buffer {
  return createHash('sha256').update(`${supplierId} ${email} ${code}`).digest()
}

/** Returns the addresses to which no code could be sent. */
async function sendCodes({ alertChannels }: SettingsNeeds, codes: readonly NewCode[]): Promise<string[]> {
  const sent = await Promise.all(
    codes.map(async ({ email, code }) => {
      const result = await alertChannels.mail?.({
        to: email,
        subject: '[ARI gateway] Confirm this address',
        text: [
          'Somebody asked for alerts of a hotel supplier account to be sent to this address.',
          `To confirm it, send this code with POST /push/alerts/settings: ${code}`,
          'If you did not expect this, ignore it: nothing else will be sent.',
          '',
        ].join('\n\n'),
        messageId: `code_${randomUUID()}`,
      })
      return result?.isSent === true ? [] : [email]
    }),
  )
  return sent.flat()
}

/** POST /push/alerts/test. */
export const testAlerts = (needs: SettingsNeeds) =>
  on(alertSettingsRoutes.testAlerts, async ({ caller: { supplierId } }) =>
    answer(200, { code: '200', message: 'Test alert sent', results: await sendTest(needs, supplierId) }),
  )
