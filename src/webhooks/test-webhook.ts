import type { Needs } from '../postgres/needs.ts'
import { answer, on } from '../http/mount.ts'
import { Rejected } from '../http/rejected.ts'
import { pingRoutes, webhookNotRegistered } from './ping-contract.ts'
import type { Pinger } from './ping.ts'
import { selectCallbackOfKey } from './store.ts'

/** POST /push/webhook/test: the ping of a registration once more. */
export const testWebhook = (needs: Needs & { pings: Pinger }) =>
  on(pingRoutes.testWebhook, async ({ body: { kind }, caller, requestId }) => {
    const callback = await selectCallbackOfKey(needs.db, caller.keyId, kind, needs.clock.now())
    if (!callback) throw new Rejected(409, { ...webhookNotRegistered[kind], path: '/kind', value: kind })
    const ping = await needs.pings.ping(callback, requestId)
    return answer(200, { code: '200', message: 'Webhook tested', kind, webhook: callback.url, ping })
  })
