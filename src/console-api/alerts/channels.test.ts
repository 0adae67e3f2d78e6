import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { startMailServer } from '../../../test/stage/servers/mail-server.ts'
import { httpAnswer, startReceiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { alertChannels } from '../../alerts/channels/channels.ts'
import { tellOnce } from '../../alerts/messages/tell.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { raiseFindings } from '../../findings/store.ts'
import { loopbackNetworks, resolveAsSystem } from '../../outbound/vet-url.ts'

const mailServer = await startMailServer()
let status = 200
const receiver = await startReceiver((socket) => socket.write(httpAnswer(status, '{}')))
const mail = { smtpUrl: mailServer.url, from: 'alerts@gateway.example' }
const operatorsWebhook = { url: `http://127.0.0.1:${receiver.port}/operators`, routingKey: undefined }
const gateway = await gatewayForTests({
  now: '2027-03-01T12:00:00Z',
  allowPrivate: true,
  outbound: { reach: (to) => to },
  mail,
  operatorsWebhook,
})
const { db, clock } = gateway
const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }
const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
const channels = alertChannels({ ...needs, outbound, mail, operatorsWebhook })
after(async () => {
  channels.close()
  await Promise.all([mailServer.close(), receiver.close()])
})

test('operators see who is told and what became of the messages, and send a test, which is audited', async () => {
  const supplier = await gateway.supplier('Acme')
  const [viewer, operator] = [await gateway.operator('viewer'), await gateway.operator('operator')]
  const { rows } = await db.query<{ id: number }>('select id from supplier')
  const supplierId = Number(rows[0]?.id)
  const path = `/suppliers/${supplierId}/alert-channels`
  const none = { kinds: null, webhook: null, emails: [], emailAvailable: true, messages: [] }
  assert.deepEqual(expectOk(await viewer.get(path)).body, none)
  assert.equal((await operator.post(`${path}/test`, undefined)).status, 409, 'nobody is told')

  const webhook = `http://127.0.0.1:${receiver.port}/alerts`
  const saved = await supplier.post('/push/alerts/settings', { webhook, emails: ['desk@hotel.example'] })
  const secret = String(expectOk(saved).body['signingSecret'])
  await raiseFindings(db, [{ supplierId, kind: 'drift.high' }], clock.now())
  await tellOnce({ ...needs, alertChannels: channels })
  const shown = expectOk(await viewer.get(path))
  const sent = { waiting: 0, sent: 1, givenUp: 0, lastSentAt: '2027-03-01T12:00:00.000Z' }
  assert.deepEqual(shown.body, {
    ...none,
    webhook,
    emails: [{ email: 'desk@hotel.example', isConfirmed: false }],
    messages: [{ channel: 'webhook', ...sent }],
  })
  assert.ok(!shown.text.includes(secret))
  assert.deepEqual(expectOk(await viewer.get('/alert-channel')).body, {
    isSet: true,
    messages: { channel: 'operators', ...sent },
  })

  assert.equal((await viewer.post(`${path}/test`, undefined)).status, 403)
  status = 500
  assert.deepEqual(expectOk(await operator.post(`${path}/test`, undefined)).body['results'], [
    { channel: 'webhook', address: webhook, isSent: false, reason: 'HTTP 500' },
  ])
  assert.equal((await operator.post(`${path}/test`, undefined)).status, 429)
  const audited = await db.query<{ after: unknown }>(
    `select after from audit_log where action = 'alert.test'`,
  )
  assert.deepEqual(audited.rows, [{ after: { sent: 0, of: 1 } }])
  assert.equal((await viewer.get('/suppliers/999/alert-channels')).status, 404)
})
