import { changeKeySettings } from '../../keys/key-settings.ts'
import { expireKey, insertKeyOf, replaceSecret, revokeKey } from '../../keys/manage.ts'
import { readId } from '../../http/calls/query.ts'
import { isoSeconds, minuteMs } from '../../base/calendar.ts'
import type { Revocations } from '../../keys/revocations.ts'
import type { Environment } from '../../keys/secret.ts'
import { rotateSigningSecret as rotateSigning, selectCallbackOfKey } from '../../webhooks/store.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierRoutes } from './contract.ts'
import { changeKey, endsEarlier, keySubject, readInstant, supplierNamed, keyUnknown } from './rules.ts'
import { webhookNotRegistered } from '../../webhooks/contract.ts'
import type { Pinger } from '../../webhooks/callback.ts'
import { limitsOfManaged, refuseManySecrets } from './managed-keys.ts'
import { selectKeysOf } from './store.ts'

/**
 * Admins and suppliers' own managers managing keys. A key or signing secret is only ever in the answer that created it; the audit
 * log records the action, and until when the old one works.
 */
type KeyNeeds = Needs & { environment: Environment; revocations: Revocations }

/** POST /suppliers/{supplierId}/keys. */
export const createSupplierKey = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.createSupplierKey, async ({ params, body, operator, requestId }) => {
    const { channelManager } = body
    const expiresAtMs = body.expiresAt === undefined ? null : readInstant('expiresAt', body.expiresAt)
    if (expiresAtMs !== null && expiresAtMs <= needs.clock.now()) throw endInThePast()
    const created = await transaction(needs.db, async (connection) => {
      const { supplierId, name } = await supplierNamed(connection, params.supplierId)
      const limits = operator.supplier ? await limitsOfManaged(connection, supplierId, needs.clock.now()) : {}
      const wanted = { supplier: name, channelManager, expiresAtMs, limits }
      const { keyId, apiKey } = await insertKeyOf(connection, needs.environment, wanted)
      const expiresAt = expiresAtMs === null ? null : isoSeconds(expiresAtMs)
      const subject = keySubject(keyId, { supplier: name })
      const after = { channelManager, expiresAt, ...limits }
      await audit(connection, { operator, requestId, action: 'key.create', subject, after })
      return { keyId, apiKey }
    })
    return answer(201, created)
  })

/** POST /keys/{keyId}/rotate. */
export const rotateSupplierKey = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.rotateSupplierKey, async ({ params, body, operator, requestId }) => {
    const nowMs = needs.clock.now()
    const oldUntilMs = nowMs + body.overlapMinutes * minuteMs
    const oldKeyUntil = isoSeconds(oldUntilMs)
    const apiKey = await changeKey(needs, params.keyId, async (connection, keyId, before) => {
      if (operator.supplier) await refuseManySecrets(connection, before.supplierId)
      const created = await replaceSecret(connection, needs.environment, keyId, { nowMs, oldUntilMs })
      await needs.revocations.note(connection, 'key', keyId)
      const subject = keySubject(keyId, before)
      await audit(connection, { operator, requestId, action: 'key.rotate', subject, after: { oldKeyUntil } })
      return created
    })
    return answer(200, { apiKey, oldKeyUntil })
  })

/** POST /keys/{keyId}/revoke. */
export const revokeSupplierKey = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.revokeSupplierKey, async ({ params, operator, requestId }) => {
    const nowMs = needs.clock.now()
    const revokedId = await changeKey(needs, params.keyId, async (connection, keyId, before) => {
      await revokeKey(connection, keyId, nowMs)
      await needs.revocations.note(connection, 'key', keyId)
      if (before.revokedAt === null) {
        const subject = keySubject(keyId, before)
        const after = { revokedAt: isoSeconds(nowMs) }
        await audit(connection, { operator, requestId, action: 'key.revoke', subject, after })
      }
      return keyId
    })
    return answer(200, { keyId: revokedId })
  })

/** PUT /keys/{keyId}/expiry. */
export const expireSupplierKey = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.expireSupplierKey, async ({ params, body, operator, requestId }) => {
    const atMs = body.at === null ? null : readInstant('at', body.at)
    const expiresAt = atMs === null ? null : isoSeconds(atMs)
    const changed = await changeKey(needs, params.keyId, async (connection, keyId, before) => {
      const isLess = endsEarlier(before, atMs)
      await expireKey(connection, keyId, atMs)
      if (isLess) await needs.revocations.note(connection, 'key', keyId)
      const subject = keySubject(keyId, before)
      await audit(connection, {
        operator,
        requestId,
        action: 'key.expire',
        subject,
        before: { expiresAt: before.expiresAt },
        after: { expiresAt },
      })
      return { keyId, isLess }
    })
    if (!changed.isLess) await needs.revocations.noteGivenBack(needs.db, 'key', changed.keyId)
    return answer(200, { expiresAt })
  })

/** PUT /keys/{keyId}/limits: absent members stay unchanged; null restores the default. */
export const limitSupplierKey = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.limitSupplierKey, async ({ params, body, operator, requestId }) => {
    const { unknownFields, echo, ...limits } = await changeKey(
      needs,
      params.keyId,
      async (connection, keyId, before) => {
        const now = await changeKeySettings(connection, keyId, body)
        const subject = keySubject(keyId, before)
        const previous = { ...before.limits, unknownFields: before.unknownFields, echo: before.echo }
        const change = { before: previous, after: now }
        await audit(connection, { operator, requestId, action: 'key.limits', subject, ...change })
        return now
      },
    )
    return answer(200, { limits, unknownFields, echo })
  })

/** POST /keys/{keyId}/signing-secret. */
export const rotateSigningSecret = (needs: KeyNeeds): Mounted =>
  on(supplierRoutes.rotateSigningSecret, async ({ params, body, operator, requestId }) => {
    const nowMs = needs.clock.now()
    const oldUntilMs = nowMs + body.overlapMinutes * minuteMs
    const oldSecretUntil = isoSeconds(oldUntilMs)
    const signingSecret = await changeKey(needs, params.keyId, async (connection, keyId, before) => {
      await needs.revocations.note(connection, 'signing secret', keyId)
      const created = await rotateSigning(connection, keyId, { nowMs, oldUntilMs })
      const subject = keySubject(keyId, before)
      const after = { oldOneSignsUntil: oldSecretUntil }
      await audit(connection, { operator, requestId, action: 'key.rotate-signing-secret', subject, after })
      return created.signingSecret
    })
    return answer(200, { signingSecret, oldSecretUntil })
  })

function keyEnded(): Rejected {
  return new Rejected(409, {
    type: 'KEY_NOT_ACTIVE',
    message: 'The key is revoked or has expired, and nothing is sent to its URLs',
    hint: 'Test the URL of a key that works',
  })
}

function endInThePast(): Rejected {
  return new Rejected(400, {
    type: 'END_IN_THE_PAST',
    message: 'The key must end in the future',
    path: '/expiresAt',
  })
}

/** POST /keys/{keyId}/ping: makes a test call to one of the key's URLs, as the supplier itself can. */
export const pingWebhook = ({ db, clock, pings }: Needs & { pings: Pinger }): Mounted =>
  on(supplierRoutes.pingWebhook, async ({ params, body: { kind }, operator, requestId }) => {
    const nowMs = clock.now()
    const keyId = readId(params.keyId)
    const [key] = keyId === undefined ? [] : await selectKeysOf(db, { keyId }, nowMs)
    if (!key) throw keyUnknown(params.keyId)
    if (key.status !== 'active') throw keyEnded()
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
    return answer(200, { url: callback.url, ping })
  })
