import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refusedUrls } from '../../test/stage/scenes/refused-urls.ts'
import { testAuthority, goodCertificate } from '../../test/stage/servers/certificates.ts'
import {
  client,
  startGateway,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../../test/stage/harness.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../test/stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { mayConnect } from '../../src/outbound/vet-url.ts'

/**
 * URLs that reached the store in some other way, or whose host was public when they were registered: a price
 * check connects to public addresses only. Every connection, whatever its address, ends at the canary.
 */

const publicAddress = '93.184.216.34'
const privateAddress = '10.0.0.7'

let canary: Receiver
let gateway: TestGateway
let platform: TestClient
let supplier: TestSupplier
/** The addresses of permitted connections. */
const reached: string[] = []
let resolved = 0

before(async () => {
  canary = await startReceiver((socket) => socket.end(httpAnswer(500, '', { connection: 'close' })), {
    certificate: goodCertificate,
  })
  gateway = await startGateway({
    // A name server that answers differently each time.
    resolve: async () => [resolved++ % 2 === 0 ? publicAddress : privateAddress],
    outbound: {
      authorities: [testAuthority],
      reach: ({ host, addresses }) => {
        reached.push(...addresses)
        return { host, port: canary.port, addresses: ['127.0.0.1'] }
      },
    },
  })
  platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  supplier = await gateway.supplier('Refused')
  await pushStoryHotel(supplier)
})
after(async () => {
  await gateway.stop()
  await canary.close()
})

async function checkAt(url: string): Promise<string> {
  await gateway.db.query('update api_key set availability_webhook = $2 where id = $1', [supplier.keyId, url])
  const { body } = expectOk(
    await platform.post('/booking/priceCheck', {
      hotel: { supplier: 'Refused', hotelId: 'H1' },
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: '2027-04-20',
      checkout: '2027-04-22',
      roomCount: 1,
      adultCount: 2,
      childAges: [],
    }),
  )
  return Object(body['failure']).reason
}

test('no check connects to a canary at any of the URLs that must not be called', async () => {
  // Leave out URLs that PostgreSQL can't store.
  const urls = refusedUrls().filter((url) => url.isWellFormed() && !url.includes('\0'))
  assert.ok(urls.length >= 500, `${urls.length} URLs`)
  const found: [string, string][] = []
  for (const url of urls) found.push([url, await checkAt(url)])
  assert.deepEqual(
    found,
    urls.map((url) => [url, 'refused_address']),
  )
  assert.deepEqual([reached, canary.connections()], [[], 0])
})

test('a host whose name server flips between a public and a private address is reached at the public one only', async () => {
  const reasons: string[] = []
  for (let count = 0; count < 40; count++) reasons.push(await checkAt(`https://pms.example.com/${count}`))
  assert.deepEqual(
    reasons,
    Array.from({ length: 40 }, (_, count) => (count % 2 === 0 ? 'http_status' : 'refused_address')),
  )
  assert.deepEqual(
    reached.filter((address) => !mayConnect(address, [])),
    [],
  )
  assert.equal(reached.length, 20)
})
