import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { readConfig } from '../settings/config.ts'
import { checkPublicUrl } from './check-network.ts'
import { isInContainer } from './container.ts'

/** Whether the service's public URL leads to it, as `ari doctor` sees it from the machine or from within a container. */

const service = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
after(() => service.close())
await once(service, 'listening')
const address = service.address()
const port = typeof address === 'object' ? String(address?.port) : ''

async function found(publicUrl: string, isContainer: boolean): Promise<unknown> {
  const { settings } = readConfig({
    PORT: port,
    ARI_PUBLIC_URL: publicUrl,
    ARI_DATA_DIR: import.meta.dirname,
  })
  const { level, message } = await checkPublicUrl(settings, isContainer)
  return [level, message]
}

/** Nobody listens there. */
const silent = ['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9']

test('a loopback address that is not answered is a fault on the machine, and none in a container, whose own it is', async () => {
  for (const url of silent) {
    const why = "not checked, because in a container it is the container's own address"
    assert.deepEqual(await found(url, true), ['ok', `${url}; ${why}`])
    const [level, message] = Object(await found(url, false))
    assert.equal(level, 'warning')
    assert.match(message, /can't be reached from here/)
  }
})

test('in a container too, an address that is not its own is checked', async () => {
  const [level, message] = Object(await found('http://ari.invalid:9', true))
  assert.equal(level, 'warning')
  assert.match(message, /can't be reached from here/)
  const url = `http://127.0.0.1:${port}`
  assert.deepEqual(await found(url, true), ['ok', `${url} leads to this service`])
})

test('a container is known by any of its marks', () => {
  assert.equal(isInContainer(['/no/such/mark', import.meta.filename]), true)
  assert.equal(isInContainer(['/no/such/mark']), false)
})
