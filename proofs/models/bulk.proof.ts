import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { supplierClient, type SupplierClient } from '../../packages/client/src/clients.ts'
import type { Fetch } from '../../packages/client/src/call.ts'
import { followBulkJob, loadBulkData } from '../../packages/client/src/load-data.ts'
import { ndjson, type Wanted } from '../../test/stage/scenes/bulk.ts'
import { gatewayForTests, type TestSupplier } from '../../test/stage/harness.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { roundsWithin } from '../../test/stage/pace.ts'
import { expectOk, pagesOf, product, storyHotel } from '../../test/stage/story.ts'
import { processesOn } from '../../test/stage/bulk/processes.ts'

/**
 * A first load whose service is killed again and again, while data is sent and while lines are applied, ends as one that
 * nobody disturbed: the same hotels, products, taxes and ARI, the same refused lines, and the same pushes in the log. An
 * export whose service is killed is the same file in the end, and no file before.
 */

const kills = { full: 50, floor: 5, share: 0.012 }
const exportKills = { full: 50, floor: 4, share: 0.008 }
const hotels = Array.from({ length: 10 }, (_, index) => `H${index}`)
const dates = (count: number): string[] => Array.from({ length: count }, (_, index) => nightAhead(60 + index))
const nights = dates(20)
const ariLines = 800

const gateway = await gatewayForTests({ systemTime: true })
const processes = processesOn(gateway.storeAddress)
after(processes.close)

test('a load that is killed at random points ends like an undisturbed one, with each line applied once', async (t) => {
  await processes.begin()
  const undisturbed = await begin('undisturbed')
  const fromMs = performance.now()
  await undisturbed.loading
  const tookMs = performance.now() - fromMs
  await processes.kill()
  const expected = await endOf(undisturbed)
  assert.ok(expected.lines > ariLines)

  const { next, summary } = roundsWithin(kills)
  const phases: Record<string, number> = {}
  let loads = 0
  let amid = 0
  let disturbed: Load | undefined
  for (let kill = 1; next() !== undefined || amid === 0; kill++) {
    disturbed ??= await begin(`disturbed ${++loads}`)
    await processes.begin()
    // So that every load is killed several times, at points that are spread over all that it does; and at least one kill
    // has some lines of a file behind it, and others before it.
    const point = amid === 0 ? untilAmid(disturbed) : wait(randomInt(1, Math.ceil(tookMs / 3)))
    await Promise.race([disturbed.loading, point])
    await processes.kill()
    const phase = await phaseOf(disturbed)
    phases[phase] = (phases[phase] ?? 0) + 1
    if (await isAmid(disturbed)) amid++
    await leaveLeases()
    if (!disturbed.isOver) continue
    assert.deepEqual(await endOf(disturbed), expected, `after kill ${kill}`)
    disturbed = undefined
  }
  if (disturbed) {
    await processes.begin()
    await disturbed.loading
    await processes.kill()
    assert.deepEqual(await endOf(disturbed), expected, 'after the last kill')
  }
  const points = Object.entries(phases).map(([phase, count]) => `${count} ${phase}`)
  t.diagnostic(
    `${summary()} over ${loads} loads, killed ${points.join(', ')}; ${amid} amid the lines of a file`,
  )
})

test('an export that is killed while it is written is the undisturbed file in the end, and no file before', async (t) => {
  const supplier = await gateway.supplier('exported', { requestsPerMinute: 0 })
  const steady = supplierClient({ url: gateway.url, apiKey: supplier.apiKey })
  await processes.begin()
  for (const [wanted, data] of exportedFiles)
    assert.equal((await loadBulkData(steady, { ...wanted, data })).refused, 0)
  const wanted = [
    { kind: 'ari', format: 'ndjson' },
    { kind: 'ari', format: 'csv' },
  ] as const
  const expected: { file: string; tookMs: number }[] = []
  for (const one of wanted) {
    const fromMs = performance.now()
    const { jobId } = await steady.createExport(one)
    await followBulkJob(steady, jobId)
    expected.push({
      tookMs: performance.now() - fromMs,
      file: await text(await steady.getExportData({ jobId })),
    })
  }
  await processes.kill()

  const { next, summary } = roundsWithin(exportKills)
  let exports = 0
  let torn = 0
  let job: { jobId: string; number: number } | undefined
  const fileOf = async ({ jobId, number }: { jobId: string; number: number }): Promise<void> => {
    const { file } = expected[number] ?? {}
    assert.equal((await steady.getBulkJob({ jobId })).state, 'done')
    assert.ok(
      (await text(await steady.getExportData({ jobId }))) === file,
      `export ${exports} is another file`,
    )
  }
  for (let kill = next(); kill !== undefined; kill = next()) {
    const number = exports % wanted.length
    const { kind, format } = wanted[number] ?? wanted[0]
    job ??= { number, jobId: (exports++, await steady.createExport({ kind, format })).jobId }
    await processes.begin()
    const { tookMs = 0 } = expected[job.number] ?? {}
    // At least one kill has a part of the file behind it.
    if (kill === 0) await untilPart(job.jobId)
    else await wait(randomInt(1, Math.ceil(tookMs)))
    await processes.kill()
    await leaveLeases()
    const { state, bytesReceived } = await steady.getBulkJob({ jobId: job.jobId })
    if (state === 'done') {
      await fileOf(job)
      job = undefined
      continue
    }
    if (bytesReceived > 0) torn++
    assert.equal((await supplier.get(`/push/export/${job.jobId}/data`)).status, 409)
  }
  if (job) {
    await processes.begin()
    await followBulkJob(steady, job.jobId)
    await processes.kill()
    await fileOf(job)
  }
  t.diagnostic(`${summary()} over ${exports} exports, ${torn} with a part of the file written`)
  assert.ok(torn > 0)
})

