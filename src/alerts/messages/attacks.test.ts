import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { startMailServer } from '../../../test/stage/servers/mail-server.ts'
import { startReceiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { raiseFindings, type FindingName } from '../../findings/store.ts'
import { loopbackNetworks, resolveAsSystem } from '../../outbound/vet-url.ts'
import { alertChannels } from '../channels/channels.ts'
import { tellOnce } from './tell.ts'

/** What could make alerts flood somebody, go astray, or stop. */

const mailServer = await startMailServer()
const receiver = await startReceiver()
const gateway = await gatewayForTests({
  now: '2027-03-01T12:00:00Z',
  allowPrivate: true,
  outbound: { reach: (to) => to },
  mail: { smtpUrl: mailServer.url, from: 'alerts@gateway.example' },
})
const { db, clock } = gateway
const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }
const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
/** Two processes. */
const tellers = [alertChannels({ ...needs, outbound }), alertChannels({ ...needs, outbound })]
after(async () => {
  for (const channels of tellers) channels.close()
  await Promise.all([mailServer.close(), receiver.close()])
})

let shop: Shop
let name: FindingName
before(async () => {
  shop = await openShop(gateway)
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  assert.ok(rows[0])
  name = { ...rows[0], kind: 'guard.held' }
  expectOk(await settings(shop.supplier, { webhook: `http://127.0.0.1:${receiver.port}/alerts` }))
})

const settings = (supplier: TestSupplier, body: unknown) => supplier.post('/push/alerts/settings', body)

/** Often enough for all of the 10,000. */
async function tell(): Promise<void> {
  await Promise.all(
    tellers.map(async (channels) => {
      for (let round = 0; round < 20; round++) await tellOnce({ ...needs, alertChannels: channels })
    }),
  )
}

const told = () =>
  receiver.calls.splice(0).map(({ body }) => {
    const { isDigest, count } = Object(JSON.parse(body.toString()))
    return { isDigest, count }
  })

const subjects = (beginning: string, many: number) =>
  Array.from({ length: many }, (_, index) => ({ ...name, subject: `${beginning}${index}` }))

test('10,000 findings at once, told by two processes, are 20 messages, a digest now and one in an hour', async () => {
  await raiseFindings(db, subjects('many', 10_000), clock.now())
  await tell()
  const now = told()
  clock.set('2027-03-01T13:00:01Z')
  await tell()
  const later = told()
  const single = now.filter(({ isDigest }) => !isDigest)
  const digests = [...now, ...later].filter(({ isDigest }) => isDigest)
  assert.deepEqual([single.length, now.length, later.length], [20, 21, 1])
  assert.equal(20 + digests.reduce((sum, { count }) => sum + count, 0), 10_000)
})

test('a clock that jumped a day ahead and back holds no alert back', async () => {
  clock.set('2027-03-03T12:00:00Z')
  await raiseFindings(db, subjects('ahead', 30), clock.now())
  await tell()
  assert.equal(told().length, 21)
  await raiseFindings(db, subjects('waiting', 1), clock.now())

  clock.set('2027-03-02T12:00:00Z')
  await tell()
  assert.equal(told().length, 1, 'raised before the jump, told after it')
  await raiseFindings(db, subjects('after', 1), clock.now())
  await tell()
  assert.equal(told().length, 1, 'messages of the future do not count as those of this hour')
  await raiseFindings(
    db,
    subjects('ahead', 1).map((one) => ({ ...one, count: 9 })),
    clock.now(),
  )
  clock.set('2027-03-02T16:00:01Z')
  await tell()
  assert.equal(told().length, 1, 'four hours after the jump it is told again')
})

test('another supplier’s alert is as unknown as one that was never raised', async () => {
  const stranger = await gateway.supplier('Stranger')
  const { body } = expectOk(await shop.supplier.post('/push/alerts', { limit: 1 }))
  const [{ alertId }] = Object(body)['alerts']
  for (const sent of [alertId, 'alr_999999', 'alr_0', 'alr_999999999999999', 'alr_1 or 1=1', '']) {
    const reply = await stranger.post('/push/alerts/ack', { alertIds: [sent] })
    assert.ok([400, 404].includes(reply.status), reply.text)
  }
  const foreign = await stranger.post('/push/alerts/ack', { alertIds: [alertId] })
  assert.deepEqual(problemsOf(foreign), [['/alertIds/0', 'ALERT_NOT_FOUND', 'Alert not found']])
  assert.equal(
    expectOk(await shop.supplier.post('/push/alerts/ack', { alertIds: [alertId] })).body['acknowledged'],
    1,
  )
})

test('no address makes a second header or recipient, and none is mailed', async () => {
  for (const email of [
    'desk@hotel.example\r\nBcc: spy@evil.example',
    'desk@hotel.example\nSubject: hello',
    'desk@hotel.example\r',
    'desk\r\n@hotel.example',
    'desk@hotel.example, spy@evil.example',
    '"desk\r\nBcc: spy"@hotel.example',
    'desk@hotel.example\u0000',
    'desk@hotel.example\u2028',
  ]) {
    const reply = await settings(shop.supplier, { emails: [email] })
    assert.deepEqual([reply.status, Object(reply.body)['errors'][0].path], [400, '/emails/0'], email)
  }
  assert.deepEqual(mailServer.mails, [])
})

test('a webhook inside a private network is refused, however it is written', async () => {
  const outside = await gatewayForTests()
  const supplier = await outside.supplier('Acme')
  for (const webhook of [
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://10.0.0.1/',
    'https://192.168.1.1:8443/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'file:///etc/passwd',
  ]) {
    const reply = await settings(supplier, { webhook })
    assert.deepEqual([reply.status, Object(reply.body)['errors'][0].path], [400, '/webhook'], webhook)
  }
  assert.equal(expectOk(await supplier.get('/push/alerts/settings')).body['webhook'], null)
})
