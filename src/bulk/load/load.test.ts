import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createJob, ended, figuresOf, jobIn, load, ndjson, upload } from '../../../test/stage/scenes/bulk.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { until } from '../../../test/stage/pace.ts'
import { expectOk, problemsOf, product, pushStoryHotel, storyHotel } from '../../../test/stage/story.ts'
import { revokeKey } from '../../keys/manage.ts'
import { doChores } from '../../start/housekeeping.ts'
import { openLog } from '../../base/log.ts'
import { bulkLimits } from '../limits.ts'
import { telemetry } from '../../base/telemetry.ts'
import { readConfig } from '../../settings/config.ts'

/** First loads of NDJSON: every kind, what is refused, and what a job does when it is disturbed. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

const itemsOf = (reply: Reply): Record<string, unknown>[] => Object(reply.body['ari'])
const typesIn = (reply: Reply): unknown[] => problemsOf(reply).map((problem) => Object(problem)[1])

const night = (hotelId: string, startDate: string, price: unknown, more: object = {}) => ({
  hotelId,
  pricingModel: 'unit',
  ari: [{ roomId: 'DBL', startDate, endDate: startDate, inventory: 3, rates: [{ rateId: 'BAR', price }] }],
  ...more,
})

test('an inventory below zero is loaded as 0, from JSON and from CSV, and the log of pushes says so', async () => {
  const supplier = await gateway.supplier('Overbooked')
  await pushStoryHotel(supplier)
  const held = async (): Promise<unknown> => {
    const { body } = expectOk(
      await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-01' }),
    )
    const [{ inventory, rates }] = Object(body['ari'])
    return [inventory, rates[0].inventory]
  }
  const json = {
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', date: '2027-04-01', inventory: -2, rates: [{ rateId: 'BAR', inventory: -1 }] }],
  }
  const csv =
    'hotelId,roomId,rateId,startDate,endDate,inventory,rateInventory\nH1,DBL,BAR,2027-04-01,2027-04-01,-3,-1\n'
  const loads = [
    () => load(supplier, { kind: 'ari' }, ndjson([json])),
    () => load(supplier, { kind: 'ari', format: 'csv' }, csv),
  ]
  for (const [index, run] of loads.entries()) {
    const stored = {
      roomId: 'DBL',
      date: '2027-04-01',
      inventory: 5,
      rates: [{ rateId: 'BAR', inventory: 5 }],
    }
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: [stored] }))
    const { state, applied, refused } = await run()
    assert.deepEqual([state, applied, refused], ['done', 1, 0])
    assert.deepEqual(await held(), [0, 0])
    const { body } = expectOk(await supplier.get('/push/log?problem=NEGATIVE_INVENTORY'))
    assert.equal(Object(body['pushes']).length, index + 1)
  }
})

const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: false,
  payNow: true,
}

test('hotels, products, taxes and ARI are loaded as if each line had been pushed', async () => {
  const supplier = await gateway.supplier('Loader')
  const codes = ['A1', 'A2', 'A3']
  const hotels = await load(
    supplier,
    { kind: 'hotels' },
    ndjson([storyHotel({ hotelId: 'A1' }), [storyHotel({ hotelId: 'A2' }), storyHotel({ hotelId: 'A3' })]]),
  )
  assert.deepEqual(figuresOf(hotels), {
    state: 'done',
    lines: 2,
    applied: 2,
    unchanged: 0,
    partial: 0,
    refused: 0,
    hotels: 3,
  })
  const products = await load(
    supplier,
    { kind: 'products' },
    ndjson(codes.map((hotelId) => ({ hotelId, products: [product('DBL', 'BAR')] }))),
  )
  const taxes = await load(
    supplier,
    { kind: 'taxes' },
    ndjson(codes.map((hotelId) => ({ hotelId, taxes: [vat] }))),
  )
  const days = Array.from({ length: 28 }, (_, day) => `2027-04-${String(day + 1).padStart(2, '0')}`)
  const lines = codes.flatMap((hotelId) => days.map((day, index) => night(hotelId, day, 100 + index)))
  const ari = await load(supplier, { kind: 'ari' }, ndjson(lines))
  assert.deepEqual(
    [products, taxes, ari].map(({ state, applied, hotels: named }) => [state, applied, named]),
    [
      ['done', 3, 3],
      ['done', 3, 3],
      ['done', 84, 3],
    ],
  )
  const read = await supplier.post('/push/getAri', { hotelId: 'A2', startDate: days[0], endDate: days[27] })
  assert.deepEqual([expectOk(read).body['revision'], itemsOf(read).length], [31, 29])
  const logged = expectOk(await supplier.get(`/push/log/${ari.jobId}.30`))
  const { body, outcome } = Object(logged.body['push'])
  assert.deepEqual([body, outcome], [lines[29], 'applied'])
  const again = await load(supplier, { kind: 'ari' }, ndjson(lines))
  assert.deepEqual([again['applied'], again['unchanged']], [0, 84])
})

test('refused lines are given back with their reasons, and apply when they are mended', async () => {
  const supplier = await gateway.supplier('Mender')
  await pushStoryHotel(supplier)
  const good = night('H1', '2027-04-01', 100)
  const lines = [
    good,
    night('H9', '2027-04-02', 100),
    '{"hotelId": "H1", "ari": [',
    night('H1', '2027-04-03', -1),
    '[1]',
    '',
    {
      hotelId: 'H1',
      pricingModel: 'unit',
      ari: [...good.ari, { roomId: 'SUITE', date: '2027-04-05', inventory: 1 }],
    },
    `{"hotelId":"H1","pad":"${'x'.repeat(70_000)}"}`,
    night('H1', '2027-04-06', 106),
  ]
  const job = await load(supplier, { kind: 'ari' }, ndjson(lines))
  assert.deepEqual(figuresOf(job), {
    state: 'done',
    lines: 9,
    applied: 2,
    unchanged: 0,
    partial: 2,
    refused: 4,
    hotels: 1,
  })
  const { text } = expectOk(await supplier.get(`/push/bulk/${job.jobId}/errors`))
  const errors = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const seen = errors.map(({ _refused }) => [_refused.line, _refused.errors[0].type])
  assert.deepEqual(seen, [
    [2, 'HOTEL_NOT_FOUND'],
    [3, 'MALFORMED_JSON'],
    [4, 'INVALID_AMOUNT'],
    [5, 'LINE_NOT_A_PUSH'],
    [7, 'ROOM_NOT_FOUND'],
    [8, 'LINE_TOO_LONG'],
  ])
  const asItCame = { ...errors[0], _refused: undefined }
  assert.deepEqual(
    [asItCame, errors[1].push, errors[3].push],
    [{ ...Object(lines[1]), _refused: undefined }, lines[2], [1]],
  )
  const mended = text
    .replace('"hotelId":"H9"', '"hotelId":"H1"')
    .replace('"price":-1', '"price":103')
    .replaceAll('SUITE', 'DBL')
    .split('\n')
    .filter((line) => !/"line":[358],/.test(line))
    .join('\n')
  const second = await load(supplier, { kind: 'ari' }, mended)
  assert.deepEqual([second.state, second['applied'], second['refused'], second['partial']], ['done', 3, 0, 0])
  const read = await supplier.post('/push/getAri', {
    hotelId: 'H1',
    startDate: '2027-04-01',
    endDate: '2027-04-30',
  })
  assert.deepEqual(
    itemsOf(read).flatMap(({ startDate, endDate, rates }) =>
      rates === undefined ? [] : [[startDate, endDate]],
    ),
    [
      ['2027-04-01', '2027-04-02'],
      ['2027-04-03', '2027-04-03'],
      ['2027-04-06', '2027-04-06'],
    ],
  )
})

test('refused lines are mended and sent again also after they were refused again', async () => {
  const supplier = await gateway.supplier('Again and again')
  await pushStoryHotel(supplier)
  const lines: unknown[] = [night('H9', '2027-04-01', 101), '{"hotelId": "H9", "ari": [', [1]]
  let data = ndjson(lines)
  for (const round of [1, 2, 3]) {
    const job = await load(supplier, { kind: 'ari' }, data)
    assert.deepEqual([round, job['refused']], [round, 3])
    data = expectOk(await supplier.get(`/push/bulk/${job.jobId}/errors`)).text
  }
  const errors = data.trimEnd().split('\n')
  assert.deepEqual(
    errors
      .map((line) => JSON.parse(line))
      .map(
        ({
          _refused: {
            line,
            errors: [first],
          },
          push,
        }) => [line, first.type, push],
      ),
    [
      [1, 'HOTEL_NOT_FOUND', undefined],
      [2, 'MALFORMED_JSON', lines[1]],
      [3, 'LINE_NOT_A_PUSH', [1]],
    ],
  )
  const mended = await load(supplier, { kind: 'ari' }, data.replaceAll('H9', 'H1').split('\n')[0] ?? '')
  assert.deepEqual([mended['applied'], mended['refused']], [1, 0])
})

test('the longest line that is refused can be mended and sent again with its reasons', async () => {
  const supplier = await gateway.supplier('Long and refused')
  await pushStoryHotel(supplier)
  const date = (day: number) => `2027-13-${String(day % 100).padStart(2, '0')}`
  const dates = Array.from({ length: 150 }, (_, day) => ({ date: date(day), roomId: 'DBL', inventory: 1 }))
  const short = JSON.stringify({ hotelId: 'H1', ari: dates, note: '' })
  const whole = (bytes: number) =>
    `${short.slice(0, -2)}${'x'.repeat(bytes - short.length)}${short.slice(-2)}\n`
  const first = await load(supplier, { kind: 'ari' }, whole(bulkLimits.lineBytesMax))
  const { text } = expectOk(await supplier.get(`/push/bulk/${first.jobId}/errors`))
  assert.ok(text.length > bulkLimits.lineBytesMax + 10_000)
  const mended = text.replaceAll(/2027-13-../g, '2027-04-01')
  const second = await load(supplier, { kind: 'ari' }, mended)
  assert.deepEqual([second['applied'], second['refused']], [1, 0])

  const more = whole(bulkLimits.lineBytesMax + 1).replaceAll(/2027-13-../g, '2027-04-01')
  const tooLong = await load(supplier, { kind: 'ari' }, more)
  assert.deepEqual([tooLong['applied'], tooLong['refused']], [0, 1])
})

test('with onError stop, the job ends at the first refused line', async () => {
  const supplier = await gateway.supplier('Stopper')
  await pushStoryHotel(supplier)
  const lines = [night('H1', '2027-04-01', 1), night('H9', '2027-04-02', 2), night('H1', '2027-04-03', 3)]
  const job = await load(supplier, { kind: 'ari', onError: 'stop' }, ndjson(lines))
  assert.deepEqual(figuresOf(job), {
    state: 'stopped',
    lines: 2,
    applied: 1,
    unchanged: 0,
    partial: 0,
    refused: 1,
    hotels: 1,
  })
})

test('a dry run judges every line and changes nothing', async () => {
  const supplier = await gateway.supplier('Rehearser')
  await pushStoryHotel(supplier)
  const before = (await supplier.post('/push/getHotels', ['H1', 'H2'])).text
  const hotels = [
    storyHotel({ hotelName: 'Other' }),
    storyHotel({ hotelId: 'H2' }),
    storyHotel({ currency: 'XXX' }),
  ]
  const ofHotels = await load(supplier, { kind: 'hotels', dryRun: true }, ndjson(hotels))
  const ari = [night('H1', '2027-04-01', 1), night('H2', '2027-04-01', 1)]
  const ofAri = await load(supplier, { kind: 'ari', dryRun: true }, ndjson(ari))
  assert.deepEqual(
    [ofHotels, ofAri].map(({ applied, refused }) => [applied, refused]),
    [
      [2, 1],
      [1, 1],
    ],
  )
  assert.equal(
    (await supplier.post('/push/getHotels', ['H1', 'H2'])).text.replace(/"requestId":"[^"]+"/, ''),
    before.replace(/"requestId":"[^"]+"/, ''),
  )
})

test('data is sent in parts, resumed where it broke off, and compressed', async () => {
  const supplier = await gateway.supplier('Sender')
  await pushStoryHotel(supplier)
  const days = Array.from({ length: 28 }, (_, day) => `2027-05-${String(day + 1).padStart(2, '0')}`)
  const data = Buffer.from(
    ndjson(days.map((day) => night('H1', day, 50, { note: randomBytes(20_000).toString('hex') }))),
  )
  for (const [encoding, bytes] of [
    ['identity', data],
    ['gzip', gzipSync(data)],
    ['gzip', Buffer.concat([gzipSync(data.subarray(0, 5_000)), gzipSync(data.subarray(5_000))])],
    ['zstd', zstdCompressSync(data)],
    [
      'zstd',
      Buffer.concat([zstdCompressSync(data.subarray(0, 5_000)), zstdCompressSync(data.subarray(5_000))]),
    ],
  ] as const) {
    const jobId = await createJob(supplier, { kind: 'ari' })
    const third = Math.floor(bytes.length / 3)
    const part = (first: number, last: number) =>
      upload(supplier, jobId, bytes.subarray(first, last), {
        'content-encoding': encoding,
        'content-range': `bytes ${first}-${last - 1}/${bytes.length}`,
      })
    assert.equal(expectOk(await part(0, third)).body['bytesReceived'], third)
    assert.deepEqual(problemsOf(await part(third * 2, bytes.length)), [
      ['content-range', 'WRONG_OFFSET', `The next byte is ${third}`],
    ])
    expectOk(await part(third, third * 2))
    assert.deepEqual(problemsOf(await supplier.post(`/push/bulk/${jobId}/start`, {})), [
      [undefined, 'BULK_DATA_INCOMPLETE', `The job has ${third * 2} of ${bytes.length} bytes`],
    ])
    expectOk(await part(third * 2, bytes.length))
    jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
    const job = await ended(supplier, jobId)
    assert.deepEqual([encoding, job.state, job['lines'], job['failure']], [encoding, 'done', 28, undefined])
    assert.deepEqual(typesIn(await upload(supplier, jobId, data)), ['BULK_JOB_STARTED'])
  }
})

test('streams that are compressed one by one follow each other in parts of their own', async () => {
  const supplier = await gateway.supplier('Pieces')
  await pushStoryHotel(supplier)
  for (const [encoding, packed] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const jobId = await createJob(supplier, { kind: 'ari' })
    let sent = 0
    for (let day = 1; day <= 3; day++) {
      const bytes = packed(ndjson([night('H1', `2027-04-0${day}`, 50)]))
      const range = `bytes ${sent}-${sent + bytes.length - 1}/*`
      const headers = { 'content-encoding': encoding, 'content-range': range }
      sent = Number(expectOk(await upload(supplier, jobId, bytes, headers)).body['bytesReceived'])
    }
    jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
    const { state, lines, refused } = await ended(supplier, jobId)
    assert.deepEqual([encoding, state, lines, refused], [encoding, 'done', 3, 0])
  }
})

test('what is wrong with a job is named, and changes nothing', async () => {
  const supplier = await gateway.supplier('Erring')
  const typesOf = (reply: Reply) => [reply.status, ...typesIn(reply)]
  assert.deepEqual(typesOf(await supplier.post('/push/bulk', { kind: 'taxes', format: 'csv' })), [
    400,
    'FORMAT_NOT_OFFERED',
  ])
  const jobId = await createJob(supplier, { kind: 'ari' })
  assert.deepEqual(typesOf(await supplier.post(`/push/bulk/${jobId}/start`, {})), [409, 'BULK_NO_DATA'])
  for (const range of ['bytes 5-1/9', 'bytes 0-9/5', '0-9', 'bytes 0-9/x'])
    assert.deepEqual(typesOf(await upload(supplier, jobId, 'x', { 'content-range': range })), [
      400,
      'INVALID_RANGE',
    ])
  assert.deepEqual(typesOf(await upload(supplier, jobId, 'x', { 'content-encoding': 'br' })), [
    415,
    'UNSUPPORTED_ENCODING',
  ])
  assert.deepEqual(
    typesOf(await upload(supplier, jobId, 'x', { 'content-range': 'bytes 0-2147483648/2147483649' })),
    [413, 'BULK_DATA_TOO_LARGE'],
  )
  expectOk(await upload(supplier, jobId, 'abc', { 'content-encoding': 'gzip' }))
  assert.deepEqual(typesOf(await upload(supplier, jobId, 'd', { 'content-range': 'bytes 3-3/4' })), [
    409,
    'ENCODING_CHANGED',
  ])
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  const job = await ended(supplier, jobId)
  assert.deepEqual([job.state, Object(job['failure']).type], ['failed', 'DATA_UNREADABLE'])
  assert.deepEqual(typesOf(await supplier.post(`/push/bulk/${jobId}/cancel`, {})), [409, 'BULK_JOB_ENDED'])
  for (let count = 0; count < 10; count++) await createJob(supplier, { kind: 'ari' })
  assert.deepEqual(typesOf(await supplier.post('/push/bulk', { kind: 'ari', format: 'ndjson' })), [
    429,
    'TOO_MANY_JOBS',
  ])
})

test('a cancelled job applies nothing more, and a revoked key ends its jobs', async () => {
  const supplier = await gateway.supplier('Revoked')
  await pushStoryHotel(supplier)
  const cancelled = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, cancelled, ndjson([night('H1', '2027-04-01', 1)])))
  assert.equal(jobIn(await supplier.post(`/push/bulk/${cancelled}/cancel`, {})).state, 'cancelled')
  assert.equal((await supplier.post(`/push/bulk/${cancelled}/start`, {})).status, 409)
  const jobId = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, jobId, ndjson([night('H1', '2027-04-01', 1)])))
  await revokeKey(gateway.db, supplier.keyId, gateway.clock.now())
  await gateway.db.query("update bulk_job set state = 'queued', queued_at = touched_at where id = $1", [
    jobId,
  ])
  for (;;) {
    const { rows } = await gateway.db.query<{ state: string; type: string }>(
      "select state, failure->>'type' as type from bulk_job where id = $1 and ended_at is not null",
      [jobId],
    )
    if (!rows[0]) continue
    assert.deepEqual(rows[0], { state: 'failed', type: 'KEY_REVOKED' })
    return
  }
})

test('a job whose process is gone goes on at its checkpoint in another', async () => {
  const quiet = await gatewayForTests()
  const supplier = await quiet.supplier('Survivor')
  await pushStoryHotel(supplier)
  const days = Array.from({ length: 20 }, (_, day) => `2027-04-${String(day + 1).padStart(2, '0')}`)
  const jobId = await createJob(supplier, { kind: 'ari' })
  expectOk(await upload(supplier, jobId, ndjson(days.map((day) => night('H1', day, 70)))))
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  // As a process leaves it that died after seven lines.
  await quiet.db.query(
    `update bulk_job set state = 'running', started_at = queued_at, line = 7, applied = 7,
       leased_by = gen_random_uuid(), leased_until = queued_at + interval '5 seconds' where id = $1`,
    [jobId],
  )
  quiet.app.startBulk()
  quiet.clock.set(new Date(quiet.clock.now() + 6_000).toISOString())
  assert.deepEqual(figuresOf(await ended(supplier, jobId)), {
    state: 'done',
    lines: 20,
    applied: 20,
    unchanged: 0,
    partial: 0,
    refused: 0,
    hotels: 1,
  })
  const read = await supplier.post('/push/getAri', { hotelId: 'H1', startDate: days[0], endDate: days[19] })
  const [first] = itemsOf(read)
  assert.deepEqual([first?.['startDate'], first?.['endDate']], [days[7], days[19]])
})

test('housekeeping removes jobs that were left or have ended, and a reset removes all', async () => {
  const own = await gatewayForTests()
  own.app.startBulk()
  const supplier = await own.supplier('Tidy')
  await pushStoryHotel(supplier)
  const left = await createJob(supplier, { kind: 'ari' })
  const done = (await load(supplier, { kind: 'ari' }, ndjson([night('H1', '2027-04-01', 1), 'x']))).jobId
  const counts = async () => {
    const { rows } = await own.db.query<Record<string, number>>(
      `select (select count(*)::int from bulk_job) as jobs, (select count(*)::int from bulk_part) as parts,
         (select count(*)::int from bulk_refused) as refused, (select count(*)::int from bulk_hotel) as hotels`,
    )
    return rows[0]
  }
  // The data goes right after the end.
  await until(async () => (await counts())?.['parts'] === 0 && (await counts())?.['hotels'] === 0)
  assert.deepEqual(await counts(), { jobs: 2, parts: 0, refused: 1, hotels: 0 })
  const later = (days: number) => own.clock.now() + days * 86_400_000 + 1
  const needs = { db: own.db, clock: own.clock, log: openLog('silent'), telemetry: telemetry() }
  await doChores(needs, readConfig({}).settings, later(1))
  assert.equal((await supplier.get(`/push/bulk/${left}`)).status, 404)
  assert.equal((await supplier.get(`/push/bulk/${done}`)).status, 200)
  expectOk(await supplier.post('/push/sandbox/reset', {}))
  assert.deepEqual(await counts(), { jobs: 0, parts: 0, refused: 0, hotels: 0 })
})
