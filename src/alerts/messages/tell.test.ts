import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { startMailServer } from '../../../test/stage/servers/mail-server.ts'
import { httpAnswer, startReceiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { raiseFindings, resolveFindings, type FindingName } from '../../findings/store.ts'
import { alertChannels } from '../channels/channels.ts'
import { resolveAsSystem, loopbackNetworks } from '../../outbound/vet-url.ts'
import { tellOnce } from './tell.ts'
import { watchOnce } from '../watch/watch.ts'

const mailServer = await startMailServer()
let webhookStatus = 200
let webhookAnswer = '{}'
const receiver = await startReceiver((socket) => socket.write(httpAnswer(webhookStatus, webhookAnswer)))
const operators = await startReceiver()
const webhook = `http://127.0.0.1:${receiver.port}/alerts`
const mail = { smtpUrl: mailServer.url, from: 'alerts@gateway.example' }
const operatorsWebhook = { url: `http://127.0.0.1:${operators.port}/hook`, routingKey: 'R0UT1NG' }
const gateway = await gatewayForTests({
  now: '2027-03-01T12:00:00Z',
  allowPrivate: true,
  outbound: { reach: (to) => to },
  mail,
  operatorsWebhook,
})
const { db, clock } = gateway
const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
const logged: string[] = []
const log = openLog('debug', { write: (line) => void logged.push(line) })
const needs = { db, clock, log, telemetry: telemetry() }
const channels = alertChannels({ ...needs, outbound, mail, operatorsWebhook })
after(async () => {
  channels.close()
  await Promise.all([mailServer.close(), receiver.close(), operators.close()])
})

let shop: Shop
let name: FindingName
let secret: string
const canary = 'Zaphod-Canary'
before(async () => {
  shop = await openShop(gateway)
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  assert.ok(rows[0])
  name = { ...rows[0], kind: 'ari.stale' }
})

/** Everything that is due is tried, and what that raised. */
async function tell(instant?: string): Promise<void> {
  if (instant !== undefined) clock.set(instant)
  while ((await tellOnce({ ...needs, alertChannels: channels })) > 0);
}

const bodiesOf = ({ calls }: typeof receiver) => calls.map(({ body }) => Object(JSON.parse(body.toString())))
const settings = (body: unknown): Promise<Reply> => shop.supplier.post('/push/alerts/settings', body)

function codeIn(text: string): string {
  return /\b(\d{8})\b/.exec(text)?.[1] ?? ''
}

test('an address is told of nothing until the code that it got comes back', async () => {
  const saved = expectOk(await settings({ webhook, emails: ['desk@hotel.example'] }))
  secret = String(saved.body['signingSecret'])
  assert.match(secret, /^whsec_/)
  assert.deepEqual(saved.body['emails'], [{ email: 'desk@hotel.example', state: 'pending' }])
  const [asked] = mailServer.mails.splice(0)
  assert.deepEqual([asked?.from, asked?.to], ['alerts@gateway.example', ['desk@hotel.example']])

  await raiseFindings(db, [{ ...name, kind: 'drift.high' }], clock.now())
  await tell()
  assert.equal(mailServer.mails.length, 0)
  const wrong = await settings({ codes: [{ email: 'desk@hotel.example', code: 'nonsense' }] })
  assert.deepEqual(problemsOf(wrong)[0], [
    '/codes/0/code',
    'CODE_WRONG',
    'The code is not the one that was sent to this address, or has expired',
  ])
  const code = codeIn(asked?.text ?? '')
  const confirmed = expectOk(await settings({ codes: [{ email: 'desk@hotel.example', code }] }))
  assert.deepEqual(confirmed.body['emails'], [{ email: 'desk@hotel.example', state: 'confirmed' }])
  assert.equal(confirmed.body['signingSecret'], undefined)
  const read = expectOk(await shop.supplier.get('/push/alerts/settings'))
  assert.deepEqual([read.body['webhook'], read.text.includes('whsec_')], [webhook, false])
  assert.equal((await settings({ codes: [{ email: 'desk@hotel.example', code }] })).status, 400, 'used once')
})

test('after five wrong codes the right one is refused, too', async () => {
  mailServer.mails.splice(0)
  expectOk(await settings({ emails: ['desk@hotel.example', 'other@hotel.example'] }))
  const code = codeIn(mailServer.mails.splice(0)[0]?.text ?? '')
  assert.notEqual(code, '')
  for (let time = 0; time < 5; time++)
    await settings({ codes: [{ email: 'other@hotel.example', code: 'wrong' }] })
  assert.equal((await settings({ codes: [{ email: 'other@hotel.example', code }] })).status, 400)
  expectOk(await settings({ emails: ['desk@hotel.example'] }))
})

test('an alert is told once by each channel: signed, by SMTP, and to the operators', async () => {
  receiver.calls.splice(0)
  operators.calls.splice(0)
  mailServer.mails.splice(0)
  clock.set('2027-03-01T13:00:00Z')
  await raiseFindings(db, [{ ...name, count: 3, evidence: { lastPushAt: 'yesterday' } }], clock.now())
  await tell()
  await raiseFindings(db, [{ ...name, count: 3, evidence: { lastPushAt: 'yesterday' } }], clock.now())
  await tell('2027-03-01T13:05:00Z')

  const [call, ...others] = receiver.calls
  assert.ok(call)
  assert.equal(others.length, 0)
  const headers = Object.fromEntries(call.headers)
  const now = Date.now
  Date.now = () => Date.parse('2027-03-01T13:00:00Z')
  try {
    const verified = new Webhook(secret).verify(call.body.toString(), headers)
    assert.deepEqual(Object(verified).alerts[0].kind, 'ari.stale')
  } finally {
    Date.now = now
  }
  assert.deepEqual(
    bodiesOf(receiver).map(({ type, count, isDigest, alerts }) => [type, count, isDigest, alerts[0].hotelId]),
    [['alerts', 1, false, 'H1']],
  )
  assert.deepEqual(
    mailServer.mails.map(({ to, text }) => [to, text.includes('lastPushAt: yesterday')]),
    [[['desk@hotel.example'], true]],
  )
  const [event] = bodiesOf(operators)
  assert.deepEqual(
    [event.routing_key, event.event_action, event.payload.severity, event['@type'], event.text],
    [
      'R0UT1NG',
      'trigger',
      'warning',
      'MessageCard',
      'Acme: ari.stale: hotel H1 (3): A hotel has not received ARI for much longer than usual',
    ],
  )
  const listed = await shop.supplier.post('/push/alerts', { kinds: ['ari.stale'] })
  assert.equal(Object(listed.body)['alerts'][0].announcedAt, '2027-03-01T13:00:00.000Z')
})

test('told again only when it grows, and after four hours', async () => {
  receiver.calls.splice(0)
  await raiseFindings(db, [{ ...name, count: 30 }], Date.parse('2027-03-01T14:00:00Z'))
  await tell('2027-03-01T16:59:00Z')
  assert.equal(receiver.calls.length, 0)
  await tell('2027-03-01T17:00:30Z')
  assert.equal(receiver.calls.length, 1)
})

test('an acknowledged alert, and a kind that is not wanted, are not told', async () => {
  receiver.calls.splice(0)
  const kinds = ['guard.held', 'coverage.low'] as const
  expectOk(await settings({ kinds: ['guard.held'] }))
  await raiseFindings(
    db,
    kinds.map((kind) => ({ ...name, kind })),
    clock.now(),
  )
  const { body } = await shop.supplier.post('/push/alerts', { kinds: ['guard.held'] })
  const [{ alertId }] = Object(body)['alerts']
  expectOk(await shop.supplier.post('/push/alerts/ack', { alertIds: [alertId] }))
  await tell()
  assert.equal(receiver.calls.length, 0)
  expectOk(await settings({ kinds: null }))
})

test('more than 20 an hour are one digest, and the rest waits for the next', async () => {
  receiver.calls.splice(0)
  clock.set('2027-03-02T08:00:00Z')
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({ ...name, subject: `s${from + index}` }))
  await raiseFindings(db, many(0, 100), clock.now())
  await tell()
  const counts = () => bodiesOf(receiver).map(({ count }) => count)
  assert.deepEqual(
    counts().toSorted((one, other) => one - other),
    [...Array.from({ length: 20 }, () => 1), 80],
  )
  const digest = bodiesOf(receiver).find(({ isDigest }) => isDigest)
  assert.equal(digest.alerts.length, 50)
  receiver.calls.splice(0)
  for (const minute of [10, 20, 30]) {
    clock.set(`2027-03-02T08:${minute}:00Z`)
    await raiseFindings(db, many(100 * minute, 100 * minute + 5), clock.now())
    await tell()
  }
  assert.deepEqual(counts(), [])
  await tell('2027-03-02T09:00:30Z')
  assert.deepEqual(counts(), [15])
})

