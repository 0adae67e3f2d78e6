import { hourMs, isoSeconds } from '../base/calendar.ts'
import type { Revocations } from '../keys/revocations.ts'
import type { Needs } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import { vetUrl, type OutboundRules, type VettedUrl } from '../outbound/vet-url.ts'
import { Rejected, reportedValue } from '../http/rejected.ts'
import { newSigningSecret } from '../outbound/signature.ts'
import type { Push } from '../http/calls/call.ts'
import { answer, on, type Answer } from '../http/calls/mount.ts'
import { applyAndLog } from '../push-log/keep/keep.ts'
import {
  noSigningSecret,
  overlapHoursOfSecret,
  webhookRoutes,
  webhookKinds,
  webhookNotRegistered,
  type Ping,
} from './contract.ts'
import { type Pinger, describeFault, faultOfUrl, testCallback } from './callback.ts'
import {
  saveWebhook,
  selectWebhooks,
  removeWebhook,
  rotateSigningSecret,
  selectCallbackOfKey,
  type SavedWebhook,
  type WebhookKind,
} from './store.ts'

type RegistrationNeeds = Needs & { outbound: OutboundRules; pings: Pinger }

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
  // Before the transaction, because resolving a name may take seconds.
  const { href } = await vetted(text, needs.outbound)
  const signingSecret = newSigningSecret()
  const saved = { code: '200', message: 'Webhook request saved successfully' }
  const nowMs = needs.clock.now()
  let done: SavedWebhook | undefined
  await applyAndLog(needs, push, async (connection) => {
    done = await saveWebhook(connection, push.caller.keyId, { kind, href, signingSecret, nowMs })
    return { answer: answer(200, saved), kept: { outcome: done.isChanged ? 'applied' : 'unchanged' } }
  })
  if (!done) throw new Error('a registration was committed without being made')
  // After the commit, because the ping's result changes nothing. A new secret leaves with this answer, so no
  // ping is signed with it yet.
  const ping = done.isSecretNew ? pingLater : await needs.pings.ping(done.callback, push.requestId)
  // The push log and the answers kept for repeats contain no secret: only this one answer does.
  return answer(200, { ...saved, ...(done.isSecretNew ? { signingSecret } : {}), ping })
}

const pingLater: Ping = {
  status: 'skipped',
  reason: 'secret_new',
  message: 'Store signingSecret, then test the URL with POST /push/webhook/test',
}

async function vetted(text: string, rules: OutboundRules): Promise<VettedUrl> {
  const result = await vetUrl(text, rules)
  if (!('fault' in result)) return result
  throw new Rejected(400, { ...describeFault(result.fault), path: '/webhook', value: reportedValue(text) })
}

/** GET /push/webhook: the URLs of the calling key. */
export const getWebhooks = ({ db, outbound }: Needs & { outbound: OutboundRules }) =>
  on(webhookRoutes.getWebhooks, async ({ caller }) => {
    const registered = await selectWebhooks(db, caller.keyId)
    const faults = await Promise.all(
      webhookKinds.map(async (kind) => {
        const url = registered[kind]
        const fault = url === null ? undefined : await faultOfUrl(url, outbound)
        return fault ? [{ kind, ...fault }] : []
      }),
    )
    return answer(200, {
      code: '200',
      message: 'Webhooks retrieved successfully',
      ...registered,
      notCallable: faults.flat(),
    })
  })

/** DELETE /push/webhook/availability. */
export const removeAvailabilityWebhook = (needs: Needs) =>
  on(webhookRoutes.removeAvailabilityWebhook, ({ push }) => remove('availability', push, needs))

/** DELETE /push/webhook/pushbook. */
export const removePushbookWebhook = (needs: Needs) =>
  on(webhookRoutes.removePushbookWebhook, ({ push }) => remove('pushbook', push, needs))

function remove(kind: WebhookKind, push: Push, needs: Needs): Promise<Answer> {
  return applyAndLog(needs, push, async (connection) => {
    const wasRegistered = await removeWebhook(connection, push.caller.keyId, kind)
    return {
      answer: answer(200, { code: '200', message: 'Webhook removed successfully' }),
      kept: { outcome: wasRegistered ? 'applied' : 'unchanged' },
    }
  })
}

/** POST /push/webhook/rotate. */
export const rotateWebhookSecret = (needs: Needs & { revocations: Revocations }) =>
  on(webhookRoutes.rotateWebhookSecret, async ({ body, caller: { keyId } }) => {
    const { overlapHours = overlapHoursOfSecret.usual } = body
    const nowMs = needs.clock.now()
    const oldUntilMs = nowMs + overlapHours * hourMs
    const signingSecret = await transaction(needs.db, async (connection) => {
      if (!(await selectWebhooks(connection, keyId)).hasSigningSecret)
        throw new Rejected(409, noSigningSecret)
      await needs.revocations.note(connection, 'signing secret', keyId)
      return (await rotateSigningSecret(connection, keyId, { nowMs, oldUntilMs })).signingSecret
    })
    return answer(200, {
      code: '200',
      message: 'Signing secret rotated successfully',
      signingSecret,
      oldSecretValidUntil: isoSeconds(oldUntilMs),
    })
  })

/** POST /push/webhook/test: repeats the ping of a registration. */
export const testWebhook = (needs: Needs & { pings: Pinger }) =>
  on(webhookRoutes.testWebhook, async ({ body: { kind }, caller, requestId }) => {
    const callback = await selectCallbackOfKey(needs.db, caller.keyId, kind, needs.clock.now())
    if (!callback) throw new Rejected(409, { ...webhookNotRegistered[kind], path: '/kind', value: kind })
    const ping = await testCallback(needs, callback, requestId)
    return answer(200, { code: '200', message: 'Webhook tested', kind, webhook: callback.url, ping })
  })
