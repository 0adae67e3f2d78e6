import { randomBytes } from 'node:crypto'
import type { Needs } from '../platform/needs.ts'
import { vetUrl, type OutboundRules, type UrlFault, type VettedUrl } from '../platform/outbound.ts'
import { Rejected, shown } from '../platform/rejected.ts'
import { answer, on, type Answer, type Push } from '../platform/mount.ts'
import { applyPush } from '../push-log/keep.ts'
import { webhookFaults, webhookRoutes } from './contract.ts'
import { saveWebhook, type WebhookKind } from './store.ts'

type RegistrationNeeds = Needs & { outbound: OutboundRules }

/** POST /push/webhook/availability. */
export const registerAvailabilityWebhook = (needs: RegistrationNeeds) =>
  on(webhookRoutes.registerAvailabilityWebhook, ({ body, push }) =>
    register('availability', body.webhook, push, needs),
  )

/** POST /push/webhook/pushbook. */
export const registerPushbookWebhook = (needs: RegistrationNeeds) =>
  on(webhookRoutes.registerPushbookWebhook, ({ body, push }) =>
    register('pushbook', body.webhook, push, needs),
  )

async function register(
  kind: WebhookKind,
  text: string,
  push: Push,
  needs: RegistrationNeeds,
): Promise<Answer> {
  // Before the transaction: resolving a name may take seconds.
  const { href } = await vetted(text, needs.outbound)
  const signingSecret = newSigningSecret()
  const saved = { code: '200', message: 'Webhook request saved successfully' }
  const secret = { isNew: false }
  const kept = await applyPush(needs, push, async (connection) => {
    const done = await saveWebhook(connection, push.caller.keyId, { kind, href, signingSecret })
    secret.isNew = done.isSecretNew
    return { answer: answer(200, saved), kept: { outcome: done.isChanged ? 'applied' : 'unchanged' } }
  })
  // The push log and the answers kept for repeats hold no secret: it leaves only in this one answer.
  return secret.isNew ? answer(200, { ...saved, signingSecret }) : kept
}

async function vetted(text: string, rules: OutboundRules): Promise<VettedUrl> {
  const result = await vetUrl(text, rules)
  if (!('fault' in result)) return result
  throw new Rejected(400, { ...describe(result.fault), path: '/webhook', value: shown(text) })
}

function describe({ kind, form }: UrlFault): { type: string; message: string; hint: string } {
  const fault = webhookFaults[kind]
  return form === undefined ? fault : { ...fault, hint: `Write the host as ${form}` }
}

const secretBytes = 32

/** As Standard Webhooks writes symmetric secrets. */
function newSigningSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}