test('a dead webhook is retried, becomes one alert by e-mail, and makes no loop', async () => {
  await db.query(`update alert_message set status = 'sent'`)
  clock.set('2027-03-03T08:00:00Z')
  webhookStatus = 500
  mailServer.mails.splice(0)
  receiver.calls.splice(0)
  await raiseFindings(db, [{ ...name, subject: 'dead' }], clock.now())
  await tell()
  for (let minute = 1; minute <= 4 * 24 * 60; minute += 30) {
    clock.set(new Date(Date.parse('2027-03-03T08:00:00Z') + minute * 60_000).toISOString())
    await tell()
  }
  assert.equal(receiver.calls.length, 8, 'the first attempt and seven retries, of one message')
  const failing = await shop.supplier.post('/push/alerts', { kinds: ['webhook.failing'] })
  assert.deepEqual(
    Object(failing.body)['alerts'].map(({ subject, count }: Record<string, unknown>) => [subject, count]),
    [['alerts', 1]],
  )
  const texts = mailServer.mails.map(({ text }) => text)
  assert.deepEqual(
    ['ari.stale', 'webhook.failing'].map((kind) => texts.filter((text) => text.includes(kind)).length),
    [1, 1],
  )
  webhookStatus = 200
  await raiseFindings(db, [{ ...name, subject: 'alive' }], clock.now())
  await tell()
  assert.deepEqual(
    Object((await shop.supplier.post('/push/alerts', { kinds: ['webhook.failing'] })).body)['alerts'],
    [],
  )
})

