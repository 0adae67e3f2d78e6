import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { client, gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { alertChannels } from '../alerts/channels/channels.ts'
import { tellOnce } from '../alerts/messages/tell.ts'
import { watchOnce } from '../alerts/watch/watch.ts'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { loopbackNetworks, resolveAsSystem } from '../outbound/vet-url.ts'
import type { SimulatedCall } from './answer.ts'
import { startSupplier } from './supplier.ts'

const gateway = await gatewayForTests({
  systemTime: true,
  now: new Date().toISOString(),
  allowPrivate: true,
  outbound: { reach: (to) => to },
})
const { db, clock } = gateway
const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }

test('the platform asks for everything again: the simulated supplier pushes it, which resolves the request', async (t) => {
  const supplier = await gateway.supplier('Acme')
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  await pushStoryHotel(supplier)
  const day = (offset: number) => new Date(clock.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const rates = [{ rateId: 'BAR', price: 100, minLengthStay: 2 }]
  const ari = [
    { roomId: 'DBL', startDate: day(1), endDate: day(40), inventory: 3, rates },
    { roomId: 'DBL', startDate: day(281), endDate: day(290), inventory: 1, rates },
  ]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
  const range = { hotelId: 'H1', startDate: day(0), endDate: day(320) }
  const held = async () => expectOk(await supplier.post('/push/getAri', range)).body['ari']
  const before = await held()

  const calls: SimulatedCall[] = []
  const simulated = await startSupplier({
    url: gateway.url,
    apiKey: supplier.apiKey,
    host: '127.0.0.1',
    port: 0,
    secrets: [],
    faults: [],
    takesAlerts: true,
    clock: systemClock,
    onCall: (call) => calls.push(call),
  })
  t.after(simulated.close)
  const channels = alertChannels({ ...needs, outbound, mail: undefined, operatorsWebhook: undefined })
  t.after(() => channels.close())

  expectOk(await platform.post('/booking/resync', { hotel: { supplier: 'Acme', hotelId: 'H1' } }))
  await tellOnce({ ...needs, alertChannels: channels })
  const alerts = () => calls.filter(({ call }) => call === 'alerts')
  while (alerts().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const [call] = alerts()
  assert.deepEqual(
    [call?.signature, call?.status, call?.alerts],
    ['verified', 200, [{ kind: 'resync.requested', hotelId: 'H1' }]],
  )
  assert.deepEqual(
    call?.resynced?.map(({ hotelId, pushes }) => [hotelId, pushes]),
    [['H1', 3]],
  )
  assert.deepEqual(await held(), before)
  await watchOnce(needs)
  const open = { states: ['open'], kinds: ['resync.requested'] }
  assert.deepEqual(expectOk(await supplier.post('/push/alerts', open)).body['alerts'], [])

  // A forged call, and one for a hotel of another supplier.
  const body = JSON.stringify({ type: 'alerts', alerts: [{ kind: 'resync.requested', hotelId: 'H9' }] })
  const send = async (id: string, secret: string) => {
    const at = new Date()
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    }
    return (await fetch(String(simulated.urls.alerts), { method: 'POST', headers, body })).status
  }
  assert.equal(await send('msg_1', String(simulated.newSecret)), 401)
  assert.equal(await send('msg_2', String(simulated.newAlertSecret)), 200)
  while (alerts().length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.match(alerts().at(-1)?.resynced?.[0]?.why ?? '', /Hotel ID is not found/)
})
