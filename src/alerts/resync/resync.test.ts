import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { client, gatewayForTests, type TestClient, type TestSupplier } from '../../../test/stage/harness.ts'
import { startReceiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { resolveFinding } from '../../findings/store.ts'
import { loopbackNetworks, resolveAsSystem } from '../../outbound/vet-url.ts'
import { alertChannels } from '../channels/channels.ts'
import { tellOnce } from '../messages/tell.ts'
import { watchOnce } from '../watch/watch.ts'

const receiver = await startReceiver()
const gateway = await gatewayForTests({
  now: '2027-03-01T12:00:00Z',
  allowPrivate: true,
  outbound: { reach: (to) => to },
})
const { db, clock } = gateway
const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }
const channels = alertChannels({ ...needs, outbound, mail: undefined, operatorsWebhook: undefined })
after(async () => {
  channels.close()
  await receiver.close()
})

let supplier: TestSupplier
let platform: TestClient
before(async () => {
  supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
})

const hotel = { supplier: 'Acme', hotelId: 'H1' }
const request = async () => expectOk(await platform.post('/booking/resync', { hotel })).body
const tell = async (): Promise<void> => {
  while ((await tellOnce({ ...needs, alertChannels: channels })) > 0);
}
const alerts = async (states: readonly string[]): Promise<Record<string, unknown>[]> =>
  Object(expectOk(await supplier.post('/push/alerts', { states, kinds: ['resync.requested'] })).body)[
    'alerts'
  ]
const pushAri = async (price: number): Promise<void> => {
  const ari = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price, inventory: 1 }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }))
}

test('a request is an alert until ARI is pushed, and a signed call where there is a URL', async () => {
  const first = await request()
  assert.deepEqual(
    [first['supplier'], first['hotelId'], first['requestedAt'], first['isAnnounced']],
    ['Acme', 'H1', '2027-03-01T12:00:00.000Z', false],
  )
  const webhook = `http://127.0.0.1:${receiver.port}/alerts`
  const saved = expectOk(
    await supplier.post('/push/alerts/settings', { webhook, kinds: ['resync.requested'] }),
  )
  const secret = String(saved.body['signingSecret'])
  await pushAri(100)
  clock.set('2027-03-01T12:01:00Z')
  await pushAri(101)
  await watchOnce(needs)
  assert.deepEqual([(await alerts(['open'])).length, (await alerts(['resolved'])).length], [0, 1])

  clock.set('2027-03-01T12:02:00Z')
  const second = await request()
  assert.deepEqual([second['requestedAt'], second['isAnnounced']], ['2027-03-01T12:02:00.000Z', true])
  await tell()
  clock.set('2027-03-01T12:03:00Z')
  assert.equal((await request())['requestedAt'], '2027-03-01T12:02:00.000Z')
  await tell()
  const [call, ...others] = receiver.calls
  assert.ok(call)
  assert.equal(others.length, 0)
  const body = call.body.toString()
  const now = Date.now
  Date.now = () => clock.now()
  try {
    new Webhook(secret).verify(body, Object.fromEntries(call.headers))
  } finally {
    Date.now = now
  }
  const [alert] = Object(JSON.parse(body))['alerts']
  assert.deepEqual(
    [alert.kind, alert.hotelId, alert.openedAt],
    ['resync.requested', 'H1', second['requestedAt']],
  )

  // Values that are stored already count: the supplier did what was asked.
  clock.set('2027-03-01T12:04:00Z')
  await pushAri(101)
  await watchOnce(needs)
  assert.deepEqual(await alerts(['open', 'acknowledged']), [])
  // Somebody asked again, so hours need not pass.
  clock.set('2027-03-01T12:05:00Z')
  await request()
  await tell()
  assert.equal(receiver.calls.length, 2)
})

test('a repeat tells only a supplier that was not told before, and says whether it was told', async () => {
  const other = await gateway.supplier('Other')
  await pushStoryHotel(other)
  receiver.calls.splice(0)
  const asked = { hotel: { supplier: 'Other', hotelId: 'H1' } }
  const repeat = async (time: string): Promise<unknown[]> => {
    clock.set(`2027-03-01T${time}:00Z`)
    const { body } = expectOk(await platform.post('/booking/resync', asked))
    await tell()
    return [body['requestedAt'], body['isAnnounced'], receiver.calls.splice(0).length]
  }
  const acknowledge = async (): Promise<void> => {
    const { body } = expectOk(await other.post('/push/alerts', {}))
    const alertIds = Object(body)['alerts'].map(({ alertId }: { alertId: string }) => alertId)
    expectOk(await other.post('/push/alerts/ack', { alertIds }))
  }
  const first = '2027-03-01T13:00:00.000Z'
  assert.deepEqual(await repeat('13:00'), [first, false, 0])
  const webhook = `http://127.0.0.1:${receiver.port}/other`
  expectOk(await other.post('/push/alerts/settings', { webhook }))
  assert.deepEqual(await repeat('13:01'), [first, true, 1])
  assert.deepEqual(await repeat('13:02'), [first, true, 0])
  await acknowledge()
  assert.deepEqual(await repeat('13:03'), [first, true, 0])

  // One that was seen in the list before there was a URL is not told any more.
  const { supplierId, hotelId } = await idsOf('Other')
  await resolveFinding(db, { supplierId, kind: 'resync.requested', hotelId }, clock.now())
  expectOk(await other.post('/push/alerts/settings', { webhook: null }))
  const second = '2027-03-01T14:00:00.000Z'
  assert.deepEqual(await repeat('14:00'), [second, false, 0])
  await acknowledge()
  expectOk(await other.post('/push/alerts/settings', { webhook }))
  assert.deepEqual(await repeat('14:01'), [second, false, 0])
})

async function idsOf(name: string): Promise<{ supplierId: number; hotelId: number }> {
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    `select supplier.id as "supplierId", hotel.id as "hotelId"
     from hotel join supplier on supplier.id = supplier_id where supplier.name = $1`,
    [name],
  )
  return rows[0] ?? assert.fail('no hotel')
}

test('an operator asks in the console, which the audit log has', async () => {
  const operator = await gateway.operator('operator')
  const { body: found } = expectOk(await platform.post('/booking/resync', { hotel }))
  const path = `/hotels/${String(found['platformHotelId'])}/resync`
  const asked = expectOk(await operator.post(path, {}))
  assert.deepEqual(asked.body, { requestedAt: found['requestedAt'], isAnnounced: true })
  assert.equal((await operator.post('/hotels/999999/resync', {})).status, 404)
  const { rows } = await db.query(`select action, subject from audit_log where action = 'hotel.resync'`)
  assert.deepEqual(rows, [
    { action: 'hotel.resync', subject: `hotel ${String(found['platformHotelId'])} "H1"` },
  ])
})

test('an unknown hotel is not found', async () => {
  const reply = await platform.post('/booking/resync', { hotel: { supplier: 'Acme', hotelId: 'H9' } })
  assert.deepEqual([reply.status, reply.body['message']], [404, 'Hotel not found'])
})
