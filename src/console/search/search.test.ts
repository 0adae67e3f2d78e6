import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { idOf, openShop, type Shop } from '../../../test/booking.ts'
import { gatewayForTests, type TestOperator } from '../../../test/harness.ts'
import { asAdmin, testServer } from '../../../test/postgres.ts'
import { expectOk } from '../../../test/story.ts'
import { migrate } from '../../postgres/migrate.ts'

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
