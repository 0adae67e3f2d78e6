import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import { root } from '../../test/stage/files.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { until } from '../../test/stage/pace.ts'
import { programsForTests, startProgram } from '../../test/stage/programs/programs.ts'
import { product, storyHotel } from '../../test/stage/story.ts'

/** The guide's own way to switch traces on, with the SDK's exporter, two processes, and a collector that only listens. */

const { newFolder, track } = programsForTests()

type Received = {
  name: string
  service: string
  spanId: string
  parentSpanId: string | undefined
  traceId: string
  processId: string
}

async function startCollector(): Promise<{ url: string; spans: Received[] }> {
  const spans: Received[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body)))
      else spans.push({ ...unexpected, name: String(request.url) })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, spans }
}

const unexpected = { service: '', spanId: '', parentSpanId: undefined, traceId: '', processId: '' }

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } }
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: Pick<Received, 'name' | 'spanId' | 'parentSpanId' | 'traceId'>[] }[]
  }[]
}

function spansOf({ resourceSpans }: Sent): Received[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const of = (key: string): string => {
      const value = resource.attributes.find((attribute) => attribute.key === key)?.value
      return String(value?.stringValue ?? value?.intValue)
    }
    const [service, processId] = [of('service.name'), of('process.pid')]
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, spanId, parentSpanId, traceId }) => ({
        name,
        service,
        spanId,
        parentSpanId,
        traceId,
        processId,
      })),
    )
  })
}

test('the settings of the guide send the spans of every process, and a push that is handed over stays one trace', async () => {
  const collector = await startCollector()
  const data = await newFolder()
  const file = join(dirname(data), 'first.json')
  const guide = (namedBlocks(join(root, 'docs/operating.md')).get('sh tracing') ?? '')
    .replace('/opt/ari-traces/tracing.mjs', join(root, 'docs/monitoring/tracing.mjs'))
    .replace('http://127.0.0.1:4318', collector.url)
  const tracing = Object.fromEntries(
    guide
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s)),
  )
  assert.deepEqual(Object.keys(tracing), ['NODE_OPTIONS', 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
  const settings = {
    ARI_DATA_DIR: data,
    PORT: '0',
    ARI_BOOTSTRAP_FILE: file,
    ARI_PROCESSES: '2',
    LOG_LEVEL: 'error',
  }
  const service = track(
    startProgram(
      'command',
      { ...settings, ...tracing, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '200' },
      ['serve'],
    ),
  )
  const printed = await service.printed(/Its first key, token and sign-in link are in /)
  const url = /at (http:\S+)/.exec(printed)?.[1] ?? ''
  const { apiKey } = JSON.parse(await readFile(file, 'utf8'))
  // A connection of its own for each: the kernel chooses the process by it. A starved store is asked again.
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', connection: 'close' }
    const send = () => fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    let response = await send()
    await until(async () => response.status !== 503 || (response = await send()).status !== 503)
    assert.equal(response.status, 200, await response.text())
  }
  await post('/push/hotels', [storyHotel()])
  await post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] })
  const named = (name: string) => collector.spans.filter((span) => span.name === name)
  let inventory = 0
  await until(async () => {
    await post('/push/ari', {
      hotelId: 'H1',
      ari: [{ roomId: 'DBL', date: nightAhead(1), inventory: ++inventory % 90 }],
    })
    return named('push.handOver').length > 0
  })
  const [handOver] = named('push.handOver')
  assert.ok(handOver)
  const parts = (of: Received) => collector.spans.filter(({ parentSpanId }) => parentSpanId === of.spanId)
  await until(() => parts(handOver).length > 0 && parts(handOver).every((push) => parts(push).length > 0))
  const [push] = parts(handOver)
  assert.ok(push)
  const [group] = parts(push)
  assert.deepEqual(
    [push.name, push.traceId, push.processId !== handOver.processId, group?.name],
    ['push.ari', handOver.traceId, true, 'commit.group'],
  )
  assert.deepEqual([...new Set(collector.spans.map((span) => span.service))], ['ari'])
  assert.ok(named('POST /v1/push/ari').some(({ spanId }) => spanId === handOver.parentSpanId))
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})
