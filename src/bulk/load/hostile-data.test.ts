import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createJob, ended, jobIn, load, ndjson, openUpload, upload } from '../../../test/stage/scenes/bulk.ts'
import { createExport, exported } from '../../../test/stage/scenes/exports.ts'
import { gatewayForTests, type Reply, type TestSupplier } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, problemsOf, product, pushStoryHotel } from '../../../test/stage/story.ts'
import { bulkLimits } from '../limits.ts'

/** Data that is torn, is no text, races the start of its job, or finds no place. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

const typesIn = (reply: Reply): unknown[] => [
  reply.status,
  ...problemsOf(reply).map((problem) => Object(problem)[1]),
]
const night = (day: number, inventory = day) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date: `2027-04-${String(day).padStart(2, '0')}`, inventory }],
})
const start = (supplier: TestSupplier, jobId: string) => supplier.post(`/push/bulk/${jobId}/start`, {})
const bytesReceived = async (supplier: TestSupplier, jobId: string): Promise<unknown> =>
  jobIn(await supplier.get(`/push/bulk/${jobId}`))['bytesReceived']

/** As long as what is stored while a request goes on. */
const part = 1024 * 1024

test('a job does not start while its data is being sent, nor after that was broken off', async () => {
  const supplier = await gateway.supplier('Too early')
  await pushStoryHotel(supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const whole = ndjson([night(1), night(2)])
  expectOk(await upload(supplier, jobId, whole))
  const chunked = { 'transfer-encoding': 'chunked' }
  const first = openUpload(gateway.url, supplier, jobId, chunked)
  first.sent.write('\n'.repeat(2 * part))
  await until(async () => Number(await bytesReceived(supplier, jobId)) >= part)
  assert.deepEqual(typesIn(await start(supplier, jobId)), [409, 'BULK_DATA_INCOMPLETE'])
  first.sent.destroy()
  await assert.rejects(first.reply)
  assert.deepEqual(typesIn(await start(supplier, jobId)), [409, 'BULK_DATA_INCOMPLETE'])
  const second = openUpload(gateway.url, supplier, jobId, chunked)
  second.sent.end(whole)
  assert.equal((await second.reply).status, 200)
  jobIn(await start(supplier, jobId))
  assert.equal((await ended(supplier, jobId))['applied'], 2)
})

test('a start that races an upload finds all of its data, all of the data before, or is refused', async () => {
  const supplier = await gateway.supplier('Racer', { requestsPerMinute: 0 })
  await pushStoryHotel(supplier)
  const seen = new Set<string>()
  for (let round = 0; round < 25; round++) {
    const jobId = await createJob(supplier, { kind: 'ari' })
    expectOk(await upload(supplier, jobId, ndjson([1, 2, 3].map((day) => night(day, round)))))
    const later = ndjson([4, 5].map((day) => night(day, round)))
    const [uploaded, started] = await Promise.all([
      upload(supplier, jobId, later),
      wait(round % 5).then(() => start(supplier, jobId)),
    ])
    if (started.status !== 200) jobIn(await start(supplier, jobId))
    const { state, lines, refused } = await ended(supplier, jobId)
    seen.add(`${uploaded.status} ${started.status}`)
    assert.deepEqual([state, lines, refused], ['done', uploaded.status === 200 ? 2 : 3, 0])
  }
  assert.ok(!seen.has('409 409'), [...seen].join())
})

test('a job that is cancelled while its data is sent takes no more of it', async () => {
  const supplier = await gateway.supplier('Undecided')
  const jobId = await createJob(supplier, { kind: 'ari' })
  const { sent, reply } = openUpload(gateway.url, supplier, jobId, { 'transfer-encoding': 'chunked' })
  sent.write('\n'.repeat(2 * part))
  await until(async () => Number(await bytesReceived(supplier, jobId)) >= part)
  jobIn(await supplier.post(`/push/bulk/${jobId}/cancel`, {}))
  sent.end('\n'.repeat(2 * part))
  const refused = await reply
  assert.deepEqual([refused.status, refused.text.includes('"BULK_JOB_STARTED"')], [409, true])
  const { rowCount } = await gateway.db.query('select from bulk_part where job_id = $1', [jobId])
  assert.equal(rowCount, 0)
})

test('of compressed data that is torn or followed by something else, the lines before are applied, and the job fails', async () => {
  const supplier = await gateway.supplier('Torn')
  await pushStoryHotel(supplier)
  const noise = () => ({ ...night(2), note: randomBytes(45_000).toString('base64') })
  const data = ndjson([night(1), ...Array.from({ length: 20 }, noise), night(3)])
  const ends = []
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(data)],
    ['zstd', zstdCompressSync(data)],
  ] as const)
    for (const sent of [
      bytes.subarray(0, -1),
      bytes.subarray(0, bytes.length / 2),
      Buffer.concat([bytes, Buffer.from(ndjson([night(4)]))]),
      // As padding ends with zeros: what follows would be left out.
      Buffer.concat([bytes, Buffer.alloc(5), bytes]),
    ]) {
      const jobId = await createJob(supplier, { kind: 'ari' })
      expectOk(await upload(supplier, jobId, sent, { 'content-encoding': encoding }))
      jobIn(await start(supplier, jobId))
      const { state, failure, lines } = await ended(supplier, jobId)
      ends.push([encoding, sent.length, state, Object(failure).type, Number(lines) > 0])
    }
  assert.deepEqual(
    ends.map(([, , ...end]) => end),
    Array.from({ length: 8 }, () => ['failed', 'DATA_UNREADABLE', true]),
    JSON.stringify(ends),
  )
})

