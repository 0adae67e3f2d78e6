import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { until } from '../scenes/deliveries.ts'
import { expectOk } from '../story.ts'
import { tolerance, type Account } from './account.ts'

/** Changes of an account, its keys, its URLs and its clock. */

/** How long URLs and secrets are trusted after a look-up. */
const trustedMs = 600

type SettingChange = (account: Account, random: Random) => Promise<unknown>

const terms = async ({ stage: { admin }, supplierId }: Account, body: object): Promise<void> => {
  expectOk(await admin.put(`/suppliers/${supplierId}/account`, body))
}

export const settingChanges = {
  /** What is known of a key is trusted for a moment. The supplier goes on with another, by which it registers its URLs. */
  keyRevoked: async (one: Account) => {
    if (one.isLastKey) return
    const { admin } = one.stage
    expectOk(await admin.post(`/keys/${one.keyId}/revoke`, undefined))
    await until('the key is refused', async () => (await one.supplier.get('/push/limits')).status === 401)
    one.useOtherKey()
    one.rejectsUnknown = false
    one.secret = undefined
    if (one.place) await one.register(one.place)
    await wait(trustedMs)
  },
  keyRenewed: async (one: Account) => {
    const reply = expectOk(await one.stage.admin.post(`/keys/${one.keyId}/rotate`, { overlapMinutes: 0 }))
    one.apiKey = String(reply.body['apiKey'])
  },
  webhookMoved: async (one: Account) => {
    await one.register(one.place === 'first' ? 'second' : 'first')
    await wait(trustedMs)
  },
  secretRotated: async (one: Account) => {
    const reply = expectOk(await one.post('/push/webhook/rotate', { overlapHours: 0 }))
    one.secret = String(reply.body['signingSecret'])
    await one.testWebhook('pushbook')
    await wait(trustedMs)
  },
  tolerance: async (one: Account) => {
    one.hasTolerance = !one.hasTolerance
    await terms(one, { priceTolerance: one.hasTolerance ? String(tolerance.allowed) : '0' })
  },
  onFailure: async (one: Account) => {
    one.usesStored = !one.usesStored
    await terms(one, { onFailure: one.usesStored ? 'use_stored' : 'reject' })
  },
  unknownFields: async (one: Account) => {
    expectOk(await one.stage.admin.put(`/keys/${one.keyId}/limits`, { unknownFields: 'reject' }))
    one.rejectsUnknown = true
    await until('unknown members are refused', async () => (await sendUnknown(one)) === 400)
  },
  testClock: async (one: Account, random: Random) => {
    const hours = random.pick([24, 60, 60])
    expectOk(await one.post('/push/sandbox/clock', { advanceBy: `PT${hours}H` }))
    one.model.aheadMs += hours * 3_600_000
    await until('what waits is sent', () => one.waiting.size === 0)
  },
} satisfies Record<string, SettingChange>

/** A push that says nothing but what nobody knows. */
export async function sendUnknown(one: Account): Promise<number> {
  return (await one.post('/push/ari', { hotelId: 'H1', ari: [], dryRan: true })).status
}
