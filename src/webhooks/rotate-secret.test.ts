import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startExampleSupplier, type ExampleSupplier } from '../../test/stage/scenes/examples.ts'
import { startGateway, type TestGateway, type TestSupplier } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { httpAnswer } from '../../test/stage/servers/receiver.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'

/** A supplier renews its signing secret by itself, so a lost answer needs nobody else. */

let server: ExampleSupplier
let gateway: TestGateway
before(async () => {
  server = await startExampleSupplier((socket) => socket.write(httpAnswer(200, '{}')))
  // Receivers compare the time of a call with their own clock.
  gateway = await startGateway({
    outbound: server.outbound,
    systemTime: true,
    resolve: async () => ['93.184.216.34'],
    pingWithinMs: minutes(1),
  })
})
after(async () => {
  await gateway.stop()
  await server.close()
})

const hourMs = 3_600_000
const webhook = 'https://pms.example.com/ari'

async function registered(name: string): Promise<{ supplier: TestSupplier; secret: unknown }> {
  const supplier = await gateway.supplier(name)
  const { body } = expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  return { supplier, secret: body['signingSecret'] }
}

const rotate = (supplier: TestSupplier, body = {}, headers = {}) =>
  supplier.post('/push/webhook/rotate', body, headers)

/** Which of the secrets verify a call that is made now. */
async function verify(supplier: TestSupplier, secrets: readonly unknown[]): Promise<boolean[]> {
  const earlier = server.calls.length
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
  const [call = assert.fail()] = server.calls.slice(earlier)
  return secrets.map((secret) => {
    try {
      new Webhook(String(secret)).verify(call.body.toString(), Object.fromEntries(call.headers))
      return true
    } catch {
      return false
    }
  })
}

test('a supplier renews its signing secret: it is shown once, and both sign until the end of the overlap', async () => {
  const { supplier, secret: old } = await registered('renews')
  const { body } = expectOk(await rotate(supplier, { overlapHours: 2 }))
  const answeredMs = Date.now()
  const { signingSecret, oldSecretValidUntil, ...said } = body
  assert.deepEqual(said, { code: '200', message: 'Signing secret rotated successfully' })
  assert.match(String(signingSecret), /^whsec_/)
  assert.notEqual(signingSecret, old)
  assert.deepEqual(await verify(supplier, [old, signingSecret]), [true, true])
  const overlapMs = Date.parse(String(oldSecretValidUntil)) - answeredMs
  assert.ok(Math.abs(overlapMs - 2 * hourMs) < hourMs, String(oldSecretValidUntil))
  for (const path of ['/push/webhook', '/push/log?limit=100', '/push/deliveries'])
    assert.ok(!(await supplier.get(path)).text.includes(String(signingSecret)), path)
})

test('without an overlap the old secret signs nothing more', async () => {
  const { supplier, secret: old } = await registered('leaked')
  const { signingSecret: second } = expectOk(await rotate(supplier)).body
  const { signingSecret: third } = expectOk(await rotate(supplier, { overlapHours: 0 })).body
  assert.deepEqual(await verify(supplier, [old, second, third]), [false, false, true])
})

test('an answer that was lost is asked for again, and the secret that the supplier has goes on signing', async () => {
  const { supplier, secret: old } = await registered('lost')
  const headers = { 'idempotency-key': 'rotate' }
  const lost = expectOk(await rotate(supplier, {}, headers)).body['signingSecret']
  const { body } = expectOk(await rotate(supplier, {}, headers))
  assert.notEqual(body['signingSecret'], lost)
  assert.deepEqual(await verify(supplier, [old, lost, body['signingSecret']]), [true, true, true])
})

test('a rotation that would end a secret before its time is refused; without an overlap all end', async () => {
  const { supplier, secret: old } = await registered('often')
  const { signingSecret: second } = expectOk(await rotate(supplier)).body
  const { signingSecret: third } = expectOk(await rotate(supplier)).body
  const refused = await rotate(supplier)
  assert.deepEqual(
    [refused.status, problemsOf(refused)],
    [409, [[undefined, 'SECRETS_OVERLAP', 'Two earlier signing secrets still sign calls']]],
  )
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.deepEqual(await verify(supplier, [old, second, third]), [true, true, true])
  const { signingSecret: fourth } = expectOk(await rotate(supplier, { overlapHours: 0 })).body
  assert.deepEqual(await verify(supplier, [old, second, third, fourth]), [false, false, false, true])
})

test('a key without a secret has none to renew, and an overlap is 0 to 168 hours', async () => {
  const fresh = await gateway.supplier('no secret yet')
  const none = await rotate(fresh)
  assert.deepEqual(
    [none.status, problemsOf(none)],
    [409, [[undefined, 'NO_SIGNING_SECRET', 'This API key has no signing secret']]],
  )
  const { supplier, secret } = await registered('odd overlap')
  for (const overlapHours of [-1, 169, 1.5, '24', null])
    assert.equal((await rotate(supplier, { overlapHours })).status, 400, String(overlapHours))
  assert.deepEqual(await verify(supplier, [secret]), [true])
})

test('a rotation is of the calling key alone', async () => {
  const { supplier, secret } = await registered('mine')
  const { supplier: other, secret: others } = await registered('theirs')
  const { signingSecret } = expectOk(await rotate(supplier)).body
  assert.deepEqual(await verify(other, [others, signingSecret]), [true, false])
  assert.deepEqual(await verify(supplier, [secret, signingSecret, others]), [true, true, false])
})
