import type { Needs } from '../platform/needs.ts'
import { answer, on } from '../platform/mount.ts'
import { webhookRoutes } from './contract.ts'
import { selectWebhooks } from './store.ts'

/** GET /push/webhook: the URLs of the key that asks. */
export const getWebhooks = (needs: Needs) =>
  on(webhookRoutes.getWebhooks, async ({ caller }) =>
    answer(200, {
      code: '200',
      message: 'Webhooks retrieved successfully',
      ...(await selectWebhooks(needs.db, caller.keyId)),
    }),
  )
