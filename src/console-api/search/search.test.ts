import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { idOf, openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { client, gatewayForTests, type TestOperator } from '../../../test/stage/harness.ts'
import { asAdmin, testServer } from '../../../test/stage/postgres.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { makeSecret } from '../../keys/secret.ts'
import { migrate } from '../../postgres/schema/migrate.ts'

let viewer: TestOperator
let shop: Shop
let reservationId: number

const gateway = await gatewayForTests()
before(async () => {
  viewer = await gateway.operator('viewer')
  shop = await openShop(gateway, 'Meridian Channel')
  reservationId = Number(idOf(await shop.book()))
  const hotel = {
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }
  const hotels = [
    { ...hotel, hotelId: 'CAFE-1', hotelName: 'Hôtel du Château', city: 'Nice', countryCodeISO2: 'FR' },
    { ...hotel, hotelId: 'ODD', hotelName: '100% _real_ <img src=x onerror=alert(1)>' },
  ]
  const named = { 'x-request-id': 'req-2027-abc.1' }
  expectOk(await shop.supplier.post('/push/hotels', hotels, named))
})

type Told = { kind: string; [member: string]: unknown }

async function found(text: string, operator = viewer): Promise<string[]> {
  const { status, body } = await operator.get(`/search?text=${encodeURIComponent(text)}`)
  assert.equal(status, 200)
  assert.ok(Array.isArray(body['found']))
  return body['found'].map(({ kind, name, requestId, reservationId: id }: Told) =>
    [kind, name ?? requestId ?? id].join(' '),
  )
}

test('hotels are found by words, regardless of case and accents, by code, and by id', async () => {
  const chateau = ['hotel Hôtel du Château']
  assert.deepEqual(await found('CHATEAU'), chateau)
  assert.deepEqual(await found('nice hotel'), chateau)
  assert.deepEqual(await found('CAFE-1'), chateau)
  const { rows } = await gateway.db.query<{ id: number }>(`select id from hotel where code = 'CAFE-1'`)
  assert.ok((await found(String(rows[0]?.id))).includes(chateau[0] ?? ''))
})

test('pattern characters have no special meaning', async () => {
  assert.deepEqual(await found('_real_'), ['hotel 100% _real_ <img src=x onerror=alert(1)>'])
  assert.deepEqual(await found('%'), [])
  assert.deepEqual(await found(`'); drop table hotel; --`), [])
})

test('suppliers are found by part of their name, with all their hotels', async () => {
  assert.deepEqual((await found('meridian')).at(-1), 'supplier Meridian Channel')
})

test('a reservation is found by its id alone', async () => {
  assert.ok((await found(String(reservationId))).includes(`reservation ${reservationId}`))
  assert.deepEqual(await found('999999999999'), [])
})

test('reservations are found by words of their guest’s name, with at least three letters of one', async () => {
  assert.deepEqual(await found('lovelace ADA'), [`reservation ${reservationId}`])
  assert.deepEqual(await found('lov'), [`reservation ${reservationId}`])
  assert.deepEqual(await found('lo'), [])
  assert.deepEqual(await found('lovelace byron'), [])
})

test('pushes are found by the beginning of their request id, at least eight characters', async () => {
  assert.deepEqual(await found('req-2027-abc.1'), ['push req-2027-abc.1'])
  assert.deepEqual(await found('req-2027'), ['push req-2027-abc.1'])
  assert.deepEqual(await found('req-202'), [])
  assert.deepEqual(await found('req-2027%'), [])
})

test('a UUID is found by every beginning of at least eight characters, other ids with the same beginning too', async () => {
  const few = {
    hotelId: 'FEW',
    hotelName: 'Few',
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
  }
  const id = 'c0ffee00-1234-4abc-8def-0123456789ab'
  const others = [
    'c0ffee00-not-a-uuid',
    'c0ffee00-1234-4abc-8def-0123456789ab.2',
    'c0ffee01-1234-4abc-8def-0123456789ab',
  ]
  for (const each of [id, ...others])
    expectOk(await shop.supplier.post('/push/hotels', [few], { 'x-request-id': each }))
  for (let length = 8; length <= id.length; length++) {
    const text = id.slice(0, length)
    const intended = [id, ...others].filter((other) => other.startsWith(text)).map((other) => `push ${other}`)
    assert.deepEqual((await found(text)).sort(), intended.sort(), text)
  }
  assert.deepEqual(await found('C0FFEE00-1234'), [])
})

test('in a database that sorts by the rules of a language, pushes are found too', async () => {
  const { address } = await testServer()
  const database = `sorted_${randomBytes(8).toString('hex')}`
  await asAdmin(
    address,
    `create database ${database} template template0 encoding 'UTF8' locale_provider icu icu_locale 'en'`,
  )
  after(() => asAdmin(address, `drop database ${database} with (force)`))
  await migrate({ ...address, database })
  const sorted = await gatewayForTests({ through: (other) => ({ ...other, database }) })
  const supplier = await sorted.supplier('sorted')
  await supplier.post('/push/hotels', [], { 'x-request-id': 'req-2027-abc.1' })
  assert.deepEqual(await found('req-2027-ab', await sorted.operator('viewer')), ['push req-2027-abc.1'])
})

test('a search without text is refused', async () => {
  const { status, body } = await viewer.get('/search')
  assert.deepEqual([status, body['message']], [400, 'text is required'])
})

const ask = async (pasted: string, operator = viewer) => {
  const { status, text, body } = await operator.post('/search/key', { pasted })
  return { status, text, body }
}

test('a pasted key is found in whatever it is pasted with: whose it is, whether it works, and when it was used', async () => {
  const { apiKey, keyId } = shop.supplier
  const { rows } = await gateway.db.query<{ id: number }>(
    `select id from supplier where name = 'Meridian Channel'`,
  )
  const key = {
    kind: 'key',
    keyId,
    supplierId: rows[0]?.id,
    supplier: 'Meridian Channel',
    channelManager: 'Meridian Channel',
    tail: apiKey.slice(-4),
    status: 'active',
    works: true,
    worksUntil: null,
  }
  for (const pasted of [apiKey, `curl -H "x-api-key: ${apiKey}" https://example.com`]) {
    const { body } = await ask(pasted)
    const { createdAt, lastUsedAt, ...told } = Object(body['key'])
    assert.deepEqual(told, key)
    assert.equal(typeof createdAt, 'string')
    assert.notEqual(lastUsedAt, undefined)
  }
  const byEnding = await viewer.get(`/search?text=${apiKey.slice(-4)}`)
  const [first] = Object(byEnding.body['found'])
  assert.deepEqual([first.kind, first.keyId], ['key', keyId])
})

test('a replaced secret says so, a token names its command, and parts, other environments and unknown keys are told apart', async () => {
  const admin = await gateway.operator('admin')
  const other = await gateway.supplier('rotating')
  expectOk(await admin.post(`/keys/${other.keyId}/rotate`, { overlapMinutes: 0 }))
  const { body: replaced } = await ask(other.apiKey)
  assert.deepEqual([Object(replaced['key']).status, Object(replaced['key']).works], ['active', false])
  expectOk(await admin.post(`/keys/${other.keyId}/revoke`, undefined))
  const { body: revoked } = await ask(other.apiKey)
  assert.deepEqual([Object(revoked['key']).status, Object(revoked['key']).works], ['revoked', false])

  const { body: token } = await ask(await gateway.token('platform'))
  assert.deepEqual([token['is'], Object(token['token']).role], ['token', 'platform'])
  const { body: part } = await ask(other.apiKey.slice(0, 40))
  const { body: live } = await ask(makeSecret('supplier', 'production'))
  const { body: unknown } = await ask(makeSecret('supplier', 'sandbox'))
  assert.deepEqual([part['is'], live['is'], unknown['is']], ['incomplete', 'otherEnvironment', 'unknown'])
})

test('a pasted key is in no answer and in no row, and who looked it up is in the audit log once an hour', async () => {
  const leaked = await gateway.supplier('leaked')
  const answers = [
    await ask(leaked.apiKey),
    await ask(leaked.apiKey),
    await ask(`${leaked.apiKey}${'x'.repeat(3_000)}`),
    await ask(`${leaked.apiKey}\u0000`),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 400, 400],
  )
  const secret = leaked.apiKey.slice(8, -4)
  assert.ok(!answers.some(({ text }) => text.includes(secret)))
  const { rows } = await gateway.db.query<{ operator: string; subject: string; all: string }>(
    `select operator_name as operator, subject, audit_log::text as all from audit_log
     where action = 'key.look-up' and subject like '%leaked%'`,
  )
  assert.deepEqual(
    rows.map(({ operator, subject, all }) => [operator, subject, all.includes(secret)]),
    [[viewer.name, `key ${leaked.keyId} of "leaked"`, false]],
  )
})

test('a viewer cannot revoke what was found', async () => {
  const { keyId, apiKey } = await gateway.supplier('safe')
  assert.equal((await viewer.post(`/keys/${keyId}/revoke`, undefined)).status, 403)
  assert.deepEqual(Object((await ask(apiKey)).body['key']).status, 'active')
  assert.equal(
    (await client(gateway.url, {}, '/console/api').post('/search/key', { pasted: apiKey })).status,
    401,
  )
})