type Load = { supplier: TestSupplier; jobs: string[]; loading: Promise<void>; isOver: boolean }

/** Sends file after file as a supplier's program does, each when the one before has ended. */
async function begin(name: string): Promise<Load> {
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  const moving: Fetch = async (url, init) => fetch(url.replace(gateway.url, await processes.url()), init)
  const options = { apiKey: supplier.apiKey, retryForMs: 600_000 }
  const client = supplierClient({ url: gateway.url, fetch: moving, ...options })
  const steady = supplierClient({ url: gateway.url, ...options })
  const load: Load = { supplier, jobs: [], isOver: false, loading: Promise.resolve() }
  // A creation has no key of its own: a repeat would leave an empty job.
  const createBulkJob: SupplierClient['createBulkJob'] = async (...call) => {
    const created = await steady.createBulkJob(...call)
    load.jobs.push(created.jobId)
    return created
  }
  load.loading = (async () => {
    for (const [wanted, data] of files)
      await loadBulkData(
        { ...client, createBulkJob },
        { format: 'ndjson', ...wanted, data, partBytes: 16 * 1024 },
      )
    load.isOver = true
  })()
  load.loading.catch(() => {})
  return load
}

/** Whether some lines of a file are applied, and others aren't. */
async function isAmid({ jobs, isOver }: Load): Promise<boolean> {
  if (isOver) return false
  const { rowCount } = await gateway.db.query(
    `select from bulk_job where id = $1 and state = 'running' and bytes_done > 0 and bytes_done < bytes`,
    [jobs.at(-1)],
  )
  return rowCount === 1
}

async function untilAmid(load: Load): Promise<void> {
  while (!load.isOver && !(await isAmid(load))) await wait(2)
}

/** What the load did last: the state of its last job, and its kind. */
async function phaseOf({ jobs, isOver }: Load): Promise<string> {
  if (isOver) return 'over'
  const { rows } = await gateway.db.query<{ state: string; kind: string; format: string }>(
    'select state, kind, format from bulk_job where id = $1',
    [jobs.at(-1)],
  )
  const [job] = rows
  return job?.state === 'running' ? `in ${job.kind} as ${job.format}` : (job?.state ?? 'before')
}

const vat = {
  type: 'VAT',
  valueType: '%',
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: false,
  payNow: true,
}

const files: readonly (readonly [Wanted, string])[] = [
  [
    { kind: 'hotels' },
    ndjson([
      ...hotels.map((hotelId) => storyHotel({ hotelId })),
      storyHotel({ hotelId: 'X', currency: 'QQQ' }),
    ]),
  ],
  [
    { kind: 'products' },
    ndjson(
      [...hotels, 'X'].map((hotelId) => ({
        hotelId,
        products: [product('DBL', 'BAR'), product('SGL', 'BAR')],
      })),
    ),
  ],
  [
    { kind: 'taxes' },
    ndjson(hotels.map((hotelId, index) => ({ hotelId, taxes: [{ ...vat, value: 5 + index }] }))),
  ],
  [{ kind: 'ari' }, ndjson(Array.from({ length: ariLines }, (_, index) => ariLine(index)))],
  [{ kind: 'ari', format: 'csv' }, csvFile()],
]

/** Lines that follow each other change the same nights, so that a line that is applied twice shows as a revision too many. */
function ariLine(index: number): unknown {
  if (index % 97 === 5) return `{ "hotelId": "H1", "ari": [${index}`
  const hotelId = index % 89 === 7 ? 'X' : hotels[Math.floor(index / 10) % hotels.length]
  const rates = [{ rateId: 'BAR', price: index % 83 === 9 ? -1 : 100 + index }]
  return {
    hotelId,
    pricingModel: 'unit',
    ari: [{ roomId: 'DBL', date: nights[index % 3], inventory: 3, rates }],
  }
}

