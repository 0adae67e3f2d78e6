import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { carriersOf, refusedUrls, specialIpv4, specialIpv6 } from '../../test/stage/scenes/refused-urls.ts'
import { startGateway, type TestGateway, type TestSupplier } from '../../test/stage/harness.ts'
import { startNameServer, type NameServer } from '../../test/stage/servers/name-server.ts'
import { startReceiver, type Receiver } from '../../test/stage/servers/receiver.ts'
import { outboundCaller, type OutboundCaller } from '../../src/outbound/call.ts'
import { dnsResolve, type OutboundRules, type Resolve, loopbackNetworks } from '../../src/outbound/vet-url.ts'
import { telemetry } from '../../src/base/telemetry.ts'

/**
 * Nobody can make this service connect to a private network, neither by a URL nor by a name server that
 * changes its answer. A canary listens where every connection would end, whatever its port; only public
 * addresses are ever tried.
 */

let canary: Receiver
let servers: NameServer[]
let gateway: TestGateway
let caller: OutboundCaller
let resolve: Resolve
/** Addresses to which a connection was attempted. */
let tried: string[]

const publicAddress = '93.184.216.34'
const special = [...specialIpv4, ...specialIpv6, ...specialIpv4.flatMap(carriersOf)]
const paths = ['/push/webhook/availability', '/push/webhook/pushbook'] as const

before(async () => {
  canary = await startReceiver(undefined, { host: '::' })
  servers = []
  tried = []
  resolve = async () => ['127.0.0.1']
  const rules: Omit<OutboundRules, 'privateNetworks'> = {
    resolve: (...given) => resolve(...given),
    reach: ({ host, addresses }) => {
      tried.push(...addresses)
      // The address belongs to nobody here, and nothing leaves this machine.
      if (addresses.every((address) => address === publicAddress)) {
        return { host, port: 1, addresses: ['127.0.0.1'] }
      }
      return { host, port: canary.port, addresses }
    },
  }
  gateway = await startGateway({ outbound: rules, resolve: rules.resolve })
  caller = outboundCaller({ ...rules, privateNetworks: [] }, telemetry(), {
    purpose: 'canary',
    connectionsPerHost: 1,
  })
})
after(async () => {
  await gateway.stop()
  caller.close()
  for (const server of servers) server.close()
  await canary.close()
})

function call(url: string) {
  return caller.post({
    url,
    body: Buffer.from('{}'),
    headers: {},
    connectWithinMs: 1_000,
    withinMs: 2_000,
    answerBytesMax: 1_000,
  })
}

async function outcomeOf(url: string): Promise<string> {
  const called = await call(url)
  return called.kind === 'failed' ? called.reason : called.kind
}

/** A supplier that has registered once: from then on every registration calls the URL. */
async function supplierWithSecret(name: string): Promise<TestSupplier> {
  resolve = async () => [publicAddress]
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  assert.equal((await supplier.post(paths[0], { webhook: 'https://pms.example.com/' })).status, 200)
  return supplier
}

test('the canary sings when it is reached', async () => {
  const open = outboundCaller(
    { privateNetworks: loopbackNetworks, resolve: async () => ['127.0.0.1'] },
    telemetry(),
    {
      purpose: 'open',
      connectionsPerHost: 1,
    },
  )
  const limits = { connectWithinMs: 1_000, withinMs: 2_000, answerBytesMax: 1_000 }
  const called = await open.post({
    url: `http://canary.example:${canary.port}/`,
    body: Buffer.from('{}'),
    headers: {},
    ...limits,
  })
  open.close()
  assert.deepEqual([called.kind, canary.connections()], ['answered', 1])
})

test('no URL of the corpus is registered by either endpoint or called, and what was registered before stays', async () => {
  const sung = canary.connections()
  const supplier = await gateway.supplier('corpus', { requestsPerMinute: 0 })
  // Whether they can be called is left out: that depends on what their name resolves to.
  const read = async () => {
    const { availability, pushbook } = (await supplier.get('/push/webhook')).body
    return { availability, pushbook }
  }
  resolve = async () => [publicAddress]
  for (const path of paths) await supplier.post(path, { webhook: 'https://pms.example.com/' })
  const registered = await read()
  resolve = async () => ['127.0.0.1']
  tried = []
  const urls = refusedUrls()
  assert.ok(urls.length >= 500, `${urls.length} URLs`)
  const wrong: unknown[] = []
  for (const [index, webhook] of urls.entries()) {
    const { status, body } = await supplier.post(paths[index % 2] ?? paths[0], { webhook })
    const errors = Array.isArray(body['errors']) ? body['errors'] : []
    if (status !== 400 || errors[0]?.path !== '/webhook') wrong.push([webhook, status])
    // As if it had been stored anyway.
    const outcome = await outcomeOf(webhook)
    if (outcome !== 'refused_address') wrong.push([webhook, outcome])
  }
  assert.deepEqual([wrong, tried, canary.connections() - sung], [[], [], 0])
  assert.deepEqual(await read(), registered)
})

test('a URL of the corpus that came to be stored all the same is not called either', async () => {
  const sung = canary.connections()
  const supplier = await gateway.supplier('stored')
  tried = []
  const some = refusedUrls().filter((_, index) => index % 20 === 0)
  for (const url of some) {
    const set = 'update api_key set availability_webhook = $2, signing_secret = $3 where id = $1'
    await gateway.db.query(set, [supplier.keyId, url, 'whsec_AAAA'])
    const { body } = await supplier.post('/push/webhook/test', { kind: 'availability' })
    assert.deepEqual([url, Object(body['ping']).reason], [url, 'refused_address'])
  }
  assert.deepEqual([tried, canary.connections() - sung], [[], 0])
})

test('a name that is public when it is registered and special at the call is not connected to, whatever the address', async () => {
  const sung = canary.connections()
  for (const address of special) {
    for (const addresses of [[address], [publicAddress, address]]) {
      resolve = async () => addresses
      assert.deepEqual(
        [addresses, await outcomeOf('https://pms.example.com/')],
        [addresses, 'refused_address'],
      )
    }
  }
  tried = []
  const supplier = await supplierWithSecret('flips')
  for (const address of ['127.0.0.1', '0.0.0.0', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1']) {
    let asked = 0
    resolve = async () => [++asked === 1 ? publicAddress : address]
    const { status, body } = await supplier.post(paths[0], { webhook: 'https://pms.example.com/' })
    assert.deepEqual(
      [address, status, Object(body['ping']).reason, asked],
      [address, 200, 'refused_address', 2],
    )
  }
  assert.deepEqual([tried, canary.connections() - sung], [[], 0])
})

test('a name server that flips its answer at every question gets no connection to the canary', async () => {
  const sung = canary.connections()
  let questions = 0
  const flipping = await startNameServer((_name, type) => {
    if (type === 'AAAA') return []
    return [questions++ % 2 === 0 ? publicAddress : '127.0.0.1']
  })
  servers.push(flipping)
  const supplier = await supplierWithSecret('name server')
  resolve = dnsResolve([flipping.address])
  tried = []
  const seen = new Set<string>()
  for (let round = 0; round < 30; round++) {
    const { status, body } = await supplier.post(paths[round % 2] ?? paths[0], {
      webhook: `https://pms${round}.example.com/`,
    })
    seen.add(status === 200 ? Object(body['ping']).reason : String(status))
    seen.add(await outcomeOf(`https://call${round}.example.com/`))
  }
  assert.deepEqual([...seen].toSorted(), ['400', 'connect', 'refused_address'])
  assert.deepEqual([new Set(tried), canary.connections() - sung], [new Set([publicAddress]), 0])
})
