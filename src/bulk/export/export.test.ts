import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, jobIn, load, upload } from '../../../test/stage/scenes/bulk.ts'
import { createExport, exported } from '../../../test/stage/scenes/exports.ts'
import { gatewayForTests, type TestClient, type TestSupplier } from '../../../test/stage/harness.ts'
import { addDays } from '../../../test/stage/models/naive-ari.ts'
import { makeSequence, type HotelSpec, type Operation } from '../../../test/stage/models/ari-operations.ts'
import { expectOk, problemsOf, product, pushStoryHotel, storyHotel } from '../../../test/stage/story.ts'
import { testNow } from '../../../test/stage/template.ts'
import { revokeKey } from '../../keys/manage.ts'

/** Exports: what they have, that a load of it gives the same again, and what an export does when it is disturbed. */

const gateway = await gatewayForTests()
gateway.app.startBulk()
const unlimited = { requestsPerMinute: 0 }
const today = new Date(testNow).toISOString().slice(0, 10)
// Today is tomorrow in some zones, and past nights are not exported.
const range = { startDate: addDays(today, 1), endDate: addDays(today, 762) }

/** Codes that CSV and JSON have to write with care. */
const oddCodes: Readonly<Record<string, string>> = {
  R1: `=Sea "View"; 'a', ü`,
  R2: '-5',
  A: '@B|R/%',
  B: 'null',
}

function withOddCodes<Value>(value: Value): Value {
  const recoded: Value = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? (oddCodes[member] ?? member) : member,
  )
  return recoded
}

const vat = (percent: number) => ({
  type: 'VAT',
  valueType: '%',
  value: percent,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: percent % 2 === 1,
  payNow: true,
})

/** The operation's push; many are refused, as at the service of a real supplier. */
async function send(supplier: TestClient, hotels: readonly HotelSpec[], operation: Operation): Promise<void> {
  if (operation.kind === 'read') return
  if (operation.kind === 'ari') {
    await supplier.post('/push/ari', operation.body)
    return
  }
  if (operation.kind === 'hotels') {
    const renewed = operation.hotels.map((one) => ({ ...one, hotelId: hotels[one.hotel]?.hotelId ?? '' }))
    expectOk(await supplier.post('/push/hotels', renewed.map(hotelBody)))
    return
  }
  const hotelId = hotels[operation.hotel]?.hotelId
  if (operation.kind === 'products') {
    const policies = [{ code: 'FLEX', cancelPenalties: [], fees: [] }]
    const products = operation.products.map((one) =>
      product(one.roomId, one.rateId, { ...one, cancelPolicies: policies }),
    )
    await supplier.post('/push/products', { hotelId, products })
    return
  }
  const [first] = hotels[operation.hotel]?.products ?? []
  const products = first ? [{ roomId: first.roomId, taxes: [vat(operation.percent + 1)] }] : []
  await supplier.post('/push/taxes', { hotelId, taxes: [vat(operation.percent)], products })
}

function hotelBody({ hotelId, currency, timeZone }: Pick<HotelSpec, 'hotelId' | 'currency' | 'timeZone'>) {
  return storyHotel({ hotelId, hotelName: `${hotelId}, "by the sea"`, currency, timezone: timeZone })
}

async function pushRandomHotels(supplier: TestClient, seeds: number): Promise<string[]> {
  const hotelIds: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const { hotels, operations } = withOddCodes(makeSequence(seed, Date.parse(testNow)))
    hotelIds.push(...hotels.map(({ hotelId }) => hotelId))
    expectOk(await supplier.post('/push/hotels', hotels.map(hotelBody)))
    for (const { hotelId, products } of hotels) {
      const pushed = products.map((one) => product(one.roomId, one.rateId, { occupancy: one.occupancy }))
      expectOk(await supplier.post('/push/products', { hotelId, products: pushed }))
      const weekend = products.map(({ roomId, rateId }) => ({
        roomId,
        startDate: today,
        endDate: addDays(today, 300),
        daysOfWeek: ['FRI', 'SAT'],
        inventory: 4,
        minLengthStay: 2,
        rates: [{ rateId, price: 100, inventory: 2, closedToArrival: true }],
      }))
      await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari: weekend })
    }
    for (const operation of operations) await send(supplier, hotels, operation)
  }
  return hotelIds
}

