import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createJob, jobIn, ndjson, upload, type Wanted } from '../bulk.ts'
import { gatewayForTests, type TestSupplier } from '../harness.ts'
import { roundsWithin } from '../pace.ts'
import { environOf } from '../postgres.ts'
import { expectOk, pagesOf, product, storyHotel } from '../story.ts'
import { endServices, startService } from './crash/service.ts'

/**
 * A first load whose service is killed again and again ends as one that nobody disturbed: the same hotels, products,
 * taxes and ARI, the same refused lines, and the same pushes in the log.
 */

const rounds = { full: 50, floor: 4, share: 0.02 }
const hotels = Array.from({ length: 10 }, (_, index) => `H${index}`)
const nights = Array.from({ length: 20 }, (_, index) =>
  new Date(Date.now() + (60 + index) * 86_400_000).toISOString().slice(0, 10),
)
const ariLines = 800

after(endServices)

const gateway = await gatewayForTests({ systemTime: true })
const environ = environOf(gateway.storeAddress)

test('a load that is killed at random points ends like an undisturbed one, with each line applied once', async (t) => {
  const undisturbed = await begin('undisturbed')
  const service = await startService(environ)
  await untilLine(undisturbed, Infinity)
  await service.end('SIGTERM')
  const expected = await endOf(undisturbed)
  assert.ok(expected.lines > ariLines)

  const { next, summary } = roundsWithin(rounds)
  let loads = 0
  let underWay = 0
  let disturbed: Load | undefined
  for (let kill = next(); kill !== undefined; kill = next()) {
    disturbed ??= await begin(`disturbed ${++loads}`)
    const killed = await startService(environ)
    const { lines } = await progressOf(disturbed)
    await untilLine(disturbed, lines + randomInt(1, Math.ceil(expected.lines / 3)))
    // Between two transactions, or in the middle of one.
    await wait(randomInt(0, 40))
    await killed.end('SIGKILL')
    await leaveLeases()
    if (!(await progressOf(disturbed)).hasEnded) underWay++
    else {
      assert.deepEqual(await endOf(disturbed), expected, `after kill ${kill + 1}`)
      disturbed = undefined
    }
  }
  if (disturbed) {
    const last = await startService(environ)
    await untilLine(disturbed, Infinity)
    await last.end('SIGTERM')
    assert.deepEqual(await endOf(disturbed), expected, 'after the last kill')
  }
  t.diagnostic(`${summary()}, ${underWay} of them with lines left, over ${loads} loads`)
  assert.ok(underWay > 0)
})

type Load = { supplier: TestSupplier; jobs: string[] }

/** Five jobs, which run one after another. */
async function begin(name: string): Promise<Load> {
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  const jobs: string[] = []
  for (const [wanted, data] of files) {
    const jobId = await createJob(supplier, wanted)
    expectOk(await upload(supplier, jobId, data))
    jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
    jobs.push(jobId)
  }
  return { supplier, jobs }
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

async function progressOf({ jobs }: Load): Promise<{ lines: number; hasEnded: boolean }> {
  const { rows } = await gateway.db.query<{ lines: number; hasEnded: boolean }>(
    `select sum(line)::int as lines, bool_and(ended_at is not null) as "hasEnded"
     from bulk_job where id = any($1::uuid[])`,
    [`{${jobs.join()}}`],
  )
  return rows[0] ?? { lines: 0, hasEnded: false }
}

async function untilLine(load: Load, line: number): Promise<void> {
  for (;;) {
    const { lines, hasEnded } = await progressOf(load)
    if (lines >= line || hasEnded) return
    await wait(2)
  }
}

/** The next process need not wait for the seconds after which the lease of the killed one ends. */
async function leaveLeases(): Promise<void> {
  await gateway.db.query('update bulk_job set leased_until = null')
}

/** All that a load leaves, without what names the account or a moment. */
async function endOf({ supplier, jobs }: Load) {
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