test('a form, and a compressed file without its encoding, are refused at once', async () => {
  const supplier = await gateway.supplier('Wrapper')
  await pushStoryHotel(supplier)
  const line = ndjson([night(1)])
  const jobId = await createJob(supplier, { kind: 'ari' })
  const form = await upload(supplier, jobId, `--x\r\n\r\n${line}--x--`, {
    'content-type': 'multipart/form-data; boundary=x',
  })
  assert.deepEqual(typesIn(form), [415, 'UNSUPPORTED_MEDIA_TYPE'])
  for (const bytes of [gzipSync(line), zstdCompressSync(line), Buffer.from(`PK\x03\x04${line}`)])
    assert.deepEqual(typesIn(await upload(supplier, jobId, bytes)), [415, 'DATA_NOT_TEXT'])
  // No other type matters: programs send what they like.
  expectOk(await upload(supplier, jobId, line, { 'content-type': 'application/x-www-form-urlencoded' }))
  jobIn(await start(supplier, jobId))
  assert.equal((await ended(supplier, jobId))['applied'], 1)
})

test('the data of all open jobs of an account has a limit', async () => {
  const supplier = await gateway.supplier('Hoarder')
  const full = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, full, 'x\n'))
  const other = await createJob(supplier, { kind: 'ari' })
  await gateway.db.query('update bulk_job set bytes = $2 where id = $1', [
    full,
    bulkLimits.openBytesMax - 100,
  ])
  for (const [bytes, range] of [
    [100, undefined],
    [1, 'bytes 0-0/100'],
  ] as const) {
    const headers: Record<string, string> = range === undefined ? {} : { 'content-range': range }
    const reply = await upload(supplier, other, 'x'.repeat(bytes), headers)
    assert.deepEqual(typesIn(reply), [413, 'BULK_ACCOUNT_FULL'])
  }
  expectOk(await upload(supplier, other, 'x'.repeat(99)))
  jobIn(await supplier.post(`/push/bulk/${full}/cancel`, {}))
  expectOk(await upload(supplier, other, 'x'.repeat(100)))
})

test('the errors that an account leaves have a limit', async () => {
  const supplier = await gateway.supplier('Faulty')
  const jobs: string[] = []
  for (let count = 0; count < 3; count++) {
    jobs.push((await load(supplier, { kind: 'ari' }, 'x\n')).jobId)
    // No two ends are of the same moment.
    gateway.clock.set(new Date(gateway.clock.now() + 1_000).toISOString())
  }
  const { rows } = await gateway.db.query<{ bytes: number }>(
    'select distinct refused_bytes::int as bytes from bulk_job where id = any($1::uuid[])',
    [`{${jobs.join()}}`],
  )
  assert.ok(rows.length === 1 && Number(rows[0]?.bytes) > 'x'.length, 'the reasons count too')
  await gateway.db.query('update bulk_job set refused_bytes = $2 where id = $1', [
    jobs[1],
    bulkLimits.refusedBytesKept,
  ])
  await createJob(supplier, { kind: 'ari' })
  const statuses = await Promise.all(jobs.map(async (id) => (await supplier.get(`/push/bulk/${id}`)).status))
  assert.deepEqual(statuses, [404, 404, 200])
})

