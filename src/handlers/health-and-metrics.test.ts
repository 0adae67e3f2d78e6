import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { client, gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'

/** Access to the metrics, and the figures for the event loop, the processor and the caches. */

const gateway = await gatewayForTests()

const token = 'a-token-of-metrics'

async function get(url: string | undefined, authorization?: string): Promise<[number, boolean]> {
  assert.ok(url !== undefined)
  const reply = await fetch(url, authorization === undefined ? {} : { headers: { authorization } })
  return [reply.status, (await reply.text()).includes('ari_requests_in_flight')]
}

test('metrics with a token are served only to callers that send it', async () => {
  const { url } = await gateway.second({ metrics: { port: undefined, token } })
  assert.deepEqual(
    [
      await get(`${url}/metrics`),
      await get(`${url}/metrics`, 'Bearer another-token-of-it'),
      await get(`${url}/metrics`, token),
      await get(`${url}/metrics`, `Bearer ${token}`),
    ],
    [
      [401, false],
      [401, false],
      [401, false],
      [200, true],
    ],
  )
})

test('on a port of their own the metrics are there, and nowhere else, and nothing else is there', async () => {
  const { url, metricsUrl } = await gateway.second({ metrics: { port: 0, token: undefined } })
  assert.deepEqual(
    [await get(`${metricsUrl}/metrics`), await get(`${url}/metrics`)],
    [
      [200, true],
      [404, false],
    ],
  )
  for (const path of ['/livez', '/docs', '/v1/push/limits', '/console'])
    assert.deepEqual([path, (await fetch(`${metricsUrl}${path}`)).status], [path, 404])
})

test('the token holds on the port too', async () => {
  const { metricsUrl } = await gateway.second({ metrics: { port: 0, token } })
  assert.deepEqual(
    [await get(`${metricsUrl}/metrics`), await get(`${metricsUrl}/metrics`, `Bearer ${token}`)],
    [
      [401, false],
      [200, true],
    ],
  )
})

/** How often the event loop was late by more than half a second. */
async function longDelays(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const count = (line: string) =>
    Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.slice(line.length + 1),
    )
  const name = 'ari_event_loop_delay_seconds'
  return count(`${name}_count`) - count(`${name}_bucket{le="0.5"}`)
}

test('whatever holds up the event loop is in the histogram of its delays', async () => {
  const already = await longDelays()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  while ((await longDelays()) === already) await wait(20)
})

/** Look-ups by cache and outcome. */
async function lookups(): Promise<Record<string, number>> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const lines = text.matchAll(/^ari_cache_lookups_total\{cache="(\w+)",outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries(
    [...lines].map(([, cache, outcome, count]) => [`${cache} ${outcome}`, Number(count)]),
  )
}

/** By how much each count rises while `work` is done, except those of keys and tokens, which expire. */
async function lookupsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await lookups()
  await work()
  const risen = Object.entries(await lookups()).map(
    ([name, count]) => [name, count - (before[name] ?? 0)] as const,
  )
  return Object.fromEntries(risen.filter(([name, by]) => by > 0 && !/^(?:keys|tokens) /.test(name)))
}

test('the metrics count what is found in each cache and what is not', async () => {
  const supplier = await gateway.supplier('Acme')
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  await pushStoryHotel(supplier)
  const push = async (price: number) =>
    expectOk(
      await supplier.post('/push/ari', {
        hotelId: 'H1',
        pricingModel: 'unit',
        ari: [
          {
            roomId: 'DBL',
            startDate: '2027-05-01',
            endDate: '2027-05-02',
            rates: [{ rateId: 'BAR', price }],
          },
        ],
      }),
    )
  const search = async () =>
    expectOk(
      await platform.post('/booking/offers', {
        hotels: [{ supplier: 'Acme', hotelId: 'H1' }],
        checkin: '2027-05-01',
        checkout: '2027-05-02',
        rooms: [{ adults: 2 }],
      }),
    )
  // The row of the room-rate and that of its room.
  const blocks = 2
  assert.deepEqual(await lookupsOf(() => push(100)), { 'catalogs miss': 1, 'blocks miss': blocks })
  assert.deepEqual(await lookupsOf(() => push(110)), { 'catalogs hit': 1, 'blocks hit': blocks })
  assert.deepEqual(await lookupsOf(search), { 'hotel_ids miss': 1, 'offers miss': 1 })
  assert.deepEqual(await lookupsOf(search), { 'hotel_ids hit': 1, 'offers hit': 1 })
  await push(120)
  assert.deepEqual(await lookupsOf(search), { 'hotel_ids hit': 1, 'offers miss': 1 })
  const { 'keys hit': keys = 0, 'keys miss': missedKeys = 0, 'tokens miss': tokens = 0 } = await lookups()
  assert.ok(keys + missedKeys > 0 && missedKeys > 0 && tokens > 0)
})

test('the metrics have the processor time of the process', async () => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  assert.ok(Number(/^ari_processor_seconds_total\{process="1"\} (\S+)$/m.exec(text)?.[1]) > 0)
})

test('probes, metrics and pages answer HEAD as they answer GET, without the body', async () => {
  for (const path of [
    '/livez',
    '/readyz',
    '/metrics',
    '/console',
    '/docs',
    '/docs/guides',
    '/openapi.json',
  ]) {
    const [head, got] = [await fetch(gateway.url + path, { method: 'HEAD' }), await fetch(gateway.url + path)]
    assert.notEqual(await got.text(), '')
    assert.deepEqual(
      [path, head.status, head.headers.get('content-type'), await head.text()],
      [path, got.status, got.headers.get('content-type'), ''],
    )
  }
})

test('the API has no HEAD', async () => {
  const reply = await fetch(`${gateway.url}/v1/push/limits`, { method: 'HEAD' })
  assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET'])
})