/** Everything that a supplier can read of its hotels, without what tells when it was pushed. */
async function stored(supplier: TestClient, hotelIds: readonly string[]) {
  const all = []
  for (const hotelId of hotelIds) {
    const read = async (path: string, body: object): Promise<Record<string, unknown>> =>
      expectOk(await supplier.post(path, { hotelId, ...body })).body
    const digest = await read('/push/getAriDigest', { from: today, to: range.endDate, level: 'hotel' })
    const { ari, currency } = await read('/push/getAri', range)
    const { products } = await read('/push/getProducts', {})
    const taxes = await read('/push/getTaxes', {})
    all.push({
      hotelId,
      digest: digest['hotel'],
      ari,
      currency,
      products,
      taxes: [taxes['taxes'], taxes['products']],
    })
  }
  return all
}

async function copy(from: TestClient, to: TestClient, ariFormat: 'ndjson' | 'csv'): Promise<void> {
  for (const kind of ['hotels', 'products', 'taxes', 'ari'] as const) {
    const format = kind === 'ari' ? ariFormat : 'ndjson'
    const { job, text } = await exported(from, { kind, format })
    const loaded = await load(to, { kind, format }, text)
    const errors = await to.get(`/push/bulk/${loaded.jobId}/errors`)
    assert.deepEqual(
      [loaded.state, loaded['lines'], loaded['refused'], loaded['partial']],
      ['done', job['lines'], 0, 0],
      errors.text,
    )
  }
}

test('exports of random ARI, loaded into an empty store, give equal digests and equal values', async (context) => {
  const source = await gateway.supplier('Source', unlimited)
  const hotelIds = await pushRandomHotels(source, 5)
  const expected = await stored(source, hotelIds)
  const sent = JSON.stringify(expected)
  for (const part of ['"guests":', '"closed":true', '"minLengthStay":', '{"amount":', '"cancelPolicies":'])
    assert.ok(sent.includes(part), `the random ARI lacks ${part}`)
  const empty = await gatewayForTests()
  empty.app.startBulk()
  for (const format of ['ndjson', 'csv'] as const) {
    const target = await empty.supplier(`Target ${format}`, unlimited, 'reject')
    await copy(source, target, format)
    assert.deepEqual(await stored(target, hotelIds), expected)
  }
  context.diagnostic(`${hotelIds.length} hotels in both formats`)
})

test("each line states the revision of its hotel, and the hotel is the account's own", async () => {
  const supplier = await gateway.supplier('Owner')
  const other = await gateway.supplier('Stranger')
  await pushStoryHotel(supplier)
  await pushStoryHotel(supplier, { hotelId: 'H2' })
  await pushStoryHotel(other, { hotelId: 'H3' })
  const { job, text } = await exported(supplier, { kind: 'hotels' })
  assert.deepEqual(
    [job['task'], job['lines'], job['hotels'], job['bytesReceived']],
    ['export', 2, 2, Buffer.byteLength(text)],
  )
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
    ['H1', 'H2'].map((hotelId) => ({ ...storyHotel(), hotelId, revision: 2 })),
  )
  const one = await exported(supplier, { kind: 'products', hotelIds: ['H2'] })
  assert.equal(one.text.trim().split('\n').length, 1)
  assert.equal((await other.get(`/push/export/${job.jobId}/data`)).status, 404)
  const unknown = await other.post('/push/export', { kind: 'ari', format: 'ndjson', hotelIds: ['H3', 'H1'] })
  assert.deepEqual(
    [unknown.status, problemsOf(unknown)],
    [404, [['/hotelIds/1', 'HOTEL_NOT_FOUND', 'Hotel ID is not found']]],
  )
  const wrong = await supplier.post('/push/export', { kind: 'taxes', format: 'csv' })
  assert.deepEqual([wrong.status, problemsOf(wrong).length], [400, 1])
})