test('a mail server that refuses is tried again', async () => {
  mailServer.mails.splice(0)
  mailServer.refuse(true)
  await raiseFindings(db, [{ ...name, subject: 'refused' }], clock.now())
  await tell()
  assert.equal(mailServer.mails.length, 0)
  mailServer.refuse(false)
  await tell(new Date(clock.now() + 61_000).toISOString())
  assert.equal(mailServer.mails.length, 1)
})

test('a test alert reports what became of it on each channel, not more often than every ten seconds', async () => {
  const { status, body } = await shop.supplier.post('/push/alerts/test', {})
  assert.deepEqual(
    [status, body['results']],
    [
      200,
      [
        { channel: 'webhook', address: webhook, isSent: true },
        { channel: 'email', address: 'desk@hotel.example', isSent: true },
      ],
    ],
  )
  const again = await shop.supplier.post('/push/alerts/test', {})
  assert.deepEqual([again.status, again.headers.get('retry-after')], [429, '10'])
  const nobody = await gateway.supplier('Nobody')
  assert.equal((await nobody.post('/push/alerts/test', {})).status, 409)
})

test('no message, list, console answer or log line has data of guests', async () => {
  receiver.calls.splice(0)
  operators.calls.splice(0)
  mailServer.mails.splice(0)
  const guest = { firstName: canary, lastName: canary, email: `${canary}@guest.example`, phone: '+15550100' }
  clock.set('2027-03-20T08:00:00Z')
  const booked = await shop.book({ customer: { ...guest, remarks: canary } })
  assert.equal(booked.status, 201, booked.text)
  clock.set('2027-03-20T09:00:00Z')
  await watchOnce(needs)
  // A webhook that repeats what it knows of the guest.
  webhookStatus = 500
  webhookAnswer = JSON.stringify({ error: `${canary} +15550100` })
  await tell()
  await tell('2027-03-20T09:01:01Z')
  webhookStatus = 200
  const { text } = await shop.supplier.post('/push/alerts', {})
  const viewer = await gateway.operator('viewer')
  const inConsole = await viewer.get('/alerts')
  assert.ok(logged.some((line) => line.includes('HTTP 500')))
  const sent = [
    text,
    inConsole.text,
    ...logged,
    ...[...receiver.calls, ...operators.calls].map(({ body }) => body.toString()),
    ...mailServer.mails.map((one) => one.text),
  ]
  assert.ok(sent.filter((one) => one.includes('booking.undelivered')).length >= 5)
  assert.ok(sent.every((one) => !one.includes(canary) && !one.includes('5550100')))
})

test('an invalid address, a second line in it, a private URL and an unknown kind are refused', async () => {
  for (const email of ['Desk <desk@hotel.example>', 'a@b.example,c@d.example', 'desk', 'désk@hotel.example'])
    assert.deepEqual(problemsOf(await settings({ emails: [email] }))[0], [
      '/emails/0',
      'ALERT_EMAIL_INVALID',
      'An e-mail address must look like alerts@example.com',
    ])
  assert.equal((await settings({ webhook: 'http://10.0.0.1/' })).status, 400)
  assert.equal((await settings({ kinds: ['nonsense'] })).status, 400)
  await resolveFindings(db, [name], clock.now())
  const plain = await gatewayForTests()
  const supplier = await plain.supplier('Acme')
  const refused = await supplier.post('/push/alerts/settings', { emails: ['desk@hotel.example'] })
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [409, [['/emails', 'EMAIL_NOT_AVAILABLE', 'This service sends no e-mail']]],
  )
})
