import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests } from '../test/harness.ts'

/** Access to the metrics, and the figures for the event loop. */

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
