import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../../test/stage/scenes/deliveries.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { startMailServer } from '../../../test/stage/servers/mail-server.ts'
import { httpAnswer, startReceiver, type Behaviour } from '../../../test/stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { openLog } from '../../base/log.ts'
import { telemetry } from '../../base/telemetry.ts'
import { raiseFindings, resolveFindings, type Finding } from '../../findings/store.ts'
import { loopbackNetworks, resolveAsSystem } from '../../outbound/vet-url.ts'
import { alertChannels } from '../channels/channels.ts'
import { startTelling, tellOnce } from './tell.ts'

/** What becomes of messages that wait: in a digest, for a retry, or behind those of others. */

const day = '2027-03-01'
const mailServer = await startMailServer()
after(() => mailServer.close())

async function stage() {
  const mail = { smtpUrl: mailServer.url, from: 'alerts@gateway.example' }
  const gateway = await gatewayForTests({
    now: '2027-03-01T12:00:00Z',
    allowPrivate: true,
    outbound: { reach: (to) => to },
    mail,
  })
  const { db, clock } = gateway
  const needs = { db, clock, log: openLog('silent'), telemetry: telemetry() }
  const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
  const channels = alertChannels({ ...needs, outbound, mail })
  let behave: Behaviour = (socket) => socket.write(httpAnswer(200, '{}'))
  const receiver = await startReceiver((...call) => behave(...call))
  after(async () => {
    channels.close()
    await receiver.close()
  })
  const supplier = await gateway.supplier('Acme')
  await pushStoryHotel(supplier)
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    'select supplier_id as "supplierId", id as "hotelId" from hotel',
  )
  const [hotel] = rows
  assert.ok(hotel)
  const webhook = `http://127.0.0.1:${receiver.port}/alerts`
  expectOk(await supplier.post('/push/alerts/settings', { webhook }))
  return {
    gateway,
    supplier,
    webhook,
    channels,
    needs: { ...needs, alertChannels: channels },
    hotel,
    answer: (status: number) => {
      behave = (socket) => socket.write(httpAnswer(status, '{}'))
    },
    behave: (next: Behaviour) => {
      behave = next
    },
    raise: (kind: Finding['kind'], subjects: readonly string[]) =>
      raiseFindings(
        db,
        subjects.map((subject) => ({ ...hotel, kind, subject })),
        clock.now(),
      ),
    /** Sends all that is due at that time of the day. */
    tell: async (time?: string) => {
      if (time !== undefined) clock.set(`${day}T${time}Z`)
      while ((await tellOnce({ ...needs, alertChannels: channels })) > 0);
    },
    /** The alerts of each message since the last question. */
    told: () =>
      receiver.calls
        .splice(0)
        .map(({ body }): { count: number; alerts: { kind: string; subject: string }[] } =>
          Object(JSON.parse(body.toString())),
        ),
  }
}

const numbered = (beginning: string, many: number) =>
  Array.from({ length: many }, (_, index) => `${beginning}${index}`)
const subjectsOf = (messages: readonly { alerts: { subject: string }[] }[]) =>
  messages.flatMap(({ alerts }) => alerts.map(({ subject }) => subject))

async function failingUrls(supplier: TestSupplier): Promise<string[]> {
  const { body } = await supplier.post('/push/alerts', { kinds: ['webhook.failing'] })
  return subjectsOf([{ alerts: Object(body)['alerts'] }])
}

test('the URL for alerts fails no longer when it is removed, replaced or tested', async () => {
  const { gateway, supplier, webhook, answer, raise, tell } = await stage()
  let hour = 12
  const fail = async (): Promise<void> => {
    answer(500)
    hour++
    await raise('drift.high', [`at ${hour}`])
    for (const minute of ['00', '02', '10']) await tell(`${hour}:${minute}:00`)
    assert.deepEqual(await failingUrls(supplier), ['alerts'])
  }
  for (const [what, next] of [
    ['replaced', `${webhook}/other`],
    ['removed', null],
  ] as const) {
    await fail()
    expectOk(await supplier.post('/push/alerts/settings', { kinds: null }))
    assert.deepEqual(await failingUrls(supplier), ['alerts'], 'the same URL')
    expectOk(await supplier.post('/push/alerts/settings', { webhook: next }))
    assert.deepEqual(await failingUrls(supplier), [], what)
    expectOk(await supplier.post('/push/alerts/settings', { webhook }))
  }
  await fail()
  expectOk(await supplier.post('/push/alerts/test', {}))
  assert.deepEqual(await failingUrls(supplier), ['alerts'], 'a test that fails')
  answer(200)
  gateway.clock.set(`${day}T${hour}:11:00Z`)
  expectOk(await supplier.post('/push/alerts/test', {}))
  assert.deepEqual(await failingUrls(supplier), [])
})

test('a call that fails after its URL was replaced is no alert of the new one', async () => {
  const { supplier, webhook, answer, behave, raise, tell } = await stage()
  answer(500)
  await raise('drift.high', ['one'])
  await tell()
  await tell('12:02:00')
  behave((socket) => {
    void supplier
      .post('/push/alerts/settings', { webhook: `${webhook}/other` })
      .then(() => socket.write(httpAnswer(500, '{}')))
  })
  await tell('12:10:00')
  assert.deepEqual(await failingUrls(supplier), [])
})

