import type { Needs } from '../postgres/needs.ts'
import type { Push } from '../http/call.ts'
import { answer, on, type Answer } from '../http/mount.ts'
import { applyPush } from '../push-log/keep.ts'
import { webhookRoutes } from './contract.ts'
import { removeWebhook, type WebhookKind } from './store.ts'

/** DELETE /push/webhook/availability. */
export const removeAvailabilityWebhook = (needs: Needs) =>
  on(webhookRoutes.removeAvailabilityWebhook, ({ push }) => remove('availability', push, needs))

/** DELETE /push/webhook/pushbook. */
export const removePushbookWebhook = (needs: Needs) =>
  on(webhookRoutes.removePushbookWebhook, ({ push }) => remove('pushbook', push, needs))

function remove(kind: WebhookKind, push: Push, needs: Needs): Promise<Answer> {
  return applyPush(needs, push, async (connection) => {
    const wasRegistered = await removeWebhook(connection, push.caller.keyId, kind)
    return {
      answer: answer(200, { code: '200', message: 'Webhook removed successfully' }),
      kept: { outcome: wasRegistered ? 'applied' : 'unchanged' },
    }
  })
}