test('the largest product that a push takes is exported to a line that a load takes, and given back if refused', async () => {
  const [source, target] = [await gateway.supplier('Lawyer'), await gateway.supplier('Reader')]
  for (const supplier of [source, target]) await pushStoryHotel(supplier)
  const long = (length: number) => '🏨'.repeat(length)
  const fees = Array.from({ length: 50 }, (_, index) => ({
    name: long(255),
    valueType: 'fixed',
    value: `${index}.25`,
    appliedPer: 'per_person_per_night',
  }))
  const cancelPenalties = Array.from({ length: 20 }, () => ({
    noShow: false,
    cancelDeadline: { offsetTimeUnit: 'H', offsetTimeValue: 9_999, deadline: '23:59:59' },
    penaltyCharge: { chargeBase: 'FullStay', percent: 12.345678 },
  }))
  const policy = {
    code: long(64),
    description: long(2_000),
    startDate: '2027-01-01',
    endDate: '2028-01-01',
    cancelPenalties,
    fees,
  }
  const cancelPolicies = Array.from({ length: 50 }, () => policy)
  const names = { roomName: long(255), rateName: long(255), cancelPolicies }
  expectOk(await source.post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR', names)] }))
  const { text } = await exported(source, { kind: 'products' })
  assert.ok(Buffer.byteLength(text) > 3_000_000)
  assert.ok(Buffer.byteLength(text) < bulkLimits.productLineBytesMax)
  const products = async (supplier: TestSupplier) =>
    expectOk(await supplier.post('/push/getProducts', { hotelId: 'H1' })).body['products']
  const loaded = await load(target, { kind: 'products' }, text)
  const lines = text.trim().split('\n').length
  assert.deepEqual([loaded['applied'], loaded['refused']], [1, 0])
  assert.deepEqual(await products(target), await products(source))
  const refused = await load(target, { kind: 'products' }, text.replaceAll('"H1"', '"H9"'))
  const errors = expectOk(await target.get(`/push/bulk/${refused.jobId}/errors`)).text
  const mended = await load(target, { kind: 'products' }, errors.replaceAll('"H9"', '"H1"'))
  assert.deepEqual([refused['refused'], mended['unchanged'], mended['refused']], [lines, lines, 0])
})

/** Writes to a table fail as PostgreSQL's do when its disk is full, until it is called. */
async function fillDisk(context: TestContext, table: string): Promise<() => Promise<void>> {
  await gateway.db.query(
    `create or replace function disk_full() returns trigger language plpgsql as
     $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`,
  )
  await gateway.db.query(
    `create trigger disk_full before insert or update on ${table} execute function disk_full()`,
  )
  const free = async (): Promise<void> => {
    await gateway.db.query(`drop trigger if exists disk_full on ${table}`)
  }
  context.after(free)
  return free
}

test('an upload that finds the disk full is told to come again, and goes on then', async (context) => {
  const supplier = await gateway.supplier('Disk of data')
  await pushStoryHotel(supplier)
  const jobId = await createJob(supplier, { kind: 'ari' })
  const data = ndjson([night(1), night(2)])
  const free = await fillDisk(context, 'bulk_part')
  const refused = await upload(supplier, jobId, data)
  assert.deepEqual([refused.status, refused.headers.has('retry-after')], [503, true])
  assert.notEqual((await start(supplier, jobId)).status, 200)
  await free()
  expectOk(await upload(supplier, jobId, data))
  jobIn(await start(supplier, jobId))
  assert.equal((await ended(supplier, jobId))['applied'], 2)
})

test('a load and an export that find the disk full wait, and lose and double nothing', async (context) => {
  const supplier = await gateway.supplier('Disk of jobs')
  await pushStoryHotel(supplier)
  const free = await fillDisk(context, 'push_log')
  const jobId = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, jobId, ndjson([night(1), night(2), 'x', night(3)])))
  jobIn(await start(supplier, jobId))
  await until(async () => jobIn(await supplier.get(`/push/bulk/${jobId}`)).state === 'running')
  // Longer than the pause after a failure.
  await wait(1_200)
  const waiting = jobIn(await supplier.get(`/push/bulk/${jobId}`))
  assert.deepEqual([waiting.state, waiting['lines'], waiting['refused']], ['running', 0, 0])
  await free()
  const job = await ended(supplier, jobId)
  assert.deepEqual([job.state, job['applied'], job['refused']], ['done', 3, 1])

  const isFree = await fillDisk(context, 'bulk_part')
  const copy = await createExport(supplier, { kind: 'ari' })
  await until(async () => jobIn(await supplier.get(`/push/bulk/${copy}`)).state === 'running')
  await wait(1_200)
  assert.equal((await supplier.get(`/push/export/${copy}/data`)).status, 409)
  await isFree()
  assert.equal((await ended(supplier, copy)).state, 'done')
  const lines = expectOk(await supplier.get(`/push/export/${copy}/data`)).text
  assert.equal(lines.trim().split('\n').length, 1)
})
