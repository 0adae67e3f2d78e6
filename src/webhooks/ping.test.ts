import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startExampleSupplier, type ExampleSupplier } from '../../test/stage/scenes/examples.ts'
import {
  client,
  startGateway,
  type Reply,
  type TestClient,
  type TestGateway,
  type TestSupplier,
} from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { httpAnswer, type Behaviour, type ReceivedCall } from '../../test/stage/servers/receiver.ts'
import { rotateSigningSecret } from './store.ts'
import type { Resolve } from '../outbound/vet-url.ts'

let behave: Behaviour
let server: ExampleSupplier
let resolve: Resolve
let gateway: TestGateway

const usual: Behaviour = (socket) => socket.write(httpAnswer(200, '{}'))
const publicAddress: Resolve = async () => ['93.184.216.34']

before(async () => {
  behave = usual
  resolve = publicAddress
  server = await startExampleSupplier((...given) => behave(...given))
  // Receivers compare the time of a call with their own clock.
  gateway = await startGateway({
    outbound: server.outbound,
    systemTime: true,
    resolve: (...given) => resolve(...given),
    pingWithinMs: minutes(1),
  })
})
after(async () => {
  await gateway.stop()
  await server.close()
})

const paths = { availability: '/push/webhook/availability', pushbook: '/push/webhook/pushbook' } as const
const webhook = 'https://pms.example.com/ari'

/** The ping without its duration. */
function pingOf({ body }: Reply): unknown {
  const { durationMs, ...told } = Object(body['ping'])
  assert.equal(told.status === 'skipped', durationMs === undefined)
  return told
}

const register = (supplier: TestClient, url = webhook) => supplier.post(paths.availability, { webhook: url })
const tried = (supplier: TestSupplier, kind: string) => supplier.post('/push/webhook/test', { kind })

const overlap = (ms: number) => ({ nowMs: Date.now(), oldUntilMs: Date.now() + ms })

/** The calls that arrived since. */
function arrivals(): () => ReceivedCall[] {
  const earlier = server.calls.length
  return () => server.calls.slice(earlier)
}

function verified(secret: unknown, { headers, body }: ReceivedCall): unknown {
  return new Webhook(String(secret)).verify(body.toString(), Object.fromEntries(headers))
}

test('the first registration makes no call: the caller doesn’t have the signing secret yet', async () => {
  const supplier = await gateway.supplier('first')
  const arrived = arrivals()
  const reply = await register(supplier)
  assert.deepEqual(
    [typeof reply.body['signingSecret'], reply.body['ping'], arrived()],
    [
      'string',
      {
        status: 'skipped',
        reason: 'secret_new',
        message: 'Store signingSecret, then test the URL with POST /push/webhook/test',
      },
      [],
    ],
  )
  assert.deepEqual(pingOf(await tried(supplier, 'availability')), { status: 'answered', httpStatus: 200 })
  const [call = assert.fail()] = arrived()
  assert.deepEqual(verified(reply.body['signingSecret'], call), { type: 'ping' })
})

test('a later registration calls the URL once with a signed ping, and answers with its result', async () => {
  const supplier = await gateway.supplier('registers')
  const first = await register(supplier)
  const arrived = arrivals()
  const path = paths.pushbook
  const reply = await supplier.post(path, { webhook: `${webhook}?x=1` }, { 'x-request-id': 'mine' })
  assert.deepEqual(pingOf(reply), { status: 'answered', httpStatus: 200 })
  const [call = assert.fail(), ...others] = arrived()
  assert.deepEqual([call.line, others], ['POST /ari?x=1 HTTP/1.1', []])
  assert.deepEqual(verified(first.body['signingSecret'], call), { type: 'ping' })
  const { headers } = call
  assert.deepEqual(
    ['content-type', 'host', 'user-agent', 'x-request-id'].map((name) => headers.get(name)),
    ['application/json', 'pms.example.com', 'ari-gateway', 'mine'],
  )
  assert.match(headers.get('webhook-id') ?? '', /^ping_[0-9a-f-]{36}$/)
})

test('whatever the endpoint does, the URL is registered, and the answer reports the result', async () => {
  const supplier = await gateway.supplier('any answer')
  await register(supplier)
  const cases: [Behaviour, unknown][] = [
    [(socket) => socket.write(httpAnswer(404, '')), { status: 'answered', httpStatus: 404 }],
    [(socket) => socket.write(httpAnswer(500, 'x')), { status: 'answered', httpStatus: 500 }],
    [
      (socket) => socket.write(httpAnswer(302, '', { location: 'https://pms.example.com/other' })),
      { status: 'answered', httpStatus: 302 },
    ],
    [(socket) => socket.end(), { status: 'failed', reason: 'reset', message: 'socket hang up' }],
  ]
  for (const [index, [behaviour, told]] of cases.entries()) {
    behave = behaviour
    const arrived = arrivals()
    const reply = await register(supplier, `${webhook}/${index}`)
    assert.deepEqual([reply.status, pingOf(reply), arrived().length], [200, told, 1])
    const { body } = await supplier.get('/push/webhook')
    assert.equal(body['availability'], `${webhook}/${index}`)
  }
  behave = usual
  const other = await register(supplier, 'https://other.example/')
  assert.deepEqual(Object(other.body['ping']).reason, 'tls')
})