test('a waiting message is not sent once its alert is resolved or acknowledged', async () => {
  const { gateway, supplier, hotel, answer, raise, tell, told } = await stage()
  answer(500)
  await raise('drift.high', ['resolved', 'acknowledged', 'open'])
  await tell()
  told()
  answer(200)
  const resolved = { ...hotel, kind: 'drift.high', subject: 'resolved' } as const
  await resolveFindings(gateway.db, [resolved], gateway.clock.now())
  const { body } = expectOk(await supplier.post('/push/alerts', {}))
  const seen = Object(body)['alerts'].find(({ subject }: { subject: string }) => subject === 'acknowledged')
  expectOk(await supplier.post('/push/alerts/ack', { alertIds: [seen.alertId] }))
  await tell('12:02:00')
  assert.deepEqual(subjectsOf(told()), ['open'])
  const viewer = await gateway.operator('viewer')
  const shown = expectOk(await viewer.get(`/suppliers/${hotel.supplierId}/alert-channels`))
  const [{ waiting, sent, givenUp }] = Object(shown.body)['messages']
  assert.deepEqual({ waiting, sent, givenUp }, { waiting: 0, sent: 1, givenUp: 0 })

  gateway.clock.set('2027-03-01T12:03:00Z')
  await raise('drift.high', ['resolved'])
  await tell()
  assert.deepEqual(subjectsOf(told()), ['resolved'], 'nobody was told of it, so it does not wait for hours')
})

test('a digest names and counts those that are still open', async () => {
  const { gateway, hotel, answer, raise, tell, told } = await stage()
  await raise('drift.high', numbered('single', 20))
  await tell()
  told()
  answer(500)
  await raise('drift.high', numbered('digest', 3))
  await tell()
  told()
  answer(200)
  const resolved = ['digest0', 'digest2'].map(
    (subject) => ({ ...hotel, kind: 'drift.high', subject }) as const,
  )
  await resolveFindings(gateway.db, resolved, gateway.clock.now())
  await tell('12:02:00')
  assert.deepEqual(
    told().map(({ count, alerts }) => [count, subjectsOf([{ alerts }])]),
    [[1, ['digest1']]],
  )
})

test('an address that was removed gets no waiting message, and nobody was told', async () => {
  const { supplier, gateway, raise, tell } = await stage()
  const emails = ['desk@hotel.example']
  expectOk(await supplier.post('/push/alerts/settings', { webhook: null, emails }))
  const code = /\b(\d{8})\b/.exec(mailServer.mails.splice(0)[0]?.text ?? '')?.[1]
  expectOk(await supplier.post('/push/alerts/settings', { codes: [{ email: emails[0], code }] }))
  mailServer.refuse(true)
  await raise('drift.high', ['one'])
  await tell()
  mailServer.refuse(false)
  expectOk(await supplier.post('/push/alerts/settings', { emails: [] }))
  await tell('12:02:00')
  assert.deepEqual(mailServer.mails, [])
  const { rows } = await gateway.db.query('select told_at from finding')
  assert.deepEqual(rows, [{ told_at: null }])
})

test('a critical alert is told at once, although the messages of the hour are used up by others', async () => {
  const { raise, tell, told } = await stage()
  await raise('drift.high', numbered('drift', 30))
  await tell()
  assert.equal(told().length, 21)
  await raise('booking.undelivered', ['late'])
  await raise('drift.high', ['thirty-first'])
  await tell('12:05:00')
  assert.deepEqual(subjectsOf(told()), ['late'])
})

test('critical alerts come first, in what is told and within a digest', async () => {
  const { needs, raise, tell, told } = await stage()
  await raise('drift.high', numbered('drift', 600))
  await raise('mass.closed', ['closed'])
  await tellOnce(needs)
  assert.ok(subjectsOf(told()).includes('closed'))
  await tell()
  told()
  await raise('drift.high', ['waiting'])
  await tell('12:04:00')
  await raise('mass.closed', numbered('closed', 22))
  await tell('12:05:00')
  assert.equal(told().length, 19, 'the rest of the twenty')
  await tell('13:00:01')
  const [digest] = told()
  assert.deepEqual(
    digest?.alerts.map(({ kind }) => kind),
    ['mass.closed', 'mass.closed', 'mass.closed', 'drift.high'],
  )
})

test('a new message goes before those that are tried again', async () => {
  const { needs, gateway, answer, raise, tell, told } = await stage()
  answer(500)
  await raise('drift.high', numbered('again', 4))
  await tell()
  told()
  answer(200)
  gateway.clock.set('2027-03-01T12:02:00Z')
  await raise('drift.high', ['new'])
  await tellOnce(needs)
  assert.ok(subjectsOf(told()).includes('new'))
})

test('a recipient that hangs holds up two of its own messages, and nobody else’s', async () => {
  const { gateway, hotel, needs, channels, webhook, supplier, raise, told } = await stage()
  const hanging = `${webhook}/hangs`
  expectOk(await supplier.post('/push/alerts/settings', { webhook: hanging }))
  const healthy = await gateway.supplier('Healthy')
  expectOk(await healthy.post('/push/alerts/settings', { webhook }))
  let hung = 0
  const over = Promise.withResolvers<{ isSent: true }>()
  const hang = () => {
    hung++
    return over.promise
  }
  const telling = startTelling({
    ...needs,
    alertChannels: {
      ...channels,
      webhook: (call) => (call.url === hanging ? hang() : channels.webhook(call)),
    },
  })
  try {
    await raise('drift.high', numbered('hangs', 20))
    await until('the calls hang', () => hung > 0)
    const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where id <> $1`, [
      hotel.supplierId,
    ])
    const ofHealthy = { supplierId: Number(rows[0]?.id), kind: 'drift.high' } as const
    await raiseFindings(
      gateway.db,
      numbered('healthy', 5).map((subject) => ({ ...ofHealthy, subject })),
      gateway.clock.now(),
    )
    const arrived: string[] = []
    await until('the others arrive', () => arrived.push(...subjectsOf(told())) === 5)
    assert.deepEqual([arrived.toSorted(), hung], [numbered('healthy', 5), 2])
  } finally {
    over.resolve({ isSent: true })
    await telling.close()
  }
})
