import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { Rejected } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { webhookNotRegistered } from '../../webhooks/ping-contract.ts'
import type { Pinger } from '../../webhooks/ping.ts'
import { selectCallbackOfKey } from '../../webhooks/store.ts'
import { supplierRoutes } from './contract.ts'
import { keySubject, keyUnknown, readId } from './rules.ts'
import { selectKeysOf } from './store.ts'

/** POST /keys/{keyId}/ping: makes a test call to one of the key's URLs, as the supplier itself can. */
export const pingWebhook = ({ db, clock, pings }: Needs & { pings: Pinger }): Mounted =>
  on(supplierRoutes.pingWebhook, async ({ params, body: { kind }, operator, requestId }) => {
    const nowMs = clock.now()
    const keyId = readId(params.keyId)
    const [key] = keyId === undefined ? [] : await selectKeysOf(db, { keyId }, nowMs)
    if (!key) throw keyUnknown(params.keyId)
    const callback = await selectCallbackOfKey(db, key.keyId, kind, nowMs)
    if (!callback) throw new Rejected(409, { ...webhookNotRegistered[kind], path: '/kind', value: kind })
    const ping = await pings.ping(callback, requestId)
    const { status, httpStatus } = ping
    // Without the URL, because suppliers put secrets into its query.
    const after = { kind, status, httpStatus }
    await audit(db, {
      operator,
      requestId,
      action: 'webhook.test',
      subject: keySubject(key.keyId, key),
      after,
    })
    const said: AnswerOf<typeof supplierRoutes.pingWebhook> = { url: callback.url, ping }
    return answer(200, said)
  })