test('an endpoint that stays silent has two seconds, and its URL is registered', async () => {
  const { url } = await gateway.second({ pingWithinMs: undefined })
  const supplier = await gateway.supplier('no answer')
  await register(supplier)
  behave = () => {}
  const arrived = arrivals()
  const hurried = client(url, { 'x-api-key': supplier.apiKey })
  let reply = await register(hurried, `${webhook}/silent`)
  // On a loaded machine the time may run out before the ping reaches the endpoint.
  while (arrived().length === 0) reply = await register(hurried, `${webhook}/silent`)
  behave = usual
  const told = { status: 'failed', reason: 'timeout', message: 'no whole answer within 2000 ms' }
  assert.deepEqual([reply.status, pingOf(reply), arrived().length], [200, told, 1])
  const { body } = await supplier.get('/push/webhook')
  assert.equal(body['availability'], `${webhook}/silent`)
})

test('a name that is public when it is registered and private when it is called is not called', async () => {
  const supplier = await gateway.supplier('flips')
  await register(supplier)
  const arrived = arrivals()
  let asked = 0
  resolve = async () => [++asked === 1 ? '93.184.216.34' : '127.0.0.1']
  const reply = await register(supplier, 'https://supplier.example/')
  resolve = publicAddress
  assert.deepEqual(pingOf(reply), {
    status: 'failed',
    reason: 'refused_address',
    message: 'supplier.example must not be called: privateAddress',
  })
  assert.deepEqual([asked, arrived()], [2, []])
})

test('a refused registration, and one repeated under its Idempotency-Key, make no call', async () => {
  const supplier = await gateway.supplier('silent')
  const headers = { 'idempotency-key': 'once' }
  await supplier.post(paths.availability, { webhook }, headers)
  const arrived = arrivals()
  const again = await supplier.post(paths.availability, { webhook }, headers)
  assert.deepEqual([again.status, 'ping' in again.body], [200, false])
  assert.equal((await supplier.post(paths.availability, { webhook: 'http://pms.example.com' })).status, 400)
  assert.deepEqual(arrived(), [])
})

test('a key has at most two pings at a time, and further ones are skipped', async () => {
  const supplier = await gateway.supplier('busy')
  await register(supplier)
  const held: (() => void)[] = []
  behave = (socket) => held.push(() => void socket.write(httpAnswer(200, '{}')))
  const first = [tried(supplier, 'availability'), tried(supplier, 'availability')]
  while (held.length < 2) await new Promise((resolved) => setTimeout(resolved, 5))
  const third = await register(supplier)
  for (const release of held) release()
  behave = usual
  const told = [third, ...(await Promise.all(first))].map(pingOf)
  const answered = { status: 'answered', httpStatus: 200 }
  assert.deepEqual(told, [{ status: 'skipped', reason: 'busy' }, answered, answered])
})

test('a test call goes to the registered URL of that kind, and is refused where there is none', async () => {
  const supplier = await gateway.supplier('tries')
  const registration = await register(supplier)
  const arrived = arrivals()
  const reply = await tried(supplier, 'availability')
  assert.deepEqual(
    [reply.status, { ...reply.body, ping: '' }, pingOf(reply)],
    [
      200,
      { code: '200', message: 'Webhook tested', kind: 'availability', webhook, ping: '' },
      { status: 'answered', httpStatus: 200 },
    ],
  )
  const [call = assert.fail()] = arrived()
  assert.deepEqual(verified(registration.body['signingSecret'], call), { type: 'ping' })
  const refused = await tried(supplier, 'pushbook')
  assert.deepEqual([refused.status, refused.body['message']], [409, 'Push booking webhook is not registered'])
  await supplier.delete(paths.availability)
  const gone = await tried(supplier, 'availability')
  assert.deepEqual([gone.status, gone.body['message']], [409, 'Price check webhook is not registered'])
  const odd = await tried(supplier, 'booking')
  assert.deepEqual([odd.status, odd.body['message']], [400, 'kind must be one of availability, pushbook'])
})

test('after a rotation calls carry both signatures until the overlap is over, then only the new one', async () => {
  const supplier = await gateway.supplier('rotates')
  const { body } = await register(supplier)
  const accepted = async (secrets: readonly unknown[]) => {
    const arrived = arrivals()
    await tried(supplier, 'availability')
    const [call = assert.fail()] = arrived()
    return secrets.map((secret) => {
      try {
        return Boolean(verified(secret, call))
      } catch {
        return false
      }
    })
  }
  const old = body['signingSecret']
  const during = await rotateSigningSecret(gateway.db, supplier.keyId, overlap(60_000))
  assert.deepEqual(await accepted([old, during.signingSecret]), [true, true])
  const { signingSecret: last } = await rotateSigningSecret(gateway.db, supplier.keyId, overlap(0))
  assert.deepEqual(await accepted([old, during.signingSecret, last]), [false, false, true])
})

test('a key without a signing secret, and one that is not there, can not be rotated', async () => {
  const { keyId } = await gateway.supplier('no secret')
  await assert.rejects(rotateSigningSecret(gateway.db, keyId, overlap(0)), {
    message: `Key ${keyId} has no signing secret`,
  })
  await assert.rejects(rotateSigningSecret(gateway.db, 999_999, overlap(0)), {
    message: 'Key 999999 not found',
  })
})