function csvFile(): string {
  const rows = hotels.flatMap((hotelId) =>
    nights.map(
      (night, index) => `${hotelId},SGL,BAR,${night},${night},${index % 11 === 4 ? 'x' : 60 + index}`,
    ),
  )
  return ['hotelId,roomId,rateId,startDate,endDate,price', ...rows, ''].join('\n')
}

/** The next process need not wait for the seconds after which the lease of the killed one ends. */
async function leaveLeases(): Promise<void> {
  await gateway.db.query('update bulk_job set leased_until = null')
}

async function untilPart(jobId: string): Promise<void> {
  for (;;) {
    const { rows } = await gateway.db.query<{ parts: number }>('select parts from bulk_job where id = $1', [
      jobId,
    ])
    if (Number(rows[0]?.parts) > 0) return
    await wait(2)
  }
}

/** Hotels with a price of its own for each night: some megabytes. */
const exportedFiles: readonly (readonly [
  { kind: 'hotels' | 'products' | 'ari'; format: 'ndjson' | 'csv' },
  string,
])[] = [
  [{ kind: 'hotels', format: 'ndjson' }, ndjson(manyHotels().map((hotelId) => storyHotel({ hotelId })))],
  [
    { kind: 'products', format: 'ndjson' },
    ndjson(
      manyHotels().map((hotelId) => ({ hotelId, products: [product('DBL', 'BAR'), product('SGL', 'BAR')] })),
    ),
  ],
  [{ kind: 'ari', format: 'csv' }, pricesOfAll()],
]

function manyHotels(): string[] {
  return Array.from({ length: 20 }, (_, index) => `M${index}`)
}

function pricesOfAll(): string {
  const rows = manyHotels().flatMap((hotelId) =>
    dates(400).flatMap((date, index) =>
      ['DBL', 'SGL'].map(
        (roomId) => `${hotelId},${roomId},BAR,${date},${date},${60 + (index % 300)}.5,${index % 5}`,
      ),
    ),
  )
  return ['hotelId,roomId,rateId,startDate,endDate,price,minLengthStay', ...rows, ''].join('\n')
}

/** All that a load leaves, without what names the account or a moment. */
async function endOf({ supplier, jobs }: Pick<Load, 'supplier' | 'jobs'>) {
  const ends = []
  let lines = 0
  for (const jobId of jobs) {
    const { body } = expectOk(await supplier.get(`/push/bulk/${jobId}`))
    const { state, applied, unchanged, partial, refused, hotels: named } = body
    lines += Number(body['lines'])
    const errors = expectOk(await supplier.get(`/push/bulk/${jobId}/errors`)).text
    ends.push({ state, lines: body['lines'], applied, unchanged, partial, refused, named, errors })
  }
  const stored = []
  for (const hotelId of hotels) {
    const range = { from: nights[0], to: nights.at(-1) }
    const { hotel } = expectOk(
      await supplier.post('/push/getAriDigest', { hotelId, level: 'hotel', ...range }),
    ).body
    const { products } = expectOk(await supplier.post('/push/getProducts', { hotelId })).body
    const { taxes } = expectOk(await supplier.post('/push/getTaxes', { hotelId })).body
    stored.push({ hotelId, hotel, products, taxes })
  }
  return { lines, ends, stored, pushes: await pushesOf(supplier, jobs) }
}

/** The pushes of the jobs in the log: those of CSV, whose rows are grouped anew after a kill, as sums by hotel. */
async function pushesOf(supplier: TestSupplier, jobs: readonly string[]): Promise<unknown> {
  const sheet = jobs.length - 1
  const pages = await pagesOf(supplier, '/push/log?limit=200')
  const pushes = pages.flatMap(({ pushes: page }): Record<string, unknown>[] =>
    Array.isArray(page) ? page : [],
  )
  const names = pushes.map(({ requestId }) => requestId)
  assert.equal(new Set(names).size, names.length, 'a line was logged twice')
  const ofLines = []
  const cellsByHotel: Record<string, number> = {}
  for (const { requestId, kind, hotelId, outcome, status, revision, cellsChanged } of pushes) {
    const [jobId = '', line] = String(requestId).split('.')
    const job = jobs.indexOf(jobId)
    if (job !== sheet)
      ofLines.push([job, Number(line), kind, hotelId, outcome, status, revision, cellsChanged])
    else cellsByHotel[String(hotelId)] = (cellsByHotel[String(hotelId)] ?? 0) + Number(cellsChanged)
  }
  return { ofLines: ofLines.map((one) => one.join()).sort(), cellsByHotel }
}
