import type { Needs } from '../postgres/needs.ts'
import { answer, on } from '../http/mount.ts'
import type { OutboundRules } from '../outbound/vet-url.ts'
import { webhookRoutes } from './contract.ts'
import { webhookKinds } from './ping-contract.ts'
import { selectWebhooks } from './store.ts'
import { faultOfUrl } from './url-fault.ts'

/** GET /push/webhook: the URLs of the key that asks. */
export const getWebhooks = ({ db, outbound }: Needs & { outbound: OutboundRules }) =>
  on(webhookRoutes.getWebhooks, async ({ caller }) => {
    const held = await selectWebhooks(db, caller.keyId)
    const faults = await Promise.all(
      webhookKinds.map(async (kind) => {
        const url = held[kind]
        const fault = url === null ? undefined : await faultOfUrl(url, outbound)
        return fault ? [{ kind, ...fault }] : []
      }),
    )
    return answer(200, {
      code: '200',
      message: 'Webhooks retrieved successfully',
      ...held,
      notCallable: faults.flat(),
    })
  })
