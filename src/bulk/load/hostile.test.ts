import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  createJob,
  ended,
  figuresOf,
  jobIn,
  load,
  ndjson,
  openUpload,
  upload,
} from '../../../test/stage/scenes/bulk.ts'
import { gatewayForTests, type Reply, type TestSupplier } from '../../../test/stage/harness.ts'
import { holdHotel, untilWaiting } from '../../../test/stage/locks.ts'
import { until } from '../../../test/stage/pace.ts'
import { supplierDigests } from '../../../test/stage/stored-state.ts'
import {
  expectOk,
  pagesOf,
  problemsOf,
  product,
  pushStoryHotel,
  storyHotel,
} from '../../../test/stage/story.ts'
import { revokeKey } from '../../keys/manage.ts'
import { bulkLimits } from '../limits.ts'

/** First loads by suppliers who send too much, the wrong thing, or several things at once. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

const typesIn = (reply: Reply): unknown[] => [
  reply.status,
  ...problemsOf(reply).map((problem) => Object(problem)[1]),
]

const night = (hotelId: string, day: number, price: number, more: object = {}) => ({
  hotelId,
  pricingModel: 'unit',
  ari: [
    { roomId: 'DBL', date: `2027-04-${String(day).padStart(2, '0')}`, rates: [{ rateId: 'BAR', price }] },
  ],
  ...more,
})

async function bytesReceived(supplier: TestSupplier, jobId: string): Promise<unknown> {
  return expectOk(await supplier.get(`/push/bulk/${jobId}`)).body['bytesReceived']
}

test('a line may have 64 KB, whatever ends it and with a byte order mark, and no byte more', async () => {
  const supplier = await gateway.supplier('Long lines')
  await pushStoryHotel(supplier)
  const mark = '\uFEFF'
  const lineOf = (bytes: number, price: number): string => {
    const short = JSON.stringify(night('H1', 1, price, { note: '' }))
    return short.replace('"note":""', `"note":"${'x'.repeat(bytes - short.length)}"`)
  }
  const most = bulkLimits.lineBytesMax
  for (const end of ['', '\n', '\r\n'])
    for (const beginning of ['', mark]) {
      const price = 100 + end.length * 2 + beginning.length
      const fits = await load(supplier, { kind: 'ari' }, `${beginning}${lineOf(most, price)}${end}`)
      assert.deepEqual([end, beginning, fits['applied']], [end, beginning, 1])
      const over = await load(supplier, { kind: 'ari' }, `${beginning}${lineOf(most + 1, price + 50)}${end}`)
      assert.deepEqual([end, beginning, over['refused'], over['applied']], [end, beginning, 1, 0])
      const { text: errors } = expectOk(await supplier.get(`/push/bulk/${over.jobId}/errors`))
      assert.match(errors, /"LINE_TOO_LONG"/)
    }
  const header = 'hotelId,roomId,rateId,startDate,endDate,price'
  const row = (bytes: number, price: number): string => {
    const cells = `H1,DBL,BAR,2027-04-02,2027-04-02,${price}`
    return cells + ' '.repeat(bytes - cells.length)
  }
  const sheet = `${mark}${header}\r\n${row(most, 80)}\r\n${row(most + 1, 81)}\r\n`
  const job = await load(supplier, { kind: 'ari', format: 'csv' }, sheet)
  assert.deepEqual([job['applied'], job['refused']], [1, 1])
})

test('data of more than 2 GB is refused before it is read, and what was sent before stays', async () => {
  const supplier = await gateway.supplier('Giant')
  const jobId = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, jobId, 'kept\n'))
  const { sent, reply } = openUpload(gateway.url, supplier, jobId, {
    'content-length': bulkLimits.dataBytesMax + 1,
  })
  sent.write('x')
  const refused = await reply
  sent.destroy()
  assert.equal(refused.status, 413)
  assert.match(refused.text, /"BULK_DATA_TOO_LARGE"/)
  for (const range of ['bytes 5-2147483648/*', 'bytes 5-5/2147483649'])
    assert.deepEqual(typesIn(await upload(supplier, jobId, 'x', { 'content-range': range })), [
      413,
      'BULK_DATA_TOO_LARGE',
    ])
  assert.equal(await bytesReceived(supplier, jobId), 5)
})

test('parts that overlap, leave a gap, or have another length than their range are refused', async () => {
  const supplier = await gateway.supplier('Ranges')
  const jobId = await createJob(supplier, { kind: 'ari' })
  const part = (range: string, data: string) =>
    upload(supplier, jobId, data, { 'content-range': `bytes ${range}` })
  expectOk(await part('0-9/30', 'x'.repeat(10)))
  for (const range of ['9-18/30', '11-20/30', '5-14/30'])
    assert.deepEqual(typesIn(await part(range, 'y'.repeat(10))), [409, 'WRONG_OFFSET'])
  for (const [range, bytes] of [
    ['10-19/30', 15],
    ['10-19/30', 5],
    ['0-9/30', 11],
  ] as const)
    assert.deepEqual(typesIn(await part(range, 'y'.repeat(bytes))), [400, 'WRONG_LENGTH'])
  for (const range of ['-5-4/30', '10--1/30', '19-10/30', '10-19/-1', '10-30/30', '1e1-19/30', '10-19'])
    assert.deepEqual(typesIn(await part(range, 'y'.repeat(10))), [400, 'INVALID_RANGE'])
  assert.equal(await bytesReceived(supplier, jobId), 10)
  // Without a length the service counts.
  for (const [bytes, type, received] of [
    [30, 'WRONG_LENGTH', 10],
    [7, 'UNREADABLE_BODY', 17],
  ] as const) {
    const { sent, reply } = openUpload(gateway.url, supplier, jobId, {
      'content-range': 'bytes 10-29/30',
      'transfer-encoding': 'chunked',
    })
    sent.end('y'.repeat(bytes))
    const refused = await reply
    assert.deepEqual([refused.status, refused.text.includes(`"${type}"`)], [400, true], refused.text)
    assert.equal(await bytesReceived(supplier, jobId), received)
  }
})

test('data whose connection breaks is kept, and the job starts only when the rest has come', async () => {
  const supplier = await gateway.supplier('Broken')
  await pushStoryHotel(supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  // A part, which is stored while the request goes on.
  const part = 1024 * 1024
  const data = '\n'.repeat(2 * part) + ndjson([night('H1', 1, 100), night('H1', 2, 100)])
  const { sent, reply } = openUpload(gateway.url, supplier, jobId, { 'content-length': data.length })
  const broken = part + 300_000
  sent.write(data.slice(0, broken))
  await until(async () => Number(await bytesReceived(supplier, jobId)) >= part)
  sent.destroy()
  await assert.rejects(reply)
  await until(async () => (await bytesReceived(supplier, jobId)) === broken)
  assert.deepEqual(typesIn(await supplier.post(`/push/bulk/${jobId}/start`, {})), [
    409,
    'BULK_DATA_INCOMPLETE',
  ])
  const range = `bytes ${broken}-${data.length - 1}/${data.length}`
  expectOk(await upload(supplier, jobId, data.slice(broken), { 'content-range': range }))
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  assert.equal((await ended(supplier, jobId))['applied'], 2)
})

test('of two uploads at once the later one counts, and the earlier one is told', async () => {
  const supplier = await gateway.supplier('Two at once')
  await pushStoryHotel(supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const megabyte = `${'x'.repeat(1023)}\n`.repeat(1024)
  const { sent, reply } = openUpload(gateway.url, supplier, jobId, { 'transfer-encoding': 'chunked' })
  sent.write(`${megabyte}${megabyte}`)
  await until(async () => Number(await bytesReceived(supplier, jobId)) > 0)
  // As long as the first part of the other, so that offsets alone don't tell them apart.
  const line = JSON.stringify(night('H1', 1, 77))
  const later = `${line}\n`.padEnd(Number(await bytesReceived(supplier, jobId)), '\n')
  expectOk(await upload(supplier, jobId, later))
  sent.end(megabyte)
  const refused = await reply
  assert.deepEqual([refused.status, refused.text.includes('"UPLOAD_REPLACED"')], [409, true], refused.text)
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  const { applied, refused: refusedLines } = await ended(supplier, jobId)
  assert.deepEqual([applied, refusedLines], [1, 0])
})

test('a job that is cancelled while it runs applies nothing more, and its data is gone', async (context) => {
  const supplier = await gateway.supplier('Canceller')
  await pushStoryHotel(supplier)
  const letGo = await holdHotel(context, gateway.db, 'H1', supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const lines = Array.from({ length: 300 }, (_, index) => night('H1', 1 + (index % 30), 100 + index))
  expectOk(await upload(supplier, jobId, ndjson(lines)))
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  await untilWaiting(gateway.db, () => 1)
  assert.equal(jobIn(await supplier.post(`/push/bulk/${jobId}/cancel`, {})).state, 'cancelled')
  await letGo()
  const partsOf = async () =>
    (await gateway.db.query('select from bulk_part where job_id = $1', [jobId])).rowCount
  assert.equal(await partsOf(), 0)
  // A later job begins when this one is over for its process.
  const next = await load(supplier, { kind: 'ari' }, ndjson([night('H1', 1, 7)]))
  assert.equal(next['applied'], 1)
  assert.deepEqual(figuresOf(jobIn(await supplier.get(`/push/bulk/${jobId}`))), {
    state: 'cancelled',
    lines: 0,
    applied: 0,
    unchanged: 0,
    partial: 0,
    refused: 0,
    hotels: 0,
  })
  const pages = await pagesOf(supplier, '/push/log?kind=ari')
  assert.equal(pages.flatMap(({ pushes }) => pushes).length, 1)
})

test('jobs that are created, filled and cancelled without end leave no data', async () => {
  const supplier = await gateway.supplier('Hoarder')
  for (let round = 0; round < 12; round++) {
    const jobId = await createJob(supplier, { kind: 'ari' })
    expectOk(await upload(supplier, jobId, 'x\n'.repeat(1_000)))
    jobIn(await supplier.post(`/push/bulk/${jobId}/cancel`, {}))
  }
  const { rows } = await gateway.db.query<{ parts: number }>(
    'select count(*)::int as parts from bulk_part join bulk_job on id = job_id where key_id = $1',
    [supplier.keyId],
  )
  assert.deepEqual(rows, [{ parts: 0 }])
})

test('a key that is revoked while its job runs ends it', async (context) => {
  const supplier = await gateway.supplier('Revoked meanwhile')
  await pushStoryHotel(supplier)
  const letGo = await holdHotel(context, gateway.db, 'H1', supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const lines = Array.from({ length: 2_000 }, (_, index) => night('H1', 1 + (index % 30), 100 + index))
  expectOk(await upload(supplier, jobId, ndjson(lines)))
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  await untilWaiting(gateway.db, () => 1)
  await revokeKey(gateway.db, supplier.keyId, gateway.clock.now())
  // For as long as a job trusts its key.
  await wait(600)
  await letGo()
  const stateNow = async () => {
    const { rows } = await gateway.db.query<{ state: string; type: string; line: number }>(
      "select state, failure->>'type' as type, line from bulk_job where id = $1",
      [jobId],
    )
    return rows[0]
  }
  await until(async () => (await stateNow())?.state === 'failed')
  const end = await stateNow()
  assert.equal(end?.type, 'KEY_REVOKED')
  assert.ok(end.line < lines.length)
})

test("another supplier's job is unknown", async () => {
  const owner = await gateway.supplier('Owner')
  const other = await gateway.supplier('Other')
  const jobId = await createJob(owner, { kind: 'ari' })
  expectOk(await upload(owner, jobId, 'x\n'))
  const path = `/push/bulk/${jobId}`
  for (const reply of [
    await other.get(path),
    await other.get(`${path}/errors`),
    await other.post(`${path}/start`, {}),
    await other.post(`${path}/cancel`, {}),
    await upload(other, jobId, 'y\n'),
    await other.get('/push/bulk/1'),
  ])
    assert.deepEqual([reply.status, reply.body['message']], [404, 'Job not found'])
  const { state, bytesReceived: bytes } = jobIn(await owner.get(path))
  assert.deepEqual([state, bytes], ['uploading', 2])
})

test('a small file that unpacks to very many empty lines, or to one endless line, ends its job', async () => {
  const supplier = await gateway.supplier('Bomber', { requestsPerMinute: 0 })
  const empty = gzipSync(Buffer.alloc(bulkLimits.linesMax + 1, '\n'))
  const endless = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'))
  const ends = []
  for (const bomb of [empty, endless]) {
    const jobId = await createJob(supplier, { kind: 'ari' })
    expectOk(await upload(supplier, jobId, bomb, { 'content-encoding': 'gzip' }))
    jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
    const { state, failure, refused } = await ended(supplier, jobId)
    ends.push([state, Object(failure)['type'], refused])
  }
  assert.deepEqual(ends, [
    ['failed', 'TOO_MANY_LINES', 0],
    ['done', undefined, 1],
  ])
})

test('names of hotels in refused lines are not kept', async () => {
  const supplier = await gateway.supplier('Namer')
  const list = Array.from({ length: 400 }, (_, index) => ({ hotelId: `N${index}` }))
  const job = await load(supplier, { kind: 'hotels' }, ndjson([list, storyHotel()]))
  assert.deepEqual([job['refused'], job['applied'], job['hotels']], [1, 1, 1])
})

test('bytes that are not UTF-8 are refused line by line', async () => {
  const supplier = await gateway.supplier('Latin')
  await pushStoryHotel(supplier)
  const good = (day: number) => Buffer.from(ndjson([night('H1', day, 100)]))
  const bad = Buffer.from('{"hotelId":"H\xe9"}\n', 'latin1')
  const job = await load(
    supplier,
    { kind: 'ari' },
    Buffer.concat([good(1), bad, Buffer.of(0xff, 0, 10), good(2)]),
  )
  assert.deepEqual([job['applied'], job['refused']], [2, 2])
  const sheet = Buffer.from(
    'hotelId,roomId,startDate,endDate,inventory\nH1,DBL,2027-04-01,2027-04-01,1\nH\xe9,DBL,2027-04-01,2027-04-01,1\n',
    'latin1',
  )
  const csv = await load(supplier, { kind: 'ari', format: 'csv' }, sheet)
  assert.deepEqual([csv['applied'], csv['refused']], [1, 1])
})

test('a dry run of every kind leaves all tables as they were', async () => {
  const supplier = await gateway.supplier('Rehearser')
  await pushStoryHotel(supplier)
  expectOk(await supplier.post('/push/ari', night('H1', 1, 90)))
  const { rows } = await gateway.db.query<{ id: number }>(
    'select supplier_id as id from api_key where id = $1',
    [supplier.keyId],
  )
  const digests = () =>
    supplierDigests(
      gateway.db,
      rows.map(({ id }) => id),
    )
  const before = await digests()
  const taxes = { hotelId: 'H1', taxes: [] }
  const csv = 'hotelId,roomId,startDate,endDate,inventory\nH1,DBL,2027-04-01,2027-04-01,9\n'
  for (const [kind, format, data] of [
    ['hotels', 'ndjson', ndjson([storyHotel({ hotelName: 'Other' }), storyHotel({ hotelId: 'H2' })])],
    ['products', 'ndjson', ndjson([{ hotelId: 'H1', products: [product('NEW', 'BAR')] }])],
    ['taxes', 'ndjson', ndjson([taxes])],
    ['ari', 'ndjson', ndjson([night('H1', 1, 1), night('H9', 1, 1)])],
    ['ari', 'csv', csv],
  ] as const) {
    const { state } = await load(supplier, { kind, format, dryRun: true }, data)
    assert.deepEqual([kind, state, await digests()], [kind, 'done', before])
  }
})
