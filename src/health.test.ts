import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../test/harness.ts'

const gateway = await gatewayForTests()

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
