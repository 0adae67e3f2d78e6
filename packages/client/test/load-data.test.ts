import assert from 'node:assert/strict'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync, gzipSync } from 'node:zlib'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { pushStoryHotel } from '../../../test/stage/story.ts'
import type { ConnectOptions, Fetch } from '../src/call.ts'
import { supplierClient } from '../src/clients.ts'
import { isGatewayError, type GatewayError } from '../src/gateway-error.ts'
import { followBulkJob, loadBulkData } from '../src/load-data.ts'
import type { Data } from '../src/transfers.ts'

/** Loads and exports by the client, against a running service. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

let suppliers = 0
async function connect(options: Partial<ConnectOptions> = {}) {
  const supplier = await gateway.supplier(`Loader ${++suppliers}`, { requestsPerMinute: 0 })
  return { supplier, client: supplierClient({ url: gateway.url, apiKey: supplier.apiKey, ...options }) }
}

const night = (day: number, roomId = 'DBL') =>
  `${JSON.stringify({ hotelId: 'H1', ari: [{ roomId, date: `2027-04-${String(day).padStart(2, '0')}`, inventory: day }] })}\n`
const nights = (count: number) => Array.from({ length: count }, (_, index) => night(1 + index))

async function refusalOf(call: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.ok(isGatewayError(error), String(error))
  return error
}

test('data of every sort arrives as its bytes', async () => {
  const { client } = await connect()
  const line = night(1)
  const zipped = new Uint8Array(gzipSync(line))
  async function* pieces() {
    yield line.slice(0, 20)
    yield Buffer.from(line.slice(20))
  }
  const sorts: [Data, 'gzip'?][] = [
    [line],
    [new TextEncoder().encode(line)],
    [new Blob([line])],
    [new Blob([line]).stream()],
    [pieces()],
    [zipped, 'gzip'],
  ]
  for (const [data, contentEncoding] of sorts) {
    const { jobId } = await client.createBulkJob({ kind: 'ari', format: 'ndjson' })
    const options = contentEncoding ? { contentEncoding } : {}
    const { bytesReceived } = await client.uploadBulkData({ jobId }, data, options)
    assert.equal(bytesReceived, contentEncoding ? zipped.length : line.length)
    await client.startBulkJob({ jobId })
    const { state, refused } = await followBulkJob(client, jobId)
    assert.deepEqual([state, refused], ['done', 1])
    const errors = await text(await client.getBulkErrors({ jobId }))
    assert.match(errors, /^\{"_refused":\{"line":1,.*"HOTEL_NOT_FOUND".*"inventory":1\}\]\}\n$/)
  }
})

test('refusals of uploads and downloads are errors that hold all that the answer says', async () => {
  const { client } = await connect()
  const jobId = '00000000-0000-7000-8000-000000000000'
  for (const call of [
    () => client.uploadBulkData({ jobId }, 'x'),
    () => client.getBulkErrors({ jobId }),
    () => client.getExportData({ jobId }),
  ]) {
    const error = await refusalOf(call())
    assert.deepEqual([error.status, error.has('BULK_JOB_NOT_FOUND')], [404, true])
  }
  const page: Fetch = async () =>
    new Response('<html>', { status: 200, headers: { 'content-type': 'text/html' } })
  const proxied = (await connect({ fetch: page, retryForMs: 0 })).client
  assert.equal((await refusalOf(proxied.getBulkErrors({ jobId }))).code, 'NOT_JSON')
})

test('data that can be read only once is not sent again', async () => {
  const jobId = '00000000-0000-7000-8000-000000000000'
  const attemptsOf = async (data: Data): Promise<number> => {
    let attempts = 0
    const failing: Fetch = async () => {
      attempts++
      throw new TypeError('fetch failed')
    }
    const { client } = await connect({ fetch: failing, retryForMs: 1_000 })
    assert.equal((await refusalOf(client.uploadBulkData({ jobId }, data))).code, 'NO_ANSWER')
    return attempts
  }
  assert.equal(await attemptsOf(new Blob(['x']).stream()), 1)
  assert.ok((await attemptsOf('x')) > 1)
})

test('a download is whole, however late it is read', async () => {
  const { supplier, client } = await connect()
  await pushStoryHotel(supplier)
  const { jobId } = await client.createExport({ kind: 'hotels', format: 'ndjson' })
  await followBulkJob(client, jobId)
  const files = await Promise.all(Array.from({ length: 5 }, () => client.getExportData({ jobId })))
  setFlagsFromString('--expose-gc')
  const collectGarbage: unknown = runInNewContext('gc')
  assert.ok(typeof collectGarbage === 'function')
  for (let round = 0; round < 5; round++) {
    collectGarbage()
    await wait(10)
  }
  const texts = await Promise.all(files.map((file) => text(file)))
  assert.deepEqual(
    texts.map((one) => one.includes('"hotelId":"H1"')),
    files.map(() => true),
  )
})

test('a file is loaded to the end, and its refused lines apply when they are mended', async () => {
  const { supplier, client } = await connect()
  await pushStoryHotel(supplier)
  const files: string[] = []
  const saveErrors = async (file: AsyncIterable<Uint8Array>) => {
    files.push((await buffer(file)).toString())
  }
  const states: string[] = []
  const job = await loadBulkData(client, {
    kind: 'ari',
    format: 'ndjson',
    data: [...nights(20), night(21, 'SUITE')].join(''),
    saveErrors,
    onProgress: ({ state }) => states.push(state),
  })
  assert.deepEqual([job.state, job.lines, job.applied, job.refused], ['done', 21, 20, 1])
  assert.equal(states.at(-1), 'done')
  const data = (files[0] ?? '').replaceAll('SUITE', 'DBL')
  const mended = await loadBulkData(client, { kind: 'ari', format: 'ndjson', data, saveErrors })
  assert.deepEqual([mended.applied, mended.refused, files.length], [1, 0, 1])
})

test('an upload goes on where a broken connection left it, and a start whose answer is lost counts', async () => {
  const faults: ('refused' | 'unanswered' | 'halved')[] = ['refused', 'unanswered', 'halved', 'refused']
  let parts = 0
  let starts = 0
  const breaking: Fetch = async (url, init) => {
    if (url.endsWith('/start') && starts++ === 0) {
      await (await fetch(url, init)).arrayBuffer()
      throw new TypeError('fetch failed')
    }
    if (init.method !== 'PUT') return fetch(url, init)
    const fault = faults[parts++]
    if (fault === 'refused') throw new TypeError('fetch failed')
    assert.ok(init.body instanceof Uint8Array)
    if (fault === 'unanswered') await (await fetch(url, init)).arrayBuffer()
    // The service stores the bytes that it has when a connection breaks.
    if (fault === 'halved') {
      const headers = new Headers(init.headers)
      const [first = 0] = (headers.get('content-range') ?? '').match(/\d+/g) ?? []
      const half = init.body.slice(0, 10)
      headers.set('content-range', `bytes ${first}-${Number(first) + half.length - 1}/*`)
      await (await fetch(url, { ...init, headers, body: half })).arrayBuffer()
    }
    if (fault) throw new TypeError('fetch failed')
    return fetch(url, init)
  }
  const { supplier, client } = await connect({ fetch: breaking })
  await pushStoryHotel(supplier)
  const lines = nights(28)
  async function* pieces() {
    for (const line of lines) yield line
  }
  const job = await loadBulkData(client, { kind: 'ari', format: 'ndjson', data: pieces(), partBytes: 500 })
  assert.deepEqual([job.state, job.lines, job.applied, job.refused], ['done', 28, 28, 0])
  assert.deepEqual([parts > faults.length, starts], [true, 2])
})

test('an export is the data of a load, compressed or not', async () => {
  const source = await connect()
  await pushStoryHotel(source.supplier)
  await loadBulkData(source.client, { kind: 'ari', format: 'ndjson', data: nights(9).join('') })
  for (const contentEncoding of [undefined, 'gzip'] as const) {
    const target = await connect()
    for (const kind of ['hotels', 'products', 'ari'] as const) {
      const { jobId } = await source.client.createExport({ kind, format: 'ndjson' })
      assert.equal((await followBulkJob(source.client, jobId)).state, 'done')
      const file = await source.client.getExportData({ jobId })
      const data = contentEncoding ? new Uint8Array(gzipSync(await buffer(file))) : file
      const options = contentEncoding ? { contentEncoding } : {}
      const { refused, applied } = await loadBulkData(target.client, {
        kind,
        format: 'ndjson',
        data,
        ...options,
      })
      assert.deepEqual([refused, applied], [0, 1])
    }
    const range = { hotelId: 'H1', startDate: '2027-04-01', endDate: '2027-04-30' }
    assert.deepEqual((await target.client.getAri(range)).ari, (await source.client.getAri(range)).ari)
  }
})

test('a load whose data fails, or that is aborted before its start, is cancelled', async () => {
  const sent: string[] = []
  const watched: Fetch = (url, init) => {
    sent.push(url.slice(url.lastIndexOf('/') + 1))
    return fetch(url, init)
  }
  const { client } = await connect({ fetch: watched })
  async function* failing() {
    yield night(1)
    throw new Error('the disk is broken')
  }
  const wanted = { kind: 'ari', format: 'ndjson', partBytes: 10 } as const
  await assert.rejects(loadBulkData(client, { ...wanted, data: failing() }), /^Error: the disk is broken$/)
  assert.deepEqual([sent.at(-1), sent.includes('start')], ['cancel', false])
  const left = new AbortController()
  async function* aborting() {
    yield night(1)
    left.abort(new Error('not needed any more'))
    yield night(2)
  }
  await assert.rejects(
    loadBulkData(client, { ...wanted, data: aborting(), signal: left.signal }),
    /^Error: not needed any more$/,
  )
  assert.deepEqual([sent.at(-1), sent.includes('start')], ['cancel', false])
})

test('data is sent compressed', async () => {
  const bodies: Uint8Array[] = []
  const watched: Fetch = (url, init) => {
    if (init.body instanceof Uint8Array && init.method === 'PUT') bodies.push(init.body)
    return fetch(url, init)
  }
  const { client } = await connect({ fetch: watched })
  const data = nights(28).join('')
  await loadBulkData(client, { kind: 'ari', format: 'ndjson', data })
  const [body = new Uint8Array()] = bodies
  assert.deepEqual([gunzipSync(body).toString(), body.length < data.length / 5], [data, true])
})
