import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { expectStatus } from '../../../test/stage/scenes/booking.ts'
import {
  client,
  startGateway,
  type Reply,
  type TestGateway,
  type TestOperator,
} from '../../../test/stage/harness.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../../../test/stage/story.ts'

/** Suppliers and keys in the console. */

let gateway: TestGateway
let admin: TestOperator
let receiver: Receiver

before(async () => {
  gateway = await startGateway({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
  admin = await gateway.operator('admin')
  receiver = await startReceiver((socket) => socket.write(httpAnswer(204, '')))
})
after(async () => {
  await receiver.close()
  await gateway.stop()
})

const now = '2027-03-01T12:00:00Z'
/** How long a key is trusted after a look-up. */
const trustedMs = 600

async function newSupplier(name: string): Promise<number> {
  return Number(expectStatus(await admin.post('/suppliers', { name }), 201).body['supplierId'])
}

async function newKey(supplierId: number, more: object = {}): Promise<{ keyId: number; apiKey: string }> {
  const reply = await admin.post(`/suppliers/${supplierId}/keys`, { channelManager: 'CM', ...more })
  const { keyId, apiKey } = expectStatus(reply, 201).body
  return { keyId: Number(keyId), apiKey: String(apiKey) }
}

const held = async (supplierId: number): Promise<Record<string, unknown>> =>
  Object(expectOk(await admin.get(`/suppliers/${supplierId}`)).body['supplier'])

async function audited(subject: string): Promise<unknown[]> {
  const { rows } = await gateway.db.query<Record<string, unknown>>(
    `select action, operator_name, before, after from audit_log where subject = $1 order by id`,
    [subject],
  )
  return rows.map(({ action, operator_name: by, before: was, after: is }) => [action, by, was, is])
}

const statusWith = async (apiKey: string): Promise<number> =>
  (await client(gateway.url, { 'x-api-key': apiKey }).get('/push/limits')).status

test('the list shows keys, hotels and recent pushes of each supplier, by name and page by page', async () => {
  const supplier = await gateway.supplier('Beach')
  await pushStoryHotel(supplier)
  assert.equal((await supplier.post('/push/products', { hotelId: 'H9', products: [] })).status, 400)
  await newSupplier('Alpine')
  await newSupplier('<img src=x onerror=alert(1)> Inns')
  const first = expectOk(await admin.get('/suppliers?limit=2')).body
  const second = expectOk(await admin.get(`/suppliers?limit=2&cursor=${String(first['nextCursor'])}`)).body
  const all = [first, second].flatMap(({ suppliers }) => Object.values(Object(suppliers)).map(Object))
  assert.deepEqual(
    all.map((one) => one.name),
    ['<img src=x onerror=alert(1)> Inns', 'Alpine', 'Beach'],
  )
  assert.equal(second['nextCursor'], null)
  const { name, activeKeys, hotels, pushes } = all[2]
  assert.deepEqual(
    { name, activeKeys, hotels, pushes },
    {
      name: 'Beach',
      activeKeys: 1,
      hotels: { count: 1, isMore: false },
      pushes: { looked: 3, rejected: 1, partial: 0, lastAt: now },
    },
  )
  const found = expectOk(await admin.get('/suppliers?search=BEA')).body['suppliers']
  assert.deepEqual(
    Object.values(Object(found)).map((one) => Object(one).name),
    ['Beach'],
  )
})

test('a rotated key: the old secret works during the overlap and not after, and neither is stored anywhere', async () => {
  const supplierId = await newSupplier('Rotating')
  const { keyId, apiKey } = await newKey(supplierId)
  const reply = expectOk(await admin.post(`/keys/${keyId}/rotate`, { overlapMinutes: 120 }))
  const { apiKey: newer, oldKeyUntil } = reply.body
  assert.equal(oldKeyUntil, '2027-03-01T14:00:00Z')
  assert.deepEqual([await statusWith(apiKey), await statusWith(String(newer))], [200, 200])
  const [key] = Object(await held(supplierId)).keys
  assert.deepEqual(
    key.secrets.map(({ tail, worksUntil }: Record<string, unknown>) => [tail, worksUntil]),
    [
      [String(newer).slice(-4), null],
      [apiKey.slice(-4), '2027-03-01T14:00:00Z'],
    ],
  )
  gateway.clock.set('2027-03-01T14:00:01Z')
  await wait(trustedMs)
  assert.deepEqual([await statusWith(apiKey), await statusWith(String(newer))], [401, 200])
  gateway.clock.set(now)
  assert.deepEqual(await audited(`key ${keyId} of "Rotating"`), [
    ['key.create', admin.name, null, { channelManager: 'CM', expiresAt: null }],
    ['key.rotate', admin.name, null, { oldKeyUntil: '2027-03-01T14:00:00Z' }],
  ])
  const { rows } = await gateway.db.query<{ text: string }>(
    'select (select string_agg(audit_log::text, $1) from audit_log) as text',
    ['\n'],
  )
  for (const secret of [apiKey, String(newer)]) assert.ok(!rows[0]?.text.includes(secret))
})

test('revoked and expired keys are refused, and removing an expiry removes it', async () => {
  const supplierId = await newSupplier('Ending')
  const revoked = await newKey(supplierId)
  expectOk(await admin.post(`/keys/${revoked.keyId}/revoke`, undefined))
  const expired = await newKey(supplierId, { expiresAt: '2027-03-02' })
  expectOk(await admin.put(`/keys/${expired.keyId}/expiry`, { at: '2027-03-01T11:00:00Z' }))
  assert.deepEqual([await statusWith(revoked.apiKey), await statusWith(expired.apiKey)], [401, 401])
  assert.deepEqual(
    Object(await held(supplierId)).keys.map(({ status }: Record<string, unknown>) => status),
    ['expired', 'revoked'],
  )
  expectOk(await admin.put(`/keys/${expired.keyId}/expiry`, { at: null }))
  await wait(trustedMs)
  assert.equal(await statusWith(expired.apiKey), 200)
  assert.deepEqual(
    (await audited(`key ${expired.keyId} of "Ending"`)).slice(1),
    [
      ['2027-03-02T00:00:00Z', '2027-03-01T11:00:00Z'],
      ['2027-03-01T11:00:00Z', null],
    ].map(([was, is]) => ['key.expire', admin.name, { expiresAt: was }, { expiresAt: is }]),
  )
  assert.deepEqual(problemsOf(await admin.post(`/keys/${revoked.keyId}/rotate`, { overlapMinutes: 0 })), [
    [undefined, 'KEY_NOT_ACTIVE', `Key ${revoked.keyId} is revoked and can't be rotated`],
  ])
  const past = await admin.post(`/suppliers/${supplierId}/keys`, {
    channelManager: 'CM',
    expiresAt: '2027-01-01',
  })
  assert.deepEqual(problemsOf(past), [['/expiresAt', 'END_IN_THE_PAST', 'The key must end in the future']])
})

test('limits of a key apply to its requests; null restores the default', async () => {
  const supplierId = await newSupplier('Limited')
  const { keyId, apiKey } = await newKey(supplierId)
  const own = {
    requestsPerMinute: 60,
    requestsBurst: null,
    bodyBytesMax: null,
    ariItemsMax: 7,
    ariCellsMax: null,
  }
  const set = expectOk(await admin.put(`/keys/${keyId}/limits`, { requestsPerMinute: 60, ariItemsMax: 7 }))
  assert.deepEqual(set.body['limits'], own)
  const supplier = client(gateway.url, { 'x-api-key': apiKey })
  const { requestsPerMinute, ariItemsMax } = Object(
    expectOk(await supplier.get('/push/limits')).body['limits'],
  )
  assert.deepEqual([requestsPerMinute, ariItemsMax], [60, 7])
  assert.equal(set.body['unknownFields'], 'warn')
  const strict = expectOk(await admin.put(`/keys/${keyId}/limits`, { unknownFields: 'reject' }))
  assert.deepEqual(strict.body, { limits: own, unknownFields: 'reject', echo: false })
  const echoing = expectOk(await admin.put(`/keys/${keyId}/limits`, { echo: true }))
  assert.deepEqual(echoing.body, { limits: own, unknownFields: 'reject', echo: true })
  const back = expectOk(await admin.put(`/keys/${keyId}/limits`, { requestsPerMinute: null }))
  assert.deepEqual(back.body['limits'], { ...own, requestsPerMinute: null })
})

test('contract settings are changed member by member, and audited before and after', async () => {
  const supplierId = await newSupplier('Agreed')
  const path = `/suppliers/${supplierId}/account`
  const wanted = {
    onFailure: 'use_stored',
    onTermsDiffer: 'reject',
    priceTolerance: '2.50',
    pricesAre: 'net',
    commissionPercent: '12.50',
    mayRetrieve: true,
  }
  const account = {
    onFailure: 'use_stored',
    onTermsDiffer: 'reject',
    priceTolerance: '2.5',
    pricesAre: 'net',
    commissionPercent: '12.5',
    deliversCards: false,
    mayPushOnDemand: true,
    mayRetrieve: true,
    requireCertification: false,
    isCertified: false,
    managedKeysMax: 2,
    managedKeyRateMax: 6_000,
    hotelsMax: 0,
  }
  assert.deepEqual(expectOk(await admin.put(path, wanted)).body['account'], account)
  assert.deepEqual(Object(await held(supplierId)).account, account)
  expectOk(await admin.put(path, {}))
  assert.deepEqual(await audited(`supplier ${supplierId} "Agreed"`), [
    ['supplier.create', admin.name, null, { name: 'Agreed' }],
    [
      'supplier.change',
      admin.name,
      {
        onFailure: 'reject',
        onTermsDiffer: 'warn',
        priceTolerance: '0',
        pricesAre: 'sell',
        commissionPercent: '0',
      },
      {
        onFailure: 'use_stored',
        onTermsDiffer: 'reject',
        priceTolerance: '2.5',
        pricesAre: 'net',
        commissionPercent: '12.5',
      },
    ],
  ])
  for (const priceTolerance of ['-1', '100.01', '1.234', 'NaN'])
    assert.equal((await admin.put(path, { priceTolerance })).status, 400)
})

test('the URLs of a key are shown and called on request, signed with a secret that can be rotated', async () => {
  const supplier = await gateway.supplier('Called')
  const webhook = `http://127.0.0.1:${receiver.port}/book?token=hush`
  const registered = expectOk(await supplier.post('/push/webhook/pushbook', { webhook })).body
  const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Called'`)
  const supplierId = Number(rows[0]?.id)
  const [key] = Object(await held(supplierId)).keys
  assert.deepEqual(key.webhooks, [
    { kind: 'pushbook', url: webhook, registeredAt: now, circuit: null, fault: null },
  ])
  const operator = await gateway.operator('operator')
  const called = receiver.calls.length
  const reply = expectOk(await operator.post(`/keys/${supplier.keyId}/ping`, { kind: 'pushbook' }))
  const { status, httpStatus } = Object(reply.body['ping'])
  assert.deepEqual([reply.body['url'], status, httpStatus], [webhook, 'answered', 204])
  assert.equal(receiver.calls.length, called + 1)
  const rotated = expectOk(await admin.post(`/keys/${supplier.keyId}/signing-secret`, { overlapMinutes: 60 }))
  assert.equal(rotated.body['oldSecretUntil'], '2027-03-01T13:00:00Z')
  assert.notEqual(rotated.body['signingSecret'], registered['signingSecret'])
  assert.deepEqual(await audited(`key ${supplier.keyId} of "Called"`), [
    ['webhook.test', operator.name, null, { kind: 'pushbook', status: 'answered', httpStatus: 204 }],
    ['key.rotate-signing-secret', admin.name, null, { oldOneSignsUntil: '2027-03-01T13:00:00Z' }],
  ])
  const none = await operator.post(`/keys/${supplier.keyId}/ping`, { kind: 'availability' })
  assert.deepEqual(
    [none.status, problemsOf(none)],
    [409, [['/kind', 'WEBHOOK_NOT_REGISTERED', 'Price check webhook is not registered']]],
  )
})

test('only admins change accounts and keys; unknown ones are not found', async () => {
  const supplierId = await newSupplier('Guarded')
  const { keyId, apiKey } = await newKey(supplierId)
  const changes = (who: TestOperator): Promise<Reply>[] => [
    who.post('/suppliers', { name: 'Mine' }),
    who.put(`/suppliers/${supplierId}/account`, { onFailure: 'use_stored' }),
    who.post(`/suppliers/${supplierId}/keys`, { channelManager: 'CM' }),
    who.post(`/keys/${keyId}/rotate`, { overlapMinutes: 0 }),
    who.post(`/keys/${keyId}/revoke`, undefined),
    who.put(`/keys/${keyId}/expiry`, { at: '2027-03-01' }),
    who.put(`/keys/${keyId}/limits`, { ariItemsMax: 1 }),
    who.post(`/keys/${keyId}/signing-secret`, { overlapMinutes: 0 }),
  ]
  for (const role of ['viewer', 'operator'] as const) {
    const replies = await Promise.all(changes(await gateway.operator(role)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map(() => 403),
    )
  }
  const viewer = await gateway.operator('viewer')
  assert.equal((await viewer.post(`/keys/${keyId}/ping`, { kind: 'pushbook' })).status, 403)
  assert.equal(await statusWith(apiKey), 200)
  const unknown = ['0', '999999', '2147483647', '99999999999', 'x', '1e3']
  const replies = await Promise.all(
    unknown.flatMap((id) => [
      admin.get(`/suppliers/${id}`),
      admin.put(`/suppliers/${id}/account`, {}),
      admin.post(`/keys/${id}/revoke`, undefined),
    ]),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map(() => 404),
  )
  assert.equal((await admin.post('/suppliers', { name: 'Guarded' })).status, 409)
})