test('a download is compressed if the caller can read that', async () => {
  const supplier = await gateway.supplier('Gzip')
  await pushStoryHotel(supplier)
  const { job, text } = await exported(supplier, { kind: 'products' })
  for (const [accepted, encoding] of [
    ['gzip, deflate', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', null],
    ['gzip;q=0', null],
  ]) {
    const response = await fetch(`${gateway.url}/v1/push/export/${job.jobId}/data`, {
      headers: { 'x-api-key': supplier.apiKey, 'accept-encoding': accepted ?? '' },
    })
    assert.deepEqual([response.headers.get('content-encoding'), await response.text()], [encoding, text])
  }
})

test('a job that is not done has no data; it can be cancelled, and takes no load', async () => {
  const idle = await gatewayForTests()
  const supplier = await idle.supplier('Waiting')
  const jobId = await createExport(supplier, { kind: 'ari' })
  assert.deepEqual(problemsOf(await supplier.get(`/push/export/${jobId}/data`)), [
    [undefined, 'EXPORT_NOT_DONE', 'The export is not done'],
  ])
  assert.equal((await upload(supplier, jobId, '{}')).status, 404)
  assert.equal((await supplier.post(`/push/bulk/${jobId}/start`, {})).status, 404)
  assert.equal((await supplier.get(`/push/bulk/${jobId}/errors`)).status, 404)
  assert.equal(jobIn(await supplier.post(`/push/bulk/${jobId}/cancel`, {})).state, 'cancelled')
})

test('an export whose process is gone goes on behind the hotels that are stored', async () => {
  const quiet = await gatewayForTests()
  const supplier = await quiet.supplier('Survivor')
  for (const hotelId of ['H1', 'H2', 'H3']) await pushStoryHotel(supplier, { hotelId })
  const jobId = await createExport(supplier, { kind: 'products' })
  const first = await createExport(supplier, { kind: 'products', hotelIds: ['H1'] })
  const all = await createExport(supplier, { kind: 'products' })
  // As a process leaves it that died after the first hotel, whose part is the second job's.
  await quiet.db.query(`update bulk_job set queued_at = queued_at - interval '1 minute' where id = $1`, [
    first,
  ])
  const worker = quiet.app.startBulk()
  await ended(supplier, first)
  await ended(supplier, jobId)
  const wanted = await supplier.get(`/push/export/${jobId}/data`)
  await ended(supplier, all)
  await worker.close()
  await quiet.db.query(
    `with part as (
       insert into bulk_part (job_id, part, length, bytes)
       select $1, 1, length, bytes from bulk_part where job_id = $2
       on conflict (job_id, part) do update set length = excluded.length, bytes = excluded.bytes
     )
     update bulk_job set state = 'running', ended_at = null, parts = 1, line = 1, hotels = 1, bytes = 0,
       after_hotel = (select id from hotel where code = 'H1'), leased_by = gen_random_uuid(),
       leased_until = queued_at
     where id = $1`,
    [all, first],
  )
  quiet.app.startBulk()
  const job = await ended(supplier, all)
  const resumed = await supplier.get(`/push/export/${all}/data`)
  assert.deepEqual([job.state, job['lines'], job['hotels'], resumed.text], ['done', 3, 3, wanted.text])
})

test('a revoked key ends its exports, and only the newest five are kept', async () => {
  const quiet = await gatewayForTests()
  const supplier: TestSupplier = await quiet.supplier('Kept')
  const other = await quiet.supplier('Kept')
  await pushStoryHotel(supplier)
  const revoked = await createExport(other, { kind: 'hotels' })
  await revokeKey(quiet.db, other.keyId, quiet.clock.now())
  quiet.app.startBulk()
  const failed = await ended(supplier, revoked)
  assert.deepEqual([failed.state, Object(failed['failure']).type], ['failed', 'KEY_REVOKED'])
  const jobs = [revoked]
  for (let count = 0; count < 6; count++) jobs.push((await exported(supplier, { kind: 'hotels' })).job.jobId)
  const statuses = await Promise.all(jobs.map(async (id) => (await supplier.get(`/push/bulk/${id}`)).status))
  assert.deepEqual(statuses, [404, 404, 200, 200, 200, 200, 200])
})
